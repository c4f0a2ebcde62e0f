"""The file tree as the linter sees it: the disk below unsaved text, or a tree that exists in memory only."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple

from relax_lint import looks
from relax_lint.kept import note

LARGEST = 8 * 1024 * 1024
"""Bytes beyond which a file is no source text that anybody wrote; it is reported, not parsed."""

BEGUN = ".relax-lint-0.journal"
"""What lies in a root while several files are written below it, and afterwards only if that was ended on the way."""


class Entry(NamedTuple):
    """One name in a directory. A link to a directory is neither a directory nor a file: nothing is walked twice."""

    name: str
    is_dir: bool
    is_file: bool


class Unreadable(Exception):
    """A file that is there and cannot be read; the message says why."""


class Files:
    """The disk, under an overlay of unsaved files (``None`` hides a file).

    A file is read once: whatever happens on disk meanwhile, a run judges and fixes one state of it. ``unlistable`` are
    the directories that were looked into in vain, with the reason; ``named`` the files that the user named one by one.
    """

    def __init__(self, overlay: Mapping[Path, bytes | None] | None = None) -> None:
        self.overlay = dict(overlay or {})
        self.unlistable: dict[Path, str] = {}
        self.named: set[Path] = set()
        self._contents: dict[Path, bytes | None] = {}
        self._are_files: dict[Path, bool] = {}

    def with_changes(self, changes: Mapping[Path, bytes | None]) -> Files:
        """The same tree with other contents of some files."""
        changed = type(self)({**self.overlay, **changes})
        changed._contents, changed.unlistable, changed._are_files = self._contents, self.unlistable, self._are_files
        changed.named = self.named
        return changed

    def take(self, path: Path, data: bytes) -> None:
        """Take this for the content of a file from now on."""
        self.overlay[path] = data
        vars(self).pop("_above_unsaved", None)

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file, ``None`` when there is no such file; :class:`Unreadable` when it cannot be read."""
        note(path)
        if path in self.overlay:
            return self.overlay[path]
        if path not in self._contents:
            self._contents[path] = self._read_below(path)
        return self._contents[path]

    def is_file(self, path: Path) -> bool:
        """Whether this is a regular file, or a link to one."""
        if path in self.overlay:
            return self.overlay[path] is not None
        if path not in self._are_files:
            self._are_files[path] = self._is_file_below(path)
        return self._are_files[path]

    def is_dir(self, path: Path) -> bool:
        """Whether this is a directory, or a link to one."""
        return self._is_dir_below(path) or path in self._above_unsaved

    def exists(self, path: Path) -> bool:
        """Whether anything is at this path."""
        return self.is_file(path) or self.is_dir(path) or self._exists_below(path)

    def head(self, path: Path, size: int) -> bytes:
        """The first bytes of a file; empty when it cannot be read."""
        note(path)
        if path in self.overlay:
            return (self.overlay[path] or b"")[:size]
        return self._head_below(path, size)

    def stream(self, path: Path) -> IO[bytes] | None:
        """A file to read piece by piece, however large it is; ``None`` when it is no file or cannot be opened."""
        note(path)
        if path in self.overlay:
            data = self.overlay[path]
            return None if data is None else io.BytesIO(data)
        return self._stream_below(path)

    def why_closed(self, path: Path) -> str | None:
        """Why a file cannot be opened and read; ``None`` when it can, or is no file."""
        if path in self.overlay or not self._is_file_below(path):
            return None
        looks.content(str(path))
        try:
            with path.open("rb") as stream:
                stream.read(1)
        except OSError as problem:
            return problem.strerror or str(problem)
        return None

    def entries(self, directory: Path) -> list[Entry]:
        """What is in a directory, sorted by name; empty when it cannot be listed (``unlistable`` then says why)."""
        found = {entry.name: entry for entry in self._entries_below(directory)}
        for path, data in self.overlay.items():
            if path.parent == directory:
                if data is None:
                    found.pop(path.name, None)
                else:
                    found[path.name] = Entry(path.name, False, True)
            elif data is not None and directory in path.parents:
                name = path.relative_to(directory).parts[0]
                found.setdefault(name, Entry(name, True, False))
        return [found[name] for name in sorted(found)]

    @cached_property
    def _above_unsaved(self) -> frozenset[Path]:
        """The directories that files of the overlay are in or below."""
        return frozenset(above for path, data in self.overlay.items() if data is not None for above in path.parents)

    def _read_below(self, path: Path) -> bytes | None:
        looks.content(str(path))
        try:
            status = path.stat()
            if stat.S_ISDIR(status.st_mode):
                return None
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable("it is no regular file")
            if status.st_size > LARGEST:
                raise Unreadable(
                    f"it has {status.st_size / 1e6:.0f} MB; files over {LARGEST / 1e6:.0f} MB are not read"
                )
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as problem:
            raise Unreadable(getattr(problem, "strerror", None) or str(problem)) from problem

    def _is_file_below(self, path: Path) -> bool:
        return looks.is_file(str(path))

    def _is_dir_below(self, path: Path) -> bool:
        return looks.is_dir(str(path))

    def _exists_below(self, path: Path) -> bool:
        return looks.lexists(str(path))

    def _head_below(self, path: Path, size: int) -> bytes:
        looks.content(str(path))
        try:
            with open(path, "rb", opener=looks.without_waiting) as stream:
                return stream.read(size) if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else b""
        except (OSError, ValueError):
            return b""

    def _stream_below(self, path: Path) -> IO[bytes] | None:
        looks.content(str(path))
        try:
            return path.open("rb") if path.is_file() else None
        except (OSError, ValueError):
            return None

    def _entries_below(self, directory: Path) -> Iterable[Entry]:
        looks.listing(str(directory))
        try:
            with os.scandir(directory) as listing:
                return [_entry(item) for item in listing]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as problem:
            self.unlistable[directory] = problem.strerror or str(problem)
            return []


def _entry(item: os.DirEntry[str]) -> Entry:
    """A name as walking takes it: a link to a file, or to nothing, is a file; what is read later is reported then."""
    if not item.is_symlink():
        return Entry(item.name, item.is_dir(follow_symlinks=False), item.is_file(follow_symlinks=False))
    return Entry(item.name, False, not looks.is_dir(item.path))


class MemoryFiles(Files):
    """A tree that exists nowhere but in its overlay."""

    def _read_below(self, path: Path) -> bytes | None:
        return None

    def _is_file_below(self, path: Path) -> bool:
        return False

    def _is_dir_below(self, path: Path) -> bool:
        return False

    def _exists_below(self, path: Path) -> bool:
        return False

    def _head_below(self, path: Path, size: int) -> bytes:
        return b""

    def _stream_below(self, path: Path) -> IO[bytes] | None:
        return None

    def _entries_below(self, directory: Path) -> Iterable[Entry]:
        return []
