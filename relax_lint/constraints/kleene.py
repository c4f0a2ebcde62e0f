"""Conditions where some names are hidden: Kleene's logic of true, false and unknown."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relax_lint.catalog.hidden import Hidden, merged
from relax_lint.constraints.expressions import FAILURES, FUNCTIONS, Failed, Lookup, NotKnown, remainder, times

Worker = Callable[[Lookup], Any]
"""Works a part of a condition out: its worth, or :class:`Hidden`. Raises :class:`Failed`."""


def worker(node: ast.expr) -> Worker:
    """What works a condition out where some names are hidden."""
    if isinstance(node, ast.Name):
        return _name(node.id)
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if isinstance(node, ast.BoolOp):
        return _boolean([worker(part) for part in node.values], isinstance(node.op, ast.Or))
    if isinstance(node, ast.IfExp):
        return _choice(worker(node.test), worker(node.body), worker(node.orelse))
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        pairs = zip(sides, node.ops, sides[1:], strict=False)
        return _boolean([worker(ast.Compare(left, [how], [right])) for left, how, right in pairs], decides=False)
    return _operation(node)


def _name(name: str) -> Worker:
    def work(lookup: Lookup) -> Any:
        try:
            return lookup[name]
        except NotKnown as unknown:
            return unknown.hidden

    return work


def _constant(value: Any) -> Worker:
    return lambda lookup: value


def _boolean(parts: Sequence[Worker], decides: bool) -> Worker:
    """``and`` is false as soon as one part is, whatever the unknown ones are; ``or`` likewise true."""

    def work(lookup: Lookup) -> Any:
        hidden: list[Hidden] = []
        value: Any = not decides
        for part in parts:
            try:
                value = part(lookup)
            except Failed:
                # Behind a part that is not known it may never be worked out at all.
                if not hidden:
                    raise
                continue
            if value.__class__ is not Hidden:
                if bool(value) is decides:
                    return value
            elif not value.filled:
                hidden.append(value)
            elif decides:
                return value
        return merged(hidden) if hidden else value

    return work


def _choice(test: Worker, body: Worker, orelse: Worker) -> Worker:
    def work(lookup: Lookup) -> Any:
        decision = test(lookup)
        if decision.__class__ is not Hidden:
            return body(lookup) if decision else orelse(lookup)
        if decision.filled:
            return body(lookup)
        try:
            first, second = body(lookup), orelse(lookup)
        except Failed:
            return decision
        hidden = [one for one in (decision, first, second) if one.__class__ is Hidden]
        if len(hidden) > 1:
            return merged(hidden)
        return first if first == second else decision

    return work


_OPERATIONS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: times, ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv, ast.Mod: remainder, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda item, group: item in group, ast.NotIn: lambda item, group: item not in group,
}  # fmt: skip
_OF_WHAT_IS_THERE: Mapping[type[ast.AST], bool] = {ast.Is: False, ast.Eq: False, ast.IsNot: True, ast.NotEq: True}


def _operation(node: ast.expr) -> Worker:
    """An operation on values, of which one that is hidden mostly hides the result."""
    operands = [worker(child) for child in _operands(node)]
    apply = _applying(node)

    def work(lookup: Lookup) -> Any:
        values = [operand(lookup) for operand in operands]
        hidden = [one for one in values if one.__class__ is Hidden]
        if hidden:
            known = _decided(node, values) if len(hidden) == 1 else None
            return merged(hidden) if known is None else known
        try:
            return apply(*values)
        except FAILURES as error:
            raise Failed(str(error)) from None

    return work


def _operands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return node.args
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


def _applying(node: ast.expr) -> Callable[..., Any]:
    """The operation itself."""
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id]
    if isinstance(node, ast.UnaryOp):
        return operator.not_ if isinstance(node.op, ast.Not) else operator.neg
    if isinstance(node, ast.BinOp):
        return _OPERATIONS[type(node.op)]
    if isinstance(node, ast.Compare):
        return _OPERATIONS[type(node.ops[0])]
    if isinstance(node, ast.Subscript):
        return operator.getitem
    return (lambda *items: list(items)) if isinstance(node, ast.List) else (lambda *items: items)


def _decided(node: ast.expr, operands: list[Any]) -> bool | int | None:
    """What an operation gives though its first operand is hidden: all that it asks is whether that is there, or empty,
    or how long."""
    first = operands[0]
    if first.__class__ is not Hidden:
        return None
    if isinstance(node, ast.UnaryOp):
        return False if isinstance(node.op, ast.Not) and first.filled else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        answers: dict[str, bool | int | None] = {"bool": first.filled or None, "len": first.length}
        return answers.get(node.func.id)
    if isinstance(node, ast.Compare):
        asked = operands[1]
        if (first.present and asked is None) or (first.filled and asked == ""):
            return _OF_WHAT_IS_THERE.get(type(node.ops[0]))
    return None
