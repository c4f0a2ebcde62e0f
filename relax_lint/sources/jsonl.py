"""Files of one JSON object a line, read in pieces of bounded size as Relax reads them: bad lines are left out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterator
from typing import IO, Any

from relax_lint.sources.columns import ColumnType, merged, type_of
from relax_lint.sources.parquet import Unreadable

LONGEST_LINE = 64 * 1024 * 1024
_MOST_NAMED = 3
SHORT = 8 * 1024 * 1024


class JsonLines:
    """A ``.jsonl`` file; ``opened`` opens it, which is done anew for every reading.

    ``skipped`` counts the lines that are no JSON, ``first_skipped`` are the numbers of the first of them,
    ``share_read`` is how much of it is read, all of the last reading.
    """

    def __init__(self, opened: Callable[[], IO[bytes]]) -> None:
        self._opened = opened
        self.skipped = 0
        self.first_skipped: list[int] = []
        self.share_read = 0.0
        try:
            with opened() as stream:
                self._size = stream.seek(0, os.SEEK_END)
        except OSError as problem:
            raise Unreadable(problem.strerror or str(problem)) from problem

    @property
    def is_short(self) -> bool:
        """Whether it can be read to the end at once."""
        return self._size <= SHORT

    def rows(self) -> Generator[Any, None, None]:
        """What is on its lines, from the first."""
        self.skipped, self.first_skipped = 0, []
        done = 0
        try:
            with self._opened() as stream:
                for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), 1):
                    done += len(line)
                    self.share_read = done / self._size
                    yield from self._row(line, number)
        except OSError as problem:
            raise Unreadable(problem.strerror or str(problem)) from problem

    def _row(self, line: bytes, number: int) -> Iterator[Any]:
        if len(line) > LONGEST_LINE:
            raise Unreadable(f"line {number} has over {LONGEST_LINE // 1024 // 1024} MB")
        text = self._decoded(line, number).strip()
        if not text:
            return
        try:
            yield json.loads(text)
        except json.JSONDecodeError:
            self.skipped += 1
            if len(self.first_skipped) < _MOST_NAMED:
                self.first_skipped.append(number)
        except (ValueError, RecursionError):  # which Relax does not catch
            raise Unreadable(f"line {number} has a number too long or nests too deep") from None

    @staticmethod
    def _decoded(line: bytes, number: int) -> str:
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            raise Unreadable(f"line {number} is not valid UTF-8") from None


def columns_of(rows: list[Any]) -> dict[str, ColumnType]:
    """The columns that some rows have."""
    seen: dict[str, list[ColumnType]] = {}
    for row in rows:
        if isinstance(row, dict):
            for name, value in row.items():
                seen.setdefault(name, []).append(type_of(value))
    return {name: merged(types) for name, types in seen.items()}
