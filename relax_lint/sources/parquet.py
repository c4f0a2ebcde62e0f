"""Parquet files: the schema from the footer, and rows in pieces of bounded size. pyarrow is loaded only here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import cached_property
from typing import IO, Any

from relax_lint.sources.columns import (
    BINARY,
    BOOLEAN,
    DEEPEST,
    FLOAT,
    INTEGER,
    NULL,
    STRING,
    ColumnType,
    list_of,
    struct_of,
)  # fmt: skip
from relax_lint.sources.footers import Footers, footer_of

Rows = Generator[list[dict[str, Any]], None, None]

_BUFFER = 1 << 20
_BUFFERS = 64 << 20
_LEAST_BUFFER = 1 << 12
MOST_OF_A_VALUE = 64 << 20
_LEAST_WIDTH = 4
_FOOTERS = Footers()


class Unreadable(Exception):
    """A data file that cannot be read; the message says why."""


class NeedsPyarrow(Unreadable):
    """A parquet file where pyarrow is not installed."""

    def __init__(self) -> None:
        from relax_lint.extras import how_to_install

        super().__init__(f"reading parquet needs pyarrow: {how_to_install('data')}")


class ParquetTable:
    """A parquet file; ``opened`` opens it, which is done anew for every reading."""

    def __init__(self, opened: Callable[[], IO[bytes]]) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise NeedsPyarrow from None
        self._failures = (pyarrow.ArrowException, OSError, ValueError, TypeError, ArithmeticError, MemoryError)
        self._opened = opened
        try:
            with opened() as stream, self._reader(stream) as reader:
                self._metadata = reader.metadata
                self._schema = reader.schema_arrow
                self._physical = reader.schema
            with opened() as stream:
                sound = _FOOTERS.are_sound(footer_of(stream))
        except self._failures as problem:
            raise Unreadable(_in_one_line(problem)) from problem
        if not sound:
            raise Unreadable("its footer contradicts itself")
        self._widths = {field.name: _width(field.type) for field in self._schema}
        for name, width in self._widths.items():
            if width > MOST_OF_A_VALUE:
                raise Unreadable(f"a value of the column {name} takes {width >> 20} MB, even where there is none")

    @staticmethod
    def _reader(stream: IO[bytes], metadata: Any = None, columns: int = 1) -> Any:
        from pyarrow.parquet import ParquetFile

        # Small buffers, of which each column gets one, and no read-ahead: a row group may be larger than memory.
        size = max(_LEAST_BUFFER, min(_BUFFER, _BUFFERS // max(columns, 1)))
        return ParquetFile(stream, metadata=metadata, buffer_size=size, pre_buffer=False)

    @property
    def row_count(self) -> int:
        """How many rows it has."""
        return int(self._metadata.num_rows)

    @cached_property
    def columns(self) -> dict[str, ColumnType]:
        """The types of its columns, by name."""
        return {field.name: _converted(field.type) for field in self._schema}

    @cached_property
    def _groups(self) -> list[int]:
        return [self._metadata.row_group(index).num_rows for index in range(self._metadata.num_row_groups)]

    @cached_property
    def _leaves(self) -> dict[str, list[int]]:
        """The physical columns that each column is stored in."""
        found: dict[str, list[int]] = {}
        schema = self._physical
        for index in range(len(schema)):
            found.setdefault(self._column_of(schema.column(index).path), []).append(index)
        return found

    def _column_of(self, path: str) -> str:
        """The column that a leaf belongs to; names may hold dots themselves."""
        name = path
        while name not in self.columns and "." in name:
            name = name.rpartition(".")[0]
        return name

    def nulls(self, column: str) -> int | None:
        """How many rows have no value in a column, as far as the footer tells: of plain columns."""
        leaves = self._leaves.get(column, [])
        if len(leaves) != 1 or self._physical.column(leaves[0]).path != column:
            return None
        total = 0
        for group in range(len(self._groups)):
            statistics = self._metadata.row_group(group).column(leaves[0]).statistics
            if statistics is None or not statistics.has_null_count:
                return None
            total += statistics.null_count
        return total

    def smallest(self, column: str) -> str:
        """The part of a column that takes the least to read and has as many items in its lists."""
        leaves = self._leaves.get(column, ())
        return str(self._physical.column(min(leaves, key=self._size)).path) if leaves else column

    def _size(self, leaf: int) -> int:
        groups = range(len(self._groups))
        return sum(int(self._metadata.row_group(group).column(leaf).total_uncompressed_size) for group in groups)

    def bytes_in_row(self, columns: Sequence[str]) -> float:
        """What a row of some columns, or of parts of them, takes up, about."""
        schema = self._physical
        leaves = [
            leaf
            for name in columns
            for leaf in self._leaves.get(self._column_of(name), ())
            if name in self._leaves or schema.column(leaf).path == name
        ]
        stored = sum(map(self._size, leaves)) / self.row_count if self.row_count else 0.0
        return max(stored, sum(self._widths.get(name, 0) for name in set(map(self._column_of, columns))))

    def batches(self, columns: Sequence[str], size: int, start: int = 0) -> Rows:
        """Rows of some columns from a row on, a bounded number at a time."""
        groups, skipped = list(range(len(self._groups))), 0
        while groups and skipped + self._groups[groups[0]] <= start:
            skipped += self._groups[groups.pop(0)]
        drop = start - skipped
        leaves = sum(len(self._leaves.get(self._column_of(name), ())) for name in columns)
        try:
            with self._opened() as stream, self._reader(stream, self._metadata, leaves) as reader:
                for group in groups:
                    for batch in reader.iter_batches(size, row_groups=[group], columns=list(columns)):
                        if drop >= batch.num_rows:
                            drop -= batch.num_rows
                            continue
                        yield batch.slice(drop).to_pylist()
                        drop = 0
        except self._failures as problem:
            raise Unreadable(_in_one_line(problem)) from problem


def _in_one_line(problem: BaseException) -> str:
    return " ".join(str(problem).split()) or type(problem).__name__


def _converted(kind: Any, depth: int = 0) -> ColumnType:
    """An Arrow type as its values come out of ``to_pylist``."""
    from pyarrow import types

    if depth > DEEPEST:
        return ColumnType("other", "…")
    if hasattr(kind, "storage_type"):
        return _converted(kind.storage_type, depth)
    if types.is_dictionary(kind):
        return _converted(kind.value_type, depth)
    if types.is_map(kind):
        key, item = _converted(kind.key_type, depth + 1), _converted(kind.item_type, depth + 1)
        return ColumnType("map", f"map<{key.text}, {item.text}>", item=item)
    if types.is_struct(kind):
        return struct_of((field.name, _converted(field.type, depth + 1)) for field in kind)
    if _is_list(kind):
        return list_of(_converted(kind.value_type, depth + 1))
    return _plain(kind)


def _width(kind: Any) -> int:
    """The bytes of fixed length that Arrow keeps for a value, be it null: as many as the footer claims."""
    from pyarrow import types

    if hasattr(kind, "storage_type"):
        return _width(kind.storage_type)
    if types.is_fixed_size_list(kind):
        return int(kind.list_size) * max(1, _width(kind.value_type))
    if types.is_fixed_size_binary(kind):
        return int(kind.byte_width)
    if types.is_struct(kind) or types.is_map(kind) or _is_list(kind):
        return sum(_width(kind.field(index).type) for index in range(kind.num_fields))
    return _LEAST_WIDTH


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(test(kind) for test in (getattr(types, name, None) for name in tests) if test is not None)


def _plain(kind: Any) -> ColumnType:
    from pyarrow import types

    if types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view":
        return STRING
    if types.is_boolean(kind):
        return BOOLEAN
    if types.is_integer(kind):
        return INTEGER
    if types.is_floating(kind):
        return FLOAT
    if types.is_null(kind):
        return NULL
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return BINARY
    return ColumnType("other", str(kind))
