"""The forms in which Relax takes the paths of data: files, directories, lists, slices of rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.files import Files

SUFFIXES = (".jsonl", ".parquet")
"""The only endings that Relax loads, as they are written here."""

_SLICED = re.compile(r"(.*)@\[(-?\d*):(-?\d*)\]")
_DEEPEST = 40


@record
class Rows:
    """A range of rows, as ``@[start:stop]`` gives it."""

    start: int | None = None
    stop: int | None = None

    @property
    def is_negative(self) -> bool:
        """Whether it counts from the end."""
        return (self.start or 0) < 0 or (self.stop or 0) < 0

    @property
    def is_empty(self) -> bool:
        """Whether it holds no row, whatever the file."""
        return not self.is_negative and self.stop is not None and self.stop <= (self.start or 0)


ALL_ROWS = Rows()


@record
class DataPath:
    """One file of a dataset, as it is named, and the rows of it that are asked for."""

    text: str
    path: Path
    rows: Rows = ALL_ROWS

    @property
    def is_loadable(self) -> bool:
        """Whether Relax has a reader for it, by its name."""
        return self.text.endswith(SUFFIXES)


@record
class DataPlan:
    """The files of a dataset in their order, and the rows of all of them together."""

    paths: tuple[DataPath, ...]
    rows: Rows = ALL_ROWS


def sliced(text: str) -> tuple[str, Rows]:
    """A path and the rows that its ``@[start:stop]`` names."""
    found = _SLICED.fullmatch(text)
    if found is None:
        return text, ALL_ROWS
    start, stop = (int(bound) if bound.lstrip("-") else None for bound in found.group(2, 3))
    return found[1], Rows(start, stop)


def plan_of(text: str, directory: Path, files: Files) -> DataPlan:
    """What Relax makes of a path of data, seen from a working directory."""
    spec, rows = sliced(text)
    paths = []
    for name in _names(spec, directory, files):
        path, own = sliced(name)
        paths.append(DataPath(path, directory / path, own))
    return DataPlan(tuple(paths), rows)


def _names(spec: str, directory: Path, files: Files) -> list[str]:
    """The items of a list, or the one path; directories as the files in them."""
    stripped = spec.strip()
    items = [spec]
    if stripped[:1] + stripped[-1:] in ("[]", "()"):
        try:
            literal = ast.literal_eval(stripped)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            items = [item.strip().strip("\"'") for item in stripped[1:-1].split(",") if item.strip()]
            if items:
                return items  # Relax looks into no directory here
            items = [spec]
        else:
            items = [str(item) for item in literal] if isinstance(literal, (list, tuple)) else [str(literal)]
    return [name for item in items for name in _expanded(item, directory, files)]


def _expanded(name: str, directory: Path, files: Files) -> list[str]:
    """The files below a directory; anything else as it is."""
    if not name or "\0" in name or not files.is_dir(directory / name):
        return [name]
    return sorted(_below(name.rstrip("/") or name, directory, files, _DEEPEST))


def _below(name: str, directory: Path, files: Files, depth: int) -> Iterator[str]:
    join: Callable[[str], str] = (name + "/" if name != "/" else name).__add__
    for entry in files.entries(directory / name):
        if entry.is_dir:
            if depth:
                yield from _below(join(entry.name), directory, files, depth - 1)
        elif entry.name.endswith(SUFFIXES):
            yield join(entry.name)
