"""What flake8 was told of files before: by their text, as long as nothing that was looked at for it has changed.

flake8 judges files in several processes, each of which writes down what it knows; the one that starts them reads all
that still holds, so that none of it is looked at again by the others. All that was looked at is looked at once more for
that, so a process writes when it ends, and before only as often as what it knows has doubled: one that is killed loses
half of it.
"""

from __future__ import annotations

import marshal
import os
from pathlib import Path
from typing import TypeAlias

from relax_lint import looks, store

Told: TypeAlias = "list[tuple[int, int, str]]"
"""Line, column from 0, and text of each finding of a file."""

MOST_PROCESSES = 16


class Memory:
    """What is remembered under one configuration, and what this process finds out."""

    def __init__(self, place: str, configuration: Path | None) -> None:
        who = os.geteuid() if hasattr(os, "geteuid") else 0
        parts = [os.getcwd(), who, os.environ.get("HOME"), str(configuration), store.program(), store.libraries()]
        name = str(store.digest(repr(parts).encode("utf-8", "surrogateescape")))
        self._store = store.Store(place, f"flake8-{name}", MOST_PROCESSES)
        self._known: dict[str, tuple[str, Told]] = {}
        self._new: dict[str, tuple[str, Told]] = {}
        self._written = 0
        for entry in self._store.names():
            body = self._store.find(entry)
            self._known.update({} if body is None else _still_known(body))
        looks.note()

    def told(self, path: Path, text: str) -> Told | None:
        """What is known of a file with this text."""
        found = self._known.get(str(path))
        return found[1] if found is not None and found[0] == _digest(text) else None

    def keep(self, path: Path, text: str, told: Told) -> None:
        """Remember what was found in a file that is saved with this text."""
        if not self._new:
            from multiprocessing.util import Finalize

            Finalize(None, self._write, exitpriority=0)  # the end of a process that flake8 starts is no other's
        self._new[str(path)] = (_digest(text), told)
        if len(self._new) >= 2 * self._written:
            self._write()

    def _write(self) -> None:
        if len(self._new) == self._written:
            return
        noted = looks.noted()
        seen = None if noted is None else noted.packed()
        if seen is not None:
            self._store.keep(str(os.getpid()), marshal.dumps((self._new, seen)))
        self._written = len(self._new)


def _still_known(body: bytes) -> dict[str, tuple[str, Told]]:
    """What an entry says of files; nothing when something has changed since, or it does not say such things."""
    try:
        known, seen = marshal.loads(body)
        if looks.still_the_same(seen):
            return {
                path: (digest, [(line, column, text) for line, column, text in told])
                for path, (digest, told) in known.items()
            }
    except store.MALFORMED:
        pass
    return {}


def _digest(text: str) -> str:
    return str(store.digest(text.encode("utf-8", "surrogatepass")))
