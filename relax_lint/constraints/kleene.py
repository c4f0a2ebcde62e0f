"""Conditions where some names are hidden: Kleene's logic of true, false and unknown."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from relax_lint.catalog.hidden import Hidden, is_hidden, merged
from relax_lint.constraints.expressions import FAILURES, FUNCTIONS, Failed, Lookup, NotKnown


class Kleene:
    """Works a condition out where some names are hidden."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def value(self, node: ast.expr) -> Any:
        """What a part is worth, or :class:`Hidden`. Raises :class:`Failed`."""
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
        if not hidden:
            return _applied(node, operands)
        known = _decided(node, operands)
        return merged(hidden) if known is None else known

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
            if is_hidden(value) and not value.filled:
                hidden.append(value)
            elif (is_hidden(value) or bool(value)) is decides:
                return value
        return merged(hidden) if hidden else value

    def _choice(self, node: ast.IfExp) -> Any:
        test = self.value(node.test)
        if not is_hidden(test) or test.filled:
            return self.value(node.body if is_hidden(test) or test else node.orelse)
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


def _decided(node: ast.expr, operands: list[Any]) -> bool | int | None:
    """What an operation gives though an operand is hidden: all that it asks is whether that is there, or empty, or how
    long."""
    first, *others = operands
    if not is_hidden(first) or any(is_hidden(one) for one in others):
        return None
    if isinstance(node, ast.UnaryOp):
        return False if isinstance(node.op, ast.Not) and first.filled else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        answers: dict[str, bool | int | None] = {"bool": first.filled or None, "len": first.length}
        return answers.get(node.func.id)
    if isinstance(node, ast.Compare):
        (asked,) = others
        if (first.present and asked is None) or (first.filled and asked == ""):
            return {ast.Is: False, ast.Eq: False, ast.IsNot: True, ast.NotEq: True}.get(type(node.ops[0]))
    return None


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
    except FAILURES as error:
        raise Failed(str(error)) from None
    return operands if isinstance(node, ast.List) else tuple(operands)
