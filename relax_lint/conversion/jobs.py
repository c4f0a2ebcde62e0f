"""Which files become which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from relax_lint.conversion.reading import Part, opened
from relax_lint.conversion.recipe_data import own_rows

SUFFIXES = (".parquet", ".jsonl")


@dataclass(frozen=True)
class Job:
    """One file to be written, out of others; ``split`` when their rows are raw."""

    sources: tuple[Path, ...]
    target: Path
    split: str | None = None


def jobs_for(given: Path, wanted: Path) -> list[Job]:
    """What is to be written out of what."""
    if given.is_dir():
        found = (path for path in sorted(given.rglob("*")) if path.suffix in SUFFIXES and path.is_file())
        inside = [path.relative_to(given) for path in found if not path.is_relative_to(wanted)]
        files = [path for path in inside if not any(part.startswith(".") for part in path.parts)]
        sources = [(given / path, wanted / path.with_suffix(".parquet")) for path in files]
    else:
        is_file = wanted.suffix in SUFFIXES and not wanted.is_dir()
        sources = [(given, wanted if is_file else wanted / f"{given.stem}.parquet")]
    own = own_rows()
    if not own:
        return [Job((source,), target) for source, target in sources]
    directory = wanted if given.is_dir() or wanted.suffix not in SUFFIXES else wanted.parent
    by_split: dict[str, list[Path]] = {}
    for source, _ in sources:
        by_split.setdefault(split_of(source, own), []).append(source)
    return [Job(tuple(found), directory / own[split][0], split) for split, found in by_split.items() if split]


def split_of(source: Path, own: Iterable[str]) -> str:
    """The split that a file of a data set belongs to, by its name or that of its directory."""
    names = [source.parent.name, *re.split(r"[-_.]", source.name)]
    return next((split for split in own if split in names), "")


def parts_of(job: Job, by_group: bool = False) -> Iterator[Part]:
    """The pieces that can be converted apart."""
    index = 0
    for source in job.sources:
        first = 0
        groups: list[tuple[tuple[int, ...] | None, int]] = [(None, 0)]
        if source.suffix == ".parquet":
            with opened(source) as file:
                sizes = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
            groups = [((number,), size) for number, size in enumerate(sizes)] if by_group else [(None, sum(sizes))]
        elif len(job.sources) > 1:
            with source.open("rb") as lines:
                groups = [(None, sum(bool(line.strip()) for line in lines))]
        for group, size in groups or [(None, 0)]:
            yield Part(source, job.split, group, first, index)
            first, index = first + size, index + size
