"""What operators give."""

from __future__ import annotations

import ast

from relax_lint.flow.shapes import (
    SAMPLES_LENGTH,
    SCALAR,
    TEXT,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Constant,
    Dictionary,
    Length,
    SampleCount,
    Sequence,
    Shape,
    is_scalar,
    is_text,
    union,
)


def operation(operator: ast.operator, left: Shape, right: Shape) -> Shape:
    """What an operator gives for two values of one shape each."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _constants(operator, left.value, right.value)
    if is_scalar(left) and is_scalar(right):
        return SCALAR
    if is_text(left) and (isinstance(operator, ast.Mod) or (isinstance(operator, ast.Add) and is_text(right))):
        return TEXT
    if is_text(left) and is_scalar(right) and isinstance(operator, ast.Mult):
        return TEXT
    if isinstance(left, Dictionary) and isinstance(operator, ast.BitOr):
        return left.merged(right)
    if isinstance(left, Sequence) and isinstance(operator, ast.Add):
        if isinstance(right, Sequence):
            items = left.items + right.items if left.items is not None and right.items is not None else None
            return Sequence(union((left.element, right.element)), left.length.plus(right.length), items, kind=left.kind)
        return Sequence(UNKNOWN, UNKNOWN_LENGTH, kind=left.kind)
    if isinstance(operator, ast.Mult):
        if isinstance(left, Sequence) and (is_scalar(right) or right == UNKNOWN):
            return _repeated(left, right)
        if isinstance(right, Sequence) and (is_scalar(left) or left == UNKNOWN):
            return _repeated(right, left)
    return UNKNOWN


def _repeated(items: Sequence, times: Shape) -> Shape:
    length = UNKNOWN_LENGTH
    if isinstance(times, SampleCount) and items.length == Length("exact", 1):
        length = SAMPLES_LENGTH
    elif isinstance(times, Constant) and isinstance(times.value, int) and items.length.kind == "exact":
        length = Length("exact", items.length.count * max(times.value, 0))
    return Sequence(items.element, length, kind=items.kind)


def _constants(operator: ast.operator, left: bool | int | str, right: bool | int | str) -> Shape:
    if isinstance(left, str):
        if isinstance(operator, ast.Add) and isinstance(right, str) and len(left) + len(right) < 1000:
            return Constant(left + right)
        return TEXT if isinstance(operator, (ast.Mod, ast.Add, ast.Mult)) else UNKNOWN
    if isinstance(right, str):
        return TEXT if isinstance(operator, ast.Mult) else UNKNOWN
    if isinstance(operator, ast.Add):
        return Constant(left + right)
    if isinstance(operator, ast.Sub):
        return Constant(left - right)
    return SCALAR
