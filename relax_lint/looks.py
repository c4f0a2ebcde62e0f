"""The looks at the disk that a result depends on: noted while it is worked out, repeated before it is used again.

Whatever looks at the disk for the sake of a finding asks here, so that a kept result is used only where every look
would give the same again. That is decided by what `stat` says where it can be, by content where times have changed.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias, cast

Signature: TypeAlias = "tuple[int, ...] | None"
"""What `stat` says of a file or directory that changes when its content does; ``None``: there is none."""
Answer: TypeAlias = "str | int"

_RACY = 2_000_000_000
"""Nanoseconds within which a file system may give two states of a file the same time."""
_LARGEST_READ = 8 * 1024 * 1024
"""Bytes beyond which a content is not compared; another time is then another content."""


class Looks:
    """What was asked, and what the answers were."""

    def __init__(self) -> None:
        self._answers: dict[str, dict[str, Answer]] = {question: {} for question in _QUESTIONS}
        self._signatures: dict[str, Signature] = {}
        self._are_lists: dict[str, bool] = {}
        self._digests: dict[str, str | None] = {}
        self.complete = True

    def note_answer(self, question: str, path: str, answer: Answer) -> None:
        """What is at a path was asked; where that is answered in two ways, a result may be made of both."""
        if self._answers[question].setdefault(path, answer) != answer:
            self.complete = False

    def note_content(self, path: str, *, is_list: bool) -> None:
        """A file is about to be read, or a directory listed."""
        if path not in self._signatures:
            self._signatures[path], self._are_lists[path] = _signature(path), is_list

    def merge(self, other: Looks) -> None:
        """Add the looks of another process of the same run."""
        for question, answers in other._answers.items():
            for path, answer in answers.items():
                self.note_answer(question, path, answer)
        for path, signature in other._signatures.items():
            self._are_lists.setdefault(path, other._are_lists[path])
            if self._signatures.setdefault(path, signature) != signature:
                self.complete = False
        self.complete = self.complete and other.complete

    def packed(self) -> bytes | None:
        """All of them, to be kept; ``None`` when something cannot be asked again."""
        if not self.complete:
            return None
        now = time.time_ns()
        contents: dict[str, tuple[bool, Signature, str | None]] = {}
        for path, signature in self._signatures.items():
            is_list = self._are_lists[path]
            if signature != _signature(path):
                return None  # it changed while it was read
            if path not in self._digests:
                self._digests[path] = None if signature is None else _digest(path, is_list)
            digest = self._digests[path]
            fresh = signature is not None and now - max(signature[-2:]) < _RACY
            if fresh and digest is None:
                return None
            contents[path] = (is_list, () if fresh else signature, digest)
        return marshal.dumps((self._answers, contents))


class View(Protocol):
    """A tree that is not on the disk as it stands: what it is asked of a path, unless the disk is to be asked."""

    def answer(self, question: str, path: str) -> Answer | None:
        """What is at a path; ``None`` where that is as on the disk."""

    def names(self, directory: str) -> list[str] | None:
        """The names in a directory; ``None`` where these are as on the disk."""


_noting: Looks | None = None
_view: View | None = None


@contextlib.contextmanager
def through(view: View) -> Iterator[None]:
    """Look at another tree for a while."""
    global _view
    _view = view
    try:
        yield
    finally:
        _view = None


def note() -> Looks:
    """Note from now on what is looked at."""
    global _noting
    _noting = Looks()
    return _noting


def noted() -> Looks | None:
    """What was looked at so far; ``None`` when that is not noted."""
    return _noting


def stop() -> None:
    """Note nothing any more."""
    global _noting
    _noting = None


def still_the_same(packed: bytes) -> bool:
    """Whether every look would give what it gave."""
    answers, contents = marshal.loads(packed)
    return all(_content_is(path, *known) for path, known in contents.items()) and all(
        _QUESTIONS[question](path) == answer for question, noted in answers.items() for path, answer in noted.items()
    )


def _content_is(path: str, is_list: bool, signature: Signature, digest: str | None) -> bool:
    now = _signature(path)
    if now == signature:
        return True
    return now is not None and digest is not None and _digest(path, is_list) == digest


# ---------------------------------------------------------------- asking


def is_file(path: str) -> bool:
    """Whether this is a regular file, or a link to one."""
    return kind(path) == "file"


def is_dir(path: str) -> bool:
    """Whether this is a directory, or a link to one."""
    return kind(path) == "directory"


def exists(path: str) -> bool:
    """Whether there is anything that a link may lead to."""
    return bool(kind(path))


def kind(path: str) -> str:
    """``file``, ``directory`` or ``other``; empty when nothing is there, or the system refuses to look."""
    return cast("str", _ask("kind", path))


def lexists(path: str) -> bool:
    """Whether there is anything, if only a link that leads nowhere."""
    return bool(link(path))


def link(path: str) -> str:
    """``link`` or ``no link``; empty when nothing is there."""
    return cast("str", _ask("link", path))


def real(path: str) -> str:
    """The path without links."""
    return cast("str", _ask("real", path))


def executable(path: str) -> bool:
    """Whether this user may execute a file."""
    return bool(_ask("executable", path))


def size(path: str) -> int:
    """How many bytes there are; 0 when nothing is there."""
    return cast("int", _ask("size", path))


def from_home(path: str) -> str:
    """The path with the home directory that a ``~`` or ``~user`` in front stands for; as it is when there is none."""
    return cast("str", _ask("home", path))


def _ask(question: str, path: str) -> Answer:
    answer = None if _view is None else _view.answer(question, path)
    if answer is None:
        answer = _QUESTIONS[question](path)
    if _noting is not None:
        _noting.note_answer(question, path, answer)
    return answer


def content(path: str) -> None:
    """Say that a file is about to be read."""
    if _noting is not None:
        _noting.note_content(path, is_list=False)


def listing(directory: str) -> None:
    """Say that a directory is about to be listed."""
    if _noting is not None:
        _noting.note_content(directory, is_list=True)


def names(directory: str) -> list[str]:
    """The names in a directory, sorted; :class:`OSError` when it cannot be listed."""
    listing(directory)
    found = None if _view is None else _view.names(directory)
    return sorted(os.listdir(directory)) if found is None else found


def without_waiting(path: str, flags: int) -> int:
    """Opens a pipe, which has no content, without waiting for somebody to write into it: an opener for ``open``."""
    return os.open(path, flags | os.O_NONBLOCK)


# ---------------------------------------------------------------- answers


def _kind(path: str) -> str:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return ""
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


def _link(path: str) -> str:
    try:
        return "link" if stat.S_ISLNK(os.lstat(path).st_mode) else "no link"
    except (OSError, ValueError):
        return ""


def _executable(path: str) -> bool:
    try:
        return os.access(path, os.X_OK)
    except ValueError:
        return False


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


_QUESTIONS: Mapping[str, Callable[[str], Answer]] = {
    "kind": _kind,
    "link": _link,
    "real": os.path.realpath,
    "executable": _executable,
    "size": _size,
    "home": os.path.expanduser,
}
"""What is asked of a path beside its content, and who answers."""


def _signature(path: str) -> Signature:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mode, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _digest(path: str, is_list: bool) -> str | None:
    """Tells a content from another; ``None`` where it cannot be read, or is too long or without an end."""
    from hashlib import sha256

    try:
        if is_list:
            with os.scandir(path) as entries:
                lines = sorted(_line(entry) for entry in entries)
            data = b"\n".join(lines)
        else:
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST_READ:
                return None  # a pipe would wait for somebody to write into it
            with open(path, "rb") as stream:
                data = stream.read()
    except (OSError, ValueError):
        return None
    return sha256(data).hexdigest()


def _line(entry: os.DirEntry[str]) -> bytes:
    sort = "l" if entry.is_symlink() else "d" if entry.is_dir() else "f" if entry.is_file() else "o"
    return os.fsencode(f"{sort} {entry.name}")
