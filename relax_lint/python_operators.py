"""What Python's operators do, by the nodes that stand for them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

Operator = Callable[[Any, Any], Any]

BINARY: Mapping[type[ast.operator], Operator] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
COMPARE: Mapping[type[ast.cmpop], Operator] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
