"""What runs keep for later ones: files in this user's cache, each whole, checked, and the newest of its kind only."""

from __future__ import annotations

import contextlib
import os
import sys

from relax_lint import __version__

_SUFFIX = ".cache"
_UNFINISHED = ".unfinished-"


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
        return [name[len(start) : -len(_SUFFIX)] for name in sorted(found) if name.startswith(start)]

    def find(self, name: str) -> bytes | None:
        """An entry as it was kept; ``None`` when there is none, or it is broken."""
        try:
            with open(self._path(name), "rb") as stream:
                checksum, _, body = stream.read().partition(b"\n")
        except OSError:
            return None
        return body if checksum.decode("ascii", "replace") == digest(body) else None

    def keep(self, name: str, body: bytes) -> None:
        """Write an entry beside its place and rename it, so that runs side by side see whole ones only; where nothing
        can be written, nothing is kept."""
        with contextlib.suppress(OSError):
            os.makedirs(self._place, mode=0o700, exist_ok=True)
            beside = os.path.join(self._place, f"{_UNFINISHED}{os.getpid()}{_SUFFIX}")
            try:
                with open(beside, "wb") as stream:
                    stream.write(f"{digest(body)}\n".encode() + body)
                os.replace(beside, self._path(name))
            except BaseException:
                os.unlink(beside)
                raise
            self._sweep()

    def _sweep(self) -> None:
        """Leave the newest entries only."""
        with os.scandir(self._place) as entries:
            ours = [entry for entry in entries if entry.name.startswith(f"{self._sort}-")]
        ours.sort(key=lambda entry: entry.stat().st_mtime_ns)
        for old in ours[: -self._most]:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(old.path)


def clear() -> None:
    """Remove everything that is kept; :class:`OSError` when something cannot be."""
    place = directory()
    if place is None or not os.path.isdir(place):
        return
    with os.scandir(place) as entries:
        ours = [entry.path for entry in entries if entry.name.endswith(_SUFFIX)]
    for path in ours:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
