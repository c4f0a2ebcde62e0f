"""What a step of a preprocessing script needs of the script: the statements, and values that are known."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from relax_lint.conversion.own_expressions import Entry, Stop
from relax_lint.conversion.own_names import binds, mutated, reads
from relax_lint.conversion.own_program import Program
from relax_lint.conversion.own_values import Arguments, Op, Unknown, holds_data, is_plain
from relax_lint.records import node
from relax_lint.sources.python import called_name

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__"}
_MOVABLE = (
    ast.FunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
    ast.For,
)
_FINDS = frozenset({"open", "load", "read_text", "read_csv", "read_json", "read_parquet", "hf_hub_download", "input"})
_RANDOM = frozenset({"random", "np", "numpy", "torch"})


@node
class Needs:
    """The entries that a step needs, by their numbers; what each of its names is bound by last, in which scope; the
    options of the command line whose defaults count; and the names of what it changes from row to row."""

    entries: set[int]
    last: dict[str, tuple[int, int]]
    options: dict[str, object]
    keeps: set[str]


def needs(program: Program, op: Op) -> Needs:
    """What a step needs. Raises :class:`Stop` where that cannot be had."""
    return _Search(program, op).found


class _Search:
    def __init__(self, program: Program, op: Op) -> None:
        self._program, self._op = program, op
        self.found = Needs(set(), {}, {}, set())
        self._pending: list[tuple[str, int, int]] = []
        self._texts: list[ast.AST] = [part for part in (op.function, op.given) if part is not None]
        self._done: set[tuple[str, int, int]] = set()
        self._arguments: dict[int, str] = {}
        for part in self._texts:
            self._pending += [(name, op.scope, op.time) for name in reads(part)]
            self.found.keeps |= set(kept(part))
        while self._pending:
            one = self._pending.pop()
            if one not in self._done:
                self._done.add(one)
                self._name(*one)
        for number, name in self._arguments.items():
            self._defaults(program.entries[number], name)

    def _name(self, name: str, scope: int, time: int) -> None:
        numbers, home = self._bound(name, scope, time)
        if not numbers:
            if name in _BUILTINS:
                return
            raise Stop(self._op.line, f"{name} is not bound where it can be seen")
        if name in _RANDOM and self._program.seeded:
            raise Stop(self._program.seeded, "the rows depend on random numbers that begin here")
        known = self.found.last.get(name)
        if known is not None and known[0] != home:
            raise Stop(self._op.line, f"two things that the rows need are named {name}")
        self.found.last[name] = (home, max(numbers[-1], known[1] if known else 0))
        for number in numbers:
            self._entry(number, name)

    def _bound(self, name: str, scope: int, time: int) -> tuple[list[int], int]:
        """What binds a name at a time, as seen from a scope: the last that does, and what adds to that."""
        while True:
            numbers = []
            for number in range(time - 1, -1, -1):
                entry = self._program.entries[number]
                if entry.scope == scope and name in entry.names:
                    numbers.append(number)
                    if not entry.adds:
                        return numbers[::-1], scope
            if not scope:
                return numbers[::-1], scope
            scope = self._program.parents[scope]

    def _entry(self, number: int, name: str) -> None:
        entry = self._program.entries[number]
        self._told(entry)
        if entry.expression is not None:
            if not (isinstance(entry.expression, ast.Name) and entry.expression.id == name):
                self.found.entries.add(number)
            self._texts.append(entry.expression)
            self._pending += [(each, *entry.origin) for each in reads(entry.expression)]
        elif entry.statement is None:
            self._value(entry, number, name)
        elif number not in self.found.entries:
            self._check(entry.statement, name)
            self.found.entries.add(number)
            self._statement(entry, number)

    def _told(self, entry: Entry) -> None:
        """The options that decide whether an entry is there."""
        for arguments in self._program.arguments:
            self.found.options.update((each, arguments.options.get(each)) for each in entry.options)

    def _statement(self, entry: Entry, number: int) -> None:
        statement = entry.statement
        assert statement is not None
        self._texts.append(statement)
        names = reads(statement)
        is_definition = isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        late = is_definition or any(isinstance(part, ast.Lambda) for part in ast.walk(statement))
        if late:
            self._pending += [(each, entry.scope, self._op.time) for each in names]
            self.found.keeps |= set(kept(statement))
        if not is_definition:
            self._pending += [(each, entry.scope, number) for each in names]

    def _value(self, entry: Entry, number: int, name: str) -> None:
        value = entry.value
        if entry.adds:
            return
        if holds_data(value):
            raise Stop(entry.line, f"the rows depend on the whole data set {name}")
        if isinstance(value, Unknown):
            raise Stop(
                value.line if value.reason else entry.line, value.reason or f"what {name} is, is not written out"
            )
        if isinstance(value, Arguments):
            self._arguments[number] = name
        elif not is_plain(value):
            raise Stop(entry.line, f"what {name} is, is not written out")
        self.found.entries.add(number)

    def _check(self, statement: ast.stmt, name: str) -> None:
        if not isinstance(statement, _MOVABLE):
            raise Stop(statement.lineno, f"{name} depends on what the script is told or finds")
        for part in ast.walk(statement):
            if isinstance(part, ast.Global):
                raise Stop(part.lineno, f"{name} changes what is global")
        for part in () if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else _at_once(statement):
            if isinstance(part, ast.Call) and called_name(part) in _FINDS:
                raise Stop(part.lineno, f"{name} depends on what the script reads when it runs")

    def _defaults(self, entry: Entry, name: str) -> None:
        """The options of the command line that are used, with their defaults."""
        options = entry.value.options
        used = set[str]()
        whole = False
        for text in self._texts:
            inner = set[int]()
            for part in ast.walk(text):
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == name:
                    used.add(part.attr)
                    inner.add(id(part.value))
                elif isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and part.value.id == name:
                    key = getattr(part.slice, "value", None)
                    if isinstance(key, str):
                        used.add(key)
                        inner.add(id(part.value))
            whole = whole or any(
                isinstance(part, ast.Name)
                and part.id == name
                and isinstance(part.ctx, ast.Load)
                and id(part) not in inner
                for part in ast.walk(text)
            )
        for option in options if whole else used:
            value = options.get(option, Unknown(entry.line, f"no option is named {option}"))
            if not is_plain(value):
                known = isinstance(value, Unknown) and value.reason
                raise Stop(
                    value.line if known else entry.line,
                    value.reason if known else f"what {option} is, is not written out",
                )
            self.found.options[option] = value


def kept(part: ast.AST) -> Iterator[str]:
    """The names of what functions in a part of the script change that outlives them."""
    for function in ast.walk(part):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        own = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
        inside = list(_at_once(function))
        own |= {name for each in inside if isinstance(each, ast.stmt) for name in binds(each)}
        own |= {each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        for each in inside:
            if isinstance(each, ast.Nonlocal):
                yield from each.names
            yield from (name for name in mutated(each) if name not in own)
            if isinstance(each, ast.Call) and called_name(each) == "next" and each.args:
                yield from (name for name in reads(each.args[0]) if name not in own)


def _at_once(root: ast.AST) -> Iterator[ast.AST]:
    """The parts that are run when a statement, or a function, is: not those of functions within."""
    pending: list[ast.AST] = list(ast.iter_child_nodes(root)) if not isinstance(root, ast.Lambda) else [root.body]
    if isinstance(root, ast.FunctionDef):
        pending = list(root.body)
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, (ast.FunctionDef, ast.Lambda)):
            pending += ast.iter_child_nodes(part)
