"""One file put in place, or taken away, in one step that can be taken back.

What is new lies beside its place, whole and on the disk, before the step; what was there lies beside it afterwards. So
neither a kill nor a full disk leaves half a file, and what another program has written meanwhile is never lost.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from functools import cache
from pathlib import Path

from relax_lint.records import node

BESIDE, UNFINISHED, OUTPUT, JOURNAL = ".relax-lint-", ".tmp", ".out", ".journal"
"""How the names of files begin and end that are there while others are written: those of a tree, and reports."""
CHANGED = "it was changed meanwhile; run again"
_EXCHANGE, _WITHOUT_REPLACING = 2, 1
_HERE = -100
_NOT_THERE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV)
"""How a system says that it has no such call, or not for this file system."""
_NO_LINKS = (errno.EPERM, errno.EMLINK, *_NOT_THERE)
"""How it says that a file can have one name only."""


class NotWritten(Exception):
    """A file that was left as it is, and why."""


def why(problem: Exception) -> str:
    """What is to be said of a failure, without the names of files."""
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)


def content(path: Path) -> bytes | None:
    """What a file holds; ``None`` when there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def free_name(directory: Path, suffix: str = UNFINISHED) -> Path:
    """A name that nobody has, beside a file."""
    return directory / f"{BESIDE}{os.urandom(8).hex()}{suffix}"


def named(directory: Path, suffix: str) -> list[Path]:
    """The files with such names in a directory."""
    try:
        with os.scandir(directory) as entries:
            return [Path(one.path) for one in entries if one.name.startswith(BESIDE) and one.name.endswith(suffix)]
    except OSError:
        return []


@node
class Change:
    """What a file held (``before``) and is to hold (``after``); ``None``: no file. ``beside`` is where the new content
    lies before :meth:`apply`, and the old one behind it."""

    target: Path
    before: bytes | None
    after: bytes | None
    beside: Path

    def apply(self) -> None:
        """Do it, unless the file is not what it was; :class:`NotWritten` or :class:`OSError` leave it as it is."""
        if content(self.target) != self.before:
            raise NotWritten(CHANGED)
        if self.before is None:
            _move(self.beside, self.target)
            return
        if self.after is None:
            _move(self.target, self.beside)
        else:
            _exchange(self.beside, self.target)
        # Between the look and the step another program may have written: it has the last word.
        if content(self.beside) != self.before:
            self.take_back()
            raise NotWritten(CHANGED)

    def take_back(self) -> None:
        """Undo it. That needs no space on the disk."""
        if self.before is None:
            _move(self.target, self.beside)
        elif self.after is None:
            _move(self.beside, self.target)
        else:
            _exchange(self.beside, self.target)

    def tidy(self) -> None:
        """Remove what lies beside."""
        with contextlib.suppress(OSError):
            self.beside.unlink(missing_ok=True)


def staged(
    target: Path, before: bytes | None, after: bytes | None, like: Path | None = None, suffix: str = UNFINISHED
) -> Change:
    """A change with its new content on the disk, beside the target, with the rights of what it replaces, or of a file
    that it is ``like``."""
    if before is not None and not os.access(target, os.W_OK):
        raise NotWritten("it is read-only")
    change = Change(target, before, after, free_name(target.parent, suffix))
    if after is not None:
        write_new(change.beside, after, like if before is None else target)
    return change


def write_new(path: Path, data: bytes, like: Path | None = None) -> None:
    """Write a file that is not there yet, and have it on the disk; no part of it stays when that fails."""
    model = None if like is None else like.stat()
    # Nobody may read it meanwhile who may not read the other one.
    mode = 0o666 if model is None else model.st_mode & 0o700
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if like is not None and model is not None:
                _take_rights(stream.fileno(), like, model)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def sync_directory(directory: Path) -> None:
    """Have the names in a directory on the disk, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _take_rights(descriptor: int, like: Path, model: os.stat_result) -> None:
    """Owner, attributes and mode of another file, as far as this user may give them."""
    own = os.fstat(descriptor)
    mode = stat.S_IMODE(model.st_mode)
    if (own.st_uid, own.st_gid) != (model.st_uid, model.st_gid):
        try:
            os.fchown(descriptor, model.st_uid, model.st_gid)
        except PermissionError:
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, -1, model.st_gid)
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(like):
                with contextlib.suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(like, name))
    os.fchmod(descriptor, mode)


# ---------------------------------------------------------------- steps


def _move(source: Path, target: Path) -> None:
    """Rename, and never over another file."""
    try:
        if _rename(source, target, _WITHOUT_REPLACING):
            return
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError as problem:
            if problem.errno not in _NO_LINKS:
                raise
            if os.path.lexists(target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from problem
            source.rename(target)
            return
    except FileExistsError as problem:
        raise NotWritten(CHANGED) from problem
    source.unlink()


def _exchange(source: Path, target: Path) -> None:
    """Let two files have each other's names."""
    if _rename(source, target, _EXCHANGE):
        return
    third = free_name(source.parent, source.suffix)
    try:
        os.link(target, third, follow_symlinks=False)
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        write_new(third, target.read_bytes(), target)
    try:
        source.replace(target)
    except OSError:
        third.unlink()
        raise
    third.replace(source)


def _rename(source: Path, target: Path, flags: int) -> bool:
    """``renameat2``; ``False`` where it is not to be had."""
    call = _renameat2()
    if call is None:
        return False
    import ctypes

    if call(_HERE, os.fsencode(source), _HERE, os.fsencode(target), flags) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_THERE:
        return False
    raise OSError(number, os.strerror(number), str(target))


@cache
def _renameat2() -> Callable[..., int] | None:
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    made: Callable[..., int] = call
    return made
