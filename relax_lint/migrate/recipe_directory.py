"""A directory that is a recipe of verl: the launchers in it, what they become, and what of it nothing uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.conversion.own_rows import is_preprocessing
from relax_lint.discovery import is_launcher, walk
from relax_lint.migrate.migrated import Migrated, Unused
from relax_lint.shell.queries import is_part_of_another

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.sources.launcher import LauncherSource

MOST = 40
"""More launchers than this are those of several recipes."""
_BEGINNINGS = re.compile(r"^(?:run|test|train|launch|start)[-_.]+", re.I)
_PROSE = (".md", ".rst", ".txt")
_CODE = (".py", ".ipynb")
_DATA = (".parquet", ".jsonl", ".json", ".csv")


def launchers_in(directory: Path, project: Project, name: str) -> list[LauncherSource]:
    """The scripts of a directory that start verl, the most likely main one first."""
    found = []
    for path in walk(directory, project.files):
        source = project.launcher(path) if is_launcher(path, project.files) else None
        if source is None or not source.is_shell or is_part_of_another(source, project):
            continue
        evaluation = source.evaluation
        is_broken = bool(evaluation.problems or evaluation.too_complex) and "verl" in source.text
        if is_broken or any(launch.kind == "verl" for launch in source.launches):
            found.append(source)
    return sorted(found, key=lambda source: _likeness(source.path.relative_to(directory), name))


def _likeness(path: Path, name: str) -> tuple[int, int, int, str]:
    """How likely a script is the main one: not deep, called like the recipe, with a short name."""
    stem = path.stem.lower()
    if _plain(stem) in (f"run_{name}", name, "run", "train", "main", "launch"):
        rank = 0
    else:
        rank = 1 if name.lower() in _plain(stem) else 2
    return len(path.parts), rank, len(stem), path.as_posix()


def script_names(paths: Sequence[Path], name: str, directory: Path | None) -> list[str]:
    """What each script is called in the recipe: after what its name says beside the recipe's."""
    found: list[str] = []
    for path in paths:
        stem = _BEGINNINGS.sub("", path.stem)
        rest = re.sub(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", "", stem, flags=re.I)
        parts = [rest]
        if directory is not None and path.is_relative_to(directory):
            parts = [*path.parent.relative_to(directory).parts, rest]
        said = _said(rest) or _said("_".join(parts)) or "2"
        if f"run_{name}_{said}.sh" in found:
            said = _said("_".join(parts))
        script, number = f"run_{name}_{said}.sh", 1
        while script in found:
            number += 1
            script = f"run_{name}_{said}_{number}.sh"
        found.append(script)
    return found


def _said(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").lower()


def _plain(stem: str) -> str:
    return re.sub(r"\W", "_", stem)


def unused(directory: Path, migrated: Migrated, project: Project) -> list[Unused]:
    """The files of a directory that no file of the new recipe was made of."""
    used = set(_used(migrated))
    return [
        Unused(path, _why(path, project))
        for path in walk(directory, project.files)
        if path not in used and not path.is_relative_to(migrated.target)
    ]


def _used(migrated: Migrated) -> Iterator[Path]:
    for refused in migrated.refused:
        yield refused.place.source.path
    for written in migrated.launches:
        yield written.origin.path
        yield from (source.path for source in written.origin.evaluation.sourced)
        for file in written.plan.files:
            yield from (piece.path for piece in file.pieces)
        for setting in written.plan.settings.leaves.values():
            if setting.place is not None:
                yield setting.place.source.path


def _why(path: Path, project: Project) -> str:
    if is_launcher(path, project.files):
        return "it starts no training of verl"
    found = project.text(path) if path.suffix == ".py" else None
    if found is not None and is_preprocessing(found.text):
        return "it makes the data that is converted, and is itself not carried over"
    if path.suffix in _CODE:
        return "no reward, tool or conversion needs it"
    if path.suffix in _PROSE:
        return "it is for people"
    return "data" if path.suffix in _DATA else "no launch reads it"
