"""A launch: one call site of a launcher with the argv that bash would pass to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from relax_lint.diagnostics import Place
from relax_lint.shell.nodes import SimpleCommand

Kind = Literal["relax", "verl", "other"]
Mode = Literal["sft", "hybrid", "async", "colocate", "separate"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A part of a word that is not known statically.

    ``text`` is its source text; ``variable`` the name of the environment variable or argument it comes from, when
    that is all it is; ``checked`` says that the script refuses to go on when it is empty; ``split`` that it stands
    unquoted and may be several words or none.
    """

    text: str
    variable: str | None = None
    checked: bool = False
    split: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """One word of an argv. Unknown parts stand in ``text`` as their source text.

    ``place`` is where the word was written (an array's element, a piece of a string that was split), ``None`` when
    it was computed. ``defaults`` names overridable variables whose script-given default the text counts with.
    """

    text: str
    unknowns: tuple[Unknown, ...] = ()
    place: Place | None = None
    defaults: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether bash passes exactly ``text``."""
        return not self.unknowns

    @property
    def open(self) -> bool:
        """Whether this may be several words, or none."""
        return any(unknown.split for unknown in self.unknowns)


@dataclass(frozen=True, slots=True)
class Argument:
    """A flag with the values that follow it. For verl launches, an override as given, without values."""

    flag: str
    values: tuple[Word, ...]
    word: Word
    inline: bool = False
    """Written ``--flag=value``."""

    @property
    def value(self) -> str | None:
        """The text of the only value; ``None`` if there is none, several, or it is not known."""
        if len(self.values) == 1 and self.values[0].known:
            return self.values[0].text
        return None


@dataclass(slots=True)
class Launch:
    """One call site with one argv.

    ``site`` is the command in its file; ``conditions`` what must hold for it; ``options`` the shell options on at
    that point (errexit, pipefail, nounset …); ``pipeline`` the argv of each command that the launch is piped into;
    ``made_directories`` what ``mkdir`` made on the way.
    """

    kind: Kind
    argv: tuple[Word, ...]
    site: Place
    script: Path
    conditions: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    pipeline: tuple[tuple[Word, ...], ...] = ()
    made_directories: tuple[Word, ...] = ()
    redirected_to: tuple[Word, ...] = ()
    command: SimpleCommand | None = None
    in_condition: bool = False
    """The status of the launch is looked at (`if`, `&&`, `||`), so errexit does not apply."""
    directory: str | None = None
    """Working directory, when known."""
    defaults: dict[str, str] = field(default_factory=dict)

    @cached_property
    def entry(self) -> int:
        """Index of the word that names what runs (``train.py``, the module after ``-m``); -1 when there is none."""
        raise NotImplementedError
