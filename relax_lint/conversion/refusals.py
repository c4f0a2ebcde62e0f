"""What cannot be converted, and how it is told."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa

PROBLEMS = (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, RecursionError)
"""What a file that is no such file, or rows that are no such rows, bring about."""


class Refused(Exception):
    """A file that cannot be converted, and why."""


class Occupied(Refused):
    """What was to be written is there already."""


class NoRows(Refused):
    """Nothing to be written, of so many rows."""

    def __init__(self, rows: int) -> None:
        super().__init__("no row remains" if rows else "there are no rows")
        self.rows = rows


class BadRows(Refused):
    """Rows of a batch that cannot be converted, counted from its first."""

    def __init__(self, reason: str, rows: Sequence[int]) -> None:
        super().__init__(reason)
        self.reason, self.rows = reason, list(rows)


@contextmanager
def counted_from(taken: Sequence[int]) -> Iterator[None]:
    """Have rows that are refused counted among all, of which some were taken."""
    try:
        yield
    except BadRows as bad:
        raise BadRows(bad.reason, [taken[row] for row in bad.rows]) from None


def said(problem: BaseException) -> str:
    """An error in one line."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.strerror}: {os.fsdecode(problem.filename)}" if problem.filename else problem.strerror
    return next((line for line in str(problem).splitlines() if line.strip()), type(problem).__name__)
