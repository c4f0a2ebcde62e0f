"""Write fixed files to disk: each whole or not at all, never over somebody else's change, never through a link that
leads away."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

_BESIDE, _UNFINISHED = ".relax-lint-", ".tmp"
"""How the name of a file begins and ends that is written beside its target."""


class NotWritten(Exception):
    """A file that was left as it is, and why."""


@contextlib.contextmanager
def turns(roots: Iterable[Path], directories: Iterable[Path] = ()) -> Iterator[None]:
    """Let one run at a time fix the trees below some roots. The roots themselves are locked, so nothing is left behind;
    what a killed run left in ``directories`` is removed."""
    import fcntl

    with contextlib.ExitStack() as stack:
        for root in sorted(set(roots)):
            try:
                descriptor = os.open(root, os.O_RDONLY)
            except OSError:
                continue
            stack.callback(os.close, descriptor)
            # File systems without locks are few; there runs have to take care of themselves.
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        _sweep(directories)
        yield


def _sweep(directories: Iterable[Path]) -> None:
    """Remove what is left of files that were never finished."""
    for directory in directories:
        for left in directory.glob(f"{_BESIDE}*{_UNFINISHED}"):
            with contextlib.suppress(OSError):
                left.unlink()


def write(path: Path, data: bytes, before: bytes | None, root: Path, named: Iterable[Path]) -> None:
    """Replace ``path``, which held ``before`` (``None``: it was not there) when it was judged.

    A link below ``root`` is followed only into one of the ``named`` paths.
    """
    target = _target(path, root, named)
    if _content(target) != before:
        raise NotWritten("it was changed meanwhile; run again")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data)
    except OSError as problem:
        raise NotWritten(problem.strerror or str(problem)) from problem


def write_all(
    changes: Mapping[Path, bytes], before: Mapping[Path, bytes | None], root: Path, named: Iterable[Path]
) -> dict[Path, str]:
    """Write every file; the files that were left, with the reason."""
    named = list(named)
    left: dict[Path, str] = {}
    for path, data in changes.items():
        try:
            write(path, data, before[path], root, named)
        except NotWritten as problem:
            left[path] = str(problem)
    return left


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
    done: list[tuple[Path, bytes | None]] = []
    made: list[Path] = []
    for path, data in files.items():
        try:
            target = _target(path, root, ())
            if _content(target) != before[path]:
                raise NotWritten("it was changed meanwhile; run again")
            made += _make_directories(target.parent)
            _replace(target, data, copies.get(path))
            done.append((target, before[path]))
        except (OSError, NotWritten) as problem:
            _take_back(done, made)
            reason = problem.strerror if isinstance(problem, OSError) else str(problem)
            raise NotWritten(f"{path}: {reason or problem}") from problem
    for path, data in gone.items():
        try:
            target = _target(path, root, ())
            if _content(target) != data:
                raise NotWritten("it was changed meanwhile; run again")
            target.unlink()
            done.append((target, data))
        except (OSError, NotWritten) as problem:
            _take_back(done, made)
            reason = problem.strerror if isinstance(problem, OSError) else str(problem)
            raise NotWritten(f"{path}: {reason or problem}") from problem


def free_beside(path: Path, is_taken: Callable[[Path], bool]) -> Path:
    """A free name for what a file held: NAME.orig, NAME.orig1 …"""
    number = 0
    while True:
        free = path.with_name(f"{path.name}.orig{number or ''}")
        if not is_taken(free) and not free.is_symlink():
            return free
        number += 1


def _make_directories(directory: Path) -> list[Path]:
    """Make a directory with those above it; the new ones, the outermost first."""
    missing = [each for each in (directory, *directory.parents) if not each.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _take_back(done: Iterable[tuple[Path, bytes | None]], made: Iterable[Path]) -> None:
    """Undo: files as they were, no directories that were not there."""
    for target, before in done:
        with contextlib.suppress(OSError):
            if before is None:
                target.unlink()
            else:
                _replace(target, before)
    for directory in reversed(list(made)):
        with contextlib.suppress(OSError):
            directory.rmdir()


def _target(path: Path, root: Path, named: Iterable[Path]) -> Path:
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
    raise NotWritten(f"it is a link that leads out of the given paths, to {real}")


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise NotWritten(problem.strerror or str(problem)) from problem


def _replace(target: Path, data: bytes, like: Path | None = None) -> None:
    """Write beside the target and rename over it; a new file gets the rights of another."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=_BESIDE, suffix=_UNFINISHED)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        beside.chmod(_mode(like or target))
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """The mode that the file has; that of any new file when it is new."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
