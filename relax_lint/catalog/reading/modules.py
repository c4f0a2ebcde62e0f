"""Where the sources of modules come from."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

Read = Callable[[Path], "bytes | None"]
Edit = Callable[[str, bytes], bytes]


def read_from_disk(path: Path) -> bytes | None:
    """The bytes of a file, if there is one."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def parsed(data: bytes) -> ast.Module | None:
    """The syntax tree of a file; ``None`` when it has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class Sources:
    """Modules by their dotted names, below some directories; each file is read and parsed once.

    ``edits`` change what a file holds before it is parsed, given its path from a root: patches.
    """

    def __init__(self, roots: Iterable[Path], read: Read = read_from_disk, edits: Iterable[Edit] = ()) -> None:
        self.roots = tuple(roots)
        self.files: dict[str, bytes] = {}
        self.unparsed: list[str] = []
        self._read = read
        self._edits = tuple(edits)
        self._trees: dict[str, ast.Module | None] = {}

    def tree(self, dotted: str) -> ast.Module | None:
        """The syntax tree of a module; ``None`` when there is none or it cannot be parsed."""
        if dotted not in self._trees:
            self._trees[dotted] = self._parsed(dotted)
        return self._trees[dotted]

    def package_of(self, dotted: str) -> str:
        """The package that relative imports in a module start from."""
        base = dotted.replace(".", "/")
        return dotted if f"{base}/__init__.py" in self.files else dotted.rpartition(".")[0]

    def _parsed(self, dotted: str) -> ast.Module | None:
        base = dotted.replace(".", "/")
        for path in (f"{base}.py", f"{base}/__init__.py"):
            data = self._bytes(path)
            if data is not None:
                self.files[path] = data
                tree = parsed(data)
                if tree is None:
                    self.unparsed.append(f"{path} cannot be parsed")
                return tree
        return None

    def _bytes(self, path: str) -> bytes | None:
        found = (self._read(root / path) for root in self.roots)
        data = next((data for data in found if data is not None), None)
        if data is not None:
            for edit in self._edits:
                data = edit(path, data)
        return data
