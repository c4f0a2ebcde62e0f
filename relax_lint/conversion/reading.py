"""Files in batches, of which one or two are in memory at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from relax_lint.conversion.columns import Wanted, all_held, convert_batch, readable
from relax_lint.conversion.recipe_data import own_rows
from relax_lint.conversion.refusals import BadRows, Refused, counted_from
from relax_lint.conversion.row_by_row import Rows
from relax_lint.conversion.steps import Course

MB = 1 << 20
BATCH_BYTES, BATCH_ROWS, FEW_ROWS = 8 * MB, 4096, 32
"""A batch is what is in memory at once. Of media that lie in files of their own only a few rows are read at a time."""
Piece = tuple[int, int, Callable[[], Any]]
"""The number of its first row, how many there are, what converts them."""


@dataclass(frozen=True)
class Part:
    """Rows of one file: of all its row groups or some; the number of the first in the file, and among all that go into
    ``own``, when they are raw; ``part`` of it they are."""

    source: Path
    own: str | None = None
    groups: tuple[int, ...] | None = None
    first: int = 0
    index: int = 0
    part: int = 0


def course_of(parts: Sequence[Part]) -> Course | None:
    """What raw rows go through, from the first of them on."""
    own = next((part.own for part in parts), None)
    return None if own is None else Course(own_rows()[own], parts[0].index)


def pieces(part: Part, wanted: Wanted, rows: Rows, course: Course | None) -> Iterator[Piece]:
    """A part in pieces that are converted, or refused, one by one."""
    home = part.source.absolute().parent
    if course is None and part.source.suffix == ".parquet":
        with opened(part.source) as file:
            columns, schema = readable(file.schema_arrow, wanted), file.schema_arrow
        first, batch = part.first, None
        for batch in ahead(parquet_batches(part, columns)):
            step = len(batch) if all_held(batch, wanted) else FEW_ROWS
            for start in range(0, len(batch), step):
                few = batch.slice(start, step)
                yield first + start, len(few), partial(convert_batch, few, wanted, home)
            first += len(batch)
        if batch is None:
            nothing = pa.RecordBatch.from_pylist([], schema)
            yield first, 0, partial(convert_batch, nothing, wanted, home)
        return
    first = 0
    for batch in ahead(parquet_batches(part, None) if part.source.suffix == ".parquet" else line_batches(part)):
        raw = batch if isinstance(batch, list) else batch.to_pylist()
        for start in range(0, len(raw), FEW_ROWS * 8):
            few = raw[start : start + FEW_ROWS * 8]
            yield part.first + first + start, len(few), partial(convert_raw, few, part, course, rows, home)
        first += len(raw)


def convert_raw(raw: list[dict[str, Any]], part: Part, course: Course | None, rows: Rows, home: Path) -> Any:
    """Rows as the data set has them, or as verl has them, as Relax reads them."""
    if course is None:
        return rows.convert(raw, home)
    made, numbers = [], []
    for number, row in enumerate(raw):
        try:
            result = course.go(row, part.part)
        except Exception as problem:  # it is the recipe's own code
            raise BadRows(f"the recipe's own code: {type(problem).__name__}: {problem}", [number]) from None
        if result is not None:
            made.append(result)
            numbers.append(number)
    with counted_from(numbers):
        return rows.convert(made, home) if made else None


def ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """The same, the next one read while one is worked on."""
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, batches, None)
        while (batch := following.result()) is not None:
            following = reader.submit(next, batches, None)
            yield batch


def opened(path: Path) -> Any:
    """A parquet file of which only as much is in memory as is asked for, however large its row groups are."""
    return pq.ParquetFile(pa.OSFile(os.fsencode(path)), pre_buffer=False, buffer_size=MB)


def parquet_batches(part: Part, columns: list[str] | None) -> Iterator[Any]:
    """The rows of a parquet file, with these columns or all."""
    with opened(part.source) as file:
        groups = range(file.num_row_groups) if part.groups is None else part.groups
        for group in groups:
            rows = batch_rows(file, group, columns)
            yield from file.iter_batches(batch_size=rows, row_groups=[group], columns=columns)


def batch_rows(file: Any, number: int, columns: list[str] | None) -> int:
    """How many rows make a batch: by the mean size, of small values by that of the first, since they may be packed."""
    group = file.metadata.row_group(number)
    small, size, count = [], 0.0, max(group.num_rows, 1)
    for leaf in map(group.column, range(group.num_columns)):
        if columns is None or any(f"{leaf.path_in_schema}.".startswith(f"{name}.") for name in columns):
            if leaf.total_uncompressed_size > 4096 * count:
                size += leaf.total_uncompressed_size / count
            else:
                small.append(leaf.path_in_schema)
    if small and group.num_rows > FEW_ROWS:
        few = next(file.iter_batches(batch_size=FEW_ROWS, row_groups=[number], columns=small))
        size += max(few.nbytes / len(few), group.total_byte_size / count - size)
    return max(1, min(BATCH_ROWS, int(BATCH_BYTES / max(size, 1))))


def line_batches(part: Part) -> Iterator[list[dict[str, Any]]]:
    """The rows of a file of JSON lines."""
    rows: list[dict[str, Any]] = []
    size = 0
    with part.source.open("rb") as lines:
        for number, line in enumerate(lines):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except RecursionError:
                raise Refused(f"line {number + 1} nests too deep") from None
            except ValueError as problem:
                raise Refused(f"line {number + 1} is no JSON: {problem}") from None
            if not isinstance(row, dict):
                raise Refused(f"line {number + 1} is no JSON object")
            rows.append(row)
            size += len(line)
            if size > BATCH_BYTES or len(rows) == BATCH_ROWS:
                yield rows
                rows, size = [], 0
    if rows:
        yield rows


def row_count(source: Path) -> int:
    """How many rows a file has; 0 when only reading it would tell."""
    if source.suffix != ".parquet":
        return 0
    with opened(source) as file:
        return int(file.metadata.num_rows)
