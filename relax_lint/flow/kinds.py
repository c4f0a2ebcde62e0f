"""Types by their names, as ``isinstance`` and its like ask for them."""

from __future__ import annotations

import ast

from relax_lint.flow.shapes import (
    SCALAR,
    TEXT,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Awaitable,
    Dictionary,
    Function,
    Instance,
    NoneValue,
    Sample,
    Sequence,
    Shape,
    is_scalar,
    is_text,
)


def kinds_in(node: ast.expr) -> tuple[str, ...]:
    """The names of the types in an ``isinstance``."""
    if isinstance(node, ast.Constant):
        return (node.value if isinstance(node.value, str) else "NoneType" if node.value is None else "",)
    if isinstance(node, ast.Call):
        return ("NoneType",) if ast.unparse(node) == "type(None)" else ("",)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return tuple(name for item in node.elts for name in kinds_in(item))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return (*kinds_in(node.left), *kinds_in(node.right))
    if isinstance(node, ast.Name):
        return (node.id,)
    return (node.attr,) if isinstance(node, ast.Attribute) else ("",)


_MAPPINGS = {"dict", "Mapping", "MutableMapping"}
_NUMBERS = {"int", "float", "bool", "complex", "Number", "Real", "Integral", "number", "floating", "integer"}
_LISTS = {"list": {"list", "Sequence", "MutableSequence", "Iterable", "Collection"}, "tuple": {"tuple", "Sequence"}}
EXACT_KINDS = {"list", "tuple", "set", "dict", "str", "Sample", "NoneType"}
BUILT_IN_KINDS = (
    _MAPPINGS | _NUMBERS | {"list", "tuple", "set", "str", "bytes", "Sequence", "Iterable"} | {"Sample", "NoneType"}
)


def is_of_kinds(shape: Shape, kinds: tuple[str, ...]) -> bool | None:
    """Whether a value is of one of the types with these names."""
    known = set(kinds) & BUILT_IN_KINDS
    others = len(known) < len(set(kinds))
    if isinstance(shape, NoneValue):
        return True if "NoneType" in known else (False if not others else None)
    if isinstance(shape, Dictionary):
        return True if known & _MAPPINGS else (None if others or "Iterable" in known else False)
    if is_text(shape):
        return True if "str" in known else (None if others or known & {"Sequence", "Iterable"} else False)
    if is_scalar(shape):
        if {"int", "float"} <= known:
            return True
        return None if others or known & _NUMBERS else False
    if isinstance(shape, Sequence):
        fitting = _LISTS.get(shape.kind, {shape.kind})
        return True if known & fitting else (None if others or "Iterable" in known else False)
    if isinstance(shape, Sample):
        return True if "Sample" in known else (None if others else False)
    if isinstance(shape, (Function, Awaitable, Instance)):
        return None if others or known & {"Iterable", "Sequence", *_MAPPINGS} else False
    return None


def example_of(kind: str) -> Shape:
    """What is known of a value by the name of its type alone."""
    if kind in _MAPPINGS:
        return Dictionary(open=True)
    if kind in ("int", "float", "bool"):
        return SCALAR
    if kind == "str":
        return TEXT
    if kind in ("list", "tuple", "set"):
        return Sequence(UNKNOWN, UNKNOWN_LENGTH, kind=kind)  # type: ignore[arg-type]
    return Sample() if kind == "Sample" else UNKNOWN
