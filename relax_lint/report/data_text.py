"""The columns of datasets as a table for people, in 80 columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from relax_lint.diagnostics import Severity
from relax_lint.report import Outcome, plural, text
from relax_lint.report.columns import printable

if TYPE_CHECKING:
    from relax_lint.data_check import Examined
    from relax_lint.data_profile import Column

WIDTH = 80
_WIDEST_TYPE = 14
_NARROWEST_VALUES = 16
_HEAD = ("column", "type", "nulls", "size", "values")
_FEW = 4
_GREATEST = 1e15
_ROUNDED_UP = 0.9995
"""From where on three digits of a number are a thousand, which is one of the next unit."""


def render(examined: Sequence[Examined], outcome: Outcome, *, judged: bool) -> str:
    """A table for each dataset, then what is wrong."""
    tables = "\n".join("".join(f"{line}\n" for line in _table(one)) for one in examined)
    found = "\n".join([*text.render(outcome).rstrip("\n").splitlines(), ""]) if outcome.shown else ""
    summary = "".join(f"{line}\n" for line in _summary(examined, outcome, judged))
    return "\n".join(part for part in (tables, found, summary) if part)


def _summary(examined: Sequence[Examined], outcome: Outcome, judged: bool) -> Iterator[str]:
    counts = [plural(outcome.count(severity), severity.value) for severity in Severity if outcome.count(severity)]
    unread = sum(len(one.problems) for one in examined)
    counts += [plural(unread, "problem")] if unread and not (judged and counts) else []
    rows = plural_of(sum(one.profile.rows for one in examined), "row")
    found = f"Found {', '.join(counts)}" if counts else "All clean" if judged else "Read to the end"
    yield f"{found}; {rows}."
    if outcome.unjudged:
        yield f"{outcome.unjudged} could not be judged; `--format json` lists what, and why."
    if not judged:
        yield "`--launcher RUN.sh` judges the rows as its launches read them."


def _table(examined: Examined) -> Iterator[str]:
    rows, files = plural_of(examined.profile.rows, "row"), plural(len(examined.files), "file")
    yield f"{printable(examined.spec)}: {rows} in {files}"
    for problem in examined.problems:
        yield f"  {printable(problem)}"
    lines = [row for top in examined.profile.columns.values() for row in _rows(top)] or list(_of_no_rows(examined))
    if lines:
        yield ""
        yield from _aligned([_HEAD, *lines])


def _of_no_rows(examined: Examined) -> Iterator[tuple[str, ...]]:
    """The columns of files that have no rows, as their footers name them."""
    kinds = {name: kind.kind for file in examined.files for name, kind in file.columns.items()}
    for name, kind in kinds.items():
        yield printable(name), kind, "-", "-", ""


def _rows(column: Column) -> Iterator[tuple[str, ...]]:
    """A column, its parts below it."""
    yield _row(column)
    for part in column.parts.values():
        yield from _rows(part)
    if column.has_more_parts:
        yield "  " * (column.depth + 1) + "…", "", "", "", f"more parts than these {len(column.parts)}"


def plural_of(count: int, noun: str) -> str:
    """``1 row``, ``12,345 rows``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _row(column: Column) -> tuple[str, ...]:
    name = column.name
    if column.depth:
        name = "  " * column.depth + (name.rpartition(".")[2] if not name.endswith("[]") else "[]")
    return printable(name), column.kind, f"{column.nulls:,}" if column.nulls else "-", _size(column), _values(column)


def _size(column: Column) -> str:
    spread = column.lengths
    if not spread.count:
        return "not finite" if spread.strange else "-"
    least, greatest = _number(spread.least), _number(spread.greatest)
    shown = least if least == greatest else f"{least}–{greatest}, ~{_number(spread.mean)}"
    return f"{shown}, {spread.strange:,} not finite" if spread.strange else shown


def _number(number: float) -> str:
    if abs(number) >= _GREATEST:
        return f"{number:.3g}"
    if abs(number) >= 100_000:
        for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
            if abs(number) >= size * _ROUNDED_UP:
                return f"{number / size:.3g}{unit}"
    return f"{number:.0f}" if number == int(number) or abs(number) >= 100 else f"{number:.3g}"


def _values(column: Column) -> str:
    values = column.values
    if values and len(values) <= _FEW and column.seen > len(values):
        return ", ".join(f"{_one_line(value) or chr(34) * 2} ×{count:,}" for value, count in values.most_common())
    if column.parts or column.example is None:
        return ""
    distinct = f"{len(values)} distinct: " if values and len(values) < column.seen - column.nulls else ""
    return distinct + shown(column.example)


def shown(value: Any) -> str:
    """An example on one line."""
    if isinstance(value, bytes):
        return _one_line(repr(value[:24]))
    if isinstance(value, str):
        return _one_line(value)
    return _one_line(json.dumps(value, ensure_ascii=False, default=repr))


def _one_line(value: str) -> str:
    """A text without line ends and what a terminal must not get."""
    return printable(" ".join(value.split()))


# ------------------------------------------------------------ alignment


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Columns side by side; the last takes what is left of the width."""
    widths = [max(columns(row[index]) for row in rows) for index in range(4)]
    gaps = 2 * len(widths)
    left = WIDTH - _NARROWEST_VALUES - gaps - widths[0] - widths[2] - widths[3]
    widths[1] = min(widths[1], max(_WIDEST_TYPE, left))
    widths[0] = max(8, min(widths[0], WIDTH - _NARROWEST_VALUES - gaps - sum(widths[1:])))
    rest = WIDTH - sum(widths) - gaps
    for row in rows:
        name, kind, nulls, size, values = row
        cells = (_cut(name, widths[0]), _cut(kind, widths[1]), _padded(nulls, widths[2], right=True), size)
        line = "  ".join(
            cell if index == 2 else _padded(cell, widths[index]) for index, cell in enumerate(cells)
        )  # fmt: skip
        yield f"{line}  {_cut(values, rest)}".rstrip()


def columns(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def _padded(text: str, width: int, *, right: bool = False) -> str:
    blanks = " " * (width - columns(text))
    return blanks + text if right else text + blanks


def _cut(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    kept, taken = "", 0
    for one in text:
        taken += columns(one)
        if taken > width - 1:
            break
        kept += one
    return kept + "…"
