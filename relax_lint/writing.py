"""Write fixed files to disk: each whole or not at all, never over somebody else's change, never through a link that
leads away; and all that a run writes, even if it is killed on the way."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from relax_lint.journal import Completed, begin, complete
from relax_lint.records import record
from relax_lint.replacing import CHANGED, OUTPUT, Change, NotWritten, content, named, staged, sync_directory, why

__all__ = [
    "LEADS_OUT",
    "NotWritten",
    "Turn",
    "free_beside",
    "put",
    "put_over",
    "turns",
    "write",
    "write_all",
    "write_together",
]

_ALONE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV)
"""How a system says that a file may be written, but not replaced: it is mounted by itself, or its directory is not
ours."""

LEADS_OUT = "it is a link that leads out of the given paths"
"""Why a file is left by intent, and not since it cannot be written."""

_locked_here: set[Path] = set()
"""The roots whose turn this process has."""


@record
class Turn:
    """What happened before this run could write: whether another one was waited for, and what was completed of what an
    ended one had begun."""

    waited: bool = False
    written: tuple[Path, ...] = ()
    left: tuple[tuple[Path, str], ...] = ()

    @property
    def is_late(self) -> bool:
        """Whether files may be others than they were when this run looked."""
        return self.waited or bool(self.written)


def _nothing() -> None:
    """Say nothing."""


@contextlib.contextmanager
def turns(
    roots: Iterable[Path], directories: Iterable[Path] = (), say_waiting: Callable[[], None] = _nothing
) -> Iterator[Turn]:
    """Let one run at a time write below some roots. The roots themselves are locked, so nothing is left behind. What an
    ended run had begun below them is completed, and what it left there, or in ``directories``, is removed."""
    with contextlib.ExitStack() as stack:
        homes, directories = sorted(set(roots)), list(directories)
        homes = [root for root in homes if root not in _locked_here]
        waited = [_locked(root, stack, say_waiting) for root in homes]
        done: list[Completed] = []
        for root in homes:
            inside = [each for each in directories if each.is_relative_to(root)]
            done += [complete(each, root) for each in dict.fromkeys((root, *inside))]
        _locked_here.update(homes)
        stack.callback(_locked_here.difference_update, homes)
        written = tuple(path for each in done for path in each.written)
        yield Turn(any(waited), written, tuple(one for each in done for one in each.left))


def _locked(root: Path, stack: contextlib.ExitStack, say_waiting: Callable[[], None], *, wait: bool = True) -> bool:
    """Lock a root, if it can be; whether that takes another run's end."""
    import fcntl

    try:
        descriptor = os.open(root, os.O_RDONLY)
    except OSError:
        return False
    stack.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if wait:
            say_waiting()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        return True
    except OSError:
        pass  # file systems without locks are few; there runs have to take care of themselves
    return False


def is_written_now(root: Path) -> bool:
    """Whether a run is writing below a root."""
    with contextlib.ExitStack() as stack:
        return _locked(root, stack, _nothing, wait=False)


def write(path: Path, data: bytes, before: bytes | None, root: Path, named: Iterable[Path]) -> None:
    """Replace ``path``, which held ``before`` (``None``: it was not there) when it was judged.

    A link below ``root`` is followed only into one of the ``named`` paths.
    """
    left = write_all({path: data}, {path: before}, root, named)
    if left:
        raise NotWritten(left[path])


def write_all(
    changes: Mapping[Path, bytes], before: Mapping[Path, bytes | None], root: Path, named: Iterable[Path]
) -> dict[Path, str]:
    """Write every file that can be; the files that were left, with the reason."""
    named = list(named)
    work = _Work(root)
    with _undisturbed(), work.all_or_nothing():
        for path, data in changes.items():
            with work.left_when_it_fails(path):
                work.stage(path, _target(path, root, named), before[path], data)
        work.write_down()
        for path in list(work.staged):
            with work.left_when_it_fails(path):
                work.apply(path)
        work.finish()
    return work.left


def write_together(
    files: Mapping[Path, bytes],
    before: Mapping[Path, bytes | None],
    root: Path,
    copies: Mapping[Path, Path] = MappingProxyType({}),
    gone: Mapping[Path, bytes] = MappingProxyType({}),
) -> None:
    """Write every file below ``root``, or none: what was done is taken back when one cannot be written, and
    :class:`NotWritten` names it. ``before`` is what the files held when that was decided (``None``: nothing);
    ``copies`` are files with those whose rights they get, ``gone`` those to be removed, with what they held."""
    work = _Work(root)
    wanted: dict[Path, bytes | None] = {**files, **dict.fromkeys(gone)}
    held = {**before, **gone}
    # What is kept of a file is there before the file changes.
    order = sorted(wanted, key=lambda path: (held[path] is not None, wanted[path] is None))
    with _undisturbed(), work.all_or_nothing():
        for path in order:
            with _naming(path):
                work.stage(path, _target(path, root, ()), held[path], wanted[path], copies.get(path))
        work.write_down()
        if work.left:
            path, reason = next(iter(work.left.items()))
            raise NotWritten(f"{path}: {reason}")
        for path in order:
            with _naming(path):
                work.apply(path)
        work.finish()


def put(path: Path, data: bytes) -> None:
    """Write a file that the user has named for what comes of a run: through links, and into what is no regular file
    (``/dev/stdout``, a pipe); :class:`OSError` when it cannot be written."""
    if not path.is_relative_to("/dev") and not path.is_relative_to("/proc") and (path.is_file() or not path.exists()):
        try:
            put_over(path, data, content(path))
            return
        except NotWritten:
            pass
        except OSError as problem:
            if problem.errno not in _ALONE or not path.is_file():
                raise
    with path.open("wb") as stream:
        stream.write(data)


def put_over(path: Path, data: bytes, before: bytes | None) -> None:
    """Write a file that holds what it held ``before``, be it through a link; :class:`OSError` or :class:`NotWritten`
    when it cannot be written, or holds something else."""
    target = Path(os.path.realpath(path))
    with _undisturbed(), contextlib.ExitStack() as stack:
        if target.parent not in _locked_here:
            _locked(target.parent, stack, _nothing)
        for left in named(target.parent, OUTPUT):
            with contextlib.suppress(OSError):
                left.unlink()
        change = staged(target, before, data, suffix=OUTPUT)
        try:
            change.apply()
            sync_directory(target.parent)
        finally:
            change.tidy()


def free_beside(path: Path, is_taken: Callable[[Path], bool]) -> Path:
    """A free name for what a file held: NAME.orig, NAME.orig1 …"""
    number = 0
    while True:
        free = path.with_name(f"{path.name}.orig{number or ''}")
        if not is_taken(free) and not free.is_symlink():
            return free
        number += 1


class _Work:
    """The files that one run writes: laid beside their places, written down, put in place, tidied up."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.staged: dict[Path, Change] = {}
        self.left: dict[Path, str] = {}
        self._applied: list[Change] = []
        self._made: list[Path] = []
        self._journal: Path | None = None
        self._swept: set[Path] = set()

    def stage(
        self, path: Path, target: Path, before: bytes | None, after: bytes | None, like: Path | None = None
    ) -> None:
        """Lay a new content beside its place."""
        self._make(target.parent)
        if self._root in _locked_here and target.parent not in self._swept:
            self._swept.add(target.parent)
            complete(target.parent, self._root)
        if content(target) != before:
            raise NotWritten(CHANGED)
        self.staged[path] = staged(target, before, after, like)

    def _make(self, directory: Path) -> None:
        missing = [each for each in (directory, *directory.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            self._made.append(each)

    def write_down(self) -> None:
        """Have it known to the next run; nothing is to be done where that cannot be."""
        try:
            if len(self.staged) > 1:
                self._journal = begin(list(self.staged.values()), self._root)
        except OSError as problem:
            self.left.update(dict.fromkeys(self.staged, why(problem)))
            self.take_back()
        if signal.SIGINT in signal.sigpending():
            raise KeyboardInterrupt

    def apply(self, path: Path) -> None:
        """Put a file in its place."""
        change = self.staged[path]
        change.apply()
        self._applied.append(change)

    def finish(self) -> None:
        """All is done: have it on the disk, and remove what was needed for it."""
        for directory in dict.fromkeys(change.target.parent for change in self._applied):
            sync_directory(directory)
        for directory in self._made:
            sync_directory(directory.parent)
        self._tidy()
        self._remove_empty()

    def take_back(self) -> None:
        """Leave all as it was. What cannot be taken back the next run completes."""
        stuck = False
        while self._applied:
            try:
                self._applied.pop().take_back()
            except (OSError, NotWritten):
                stuck = True
        if not stuck:
            self._tidy()
            self._remove_empty()
        self.staged.clear()

    def _tidy(self) -> None:
        if self._journal is not None:
            with contextlib.suppress(OSError):
                self._journal.unlink()
        for change in self.staged.values():
            change.tidy()

    def _remove_empty(self) -> None:
        """Directories that were made in vain."""
        for directory in reversed(self._made):
            with contextlib.suppress(OSError):
                directory.rmdir()

    @contextlib.contextmanager
    def left_when_it_fails(self, path: Path) -> Iterator[None]:
        """Go on without a file that cannot be written."""
        try:
            yield
        except (OSError, NotWritten) as problem:
            self.left[path] = why(problem)

    @contextlib.contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Leave all as it was when it does not come to its end."""
        try:
            yield
        except BaseException:
            self.take_back()
            raise


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let ``Ctrl-C`` wait: what is done must be known to be done."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Have a failure say which file it is about."""
    try:
        yield
    except (OSError, NotWritten) as problem:
        raise NotWritten(f"{path}: {why(problem)}") from problem


def _target(path: Path, root: Path, named: Sequence[Path]) -> Path:
    """The file that a path stands for, unless a link leads away."""
    try:
        real = path.resolve()
        home = root.resolve()
    except (OSError, RuntimeError) as problem:
        raise NotWritten(str(problem)) from problem
    if path.is_relative_to(root) and real == home / path.relative_to(root):
        return real
    inside = (item.resolve() if item.is_dir() else item.parent.resolve() for item in named)
    if any(real.is_relative_to(directory) for directory in inside):
        return real
    raise NotWritten(f"{LEADS_OUT}, to {real}")
