"""Which files there are to check: walking, ignoring, and telling a bash script from other files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from relax_lint.files import Entry, Files, Unreadable
from relax_lint.globs import Patterns

Excluded = Callable[[Path, bool], bool]
_Ignores: TypeAlias = tuple[int, Patterns]
"""The patterns of a .gitignore, and where in a path the part begins that they are about."""

_BASH_SHEBANG = re.compile(rb"(?:\xef\xbb\xbf)?#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?(?:\S*/)?)?(?:ba|da|k|z)?sh(?:\s|$)")
SHELL_SUFFIXES = (".sh", ".bash")
JOB_SUFFIXES = (".slurm", ".sbatch")
"""Those of batch jobs, most of which are shell scripts."""
_OTHERS_CODE = frozenset({"node_modules", "site-packages", "__pycache__"})


def is_launcher(path: Path, files: Files) -> bool:
    """Whether a file is a shell script: by its suffix; by its shebang where it has none or a batch job's, or where the
    user named it."""
    if path.suffix in SHELL_SUFFIXES:
        return True
    if path.suffix and path.suffix not in JOB_SUFFIXES and path not in files.named:
        return False
    return has_shebang(path, files)


def has_shebang(path: Path, files: Files) -> bool:
    """Whether a file says itself that a shell is to run it."""
    return bool(_BASH_SHEBANG.match(files.head(path, 128)))


def root_of(path: Path, files: Files) -> Path | None:
    """The repository that a file or directory belongs to: the nearest directory with ``relax/`` or ``examples/``.

    A Relax checkout that has the path among its examples wins over an ``examples`` nested in one of its recipes.
    """
    nearest = None
    for ancestor in (path, *path.parents):
        checkout = files.is_dir(ancestor / "relax")
        if checkout and ancestor / "examples" in path.parents:
            return ancestor
        if nearest is None and (checkout or files.is_dir(ancestor / "examples")):
            nearest = ancestor
    return nearest


def walk(directory: Path, files: Files, excluded: Excluded | None = None) -> list[Path]:
    """The files below a directory in a stable order, without hidden directories and what .gitignore files name.

    Links to directories are not followed, so nothing is met twice and no loop is walked.
    """
    return list(_walk(directory, files, _ignores_above(directory, files), excluded))


def _walk(directory: Path, files: Files, above: list[_Ignores], excluded: Excluded | None) -> Iterator[Path]:
    entries, ignores = _open(directory, files, above)
    before = _before(directory)
    for entry in entries:
        if not _is_kept(entry, before, ignores):
            continue
        path = directory / entry.name
        if excluded is not None and excluded(path, entry.is_dir):
            continue
        if entry.is_dir:
            yield from _walk(path, files, ignores, excluded)
        else:
            yield path


def walked(directory: Path, files: Files) -> list[tuple[Path, list[Entry]]]:
    """The directories in which :func:`walk` finds files, each with all that is in it, be it ignored."""
    return list(_walked(directory, files, _ignores_above(directory, files)))


def _walked(directory: Path, files: Files, above: list[_Ignores]) -> Iterator[tuple[Path, list[Entry]]]:
    entries, ignores = _open(directory, files, above)
    before = _before(directory)
    holds_files = False
    for entry in entries:
        if (entry.is_dir or not holds_files) and _is_kept(entry, before, ignores):
            if entry.is_dir:
                yield from _walked(directory / entry.name, files, ignores)
            else:
                holds_files = True
    if holds_files:
        yield directory, entries


def _open(directory: Path, files: Files, above: list[_Ignores]) -> tuple[list[Entry], list[_Ignores]]:
    """What is in a directory, and the .gitignore files that speak of it."""
    entries = files.entries(directory)
    names = {entry.name for entry in entries}
    if "pyvenv.cfg" in names:
        return [], above  # an environment: other people's code
    if ".gitignore" in names:
        return entries, [*above, *_ignore_file(directory, directory / ".gitignore", files)]
    return entries, above


def _before(directory: Path) -> str:
    """What stands in front of the names in a directory."""
    return f"{str(directory).rstrip('/')}/"


def _is_kept(entry: Entry, before: str, ignores: list[_Ignores]) -> bool:
    """Whether walking goes on with a name."""
    if entry.is_dir:
        if entry.name.startswith(".") or entry.name in _OTHERS_CODE:
            return False
    elif not entry.is_file:
        return False
    return not _ignored(before + entry.name, entry.is_dir, ignores)


def _ignored(text: str, is_dir: bool, ignores: list[_Ignores]) -> bool:
    """Whether the nearest .gitignore that speaks of a path ignores it."""
    for start, patterns in reversed(ignores):
        verdict = patterns.match(text[start:], is_dir)
        if verdict is not None:
            return verdict
    return False


def _ignores_above(directory: Path, files: Files) -> list[_Ignores]:
    """The .gitignore files between a directory and the root of its git work tree, the outermost first."""
    found: list[_Ignores] = []
    for ancestor in directory.parents:
        if files.exists(directory / ".git"):
            break
        found[:0] = _ignore_file(ancestor, ancestor / ".gitignore", files)
        if files.exists(ancestor / ".git"):
            return [*_ignore_file(ancestor, ancestor / ".git/info/exclude", files), *found]
    return []


def is_ignored(path: Path, files: Files, *, is_dir: bool = False) -> bool:
    """Whether a .gitignore speaks of a path, which need not be there, as ignored; also where no git is."""
    found: list[_Ignores] = []
    for ancestor in path.parents:
        found[:0] = _ignore_file(ancestor, ancestor / ".gitignore", files)
        if files.exists(ancestor / ".git"):
            found[:0] = _ignore_file(ancestor, ancestor / ".git/info/exclude", files)
            break
    return _ignored(str(path), is_dir, found)


def _ignore_file(directory: Path, path: Path, files: Files) -> list[_Ignores]:
    try:
        data = files.read(path)
    except Unreadable:
        return []
    if data is None:
        return []
    patterns = _patterns(data)
    return [(len(str(directory).rstrip("/")) + 1, patterns)] if patterns else []


@lru_cache(maxsize=64)
def _patterns(data: bytes) -> Patterns:
    return Patterns(data.decode("utf-8", "replace").splitlines())
