"""Which recipes a git change bears on: the index, the working tree since a revision, or what pre-commit names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from relax_lint.discovery import is_launcher, root_of, walk
from relax_lint.files import Files, Unreadable
from relax_lint.git import GitError, ask
from relax_lint.project import YAML_SUFFIXES

__all__ = ["GitError", "concerned", "is_committed", "paths_since", "staged_paths"]

_COMPARING = ("--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
_COMPONENT = re.compile(rb"[^\s/\\\"'`=:,;(){}\[\]$]+")


def staged_paths() -> list[Path] | None:
    """The files that the index changes, deletions included; those between the refs that pre-commit names, when it
    does. ``None`` when nothing is staged."""
    old, new = os.environ.get("PRE_COMMIT_FROM_REF"), os.environ.get("PRE_COMMIT_TO_REF")
    if old and new:
        return _changed(f"{old}...{new}")
    return _changed("--cached") or None


def paths_since(revision: str) -> list[Path]:
    """The files of the working tree that differ from a revision, new and deleted ones included."""
    if revision.startswith("-"):
        raise GitError(f"not a revision: {revision}")
    root = _top()
    untracked = _names("ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/")
    return sorted({*_changed(revision), *(root / name for name in untracked)})


def concerned(changed: Iterable[Path], paths: Sequence[Path], files: Files | None = None) -> list[Path]:
    """The recipes, and launchers outside of recipes, below ``paths`` on which changed files bear.

    A recipe is concerned when a file of its own changed or went, or when its text names a changed file.
    """
    files = files or Files()
    changed = list(changed)
    chosen: dict[Path, None] = {}
    elsewhere: list[Path] = []
    for path in changed:
        recipe = _recipe_directory(path, files)
        if recipe is not None and files.is_dir(recipe):
            chosen[recipe] = None
        elif recipe is None and files.is_file(path) and is_launcher(path, files):
            chosen[path] = None
        elsewhere.append(path)
    for recipe in _recipes_below(paths, files):
        if recipe not in chosen and _names_any(recipe, elsewhere, files):
            chosen[recipe] = None
    given = [path for path in chosen if any(path == one or one in path.parents for one in paths)]
    # A path inside of a recipe stands for itself when its recipe is concerned.
    given += [one for one in paths if one not in given and any(recipe in one.parents for recipe in chosen)]
    return sorted(given, key=str)


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


def _recipes_below(paths: Sequence[Path], files: Files) -> Iterator[Path]:
    seen: set[Path] = set()
    for path in paths:
        for file in walk(path, files) if files.is_dir(path) else [path]:
            recipe = _recipe_directory(file, files)
            if recipe is not None and recipe not in seen:
                seen.add(recipe)
                yield recipe


def _names_any(recipe: Path, changed: Iterable[Path], files: Files) -> bool:
    """Whether the text of a recipe names a changed file, as a path or as a module; a package file on its module path
    counts as named."""
    files_named: set[bytes] = set()
    modules_named: set[bytes] = set()
    for path in changed:
        if path.name == "__init__.py":
            if path.parent == recipe.parent:
                return True
            modules_named.add(os.fsencode(path.parent.name))
        else:
            files_named.add(os.fsencode(path.name))
            if path.suffix == ".py":
                modules_named.add(os.fsencode(path.stem))
    for text in _texts(recipe, files):
        components = set(_COMPONENT.findall(_text(text, files)))
        pieces = {piece for name in components for piece in name.strip(b".").split(b".") if b"." in name.strip(b".")}
        if components & files_named or pieces & modules_named:
            return True
    return False


def _texts(recipe: Path, files: Files) -> Iterator[Path]:
    for path in walk(recipe, files):
        if path.suffix in (".py", *YAML_SUFFIXES) or is_launcher(path, files):
            yield path


def _text(path: Path, files: Files) -> bytes:
    try:
        return files.read(path) or b""
    except Unreadable:
        return b""


def _changed(what: str) -> list[Path]:
    root = _top()
    return [root / name for name in _names("diff", *_COMPARING, "-z", what, "--")]


def _top() -> Path:
    return Path(ask("rev-parse", "--show-toplevel").removesuffix("\n"))


def _names(*arguments: str) -> list[str]:
    return [name for name in ask(*arguments).split("\0") if name]
