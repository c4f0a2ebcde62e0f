"""Which files become which."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
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


def jobs_for(given: Path, wanted: Path, raw: bool | None = None) -> list[Job]:
    """What is to be written out of what. Files are ``raw``, unless told, when they have not the columns of verl."""
    into_file = wanted.suffix in SUFFIXES and not wanted.is_dir() and not given.is_dir()
    if given.is_dir():
        found = (path for path in sorted(given.rglob("*")) if path.suffix in SUFFIXES and path.is_file())
        inside = [path.relative_to(given) for path in found if not path.is_relative_to(wanted)]
        files = [path for path in inside if not any(part.startswith(".") for part in path.parts)]
        jobs = [Job((given / path,), wanted / path.with_suffix(".parquet")) for path in files]
    else:
        jobs = [Job((given,), wanted if into_file else wanted / f"{given.stem}.parquet")]
    own = own_rows()
    if not own or raw is False or not jobs or not (raw or is_raw(jobs[0].sources[0])):
        return jobs
    by_split: dict[str, list[Path]] = {}
    for job in jobs:
        by_split.setdefault(split_of(job.sources[0], own), []).append(job.sources[0])
    ways = [(split, tuple(found)) for split, found in by_split.items() if split]
    return [Job(found, wanted if into_file else wanted / own[split][0], split) for split, found in ways]


def is_raw(source: Path) -> bool:
    """Whether a file is of the raw data set: no ground truth as verl has it."""
    if source.suffix == ".parquet":
        with opened(source) as file:
            return "reward_model" not in file.schema_arrow.names
    with source.open("rb") as lines:
        return b'"reward_model"' not in lines.readline()


def split_of(source: Path, own: Collection[str]) -> str:
    """The split that a file of a data set belongs to, by its name or that of its directory."""
    names = [source.parent.name, *re.split(r"[-_.]", source.name)]
    return next((split for split in own if split in names), next(iter(own)) if len(own) == 1 else "")


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
