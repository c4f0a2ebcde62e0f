"""What runs keep for later ones: files in this user's cache, each whole, checked, and the newest of its kind only."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time

from relax_lint import __version__, looks

MOST_IN_ALL = 128
"""Entries of all kinds: those of a directory, configuration or program that is no more are never asked for again."""
MOST_BYTES = 64 * 1024 * 1024
"""What all entries together take at most."""
LARGEST = MOST_BYTES // 8
"""What is longer is not kept: everything else would have to go for it."""
MALFORMED = (AttributeError, EOFError, KeyError, TypeError, ValueError)
"""What taking an entry apart raises that holds something else than it should."""
_SUFFIX = ".cache"
_UNFINISHED = ".unfinished-"
_SIGNS = {
    "CACHEDIR.TAG": b"Signature: 8a477f597d28d172789f06886806bc55\n# What relax-lint can make again.\n",
    ".gitignore": b"# Made by relax-lint.\n*\n",
}
"""What says to programs that make backups, and to git, that there is nothing of value."""
_LEFT_BEHIND = 3_600 * 10**9
"""Nanoseconds after which nobody is still writing an entry."""


def directory() -> str | None:
    """Where this user's programs keep what they can work out again; ``None`` where there is no such place."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return os.path.join(named, "relax-lint")
    home = os.path.expanduser("~")
    return os.path.join(home, ".cache", "relax-lint") if os.path.isabs(home) else None


def digest(data: bytes | None) -> str | None:
    """Tells the content of a file from any other, and from its absence."""
    if data is None:
        return None
    from hashlib import sha256

    return sha256(data).hexdigest()


def program() -> list[object]:
    """Which program this is: its version, the Python that runs it, and the state of its own files where these are
    worked on."""
    package = os.path.dirname(os.path.abspath(__file__))
    found: list[object] = [__version__, sys.version, package]
    if os.path.basename(os.path.dirname(package)) != "site-packages":
        found += [
            (name, _changed(os.path.join(base, name)))
            for base, _, names in os.walk(package)
            for name in sorted(names)
            if not name.endswith(".pyc")
        ]
    return found


def libraries() -> list[object]:
    """What else may be imported: where that is looked for, and when something came or went there."""
    return [(place, _changed(place or ".")) for place in sys.path]


def _changed(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


class Store:
    """The entries of one kind; ``most`` of them are kept."""

    def __init__(self, place: str, sort: str, most: int) -> None:
        self._place = place
        self._sort = sort
        self._most = most

    def _path(self, name: str) -> str:
        return os.path.join(self._place, f"{self._sort}-{name}{_SUFFIX}")

    def names(self) -> list[str]:
        """The entries that there are."""
        try:
            with os.scandir(self._place) as entries:
                found = [entry.name for entry in entries]
        except OSError:
            return []
        start = f"{self._sort}-"
        return [name[len(start) : -len(_SUFFIX)] for name in sorted(found) if _is_named(name, start)]

    def find(self, name: str) -> bytes | None:
        """An entry as it was kept; ``None`` when there is none, or it is broken or another's: what is in it is taken
        apart without suspicion."""
        try:
            with open(self._path(name), "rb", opener=looks.without_waiting) as stream:
                if not _is_ours(os.fstat(stream.fileno())):
                    return None
                checksum, _, body = stream.read().partition(b"\n")
        except OSError:
            return None
        return body if checksum == self._checksum(name, body) else None

    def keep(self, name: str, body: bytes) -> None:
        """Write an entry beside its place and rename it, so that runs side by side see whole ones only; where nothing
        can be written, nothing is kept."""
        if len(body) > LARGEST:
            return
        with contextlib.suppress(OSError):
            _make(self._place)
            beside = os.path.join(self._place, f"{_UNFINISHED}{os.getpid()}-{os.urandom(8).hex()}{_SUFFIX}")
            try:
                with open(beside, "xb", opener=_for_us_alone) as stream:
                    stream.write(self._checksum(name, body) + b"\n" + body)
                os.replace(beside, self._path(name))
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(beside)
                raise
            self._sweep()

    def _checksum(self, name: str, body: bytes) -> bytes:
        return str(digest(f"{self._sort}-{name}\n".encode() + body)).encode()

    def _sweep(self) -> None:
        """Leave the newest entries only, of this kind and of all, as many as there is room for, and nothing that a run
        has left which was ended."""
        with os.scandir(self._place) as entries:
            found = [(_changed(entry.path), entry) for entry in entries if _is_named(entry.name, "")]
        newest_first = sorted(
            ((at[1], entry.path, entry.name, at[0]) for at, entry in found if at is not None), reverse=True
        )
        unfinished = [each for each in newest_first if each[2].startswith(_UNFINISHED)]
        finished = [each for each in newest_first if not each[2].startswith(_UNFINISHED)]
        own = [each for each in finished if each[2].startswith(f"{self._sort}-")]
        late = time.time_ns() - _LEFT_BEHIND
        gone = {*own[self._most :], *finished[MOST_IN_ALL:], *(each for each in unfinished if each[0] < late)}
        room = MOST_BYTES
        for each in finished:
            room -= each[3]
            if room < 0:
                gone.add(each)
        for _, path, *_ in gone:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _for_us_alone(path: str, flags: int) -> int:
    """An opener for ``open``: an entry has lines of the user's files."""
    return os.open(path, flags, 0o600)


def _is_ours(found: os.stat_result) -> bool:
    """Whether this user has written a file, and nobody else could."""
    mine = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return stat.S_ISREG(found.st_mode) and mine and not found.st_mode & 0o022


def _is_named(name: str, start: str) -> bool:
    return name.startswith(start) and name.endswith(_SUFFIX)


def _make(place: str) -> None:
    """Make the directory and what says of it what it is, unless it is there."""
    if os.path.isdir(place):
        return
    os.makedirs(place, mode=0o700, exist_ok=True)
    for name, text in _SIGNS.items():
        with open(os.path.join(place, name), "wb") as stream:
            stream.write(text)


def clear() -> None:
    """Remove everything that is kept; :class:`OSError` when something cannot be."""
    place = directory()
    if place is None or not os.path.isdir(place):
        return
    with os.scandir(place) as entries:
        ours = [entry.path for entry in entries if entry.name in _SIGNS or _is_named(entry.name, "")]
    for path in ours:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
    with contextlib.suppress(OSError):  # somebody else has files there, or keeps something right now
        os.rmdir(place)
