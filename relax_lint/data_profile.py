"""What a column holds over all rows: nulls, lengths, values, an example; in memory that does not grow with the rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from relax_lint.records import node

MOST_VALUES = 64
"""Different values that are counted in a column; of more it is only said that there are more."""
LONGEST_VALUE = 80
LONGEST_EXAMPLE = 200
DEEPEST_EXAMPLE = 16
DEEPEST = 3
MOST_FIELDS = 200
"""Fields of nested values that are looked at in one column."""


@node
class Spread:
    """The least, the greatest and the mean of some numbers."""

    least: float = 0
    greatest: float = 0
    total: float = 0
    count: int = 0
    strange: int = 0
    """Numbers that are not finite, or too great for a float: none of the others counts them."""

    def add(self, number: float) -> None:
        """One more."""
        if not _is_finite(number):
            self.strange += 1
            return
        if not self.count:
            self.least = self.greatest = number
        self.least = min(self.least, number)
        self.greatest = max(self.greatest, number)
        self.total += number
        self.count += 1

    @property
    def mean(self) -> float:
        """The mean; 0 of nothing."""
        return self.total / self.count if self.count else 0.0


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


class Column:
    """One column, or one part of nested values: ``name`` as in ``prompt``, ``prompt[].role``, ``extra.index``."""

    def __init__(self, name: str, depth: int = 0) -> None:
        self.name = name
        self.depth = depth
        self.seen = 0
        self.nulls = 0
        self.kinds: Counter[str] = Counter()
        self.lengths = Spread()
        """Characters of texts, items of lists, bytes; the values themselves of numbers."""
        self.values: Counter[str] | None = Counter()
        """How often each value was seen; ``None`` where there are too many, or no plain ones."""
        self.example: Any = None
        self.parts: dict[str, Column] = {}
        self.has_more_parts = False
        """Whether there are parts that are not looked at."""

    def add(self, value: Any) -> None:
        """One more value."""
        self.seen += 1
        if value is None:
            self.nulls += 1
            return
        if self.example is None or self.example in ("", b""):
            self.example = value if isinstance(value, (int, float)) else _shortened(value)
        kind = _KINDS.get(type(value)) or type(value).__name__
        self.kinds[kind] += 1
        if isinstance(value, (bool, int, float, str)):
            self._plain(value)
        elif isinstance(value, dict):
            self.values = None
            self._nested(value.items(), ".{}")
        elif isinstance(value, (list, tuple)):
            self.values = None
            self.lengths.add(len(value))
            self._nested((("[]", item) for item in value), "{}")
        else:
            self.values = None
            if isinstance(value, bytes):
                self.lengths.add(len(value))

    def _plain(self, value: bool | float | str) -> None:
        if isinstance(value, str):
            self.lengths.add(len(value))
        elif not isinstance(value, bool):
            self.lengths.add(value)
        if self.values is None:
            return
        text = value if isinstance(value, str) else str(value)
        if len(text) > LONGEST_VALUE or (text not in self.values and len(self.values) >= MOST_VALUES):
            self.values = None
        else:
            self.values[text] += 1

    def _nested(self, items: Any, form: str) -> None:
        if self.depth >= DEEPEST:
            return
        for key, value in items:
            part = self.parts.get(key)
            if part is None:
                if len(self.parts) >= MOST_FIELDS:
                    self.has_more_parts = True
                    continue
                part = self.parts[key] = Column(self.name + form.format(key), self.depth + 1)
            part.add(value)

    @property
    def kind(self) -> str:
        """What its values are, the most frequent first."""
        return "/".join(kind for kind, _ in self.kinds.most_common()) or "null"

    def walk(self) -> Iterator[Column]:
        """Itself and its parts. Lists of plain values are one line, since all is said by their items."""
        yield self
        for part in self.parts.values():
            yield from part.walk()


class Profile:
    """All columns of a dataset."""

    def __init__(self) -> None:
        self.rows = 0
        self._columns: dict[str, Column] = {}

    def add(self, row: dict[str, Any]) -> None:
        """One more row."""
        for name, value in row.items():
            column = self._columns.get(name)
            if column is None:
                column = self._columns[name] = Column(name)
            column.add(value)
        self.rows += 1

    @property
    def columns(self) -> dict[str, Column]:
        """By name. A column that a row lacks counts as null there."""
        for column in self._columns.values():
            column.nulls += self.rows - column.seen
            column.seen = self.rows
        return self._columns


_KINDS: dict[type, str] = {
    str: "string", int: "int", float: "float", bool: "bool", bytes: "bytes", dict: "struct", list: "list",
    tuple: "pair",
}  # fmt: skip


def _shortened(value: Any, depth: int = 0) -> Any:
    """A value small enough to be kept."""
    if isinstance(value, (str, bytes)):
        return value[:LONGEST_EXAMPLE]
    if isinstance(value, (list, tuple, dict)) and depth >= DEEPEST_EXAMPLE:
        return "…"
    if isinstance(value, (list, tuple)):
        return [_shortened(item, depth + 1) for item in value[:3]]
    if isinstance(value, dict):
        return {str(key): _shortened(item, depth + 1) for key, item in list(value.items())[:8]}
    return value if isinstance(value, (int, float, type(None))) else str(value)[:LONGEST_EXAMPLE]
