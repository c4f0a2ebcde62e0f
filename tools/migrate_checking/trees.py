"""Copies of a checkout to migrate into, one for each launcher, that share the files nobody writes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", ".venv", "*.pyc")


class Trees:
    """Trees in a folder, made from a copy of the checkout, so that whatever happens to them the checkout stays."""

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.folder = folder
        self.original = folder / "original"
        shutil.copytree(checkout, self.original, symlinks=True, ignore=_LEFT_OUT)

    def new(self, name: str) -> Path:
        """A tree of hard links. A file that is written the way this project does, by a rename, is a new one."""
        tree = self.folder / name
        shutil.copytree(self.original, tree, symlinks=True, copy_function=os.link)
        return tree

    def written(self, tree: Path) -> list[Path]:
        """What was written into a tree, relative to it."""
        files = [path.relative_to(tree) for path in tree.rglob("*") if path.is_file()]
        return sorted(path for path in files if self._is_new(tree, path))

    def _is_new(self, tree: Path, path: Path) -> bool:
        before = self.original / path
        return not before.is_file() or not before.samefile(tree / path)
