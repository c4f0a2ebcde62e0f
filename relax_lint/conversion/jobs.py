"""Which files become which."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from relax_lint.conversion.reading import Part, opened
from relax_lint.conversion.recipe_data import own_rows
from relax_lint.conversion.refusals import PROBLEMS, Refused

SUFFIXES = (".parquet", ".jsonl")
SPLITS = ("train", "test", "validation", "val", "dev", "eval")


@dataclass(frozen=True)
class Job:
    """One file to be written, out of others. When their rows are raw, ``own`` is what the recipe calls it, and
    ``parts`` says which of its parts each of the others is of."""

    sources: tuple[Path, ...]
    target: Path
    own: str | None = None
    parts: tuple[int, ...] = ()


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
    splits = {split for file in own.values() for split, _ in file.parts}
    for job in jobs:
        by_split.setdefault(split_of(job.sources[0], splits), []).append(job.sources[0])
    ways = []
    for name, file in own.items():
        pairs = [(number, path) for number, (split, _) in enumerate(file.parts) for path in by_split.get(split, [])]
        missing = [split for split, _ in file.parts if split not in by_split]
        if pairs and missing:
            raise Refused(f"{name} is made of {missing[0]}, too, of which there is no file")
        if pairs:
            numbers, paths = zip(*pairs, strict=True)
            ways.append(Job(paths, wanted if into_file else wanted / name, name, numbers))
    if into_file and len(ways) > 1:
        raise Refused(f"{' and '.join(str(job.own) for job in ways)} are made of it, which are no single file")
    return ways


def is_raw(source: Path) -> bool:
    """Whether a file is of the raw data set: no ground truth as verl has it."""
    if source.suffix == ".parquet":
        try:
            with opened(source) as file:
                return "reward_model" not in file.schema_arrow.names
        except PROBLEMS:  # which is told of the file when its turn comes
            return False
    with source.open("rb") as lines:
        return b'"reward_model"' not in lines.readline()


def split_of(source: Path, splits: Collection[str]) -> str:
    """The split that a file of a data set belongs to, by its name or those of its directories; of several data sets it
    is said as ``data set/split``."""
    found = [split for split in splits if is_named(source.name, split) or is_of(source, split)]
    for directory in source.parents:
        found = found or [split for split in splits if split == directory.name]
    if not found and len(splits) == 1 and not said_splits(source):
        found = list(splits)
    return max(found, key=len, default="")


def is_of(source: Path, split: str) -> bool:
    """Whether a file is of a split of a certain data set."""
    name, _, last = split.rpartition("/")
    if not name or not (is_named(source.name, name) or name in (directory.name for directory in source.parents)):
        return False
    said = [last] if is_named(source.name, last) else said_splits(source)
    return last in said or not said


def said_splits(source: Path) -> list[str]:
    """The usual splits that the name of a file says, or that of its directory."""
    return [one for one in SPLITS if is_named(source.name, one)] or [one for one in SPLITS if one == source.parent.name]


def is_named(file: str, part: str) -> bool:
    """Whether the name of a file has a part, as ``train-00000-of-2.parquet`` has ``train``."""
    return re.search(rf"(^|[-_.]){re.escape(part)}([-_.]|$)", file) is not None


def parts_of(job: Job, by_group: bool = False) -> Iterator[Part]:
    """The pieces that can be converted apart."""
    index = 0
    by_group = by_group and (job.own is None or not own_rows()[job.own].is_in_order())
    for place, source in enumerate(job.sources):
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
            yield Part(source, job.own, group, first, index, job.parts[place] if job.parts else 0)
            first, index = first + size, index + size
