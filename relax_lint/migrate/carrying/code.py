"""A module as its top-level statements: which names each binds, which it needs, and its text with every comment."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.scanning import Scan, scans
from relax_lint.records import node
from relax_lint.sources.python import PythonSource, walk

if TYPE_CHECKING:
    import libcst as cst

    from relax_lint.migrate.carrying.sources import Origin


class AtLine(Exception):
    """What is wrong in a file: where, and why."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(reason)
        self.path, self.line, self.reason = path, line, reason


class Unparsable(AtLine):
    """A file that cannot be read as Python."""


@node
class Statement:
    """One top-level statement, or several on one line.

    ``effect`` says that it is there for what it does: it binds no name. ``idle`` is what a copy never wants: the
    docstring, ``__all__``, ``__path__``, what runs only when the file is a script, and a search path that is played
    with. ``runs`` are the names that are looked up when it runs itself, not when what it defines is called; ``scans``
    are where it, or what it defines, asks for names or classes that it does not name.
    """

    index: int
    nodes: list[ast.stmt]
    binds: frozenset[str]
    uses: frozenset[str]
    effect: bool
    idle: bool
    runs: frozenset[str] = frozenset()
    scans: tuple[Scan, ...] = ()

    @property
    def is_import(self) -> bool:
        """Whether it does nothing but import."""
        return all(isinstance(each, (ast.Import, ast.ImportFrom)) for each in self.nodes)

    @property
    def is_plain(self) -> bool:
        """Whether it does nothing but define, import, or give values to names."""
        return all(_is_plain(each) for each in self.nodes)


class Code:
    """The parsed text of one module; ``original`` is its text on disk, where that was cut down."""

    def __init__(self, origin: Origin, data: bytes | str, original: str = "") -> None:
        self.origin = origin
        self.original = original
        source = PythonSource(origin.path, data.encode() if isinstance(data, str) else data)
        if source.tree is None:
            assert source.error is not None
            raise Unparsable(origin.path, source.position(source.error.offset)[0], source.error.message)
        self.text = source.text.removeprefix("\ufeff").replace("\r\n", "\n")
        self.tree = source.tree

    @cached_property
    def module(self) -> cst.Module:
        """The text with all its formatting, as libcst has it."""
        import libcst as cst

        try:
            return cst.parse_module(self.text)
        except (cst.ParserSyntaxError, RecursionError) as problem:
            line = getattr(problem, "raw_line", 1)
            raise Unparsable(self.origin.path, line, "is beyond what libcst reads") from problem

    @cached_property
    def statements(self) -> list[Statement]:
        """The top-level statements in order, one for each of ``module.body``."""
        import libcst as cst

        pending = list(self.tree.body)
        found = []
        for index, each in enumerate(self.module.body):
            count = len(each.body) if isinstance(each, cst.SimpleStatementLine) else 1
            nodes, pending = pending[:count], pending[count:]
            found.append(_statement(index, nodes, first=index == 0))
        return found

    @cached_property
    def binding(self) -> dict[str, list[Statement]]:
        """The statements that bind each name."""
        found: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for name in statement.binds:
                found.setdefault(name, []).append(statement)
        return found

    def reached(self, names: Iterable[str]) -> set[str]:
        """These names of the module with those that their definitions use, and so on, but for loggers."""
        found, pending = set[str](), [*names]
        while pending:
            name = pending.pop()
            if name not in found and not any(_is_logger(each) for each in self.binding.get(name, ())):
                found.add(name)
                pending += [used for each in self.binding.get(name, ()) for used in each.uses if used in self.binding]
        return found

    def is_function(self, name: str) -> bool:
        """Whether a name is that of a function, and of nothing else."""
        made = [each for statement in self.binding.get(name, ()) for each in statement.nodes]
        return all(isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) for each in made)

    def line(self, line: int) -> int:
        """The line on disk of one of this text."""
        if not self.original:
            return line
        wanted, lines = self.text.split("\n")[line - 1].strip(), self.original.split("\n")
        alike = [number for number, each in enumerate(lines, 1) if each.strip() == wanted]
        return min(alike, key=lambda number: abs(number - line), default=line)

    @property
    def docstring(self) -> str | None:
        """The module's docstring."""
        return ast.get_docstring(self.tree, clean=False)

    def definition(self, name: str) -> ast.stmt | None:
        """The last top-level statement that binds a name, as far as it is one by itself."""
        found = [each for statement in self.binding.get(name, ()) for each in statement.nodes if binds(each, name)]
        return found[-1] if found else None

    def attributes_of(self, name: str) -> frozenset[str] | None:
        """The attributes that are read of a name; ``None`` when it is used in other ways, too."""
        owned, found, seen = set(), set(), 0
        for each in walk(self.tree):
            if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == name:
                owned.add(each.value)
                found.add(each.attr)
            elif isinstance(each, ast.Name) and each.id == name:
                seen += 1
        return frozenset(found) if seen == len(owned) else None


def binds(statement: ast.stmt, name: str) -> bool:
    """Whether a statement binds a name at its own level."""
    return name in bound_by(statement)


def bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement binds at its own level."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    return _tables(statement)[0]


def _statement(index: int, nodes: list[ast.stmt], *, first: bool) -> Statement:
    bound: set[str] = set()
    used: set[str] = set()
    for each in nodes:
        names, uses = _tables(each)
        bound |= names
        used |= uses
    idle = all(_is_idle(each, first=first) for each in nodes)
    runs = frozenset(each.id for part in nodes for each in run_at_once(part) if isinstance(each, ast.Name))
    effect = not bound and not idle
    return Statement(index, nodes, frozenset(bound), frozenset(used), effect, idle, runs, tuple(scans(nodes)))


def _is_idle(statement: ast.stmt, *, first: bool) -> bool:
    if isinstance(statement, ast.Expr):
        if isinstance(statement.value, ast.Constant):
            return first and isinstance(statement.value.value, str)
        return _plays_with_path(statement)
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return all(isinstance(each, ast.Name) and each.id in ("__all__", "__path__") for each in targets)
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.If) and _is_of_script(statement.test)


def _is_of_script(test: ast.expr) -> bool:
    """Whether a test is that for a file that runs as a script."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and any(map(_is_of_script, test.values))
    sides = {ast.unparse(each) for each in (test.left, *test.comparators)}
    return sides == {"__name__", "'__main__'"}


def _is_logger(statement: Statement) -> bool:
    made = [getattr(each, "value", None) for each in statement.nodes]
    return all(isinstance(each, ast.Call) and ast.unparse(each.func).endswith("getLogger") for each in made)


def _is_plain(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return not statement.decorator_list
    if isinstance(statement, ast.Assign):
        return all(isinstance(each, ast.Name) for each in statement.targets)
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Name)
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def run_at_once(part: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are evaluated when a statement runs, not when what it defines is called."""
    yield part
    below: Iterable[ast.AST]
    if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
        below = part.decorator_list
    elif isinstance(part, ast.ClassDef):
        below = [*part.decorator_list, *part.bases, *part.keywords, *part.body]
    elif isinstance(part, ast.AnnAssign):
        below = [part.target, *([part.value] if part.value is not None else [])]
    elif isinstance(part, ast.Lambda):
        below = ()
    else:
        below = ast.iter_child_nodes(part)
    for each in below:
        yield from run_at_once(each)


def _plays_with_path(statement: ast.Expr) -> bool:
    return any(
        isinstance(each, ast.Attribute)
        and each.attr == "path"
        and isinstance(each.value, ast.Name)
        and each.value.id == "sys"
        for each in walk(statement)
    )


def _tables(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The names that a statement binds in its module, and those that it needs from there."""
    text = ast.unparse(statement)
    try:
        top = symtable.symtable(text, "<statement>", "exec")
    except SyntaxError:
        names = {each.id for each in walk(statement) if isinstance(each, ast.Name)}
        return set(), names
    bound = {each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_imported()}
    used = {each.get_name() for each in top.get_symbols() if each.is_referenced()}
    for table in _below(top):
        for each in table.get_symbols():
            if each.is_global():
                used.add(each.get_name())
    used |= set(_names_in_annotations(statement))
    return bound, used


def _below(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _below(child)


def _names_in_annotations(statement: ast.stmt) -> Iterator[str]:
    """The names in annotations that are written as text."""
    for each in walk(statement):
        annotation = getattr(each, "annotation", None) or getattr(each, "returns", None)
        if not isinstance(annotation, ast.AST):
            continue
        for part in walk(annotation):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                try:
                    inner = ast.parse(part.value, mode="eval")
                except (SyntaxError, ValueError):
                    continue
                yield from (name.id for name in walk(inner) if isinstance(name, ast.Name))
