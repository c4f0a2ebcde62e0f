"""The flags of Relax checkouts that were read before, kept on disk: reading them takes a quarter of a second.

An entry holds the digest of every file that was looked for, there or not: whatever is stale is read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from relax_lint.catalog.flags import Catalogue
from relax_lint.store import MALFORMED, Store, digest, program

Read = Callable[[Path], "bytes | None"]

MOST_ENTRIES = 8


class Kept:
    """What is kept of one checkout, as it is now."""

    def __init__(self, place: str, root: Path, read: Read, basis: str, main_files: Mapping[str, object]) -> None:
        self.root = root
        self._read = read
        parts = [basis, *program(), *(digest(read(root / path)) for path in main_files)]
        self._name = str(digest("\n".join(map(str, parts)).encode()))
        self._store = Store(place, "flags", MOST_ENTRIES)

    def find(self) -> Catalogue | None:
        """The flags that were kept, if they still hold."""
        body = self._store.find(self._name)
        if body is None:
            return None
        try:
            head, _, document = body.partition(b"\n")
            seen: Mapping[str, str | None] = json.loads(head)
            if any(digest(self._read(self.root / path)) != known for path, known in seen.items()):
                return None
            return Catalogue(document.decode())
        except MALFORMED:
            return None

    def keep(self, document: str, seen: Mapping[str, str | None]) -> None:
        """Write a document down, with what it was made of."""
        self._store.keep(self._name, json.dumps(seen).encode() + b"\n" + document.encode())
