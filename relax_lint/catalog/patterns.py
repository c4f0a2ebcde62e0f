"""Megatron's layer patterns: ``([1]*3+[0]*1)*2`` is a list of ones and zeros."""

from __future__ import annotations

import ast
from functools import lru_cache

_LONGEST = 100_000


@lru_cache(maxsize=128)
def evaluate(text: str) -> object:
    """What Python makes of a pattern of digits, brackets, ``+`` and ``*``. Raises ``ValueError`` when it is none.

    One pattern stands in many launches; nobody changes what it is.
    """
    try:
        return _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, TypeError, MemoryError):
        raise ValueError(text) from None


def _value(node: ast.expr) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple(_value(item) for item in node.elts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
        return _value(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Add):
            return left + right  # type: ignore[operator]
        for sequence, times in ((left, right), (right, left)):
            if isinstance(sequence, list | tuple) and isinstance(times, int) and len(sequence) * times > _LONGEST:
                raise ValueError("too long")
        return left * right  # type: ignore[operator]
    raise ValueError("no pattern")
