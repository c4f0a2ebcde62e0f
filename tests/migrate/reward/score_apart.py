"""A program that scores: what is asked comes as JSON, and so goes the answer, in the last line.

Scorers that start processes fork, which a process with threads, such as one that runs tests, must not. Asked to be
``quick``, lists that their processes share are pipes, and not kept by a server that is started for each score.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import statistics  # noqa: F401 - what every program that is tried imports is imported once
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.migrate.reward.originals import original, outcome, stand_in

stand_in()  # here, for processes that are spawned, too


class _Shared:
    """A list that a child appends to and its parent reads."""

    def __init__(self) -> None:
        self.reader, self.writer = multiprocessing.Pipe(duplex=False)
        self.read: list[Any] = []

    def append(self, item: Any) -> None:
        self.writer.send(item)

    def _all(self) -> list[Any]:
        while self.reader.poll():
            self.read.append(self.reader.recv())
        return self.read

    def __len__(self) -> int:
        return len(self._all())

    def __getitem__(self, index: int) -> Any:
        return self._all()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())


class _Manager:
    list = _Shared


def main() -> None:
    """Score all that is asked for."""
    multiprocessing.set_start_method("fork")
    asked = json.load(sys.stdin)
    sys.path[:0] = asked.get("path", [])
    said = os.dup(1)
    os.dup2(2, 1)
    if asked["module"].startswith("verl."):
        score = original(asked["module"], asked["function"])
    else:
        score = getattr(importlib.import_module(asked["module"]), asked["function"])
    if asked.get("quick"):
        multiprocessing.Manager = _Manager  # type: ignore[assignment]
        gc.freeze()
        gc.disable()
    found = [outcome(score, *each, **asked.get("more", {})) for each in asked["given"]]
    os.write(said, (json.dumps(found) + "\n").encode())


if __name__ == "__main__":
    main()
