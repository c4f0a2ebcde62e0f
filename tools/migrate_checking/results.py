"""What a migration came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

End = Literal["migrated", "refused", "crashed"]
STEPS = ("migrate", "syntax", "bash", "lint", "relax", "settings", "hydra")
"""What is checked: that nothing crashes; ``bash -n``; that bash launches what is predicted; what relax-lint finds; what
Relax's own validators say; that every setting has one fate; that the settings are those that Hydra composes."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something wrong with a migration, found in one of the steps."""

    step: str
    text: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A launch that bash made in a mode: the words behind Relax's entry point."""

    mode: str
    words: tuple[str, ...]


@dataclass(slots=True)
class Result:
    """A launcher, how its migration ended, and all that is wrong with it."""

    script: str
    name: str
    end: End = "crashed"
    reason: str = ""
    """Of a refusal, or what crashed."""
    ran: list[Ran] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Modes that the new launcher refuses, with the reason that it gives."""
    settings: int = 0
    failures: list[Failure] = field(default_factory=list)

    def fail(self, step: str, text: str) -> None:
        """Note a failure."""
        self.failures.append(Failure(step, text))
