"""What is wrong with the paths of a dataset: what Relax does not load, is not there, or has no rows."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from relax_lint.data_paths import SUFFIXES, DataPath, DataPlan, sliced
from relax_lint.diagnostics import Severity

if TYPE_CHECKING:
    from relax_lint.datasets import DatasetUse
    from relax_lint.project import Project
    from relax_lint.shell.launch import Word
    from relax_lint.sources.dataset import DataFile

Fault = tuple[str, Severity]

_OTHER_FORMATS = frozenset(
    ".json .csv .tsv .txt .arrow .feather .pkl .pickle .npz .npy .xlsx .orc .avro .yaml .gz .zst .zip .tar .pq".split()
)
"""Endings of data that Relax has no reader for; nobody names a directory so."""
_LOADED = " and ".join(SUFFIXES)


def path_faults(use: DatasetUse) -> Iterator[Fault]:
    """What is wrong with the files that a dataset names."""
    yield from own_faults(use.plan, use.project)
    yield from _slices(use)
    for file in use.files:
        if not file.columns and file.problem is not None and not file.needs_pyarrow:
            yield f"{file.text} cannot be read: {file.problem}", Severity.ERROR
        else:
            yield from line_faults(file)


def line_faults(file: DataFile) -> Iterator[Fault]:
    """What is wrong with single lines of a file, as far as it was read."""
    if file.bad_lines:
        first = ", ".join(f"{number:,}" for number in file.first_bad_lines)
        if file.bad_lines == 1:
            yield f"{file.text}: line {first} is no JSON: Relax leaves it out", Severity.WARNING
        else:
            more = " …" if file.bad_lines > len(file.first_bad_lines) else ""
            shown = f"lines {first}{more} are no JSON: Relax leaves these {file.bad_lines:,} out"
            yield f"{file.text}: {shown}", Severity.WARNING
    if file.odd_rows:
        yield f"{file.text} has rows that are no JSON objects", Severity.ERROR


def own_faults(plan: DataPlan, project: Project) -> Iterator[Fault]:
    """What is wrong with paths themselves."""
    if not plan.paths:
        yield f"no {SUFFIXES[0]} or {SUFFIXES[1]} file is there", Severity.ERROR
    for named in plan.paths:
        yield from _of_path(project, named)


def _of_path(project: Project, named: DataPath) -> Iterator[Fault]:
    text = named.text
    if not text:
        yield "the path is empty", Severity.ERROR
    elif project.is_dir(named.path):
        yield f"{text} is a directory: in a list Relax looks into it only if it is in quotes", Severity.ERROR
    elif not named.is_loadable and (project.exists(named.path) or _suffix(text) in _OTHER_FORMATS | set(SUFFIXES)):
        yield f"{text}: Relax loads files that end in {_LOADED} only{_instead(project, named)}", Severity.ERROR
    elif not project.exists(named.path):
        yield from _missing(project, named)


def other_format(word: Word) -> str | None:
    """The ending of a word that is not known in full, where it is one of data that Relax does not load."""
    text, _ = sliced(word.text)
    suffix = PurePosixPath(text).suffix
    written_out = not any(unknown.text.endswith(suffix) or suffix in unknown.text for unknown in word.unknowns)
    return suffix if suffix.lower() in _OTHER_FORMATS and written_out and not text.endswith("]") else None


def _suffix(text: str) -> str:
    return PurePosixPath(text).suffix.lower()


def _instead(project: Project, named: DataPath) -> str:
    """The same file in a format that Relax loads, if it is there."""
    end = _suffix(named.text)
    others = [named.path.with_suffix(suffix) for suffix in SUFFIXES if end]
    here = [path.suffix for path in others if path != named.path and project.is_file(path)]
    return f"; {named.text[: -len(end)]}{here[0]} is there" if here else ""


def _missing(project: Project, named: DataPath) -> Iterator[Fault]:
    """A file that is not here, where the other data of its directory is."""
    from difflib import get_close_matches

    entries = project.files.entries(named.path.parent)
    names = [entry.name for entry in entries if entry.name.endswith(SUFFIXES)]
    own = named.path.name
    parent = named.text[: len(named.text) - len(own)]
    if any(mark in own for mark in "*?[") and any(fnmatchcase(name, own) for name in names):
        yield f"{named.text}: Relax expands no patterns; name the directory or a list of files", Severity.WARNING
    elif names:
        near = get_close_matches(own, names, n=1, cutoff=0.6)
        guess = f"; did you mean {parent}{near[0]}?" if near else f"; there are {_few(names)}"
        yield f"{named.text} does not exist{guess}", Severity.WARNING


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} …"


def _slices(use: DatasetUse) -> Iterator[Fault]:
    """Ranges of rows that hold none, or that the loader does not take."""
    ranges = [use.plan.rows, *(named.rows for named in use.plan.paths)]
    if not use.is_streamed and any(rows.is_negative for rows in ranges):
        yield f"{use.spec}: Relax's loader takes no negative bounds of a slice (ValueError)", Severity.ERROR
    elif any(rows.is_empty for rows in ranges):
        yield f"{use.spec}: the slice holds no row", Severity.ERROR
    elif not use.missing and use.plan.paths and all(_is_loadable(use, named) for named in use.plan.paths):
        counts = [file.count for file in use.files]
        if all(count == 0 for count in counts) and not any(file.problem for file in use.files):
            yield f"{use.spec} gives no rows", Severity.ERROR


def _is_loadable(use: DatasetUse, named: DataPath) -> bool:
    return named.is_loadable and use.project.is_file(named.path)
