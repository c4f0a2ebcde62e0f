"""The value of an expression."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from math import prod
from re import escape
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.reading.library import HOLDERS, MOST_ITEMS, attribute, size
from relax_lint.catalog.reading.values import (
    ANY_TEXT,
    REGISTER,
    Exceeded,
    Function,
    Module,
    Scope,
    Undecided,
    Unknown,
    Unreadable,
)
from relax_lint.python_operators import BINARY, COMPARE

if TYPE_CHECKING:
    from relax_lint.catalog.reading.interpreter import Interpreter

_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_LARGEST_EXPONENT = 128
_OWN = "relax."
"""How the names of Relax's own functions begin: one that is not to be read may register flags of its own parser."""
_MULTIPLY, _ADD = ("join", "replace"), ("extend", "update")


class Expressions:
    """Evaluates expressions for an interpreter."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._kinds: dict[type, Callable[[Any, Scope], Any]] = {
            ast.Constant: lambda node, scope: node.value,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.JoinedStr: self._joined,
            ast.List: lambda node, scope: self._items(node.elts, scope),
            ast.Tuple: lambda node, scope: tuple(self._items(node.elts, scope)),
            ast.Set: lambda node, scope: set(self._items(node.elts, scope)),
            ast.Dict: self._dict,
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._boolean,
            ast.Compare: self._comparison,
            ast.IfExp: self._conditional,
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
            ast.Lambda: self._lambda,
            ast.NamedExpr: self._named,
            ast.ListComp: lambda node, scope: list(self._comprehension(node, scope)),
            ast.SetComp: lambda node, scope: set(self._comprehension(node, scope)),
            ast.GeneratorExp: lambda node, scope: list(self._comprehension(node, scope)),
            ast.DictComp: lambda node, scope: dict(self._comprehension(node, scope)),
        }

    def evaluate(self, node: ast.expr, scope: Scope) -> Any:
        """The value; :class:`Unreadable` for what is not followed, any exception that Python would raise."""
        kind = self._kinds.get(type(node))
        if kind is None:
            raise Unreadable(f"{type(node).__name__} at line {node.lineno}")
        return kind(node, scope)

    # ------------------------------------------------------------ names and parts

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        return self._interpreter.lookup(node.id, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        holder = self.evaluate(node.value, scope)
        if isinstance(holder, Module):
            return self._interpreter.member(holder, node.attr)
        return attribute(holder, node.attr)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        holder, index = self.evaluate(node.value, scope), self.evaluate(node.slice, scope)
        unknown = _first_unknown((holder, *(index if isinstance(index, tuple) else (index,))))
        return holder[index] if unknown is None else unknown

    def _slice(self, node: ast.Slice, scope: Scope) -> Any:
        parts = [None if part is None else self.evaluate(part, scope) for part in (node.lower, node.upper, node.step)]
        return _first_unknown(parts) or slice(*parts)

    def _items(self, nodes: Iterable[ast.expr], scope: Scope) -> list[Any]:
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items += self.evaluate(node.value, scope)
            else:
                items.append(self.evaluate(node, scope))
        return items

    def _dict(self, node: ast.Dict, scope: Scope) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.evaluate(value, scope))
            else:
                made[self.evaluate(key, scope)] = self.evaluate(value, scope)
        return made

    def _joined(self, node: ast.JoinedStr, scope: Scope) -> Any:
        parts: list[str | Unknown] = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                shown = self.evaluate(value.value, scope)
                if isinstance(shown, Unknown):
                    parts.append(shown)
                    continue
                if value.format_spec is not None:
                    raise Unreadable("a format in an f-string")
                parts.append(repr(shown) if value.conversion == ord("r") else str(shown))
            else:
                parts.append(self.evaluate(value, scope))
        return joined(parts)

    # ------------------------------------------------------------ operators

    def _binary(self, node: ast.BinOp, scope: Scope) -> Any:
        return combined(node.op, self.evaluate(node.left, scope), self.evaluate(node.right, scope))

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self.evaluate(node.operand, scope)
        return value if isinstance(value, Unknown) else _UNARY[type(node.op)](value)

    def _boolean(self, node: ast.BoolOp, scope: Scope) -> Any:
        wanted = isinstance(node.op, ast.Or)
        unknown = None
        for part in node.values:
            value = self.evaluate(part, scope)
            if isinstance(value, Unknown):
                unknown = value
            elif bool(value) is wanted:
                return value
        return value if unknown is None else unknown

    def _comparison(self, node: ast.Compare, scope: Scope) -> Any:
        left = self.evaluate(node.left, scope)
        for kind, part in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(part, scope)
            unknown = _first_unknown((left, right))
            if unknown is not None:
                return unknown
            if not COMPARE[type(kind)](left, right):
                return False
            left = right
        return True

    def _conditional(self, node: ast.IfExp, scope: Scope) -> Any:
        condition = self.evaluate(node.test, scope)
        if isinstance(condition, Unknown):
            return condition
        return self.evaluate(node.body if condition else node.orelse, scope)

    # ------------------------------------------------------------ binding

    def _named(self, node: ast.NamedExpr, scope: Scope) -> Any:
        value = self.evaluate(node.value, scope)
        scope.bind(node.target.id, value)
        return value

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Function:
        return self._interpreter.function(node, scope, "lambda")

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope
    ) -> Iterator[Any]:
        inner = Scope(scope)
        for _ in self._rounds(node.generators, inner):
            if isinstance(node, ast.DictComp):
                yield self.evaluate(node.key, inner), self.evaluate(node.value, inner)
            else:
                yield self.evaluate(node.elt, inner)

    def _rounds(self, generators: list[ast.comprehension], scope: Scope) -> Iterator[None]:
        if not generators:
            yield None
            return
        first, *others = generators
        for item in self.evaluate(first.iter, scope):
            self._interpreter.step()
            self._interpreter.assign(first.target, item, scope)
            if all(_decided(self.evaluate(condition, scope)) for condition in first.ifs):
                yield from self._rounds(others, scope)

    # ------------------------------------------------------------ calls

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            return self._interpreter.superior(scope)
        function = self.evaluate(node.func, scope)
        arguments = self._items(node.args, scope)
        named: dict[str, Any] = {}
        # What cannot be told of a flag must not cost the flag.
        registers = isinstance(node.func, ast.Attribute) and node.func.attr == REGISTER
        evaluate = self._interpreter.tried if registers else self.evaluate
        for keyword in node.keywords:
            value = evaluate(keyword.value, scope)
            if keyword.arg is not None:
                named[keyword.arg] = value
            elif isinstance(value, Unknown):
                raise Unreadable(value.reason)
            else:
                named.update(value)
        if isinstance(function, Unknown):
            if any(hasattr(argument, REGISTER) for argument in (*arguments, *named.values())):
                self._interpreter.doubts.append(f"line {node.lineno} hands a parser on: {function.reason}")
                self._interpreter.possible.append(ANY_TEXT)
            elif function.reason.startswith(_OWN):
                self._interpreter.possible.append(ANY_TEXT)
            return Unknown(function.reason)
        if not callable(function):
            raise TypeError(f"line {node.lineno} calls a {type(function).__name__}")
        known = self._interpreter.fact(function)
        if known is not None:
            return known(*arguments, **named)
        if _computes(function):
            unknown = _first_unknown((*arguments, *named.values()))
            if unknown is not None:
                return unknown
        _refuse_growth(function, arguments)
        return self._interpreter.called(node, function, arguments, named)


def combined(operation: ast.operator, left: Any, right: Any) -> Any:
    """Two values by a binary operator."""
    kind = type(operation)
    unknown = _first_unknown((left, right))
    if unknown is not None:
        is_text = kind is ast.Add and all(isinstance(part, (str, Unknown)) for part in (left, right))
        return joined((left, right)) if is_text else unknown
    if kind not in BINARY or not _is_bounded(kind, left, right):
        raise Unreadable(f"the operation {kind.__name__}")
    return BINARY[kind](left, right)


def joined(parts: Iterable[str | Unknown]) -> str | Unknown:
    """A text out of parts, of which some are not known."""
    listed = list(parts)
    unknown = _first_unknown(listed)
    if unknown is None:
        return "".join(map(str, listed))
    return Unknown(unknown.reason, "".join(one.shape if isinstance(one, Unknown) else escape(one) for one in listed))


def _computes(function: Any) -> bool:
    """Whether a native function looks into its arguments; others may be given what is unknown."""
    if getattr(function, "__name__", "") in HOLDERS:
        return False
    return type(function).__name__ in ("builtin_function_or_method", "method_descriptor") or (
        isinstance(function, type) and function.__module__ == "builtins"
    )


def _first_unknown(values: Iterable[Any]) -> Unknown | None:
    return next((value for value in values if isinstance(value, Unknown)), None)


def _decided(value: Any) -> bool:
    if isinstance(value, Unknown):
        raise Undecided(value.reason)
    return bool(value)


def _refuse_growth(function: Any, arguments: Iterable[Any]) -> None:
    """Of what native functions make, only these may be much longer than what they are given."""
    name, holder = getattr(function, "__name__", ""), getattr(function, "__self__", None)
    sizes = [size(holder), *map(size, arguments)]
    if (name in _MULTIPLY and prod(sizes) > MOST_ITEMS) or (name in _ADD and sum(sizes) > MOST_ITEMS):
        raise Exceeded(f"{name} makes too much")


def _is_bounded(kind: type[ast.operator], left: Any, right: Any) -> bool:
    if kind is ast.Mult and {type(left), type(right)} & {str, bytes, list, tuple}:
        counts = [value for value in (left, right) if isinstance(value, int)]
        return not counts or size(left) * size(right) * counts[0] <= MOST_ITEMS
    if kind is ast.Add:
        return size(left) + size(right) <= MOST_ITEMS
    if kind in (ast.Pow, ast.LShift) and isinstance(right, int):
        return right <= _LARGEST_EXPONENT and not (isinstance(left, int) and left.bit_length() > _LARGEST_EXPONENT)
    if kind is ast.Mod and isinstance(left, (str, bytes)):
        return not any(letter.isdigit() or letter == "*" for letter in str(left))
    return True
