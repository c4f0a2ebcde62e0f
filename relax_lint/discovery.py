"""Which files there are to check: walking, ignoring, and telling a bash script from other files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from relax_lint.files import Files

_BASH_SHEBANG = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?(?:\S*/)?)?\b(?:ba|da|k|z)?sh\b")
_SHELL_SUFFIXES = (".sh", ".bash")


def is_launcher(path: Path, files: Files) -> bool:
    """Whether a file is a shell script: by its suffix, or by the shebang of a file that has no suffix."""
    if path.suffix:
        return path.suffix in _SHELL_SUFFIXES
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


def walk(directory: Path, files: Files) -> list[Path]:
    """The files below a directory in a stable order."""
    return list(_walk(directory, files))


def _walk(directory: Path, files: Files) -> Iterator[Path]:
    for entry in files.entries(directory):
        if entry.name.startswith("."):
            continue
        if entry.is_dir:
            yield from _walk(directory / entry.name, files)
        elif entry.is_file:
            yield directory / entry.name
