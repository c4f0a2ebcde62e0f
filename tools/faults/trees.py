"""A directory as it is: every file with its content, rights and owner."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

_UNFINISHED = re.compile(r"^(?:\.relax-lint-.*|\..*\.part)$")
"""Names of files that are no user's, and are there while something is written."""


class Entry(NamedTuple):
    """A file or link, or a directory, which has no content."""

    content: bytes | None
    mode: int
    owner: tuple[int, int]


Tree: TypeAlias = Mapping[str, Entry]


def tree_of(root: Path) -> Tree:
    """Everything below a directory."""
    found: dict[str, Entry] = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        content = None
        if stat.S_ISLNK(status.st_mode):
            content = os.fsencode(path.readlink())
        elif stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        found[path.relative_to(root).as_posix()] = Entry(content, status.st_mode, (status.st_uid, status.st_gid))
    return found


def is_unfinished(name: str) -> bool:
    """Whether a file is one that is being written, or was."""
    return _UNFINISHED.match(Path(name).name) is not None


def unfinished(tree: Tree) -> list[str]:
    """Such files in a tree."""
    return [name for name in tree if is_unfinished(name)]


def finished(tree: Tree) -> dict[str, Entry]:
    """A tree without them, and without directories, which are made on the way."""
    return {name: entry for name, entry in tree.items() if not is_unfinished(name) and not stat.S_ISDIR(entry.mode)}
