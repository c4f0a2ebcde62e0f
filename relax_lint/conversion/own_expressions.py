"""The expressions of a preprocessing script, followed: which tables they are, and what else the text says of them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from relax_lint.conversion.own_constants import called, formatted, is_function, operation, unknown
from relax_lint.conversion.own_loops import as_function, as_loop, rows_of
from relax_lint.conversion.own_tables import Call, attribute, concatenated, loaded, method
from relax_lint.conversion.own_values import (
    Arguments,
    Columns,
    Data,
    Function,
    Grown,
    Length,
    Op,
    Parser,
    Splits,
    Unknown,
    holds_data,
    is_plain,
    option,
)
from relax_lint.records import node
from relax_lint.sources.python import called_name

WRITES = "to_parquet"
_OF_DATA = frozenset({WRITES, "load_dataset", "load_from_disk", "concatenate_datasets", "ArgumentParser", "parse_args"})
_MOST_TURNS, _MOST_DEPTH = 256, 12
_DEPENDS = "depends on what the script finds where it runs"


SPLITS = "which splits the data set has is not written out"


class Stop(Exception):
    """Something that stands in the way of following the script: the line, and what it is."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


class Returned(Exception):
    """A ``return``."""

    def __init__(self, line: int, value: Any) -> None:
        super().__init__()
        self.line, self.value = line, value


class Turn(Exception):
    """A ``break``, or a ``continue``."""

    def __init__(self, line: int, ends: bool) -> None:
        super().__init__()
        self.line, self.ends = line, ends


@node
class Entry:
    """Something that the script binds: by a statement, or as a name for a value or for an expression of the ``origin``,
    a scope and a time. One that ``adds`` changes what is bound already; the statement of
    one that ``is_new`` is not in the script as it is."""

    scope: int
    line: int
    names: tuple[str, ...]
    statement: ast.stmt | None = None
    value: Any = None
    expression: ast.expr | None = None
    origin: tuple[int, int] = (0, 0)
    adds: bool = False
    options: tuple[str, ...] = ()
    is_new: bool = False


class Expressions:
    """The names of a script with their values, and what its expressions are."""

    def __init__(self, tree: ast.Module) -> None:
        self.entries: list[Entry] = []
        self.parents: list[int] = []
        self.files: dict[str, tuple[Data, int]] = {}
        self.arguments: list[Arguments] = []
        self.seeded = 0
        self._names: list[dict[str, Any]] = []
        self._depth = 0
        self._asked: list[str] = []
        self._of_data = {
            each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and self._concerns_data(each)
        }
        for _ in range(3):  # functions that call such functions
            self._of_data |= {
                each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and self._concerns_data(each)
            }

    def _body(self, body: Sequence[ast.stmt], scope: int) -> None:
        raise NotImplementedError

    def _write(self, call: ast.Call, holder: Any, scope: int) -> None:
        raise NotImplementedError

    def _bind(self, target: ast.expr, value: Any, scope: int, statement: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            self._names[scope][target.id] = value
            self.entries.append(Entry(scope, statement.lineno, (target.id,), value=value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = list(value) if isinstance(value, (list, tuple)) and len(value) == len(target.elts) else None
            for place, part in enumerate(target.elts):
                known = parts[place] if parts is not None else unknown(target, value)
                self._bind(part, known, scope, statement)

    def _spoil(self, values: Collection[Any], line: int) -> None:
        """Have it be unknown what is in lists and the like that something may have changed."""
        for names in self._names:
            for name, known in names.items():
                if any(known is value for value in values):
                    names[name] = Unknown(line, f"what is in {name} is not followed")

    def _scope(self, parent: int) -> int:
        self.parents.append(parent)
        self._names.append({})
        return len(self._names) - 1

    # ------------------------------------------------------------ what concerns the data

    def _concerns_data(self, part: ast.AST) -> bool:
        known: Collection[str] = getattr(self, "_of_data", frozenset())
        calls = [called_name(each) for each in ast.walk(part) if isinstance(each, ast.Call)]
        return any(name in _OF_DATA or name in known for name in calls)

    def _may_write(self, statement: ast.AST) -> bool:
        calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call)]
        return any(called_name(call) == WRITES or self._is_inlined(call) for call in calls)

    def _matters(self, statement: ast.AST, scope: int) -> bool:
        """Whether a statement has to be gone into for the data's sake."""
        if self._concerns_data(statement):
            return True
        names = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name)}
        values = [self._lookup(name, scope) for name in names]
        tables = [each for value in values for each in (value.values() if isinstance(value, dict) else [value])]
        functions = [each.definition.name for each in tables if isinstance(each, Function)]
        return any(map(holds_data, tables)) or any(name in self._of_data for name in functions)

    def _is_inlined(self, value: ast.expr) -> bool:
        """Whether an expression calls a function that has to be gone into."""
        if not isinstance(value, ast.Call):
            return False
        return getattr(value.func, "id", "") in self._of_data or isinstance(value.func, ast.Subscript)

    def home(self, name: str, scope: int) -> int:
        """The scope that a name is bound in, as seen from another."""
        here = scope
        while name not in self._names[here] and here:
            here = self.parents[here]
        return here if name in self._names[here] else scope

    def _lookup(self, name: str, scope: int) -> Any:
        return self._names[self.home(name, scope)].get(name)

    # ------------------------------------------------------------ expressions

    def value(self, part: ast.expr, scope: int) -> Any:
        """What an expression is, as far as the text says."""
        if isinstance(part, ast.Constant):
            return part.value
        if isinstance(part, ast.Name):
            if part.id == "__name__":
                return "__main__"
            found = self._names[self.home(part.id, scope)]
            return found[part.id] if part.id in found else Unknown(part.lineno, "")
        if isinstance(part, ast.Call):
            return self._called(part, scope)
        if isinstance(part, (ast.Tuple, ast.List)):
            values = [self.value(each, scope) for each in part.elts]
            return values if isinstance(part, ast.List) else tuple(values)
        if isinstance(part, ast.Dict):
            keys = [None if key is None else self.value(key, scope) for key in part.keys]
            if not all(isinstance(key, (str, int)) for key in keys):
                return unknown(part)
            return dict(zip(keys, [self.value(each, scope) for each in part.values], strict=True))
        if isinstance(part, ast.JoinedStr):
            return formatted([self._piece(each, scope) for each in part.values])
        return self._composed(part, scope)

    def _piece(self, part: ast.expr, scope: int) -> Any:
        if not isinstance(part, ast.FormattedValue):
            return self.value(part, scope)
        plain = part.conversion < 0 and part.format_spec is None
        return self.value(part.value, scope) if plain else unknown(part)

    def _composed(self, part: ast.expr, scope: int) -> Any:
        if isinstance(part, ast.Attribute):
            return self._attribute(part, scope)
        if isinstance(part, ast.Subscript):
            return self._item(part, scope)
        if isinstance(part, ast.BinOp):
            return operation(part, part.op, self.value(part.left, scope), self.value(part.right, scope))
        if isinstance(part, ast.Compare) and len(part.ops) == 1:
            return operation(part, part.ops[0], self.value(part.left, scope), self.value(part.comparators[0], scope))
        if isinstance(part, ast.UnaryOp):
            value = self.value(part.operand, scope)
            if isinstance(part.op, ast.Not) and (is_plain(value) or holds_data(value)):
                return not (value or holds_data(value))
            return -value if isinstance(part.op, ast.USub) and isinstance(value, (int, float)) else unknown(part, value)
        if isinstance(part, ast.BoolOp):
            value = None
            for each in part.values:
                value = self.value(each, scope)
                if not is_plain(value) or bool(value) is isinstance(part.op, ast.Or):
                    return value
            return value
        if isinstance(part, ast.IfExp):
            test = self.value(part.test, scope)
            if is_plain(test):
                return self.value(part.body if test else part.orelse, scope)
            return unknown(part, test)
        if isinstance(part, ast.NamedExpr):
            return unknown(part, self.value(part.value, scope))
        if isinstance(part, (ast.ListComp, ast.GeneratorExp, ast.DictComp)) and len(part.generators) == 1:
            return self._comprehension(part, scope)
        return unknown(part)

    def _comprehension(self, part: ast.ListComp | ast.GeneratorExp | ast.DictComp, scope: int) -> Any:
        (loop,) = part.generators
        over, numbered = rows_of(loop.iter)
        data = self.value(over, scope)
        if isinstance(data, Data) and isinstance(part, ast.ListComp):
            written = ast.copy_location(as_loop(part, "made_rows"), part)
            return self.grown(written, data, "made_rows", numbered, scope)
        turns = self.value(loop.iter, scope)
        if not isinstance(turns, (list, tuple, range, dict)) or len(turns) > _MOST_TURNS or not is_plain_or_data(turns):
            return unknown(part, turns)
        inner, made = self._scope(scope), list[Any]()
        for turn in list(turns):
            self._bind(loop.target, turn, inner, ast.Expr(part, lineno=part.lineno))
            tests = [self.value(each, inner) for each in loop.ifs]
            if not all(map(is_plain, tests)):
                return unknown(part, *tests)
            if all(tests):
                pair = (part.key, part.value) if isinstance(part, ast.DictComp) else (part.elt,)
                values = [self.value(each, inner) for each in pair]
                made.append(values if len(values) == 2 else values[0])
        if isinstance(part, ast.DictComp):
            return dict(made) if all(isinstance(key, str) for key, _ in made) else unknown(part)
        return made

    def grown(self, loop: ast.For, data: Data, rows: str, numbered: bool, scope: int) -> Grown | Unknown:
        """The rows that the turns of a loop over a table put into a list."""
        if data.shuffled:
            return Unknown(loop.lineno, f"a loop over rows in the order that shuffle makes (line {data.shuffled})")
        function = as_function(loop, f"rows_of_line_{loop.lineno}", rows, numbered)
        self.entries.append(Entry(scope, loop.lineno, (function.name,), function, is_new=True))
        self._names[scope][function.name] = Function(function, scope)
        made = ast.Name(function.name, ast.Load())
        step = Op("grown", loop.lineno, scope, len(self.entries), made, counts=True, leaves_out=True)
        return Grown(data.after(step))

    def _attribute(self, part: ast.Attribute, scope: int) -> Any:
        holder = self.value(part.value, scope)
        if isinstance(holder, Arguments):
            return self._option(holder, part.attr, part)
        if isinstance(holder, (Data, Splits)):
            return attribute(holder, part.attr, part.lineno)
        return unknown(part, holder)

    def _option(self, arguments: Arguments, name: str, part: ast.expr) -> Any:
        self._asked.append(name)
        return arguments.options.get(name, unknown(part))

    def _item(self, part: ast.Subscript, scope: int) -> Any:
        holder = self.value(part.value, scope)
        key = self.value(part.slice, scope)
        if isinstance(holder, Arguments) and isinstance(key, str):
            return self._option(holder, key, part)
        if isinstance(holder, Splits) or (isinstance(holder, Columns) and isinstance(holder.of, Splits)):
            if not isinstance(key, str):
                return Unknown(part.lineno, "which split of the data set is taken is not written out")
            if isinstance(holder, Splits):
                return holder.of(key)
            return Columns(holder.of.of(key) if isinstance(holder.of, Splits) else holder.of)
        if isinstance(holder, (list, tuple, dict)) and is_plain(key):
            try:
                return holder[key]
            except (KeyError, IndexError, TypeError):
                return unknown(part)
        return unknown(part, holder)

    # ------------------------------------------------------------ calls

    def _called(self, call: ast.Call, scope: int) -> Any:
        name = called_name(call)
        receiver = self.value(call.func.value, scope) if isinstance(call.func, ast.Attribute) else None
        if name == WRITES:
            self._write(call, receiver, scope)
            return None
        given = [self.value(each, scope) for each in call.args if not isinstance(each, ast.Starred)]
        words = {word.arg: self.value(word.value, scope) for word in call.keywords if word.arg is not None}
        made = Call(call, given, words, scope, len(self.entries))
        if isinstance(receiver, (Data, Splits)):
            if isinstance(receiver, Splits) and name in ("items", "keys", "values"):
                return self._splits(receiver, name) or made.refused(SPLITS)
            return method(receiver, made)
        if (
            isinstance(receiver, dict)
            and holds_data(receiver)
            and name not in ("items", "keys", "values", "get", "pop")
        ):
            tables = {key: method(each, made) for key, each in receiver.items() if isinstance(each, (Data, Splits))}
            return tables if len(tables) == len(receiver) else made.refused(f"what {name} is called on is not known")
        if isinstance(receiver, Parser):
            return self._parsed(receiver, call, name, scope)
        if name == "ArgumentParser":
            return Parser({})
        if name in ("load_dataset", "load_from_disk"):
            return loaded(made)
        if name == "concatenate_datasets":
            return concatenated(made)
        if name == "DatasetDict" and given and isinstance(given[0], dict):
            return given[0]
        if name == "len" and given and isinstance(given[0], (Data, Splits)):
            return Length()
        function = self.value(call.func, scope) if isinstance(call.func, (ast.Name, ast.Subscript)) else None
        if isinstance(function, Function) and (
            function.definition.name in self._of_data or any(map(holds_data, [*given, *words.values()]))
        ):
            return self._inlined(function, call, scope)
        if name in ("from_list", "DataFrame") and given and isinstance(given[0], Grown):
            return given[0].data
        if name in _TABLES and given and isinstance(given[0], Unknown) and given[0].reason:
            return given[0]
        if name in _TABLES:
            return made.refused(f"what {name} makes of the data is not followed: only what methods of datasets do is")
        if name in _CHANGES or (name not in _LEAVES and not is_function(name)):
            self._spoil(
                [each for each in (receiver, *given, *words.values()) if isinstance(each, (list, dict, Grown))],
                call.lineno,
            )
        return called(call, receiver, given, words)

    @staticmethod
    def _splits(data: Splits, name: str) -> Any:
        known: dict[str, Data] = {split: data.of(split) for split in data.load.splits or ()}
        return list({"items": known.items(), "keys": known.keys(), "values": known.values()}[name])

    def _parsed(self, parser: Parser, call: ast.Call, name: str, scope: int) -> Any:
        if name == "add_argument":
            found = option(call, lambda part: self.value(part, scope))
            if found is not None:
                parser.options.setdefault(*found)
        elif name == "set_defaults":
            parser.options.update((word.arg, self.value(word.value, scope)) for word in call.keywords if word.arg)
        elif name in ("add_argument_group", "add_mutually_exclusive_group"):
            return parser
        elif name in ("parse_args", "parse_known_args"):
            made = Arguments(parser.options)
            self.arguments.append(made)
            return made if name == "parse_args" else (made, [])
        return Unknown(call.lineno, "")

    def _inlined(self, function: Function, call: ast.Call, scope: int) -> Any:
        """What a function of the script gives that is called with tables, or makes some."""
        if self._depth > _MOST_DEPTH:
            raise Stop(call.lineno, "functions call one another too deep to be followed")
        inner, definition = self._scope(function.scope), function.definition
        for name, part, origin in _bound(definition, call, scope, function.scope):
            if part is None:
                raise Stop(call.lineno, f"what {definition.name} is called with is not all written out")
            value = self.value(part, origin)
            self._names[inner][name] = value
            plain = is_plain(value) or holds_data(value) or isinstance(value, Arguments)
            at = (origin, len(self.entries))
            self.entries.append(
                Entry(inner, call.lineno, (name,), value=value)
                if plain
                else Entry(inner, call.lineno, (name,), value=value, expression=part, origin=at)
            )
        self._depth += 1
        try:
            self._body(definition.body, inner)
        except Returned as returned:
            return returned.value
        finally:
            self._depth -= 1
        return None


_CHANGES = frozenset("pop popitem sort reverse insert remove clear update setdefault".split())
_LEAVES = frozenset(
    "print items keys values get join info debug warning error dump dumps index count copy isinstance set".split()
)
_TABLES = frozenset(
    "DataFrame from_list from_dict from_pandas from_generator from_records read_json read_csv read_parquet concat "
    "apply".split()
)


def is_plain_or_data(values: Any) -> bool:
    """Whether each value is known, or a table."""
    return all(is_plain(each) or holds_data(each) for each in values)


def _bound(
    definition: ast.FunctionDef, call: ast.Call, scope: int, home: int
) -> Iterator[tuple[str, ast.expr | None, int]]:
    """The parameters of a function with what is given for them, and the scope of that."""
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    words = {word.arg: word.value for word in call.keywords}
    loose = None in words or arguments.vararg or arguments.kwarg or any(isinstance(e, ast.Starred) for e in call.args)
    for place, (each, default) in enumerate(zip(positional, [*defaults, *arguments.defaults], strict=True)):
        if loose:
            yield each.arg, None, scope
        elif place < len(call.args):
            yield each.arg, call.args[place], scope
        elif each.arg in words:
            yield each.arg, words[each.arg], scope
        else:
            yield each.arg, default, home
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield each.arg, words.get(each.arg, default), scope if each.arg in words else home
