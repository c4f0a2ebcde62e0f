"""A data file: its columns and a bounded sample of its rows, or all of them piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cached_property
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from relax_lint.sources.jsonl import JsonLines, columns_of
from relax_lint.sources.parquet import NeedsPyarrow, ParquetTable, Unreadable

if TYPE_CHECKING:
    from relax_lint.data_paths import DataPath
    from relax_lint.files import Files
    from relax_lint.sources.columns import ColumnType

SAMPLE_ROWS = 512
SAMPLE_BYTES = 8 * 1024 * 1024
BATCH_ROWS = 256
BATCH_BYTES = 16 * 1024 * 1024
FARTHEST = 100_000
"""Rows of a JSON file that are passed over to come to a slice of it."""

Row = dict[str, Any]


class DataFile:
    """One file of a dataset, with the rows of it that are used.

    ``problem`` is why it cannot be read; columns and rows are empty then.
    """

    def __init__(self, named: DataPath, files: Files) -> None:
        self.text = named.text
        self.path = named.path
        self.rows_used = named.rows
        self.is_parquet = named.text.endswith(".parquet")
        self._files = files
        self.problem: str | None = None
        self.needs_pyarrow = False
        """Whether the only problem is that pyarrow is not installed."""
        self.odd_rows = 0
        """Lines of a JSON file that are no objects, as far as they were looked at."""

    def __repr__(self) -> str:
        return f"DataFile({self.text!r})"

    @cached_property
    def _opened(self) -> ParquetTable | JsonLines | None:
        try:
            return ParquetTable(self._open) if self.is_parquet else JsonLines(self._open)
        except Unreadable as problem:
            self._give_up(problem)
            return None

    def _open(self) -> IO[bytes]:
        stream = self._files.stream(self.path)
        if stream is None:
            raise OSError(0, self._files.why_closed(self.path) or "it cannot be opened")
        return stream

    def _give_up(self, problem: Unreadable) -> None:
        self.problem = str(problem)
        self.needs_pyarrow = isinstance(problem, NeedsPyarrow)

    @cached_property
    def columns(self) -> dict[str, ColumnType]:
        """The types of its columns: by the footer, or of the sampled rows of a JSON file."""
        if isinstance(self._opened, ParquetTable):
            return self._opened.columns
        return columns_of(self._json_sample)

    @cached_property
    def row_count(self) -> int | None:
        """How many rows a parquet file has."""
        return self._opened.row_count if isinstance(self._opened, ParquetTable) else None

    @cached_property
    def count(self) -> int | None:
        """How many rows are used, where counting them takes no time."""
        first, last = self.bounds
        if self.row_count is not None and last is not None:
            return max(0, last - first)
        if not isinstance(self._opened, JsonLines) or not self._opened.is_short:
            return None
        try:
            with closing(self._opened.rows()) as rows:
                return sum(1 for _ in islice(rows, first, last))
        except Unreadable as problem:
            self._give_up(problem)
            return None

    @property
    def bad_lines(self) -> int:
        """Lines that are no JSON, as far as the file was read."""
        return self._opened.skipped if isinstance(self._opened, JsonLines) else 0

    @property
    def first_bad_lines(self) -> list[int]:
        """The first of them, by their numbers in the file."""
        return self._opened.first_skipped if isinstance(self._opened, JsonLines) else []

    @property
    def is_whole(self) -> bool:
        """Whether all rows of a parquet file are used."""
        return self.row_count is not None and self.bounds == (0, self.row_count)

    def nulls(self, column: str) -> int | None:
        """How many rows have no value in a column, as far as a footer tells."""
        return self._opened.nulls(column) if isinstance(self._opened, ParquetTable) else None

    @cached_property
    def bounds(self) -> tuple[int, int | None]:
        """The first row that is used, and the one behind the last."""
        start, stop = self.rows_used.start or 0, self.rows_used.stop
        count = self.row_count
        if count is None:
            return max(start, 0), None if stop is None or stop < 0 else stop
        first, last, _ = slice(start, stop).indices(count)
        return first, last

    # ------------------------------------------------------------ rows

    def sample(self, *columns: str, counted: Sequence[str] = ()) -> list[Row]:
        """The first of its rows, with these columns (those that it has); of the lists in some only the lengths need be
        right."""
        present = tuple(name for name in dict.fromkeys(columns) if name in self.columns)
        if isinstance(self._opened, ParquetTable):
            leaves = tuple(self._opened.smallest(name) if name in counted else name for name in present)
            if leaves not in self._samples:
                self._samples[leaves] = self._parquet_sample(self._opened, leaves)
            return self._samples[leaves]
        return [_part(row, present) for row in self._json_sample if isinstance(row, dict)]

    @cached_property
    def _samples(self) -> dict[tuple[str, ...], list[Row]]:
        return {}

    def _parquet_sample(self, table: ParquetTable, columns: Sequence[str]) -> list[Row]:
        first, last = self.bounds
        wanted = (table.row_count if last is None else last) - first
        each = table.bytes_in_row(columns)
        size = max(1, min(SAMPLE_ROWS, wanted, int(SAMPLE_BYTES / each) if each else SAMPLE_ROWS))
        if not columns or wanted <= 0:
            return []
        found: list[Row] = []
        try:
            with closing(table.batches(columns, size, first)) as batches:
                for batch in batches:
                    found += batch
                    if len(found) >= size:
                        break
            return found[:size]
        except Unreadable as problem:
            self._give_up(problem)
            return []

    @cached_property
    def _json_sample(self) -> list[Any]:
        if not isinstance(self._opened, JsonLines):
            return []
        first, last = self.bounds
        if first > FARTHEST:
            first, last = 0, None
        found, size = [], 0
        try:
            with closing(self._opened.rows()) as rows:
                for row in islice(rows, first, last):
                    found.append(row)
                    size += _weight(row)
                    if len(found) >= SAMPLE_ROWS or size > SAMPLE_BYTES:
                        break
        except Unreadable as problem:
            self._give_up(problem)
        self.odd_rows = sum(not isinstance(row, dict) for row in found)
        return found

    def batches(self, *columns: str) -> Iterator[list[Row]]:
        """All rows that are used, a bounded number at a time; all columns when none are named.

        Raises :class:`Unreadable` where the file cannot be read on.
        """
        table = self._opened
        first, last = self.bounds
        if isinstance(table, ParquetTable):
            names = [name for name in columns or self.columns if name in self.columns]
            each = table.bytes_in_row(names)
            size = max(1, min(BATCH_ROWS, int(BATCH_BYTES / each) if each else BATCH_ROWS))
            left = (table.row_count if last is None else last) - first
            with closing(table.batches(names, size, first)) as batches:
                while left > 0 and (batch := next(batches, None)) is not None:
                    yield batch[:left]
                    left -= len(batch)
        elif table is not None:
            self.odd_rows = 0
            with closing(table.rows()) as lines:
                rows = islice(lines, first, last)
                while piece := list(islice(rows, BATCH_ROWS)):
                    self.odd_rows += sum(not isinstance(row, dict) for row in piece)
                    yield [_part(row, columns) if columns else row for row in piece if isinstance(row, dict)]

    def share_read(self, row: int) -> float:
        """How much of the file is read once its reading has come to a row."""
        if isinstance(self._opened, JsonLines):
            return self._opened.share_read
        return row / self.row_count if self.row_count else 1.0


def _part(row: Row, columns: Sequence[str]) -> Row:
    return {name: row[name] for name in columns if name in row}


def _weight(value: Any) -> int:
    """What a row of a JSON file takes up, about."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_weight, value.values())) + 8 * len(value)
    if isinstance(value, list):
        return sum(map(_weight, value)) + 8
    return 8
