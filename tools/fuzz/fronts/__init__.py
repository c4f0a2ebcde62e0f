"""What can be fuzzed: a module a front end, each with a class that makes inputs and judges what comes of them."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Protocol

from tools.fuzz.outcome import Depth, Outcome, Tree

NAMES = ("bash", "python", "yaml", "jsonl", "parquet", "toml", "overrides")


class Front(Protocol):
    """One front end. ``modules`` are the paths below ``relax_lint/`` of what reads its input, and what judges it."""

    modules: tuple[str, ...]

    def make(self, chance: random.Random) -> Tree:
        """An input, always the same for the same state of ``chance``."""
        ...

    def judge(self, tree: Tree, depth: Depth) -> Outcome:
        """Have relax-lint read an input, and do more with it as ``depth`` says."""
        ...


def load(name: str) -> Front:
    """The front end of a name, with its seeds read."""
    made: Front = import_module(f"{__name__}.{name}_front").make()
    return made
