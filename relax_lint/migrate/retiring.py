"""Files of a recipe in verl's form that nothing needs any more, once what they hold was carried over."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.files import Unreadable

if TYPE_CHECKING:
    from relax_lint.migrate.migrated import Migrated
    from relax_lint.project import Project, Recipe

_PACKAGE = "__init__.py"
_READ = (".py", ".sh", ".bash", ".yaml", ".yml")


def held(migrated: Migrated) -> Iterator[Path]:
    """The files that the new ones were made of: code, configurations of tools, configuration of the run."""
    for pieces in migrated.carried.values():
        yield from (piece.path for piece in pieces)
    for written in migrated.launches:
        for setting in written.plan.settings.leaves.values():
            if setting.place is not None and setting.place.source.path != written.origin.path:
                yield setting.place.source.path


def retired(recipe: Recipe, candidates: Sequence[Path], made: Collection[Path], project: Project) -> list[Path]:
    """Those of the candidates in the recipe that no other file of it names but those that were ``made``, which need
    none; ``project`` is what it is now."""
    found = [path for path in dict.fromkeys(candidates) if recipe.directory in path.parents and project.is_file(path)]
    found = [path for path in found if path.suffix in _READ and path not in made]
    found = [path for path in found if path.parent != recipe.directory or path.name != _PACKAGE]
    found = [path for path in found if not any(_lies_in(other, path) for other in made)]
    others = [path for path in _files(recipe.directory, project) if path not in found and path not in made]
    while True:
        needed = [path for path in found if any(_names(each, path, project) or _lies_in(each, path) for each in others)]
        if not needed:
            return found
        found = [path for path in found if path not in needed]
        others += needed


def _files(directory: Path, project: Project) -> Iterator[Path]:
    from relax_lint.discovery import walk

    yield from (path for path in walk(directory, project.files) if path.suffix in _READ)


def _lies_in(path: Path, other: Path) -> bool:
    """Whether a module is in the package that another file makes one."""
    return other.name == _PACKAGE and path.suffix == ".py" and path != other and other.parent in path.parents


def _names(path: Path, other: Path, project: Project) -> bool:
    """Whether a file may use another one: imports it, or has its name."""
    try:
        source = project.text(path)
    except Unreadable:
        return True
    if source is None:
        return False
    if other.suffix == path.suffix == ".py":
        stem = other.parent.name if other.name == _PACKAGE else other.stem
        used = rf"^\s*(?:from|import)\b[^\n#]*(?<!\w){re.escape(stem)}\b"
        return re.search(used, source.text, re.MULTILINE) is not None
    return re.search(rf"(?<![\w.-]){re.escape(other.name)}\b", source.text) is not None
