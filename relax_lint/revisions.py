"""The work tree as it was at a revision, read from git's objects: nothing is checked out and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple

from relax_lint import looks
from relax_lint.discovery import JOB_SUFFIXES, SHELL_SUFFIXES
from relax_lint.files import LARGEST, Entry, Files, Unreadable
from relax_lint.git import GITLINK, GitError, ask, differences, top

_LINK, _EXECUTABLE = "120000", "100755"
_FILES = (_LINK, _EXECUTABLE, "100644")
_MOST_LINKS = 8
_SCRIPTS = (*SHELL_SUFFIXES, *JOB_SUFFIXES)
_MOST_MOVED = 32
_ALIKE = 0.5
"""How much of a file must be the same for it to be the same one under another name; git wants as much."""


class Span(NamedTuple):
    """What is compared: two revisions, the second ``None`` where it is the work tree; each with its commit."""

    old: str
    new: str | None
    old_commit: str
    new_commit: str | None


class _Blob(NamedTuple):
    """A file of a revision."""

    mode: str
    name: str


def span(words: str) -> Span:
    """``A`` is compared with the work tree, ``A..B`` with B, ``A...B`` is from where both part to B; a side that is
    left out is HEAD."""
    for dots in ("...", ".."):
        if dots in words:
            old, _, new = words.partition(dots)
            old, new = old or "HEAD", new or "HEAD"
            commits = _commit(old), _commit(new)
            if dots == "...":
                commits = ask("merge-base", *commits).strip(), commits[1]
            return Span(old, new, *commits)
    return Span(words, None, _commit(words), None)


def _commit(revision: str) -> str:
    if revision.startswith("-") or not revision:
        raise GitError(f"not a revision: {revision!r}")
    top()  # where there is no repository, that is what is wrong
    try:
        return ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()
    except GitError as problem:
        raise GitError(f"no such revision: {revision}") from problem


def renames(old: str, new: str) -> dict[Path, Path]:
    """The files of one commit that another one had under other names."""
    return {one.path: one.source for one in differences(old, new, root=top(), renames=True) if one.status == "R"}


class Past(Files):
    """The work tree as a revision has it. What git tracks is as it was then, what came since is gone; what git does not
    track, data and checkpoints, is taken to have been as it is.

    ``changed`` are the files that differ from the work tree, on either side; ``renamed`` leads from the names that
    files have now to those they had then.
    """

    def __init__(self, commit: str) -> None:
        super().__init__()
        self._top = top()
        self._blobs: dict[Path, _Blob] = {}
        self._gone: set[Path] = set()
        self.renamed: dict[Path, Path] = {}
        self._compare(commit)
        self._directories = {
            self._top / name for name in _names("ls-tree", "-r", "-d", "-z", "--name-only", "--full-tree", commit)
        }
        above = {directory for path in self._gone for directory in path.parents if self._top in directory.parents}
        self._gone |= above - self._directories
        self.changed = frozenset({*self._blobs, *self._gone})

    def _compare(self, commit: str) -> None:
        for one in differences(commit, root=self._top, renames=True):
            blob = _Blob(one.modes[0], one.objects[0])
            if GITLINK in one.modes:
                continue
            if one.status in "RC":
                if one.status == "R":
                    self._blobs[one.source] = blob
                    self.renamed[one.path] = one.source
                self._gone.add(one.path)
            elif one.status == "A":
                self._gone.add(one.path)
            elif blob.mode in _FILES and one.status != "U":
                self._blobs[one.path] = blob
        names = _names("ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/")
        untracked = [self._top / name for name in names]
        self._gone.update(untracked)
        self.renamed.update(self._moved(untracked))

    def _moved(self, untracked: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
        """The scripts that have another name now of which git does not know yet, and the names they had."""
        left = {path for path in self._blobs if path.suffix in _SCRIPTS and not path.is_file()}
        left -= set(self.renamed.values())
        for path in untracked if len(left) <= _MOST_MOVED else ():
            if path.suffix in _SCRIPTS and left:
                text = super()._read_below(path) or b""
                likeness, before = max((_likeness(self._read_below(one) or b"", text), one) for one in sorted(left))
                if likeness >= _ALIKE:
                    left.discard(before)
                    yield path, before

    # ------------------------------------------------------------ files

    def _read_below(self, path: Path) -> bytes | None:
        path = self._followed(path)
        blob = self._blobs.get(path)
        if blob is None:
            return None if path in self._gone else super()._read_below(path)
        data = os.fsencode(ask("cat-file", "blob", blob.name))
        if len(data) > LARGEST:
            raise Unreadable(f"it has {len(data) / 1e6:.0f} MB; files over {LARGEST / 1e6:.0f} MB are not read")
        return data

    def _followed(self, path: Path) -> Path:
        """What a link of the revision leads to."""
        for _ in range(_MOST_LINKS):
            blob = self._blobs.get(path)
            if blob is None or blob.mode != _LINK:
                return path
            path = Path(os.path.normpath(path.parent / ask("cat-file", "blob", blob.name)))
        return path

    def _is_file_below(self, path: Path) -> bool:
        return self._kind(path) == "file"

    def _is_dir_below(self, path: Path) -> bool:
        return self._kind(path) == "directory"

    def _exists_below(self, path: Path) -> bool:
        return bool(self._kind(path)) or path in self._blobs

    def _kind(self, path: Path) -> str:
        known = self.answer("kind", str(path))
        return looks.kind(str(path)) if known is None else str(known)

    def _head_below(self, path: Path, size: int) -> bytes:
        if path not in self.changed:
            return super()._head_below(path, size)
        try:
            return (self.read(path) or b"")[:size]
        except Unreadable:
            return b""

    def _stream_below(self, path: Path) -> IO[bytes] | None:
        import io

        if path not in self.changed:
            return super()._stream_below(path)
        data = self.read(path)
        return None if data is None else io.BytesIO(data)

    def why_closed(self, path: Path) -> str | None:
        """Why a file cannot be opened and read; those of a revision can."""
        return None if path in self.changed else super().why_closed(path)

    def _entries_below(self, directory: Path) -> Iterable[Entry]:
        if directory in self._gone:
            return []
        now = {entry.name: entry for entry in super()._entries_below(directory)}
        for name in [name for name in now if directory / name in self._gone]:
            del now[name]
        now.update(self._own.get(directory, {}))
        return list(now.values())

    @cached_property
    def _own(self) -> Mapping[Path, dict[str, Entry]]:
        """What only the revision is known to have, by directory."""
        found: dict[Path, dict[str, Entry]] = {}
        for path in self._blobs:
            found.setdefault(path.parent, {})[path.name] = Entry(path.name, False, self._kind(path) != "directory")
        for path in self._directories:
            found.setdefault(path.parent, {}).setdefault(path.name, Entry(path.name, True, False))
        return found

    # ------------------------------------------------------------ looks

    def answer(self, question: str, path: str) -> looks.Answer | None:
        """What is at a path; ``None`` where that is as on the disk."""
        at = Path(os.path.normpath(path))
        blob = self._blobs.get(at)
        if blob is not None:
            return self._of_blob(question, at, blob)
        absent: Mapping[str, looks.Answer] = {"kind": "", "link": "", "executable": False, "size": 0}
        if at in self._gone:
            return absent.get(question)
        if at in self._directories:
            here: Mapping[str, looks.Answer] = {"kind": "directory", "link": "no link", "executable": True}
            return here.get(question)
        return None

    def _of_blob(self, question: str, path: Path, blob: _Blob) -> looks.Answer | None:
        if question == "link":
            return "link" if blob.mode == _LINK else "no link"
        target = self._followed(path)
        if target != path:
            known = self.answer(question, str(target))
            return looks.kind(str(target)) if known is None and question == "kind" else known
        answers: Mapping[str, looks.Answer] = {"kind": "file", "executable": blob.mode == _EXECUTABLE}
        if question == "size":
            return len(self.read(path) or b"")
        return answers.get(question)

    def names(self, directory: str) -> list[str] | None:
        """The names in a directory; ``None`` where these are as on the disk."""
        at = Path(os.path.normpath(directory))
        if at != self._top and self._top not in at.parents:
            return None
        return sorted(entry.name for entry in self._entries_below(at))


def _likeness(old: bytes, new: bytes) -> float:
    """How much of two texts is the same, line by line."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False).ratio()


def _names(*arguments: str) -> Iterator[str]:
    return (name for name in ask(*arguments).split("\0") if name)
