"""Files of one JSON object a line, read in pieces of bounded size as Relax reads them: bad lines are left out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cached_property
from typing import IO, Any

from relax_lint.sources.columns import ColumnType, merged, type_of
from relax_lint.sources.parquet import Unreadable

LONGEST_LINE = 64 * 1024 * 1024
SHORT = 8 * 1024 * 1024


class JsonLines:
    """An open ``.jsonl`` file. ``skipped`` counts the lines that are no JSON, as far as it was read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.skipped = 0

    @property
    def is_short(self) -> bool:
        """Whether it can be read to the end at once."""
        return self._size <= SHORT

    @cached_property
    def _size(self) -> int:
        return self._stream.seek(0, os.SEEK_END)

    @property
    def share_read(self) -> float:
        """How much of it has been read."""
        return self._stream.tell() / self._size if self._size else 1.0

    def rows(self) -> Iterator[Any]:
        """What is on its lines, from the first."""
        _ = self._size
        self._stream.seek(0)
        self.skipped = 0
        number = 0
        while line := self._line():
            number += 1
            text = self._decoded(line, number).strip()
            if not text:
                continue
            try:
                yield json.loads(text)
            except (ValueError, RecursionError):
                self.skipped += 1

    def _line(self) -> bytes:
        try:
            line = self._stream.readline(LONGEST_LINE + 1)
        except OSError as problem:
            raise Unreadable(problem.strerror or str(problem)) from problem
        if len(line) > LONGEST_LINE:
            raise Unreadable(f"a line has over {LONGEST_LINE // 1024 // 1024} MB")
        return line

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
