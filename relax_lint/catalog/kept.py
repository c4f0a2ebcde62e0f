"""The flags of Relax checkouts that were read before, kept on disk: reading them takes a quarter of a second.

An entry holds its own checksum, and the digest of every file that was looked for, there or not: whatever is broken or
stale is read again. Entries are written beside and renamed, so that runs side by side see whole ones only.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from relax_lint import __version__

Read = Callable[[Path], "bytes | None"]

MOST_ENTRIES = 8
_NAME, _SUFFIX = "flags-", ".cache"
_READER = Path(__file__).parent


def directory() -> Path | None:
    """Where this user's programs keep what they can work out again; ``None`` where there is no such place."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "relax-lint"


def digest(data: bytes | None) -> str | None:
    """Tells the content of a file from any other, and from its absence."""
    if data is None:
        return None
    from hashlib import sha256

    return sha256(data).hexdigest()


class Kept:
    """What is kept of one checkout, as it is now."""

    def __init__(self, place: Path, root: Path, read: Read, basis: str, main_files: Mapping[str, object]) -> None:
        self.root = root
        self._read = read
        parts = [__version__, basis, *_of_the_reader(), *(digest(read(root / path)) for path in main_files)]
        name = digest("\n".join(map(str, parts)).encode())
        self.path = place / f"{_NAME}{name}{_SUFFIX}"

    def find(self) -> str | None:
        """The document that was kept, if it still holds."""
        try:
            checksum, _, body = self.path.read_bytes().partition(b"\n")
        except OSError:
            return None
        if checksum.decode("ascii", "replace") != digest(body):
            return None
        head, _, document = body.partition(b"\n")
        seen: Mapping[str, str | None] = json.loads(head)
        if any(digest(self._read(self.root / path)) != known for path, known in seen.items()):
            return None
        return document.decode()

    def keep(self, document: str, seen: Mapping[str, str | None]) -> None:
        """Write a document down, with what it was made of; where nothing can be written, nothing is kept."""
        import tempfile

        body = json.dumps(seen).encode() + b"\n" + document.encode()
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".", suffix=_SUFFIX)
            beside = Path(name)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(f"{digest(body)}\n".encode() + body)
                beside.replace(self.path)
            except BaseException:
                beside.unlink()
                raise
            self._sweep()

    def _sweep(self) -> None:
        """Leave the newest entries only."""
        entries = sorted(self.path.parent.glob(f"{_NAME}*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        for old in entries[:-MOST_ENTRIES]:
            old.unlink(missing_ok=True)


def _of_the_reader() -> list[tuple[str, int, int]]:
    """Which state of this program reads, for those who work on it."""
    stats = [(path.name, path.stat()) for path in sorted(_READER.glob("**/*.py"))]
    return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
