"""Which recipes a git change bears on: the index, the working tree since a revision, or what pre-commit names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.discovery import is_launcher, root_of, walk
from relax_lint.files import Files
from relax_lint.git import GitError, ask, differences, top
from relax_lint.submodules import between, not_there, outside, since

if TYPE_CHECKING:
    from relax_lint.config import Configuration

__all__ = [
    "GitError",
    "changed_since_staged",
    "concerned",
    "in_work_tree",
    "is_committed",
    "not_there",
    "paths_since",
    "staged_paths",
]


def staged_paths() -> list[Path] | None:
    """The files that the index changes, deletions included; those between the refs that pre-commit names, when it
    does. ``None`` when nothing is staged."""
    old, new = os.environ.get("PRE_COMMIT_FROM_REF"), os.environ.get("PRE_COMMIT_TO_REF")
    if old and new:
        return between(top(), f"{old}...{new}")
    return between(top(), "--cached") or None


def paths_since(revision: str) -> list[Path]:
    """The files of the working tree that differ from a revision, new and deleted ones included."""
    if revision.startswith("-"):
        raise GitError(f"not a revision: {revision}")
    return since(top(), revision)


def concerned(
    changed: Iterable[Path],
    paths: Sequence[Path],
    files: Files | None = None,
    configuration: Configuration | None = None,
) -> list[Path]:
    """The recipes, and launchers outside of recipes, below ``paths`` on which changed files bear.

    They are concerned when a file of their own changed or went, or one that they read: a script that they source, a
    module that they import or a launch names, YAML, data.
    """
    from relax_lint.bearing import Bearing

    files = files or Files()
    changed = list(changed)
    bearing = Bearing(changed, files, configuration)
    chosen: dict[Path, None] = {}
    for path in changed:
        recipe = _recipe_directory(path, files)
        if recipe is not None and files.is_dir(recipe) and bearing.is_of(recipe):
            chosen[recipe] = None
        elif recipe is None and files.is_file(path) and is_launcher(path, files):
            chosen[path] = None
    for place, root in _places_below(paths, files):
        if place not in chosen and bearing.on(walk(place, files) if files.is_dir(place) else [place], root):
            chosen[place] = None
    given = [path for path in chosen if any(path == one or one in path.parents for one in paths)]
    # A path inside of a recipe stands for itself when its recipe is concerned.
    given += [one for one in paths if one not in given and any(recipe in one.parents for recipe in chosen)]
    return sorted(given, key=str)


def changed_since_staged(staged: Iterable[Path]) -> list[Path]:
    """Those of some staged files that the work tree has otherwise."""
    root = top()
    return sorted({one.path for one in differences(root=root)}.intersection(staged))


def in_work_tree(paths: Iterable[Path]) -> list[Path]:
    """Those of some changed files that belong to the repository itself: none of its submodules."""
    return outside(paths, top())


def is_committed(path: Path, data: bytes) -> bool:
    """Whether the last commit has just these bytes for a file, so that git could give them back."""
    try:
        return os.fsencode(ask("cat-file", "blob", f"HEAD:./{path.name}", directory=str(path.parent))) == data
    except GitError:
        return False


def _recipe_directory(path: Path, files: Files) -> Path | None:
    """The recipe that a path is in, whether it is still there or not."""
    existing = path.parent
    while not files.is_dir(existing) and existing != existing.parent:
        existing = existing.parent
    root = root_of(existing, files)
    if root is None or root / "examples" not in path.parents or path.parent == root / "examples":
        return None
    return root / "examples" / path.relative_to(root / "examples").parts[0]


def _places_below(paths: Sequence[Path], files: Files) -> Iterator[tuple[Path, Path]]:
    """The recipes, and the launchers outside of recipes, each with the root of its repository."""
    seen: set[Path] = set()
    recipes: dict[Path, Path | None] = {}
    for path in paths:
        for file in walk(path, files) if files.is_dir(path) else [path]:
            if file.parent not in recipes:
                recipes[file.parent] = _recipe_directory(file, files)
            recipe = recipes[file.parent]
            place = file if recipe is None else recipe
            if place in seen or (recipe is None and not is_launcher(file, files)):
                continue
            seen.add(place)
            yield place, root_of(file.parent, files) or file.parent
