"""What comes of one input."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple


class Depth(IntEnum):
    """How far an input goes: each step takes several times as long as the one before."""

    READ = 0
    """The front end reads it."""
    JUDGE = 1
    """All rules judge it, its fixes are applied, and the result is judged and shown to real bash."""
    CLOSELY = 2
    """It is judged twice and told in every format."""


Tree = dict[str, bytes]
"""An input: the files of a project, by their paths from its root."""


class Trouble(NamedTuple):
    """Something that must not be. ``kind`` and ``cause`` name it: what comes of the same cause is told once."""

    kind: str
    cause: str
    detail: str = ""


@dataclass(slots=True)
class Outcome:
    """``signature`` tells apart what was said of an input; ``parses`` whether all of it could be read."""

    signature: str
    troubles: list[Trouble] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Clauses that took in what they are there for, though it looks like a mistake."""
    parses: bool = True
    judged: bool = False
    fixable: bool = False
    fixed: bool = False
    against_bash: int = 0
    launches_compared: int = 0
    dropped: int = 0
