"""What the columns of a data file hold: types that parquet's footer tells, or that the rows of a JSON file show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from relax_lint.records import record

Kind = Literal[
    "string", "integer", "float", "boolean", "null", "list", "struct", "map", "binary", "other", "mixed"
]  # fmt: skip

DEEPEST = 20
"""Levels of nesting beyond which a type is not taken apart."""


@record
class ColumnType:
    """The type of a column, as its rows reach Relax: Python objects.

    ``text`` is how it is written; ``fields`` are those of a struct; ``item`` is what a list holds.
    """

    kind: Kind
    text: str
    fields: tuple[tuple[str, ColumnType], ...] = ()
    item: ColumnType | None = None

    def field(self, name: str) -> ColumnType | None:
        """A field of a struct."""
        return next((kind for own, kind in self.fields if own == name), None)

    @property
    def names(self) -> frozenset[str]:
        """The names of a struct's fields."""
        return frozenset(name for name, _ in self.fields)


STRING = ColumnType("string", "string")
INTEGER = ColumnType("integer", "integer")
FLOAT = ColumnType("float", "float")
BOOLEAN = ColumnType("boolean", "boolean")
NULL = ColumnType("null", "null")
BINARY = ColumnType("binary", "binary")
MIXED = ColumnType("mixed", "mixed")
_TOO_DEEP = ColumnType("other", "…")
_OF_VALUES: dict[type, ColumnType] = {
    str: STRING, int: INTEGER, float: FLOAT, bool: BOOLEAN, type(None): NULL, bytes: BINARY,
}  # fmt: skip


def list_of(item: ColumnType) -> ColumnType:
    """A list."""
    return ColumnType("list", f"list<{item.text}>", item=item)


def struct_of(fields: Iterable[tuple[str, ColumnType]]) -> ColumnType:
    """A struct: a dict with these keys."""
    known = tuple(fields)
    inside = ", ".join(f"{name}: {kind.text}" for name, kind in known)
    return ColumnType("struct", f"struct<{inside}>", known)


def type_of(value: Any, depth: int = 0) -> ColumnType:
    """The type of a Python object."""
    if depth > DEEPEST:
        return _TOO_DEEP
    if isinstance(value, (list, tuple)):
        return list_of(merged(type_of(item, depth + 1) for item in value))
    if isinstance(value, dict):
        return struct_of((str(name), type_of(item, depth + 1)) for name, item in value.items())
    return _OF_VALUES.get(type(value)) or ColumnType("other", type(value).__name__)


def merged(types: Iterable[ColumnType]) -> ColumnType:
    """One type for several: what they agree on."""
    found = NULL
    for other in dict.fromkeys(types):
        found = _both(found, other)
    return found


def _both(one: ColumnType, other: ColumnType) -> ColumnType:
    if one == other or other.kind == "null":
        return one
    if one.kind == "null":
        return other
    if {one.kind, other.kind} == {"integer", "float"}:
        return FLOAT
    if one.kind == other.kind == "list" and one.item is not None and other.item is not None:
        return list_of(_both(one.item, other.item))
    if one.kind == other.kind == "struct":
        fields = dict(one.fields)
        for name, kind in other.fields:
            fields[name] = _both(fields.get(name, NULL), kind)
        return struct_of(fields.items())
    return MIXED
