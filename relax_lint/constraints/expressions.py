"""The conditions of constraints: a small part of Python's expressions, judged with three truth values.

A name is an attribute of Relax's arguments or a derived value. ``given("--flag")`` asks whether a flag is passed,
``env("NAME")`` for a variable of the launch's environment. What is not known statically matters only when it decides:
``False and unknown`` is false.
"""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import CodeType
from typing import Any, Protocol, cast

from relax_lint.catalog.hidden import Hidden, is_hidden, merged

GIVEN, ENVIRONMENT = "given ", "env "
"""How the names begin that ``given("--flag")`` and ``env("NAME")`` stand for."""


class Lookup(Protocol):
    """Where the values of names come from."""

    def __getitem__(self, name: str, /) -> Any:
        """The value of a name. Raises :class:`NotKnown` when it is hidden, ``KeyError`` for a function if need be."""


class NotKnown(Exception):
    """A name whose value is hidden."""

    def __init__(self, hidden: Hidden) -> None:
        super().__init__("hidden")
        self.hidden = hidden


class ExpressionError(Exception):
    """Text that is no condition; ``offset`` is where in it."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Failed(Exception):
    """A condition that cannot be worked out with the values of a launch, such as ``None < 3``."""


def is_json(text: object) -> bool:
    """Whether a text is JSON."""
    try:
        json.loads(text)  # type: ignore[arg-type]
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def is_integer(text: object) -> bool:
    """Whether a text is a whole number, as ``int()`` reads it."""
    try:
        int(str(text))
    except ValueError:
        return False
    return True


def _loads(text: str) -> object:
    return json.loads(text)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "bool": bool,
    "endswith": lambda text, end: str(text).endswith(end),
    "float": float,
    "int": int,
    "is_integer": is_integer,
    "is_json": is_json,
    "is_list": lambda value: isinstance(value, list),
    "is_number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "is_object": lambda value: isinstance(value, dict),
    "is_text": lambda value: isinstance(value, str),
    "json": _loads,
    "len": len,
    "lower": lambda text: str(text).lower(),
    "max": max,
    "min": min,
    "startswith": lambda text, start: str(text).startswith(start),
    "strip": lambda text: str(text).strip(),
    "sum": sum,
}
"""What a condition can call."""

_GLOBALS = {"__builtins__": {}, **FUNCTIONS}
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Div, ast.Mod)
_FAILURES = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError, RecursionError)
_LONGEST = 4000


class Expression:
    """A condition or a formula, parsed when it is first needed."""

    __slots__ = ("__dict__", "text")

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tree(self) -> ast.expr:
        """Its syntax, with calls of ``given`` and ``env`` turned into names. Raises :class:`ExpressionError`."""
        return _Checker(self.text).tree()

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that it reads."""
        return frozenset(
            node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and node.id not in FUNCTIONS
        )

    @cached_property
    def _code(self) -> CodeType:
        return compile(ast.fix_missing_locations(ast.Expression(self.tree)), "<condition>", "eval")

    def value(self, lookup: Lookup) -> Any:
        """What it is worth; :class:`Hidden` when that depends on what is not known. Raises :class:`Failed`."""
        try:
            return eval(self._code, _GLOBALS, cast(Mapping[str, object], lookup))
        except NotKnown:
            pass
        except _FAILURES as error:
            raise Failed(str(error)) from None
        return _Kleene(lookup).value(self.tree)

    def truth(self, lookup: Lookup) -> bool | Hidden:
        """Whether it holds. Raises :class:`Failed`."""
        value = self.value(lookup)
        return value if is_hidden(value) else bool(value)


class _Checker:
    """Turns text into a tree that holds nothing but what conditions may hold."""

    def __init__(self, text: str) -> None:
        self.text = text
        line = text.replace("\r", " ").replace("\n", " ")
        self.line = line.lstrip()
        self.shift = len(line) - len(self.line)

    def tree(self) -> ast.expr:
        if len(self.text) > _LONGEST:
            raise ExpressionError(f"a condition has at most {_LONGEST} characters", _LONGEST)
        try:
            return self.checked(ast.parse(self.line, mode="eval").body)
        except SyntaxError as error:
            at = self.shift + error.offset - 1 if error.offset else len(self.text)
            raise ExpressionError(f"not a condition: {error.msg}", min(at, len(self.text))) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"not a condition: {error}", 0) from None

    def _refuse(self, node: ast.expr, message: str) -> ExpressionError:
        return ExpressionError(message, self.shift + len(self.line.encode()[: node.col_offset].decode()))

    def checked(self, node: ast.expr) -> ast.expr:
        """The node itself, or the name that it stands for."""
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Name):
            if node.id in FUNCTIONS or node.id in ("given", "env"):
                raise self._refuse(node, f"{node.id} is a function: write {node.id}(…)")
        elif isinstance(node, ast.Constant):
            if not isinstance(node.value, str | int | float | None):
                raise self._refuse(node, "only text, numbers, True, False and None")
        elif isinstance(node, ast.BoolOp):
            node.values = [self.checked(value) for value in node.values]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            node.operand = self.checked(node.operand)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            node.left, node.right = self.checked(node.left), self.checked(node.right)
        elif isinstance(node, ast.Compare):
            self._comparison(node)
        elif isinstance(node, ast.IfExp):
            node.test, node.body = self.checked(node.test), self.checked(node.body)
            node.orelse = self.checked(node.orelse)
        elif isinstance(node, ast.Tuple | ast.List):
            node.elts = [self.checked(item) for item in node.elts]
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            node.value, node.slice = self.checked(node.value), self.checked(node.slice)
        else:
            raise self._refuse(node, f"{_named(node)} cannot stand in a condition")
        return node

    def _comparison(self, node: ast.Compare) -> None:
        for comparison, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(comparison, ast.Is | ast.IsNot):
                if not (isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool))):
                    raise self._refuse(right, "`is` compares with None, True and False only")
        node.left = self.checked(node.left)
        node.comparators = [self.checked(right) for right in node.comparators]

    def _call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self._refuse(node, "only plain calls of the known functions")
        name = node.func.id
        if name in ("given", "env"):
            return self._pseudo_name(node, name)
        if name not in FUNCTIONS:
            known = ", ".join(["given", "env", *sorted(FUNCTIONS)])
            raise self._refuse(node, f"no function {name}; there are {known}")
        node.args = [self.checked(argument) for argument in node.args]
        return node

    def _pseudo_name(self, node: ast.Call, name: str) -> ast.expr:
        texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if not texts or len(texts) != len(node.args) or (name == "env" and len(texts) > 1):
            wanted = 'given("--flag", …)' if name == "given" else 'env("NAME")'
            raise self._refuse(node, f"write {wanted}")
        if name == "given":
            for text, one in zip(texts, node.args, strict=True):
                if not text.startswith("-"):
                    raise self._refuse(one, "a flag begins with --")
        prefix = GIVEN if name == "given" else ENVIRONMENT
        found: list[ast.expr] = [ast.Name(prefix + text, ast.Load()) for text in texts]
        made = found[0] if len(found) == 1 else ast.BoolOp(ast.Or(), found)
        return ast.copy_location(made, node)


def _named(node: ast.expr) -> str:
    names: Mapping[str, str] = {
        "Lambda": "a lambda", "Attribute": "an attribute", "JoinedStr": "an f-string", "NamedExpr": ":=",
        "ListComp": "a comprehension", "GeneratorExp": "a comprehension", "SetComp": "a comprehension",
        "DictComp": "a comprehension", "Subscript": "a slice", "Starred": "*", "Dict": "a dict", "Set": "a set",
    }  # fmt: skip
    return names.get(type(node).__name__, "this")


class _Kleene:
    """Works a condition out where some names are hidden."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            try:
                return self.lookup[node.id]
            except NotKnown as unknown:
                return unknown.hidden
        if isinstance(node, ast.BoolOp):
            return self._boolean(node)
        if isinstance(node, ast.IfExp):
            return self._choice(node)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self._chain(node)
        operands = [self.value(child) for child in _operands(node)]
        hidden = [one for one in operands if is_hidden(one)]
        if hidden:
            return merged(hidden)
        return _applied(node, operands)

    def _boolean(self, node: ast.BoolOp) -> Any:
        """``and`` is false as soon as one part is, whatever the unknown ones are; ``or`` likewise true."""
        decides = isinstance(node.op, ast.Or)
        hidden: list[Hidden] = []
        value: Any = not decides
        for part in node.values:
            try:
                value = self.value(part)
            except Failed:
                # Behind a part that is not known it may never be worked out at all.
                if not hidden:
                    raise
                continue
            if is_hidden(value):
                hidden.append(value)
            elif bool(value) is decides:
                return value
        return merged(hidden) if hidden else value

    def _choice(self, node: ast.IfExp) -> Any:
        test = self.value(node.test)
        if not is_hidden(test):
            return self.value(node.body if test else node.orelse)
        try:
            first, second = self.value(node.body), self.value(node.orelse)
        except Failed:
            return test
        if is_hidden(first) or is_hidden(second):
            return merged(one for one in (test, first, second) if is_hidden(one))
        return first if first == second else test

    def _chain(self, node: ast.Compare) -> Any:
        sides = [node.left, *node.comparators]
        parts: list[ast.expr] = [
            ast.Compare(left, [comparison], [right])
            for left, comparison, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return self._boolean(ast.BoolOp(ast.And(), parts))


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        yield from node.args
    else:
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


_OPERATIONS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv, ast.Mod: operator.mod, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda item, group: item in group, ast.NotIn: lambda item, group: item not in group,
}  # fmt: skip


def _applied(node: ast.expr, operands: list[Any]) -> Any:
    """An operation on values that are all known."""
    try:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return FUNCTIONS[node.func.id](*operands)
        if isinstance(node, ast.UnaryOp):
            return not operands[0] if isinstance(node.op, ast.Not) else -operands[0]
        if isinstance(node, ast.BinOp):
            return _OPERATIONS[type(node.op)](*operands)
        if isinstance(node, ast.Compare):
            return _OPERATIONS[type(node.ops[0])](*operands)
        if isinstance(node, ast.Subscript):
            return operands[0][operands[1]]
    except _FAILURES as error:
        raise Failed(str(error)) from None
    return operands if isinstance(node, ast.List) else tuple(operands)
