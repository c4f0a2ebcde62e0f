"""Checks that are remembered whole: what one printed and its exit status, while nothing that it looked at has changed.

It is asked before anything else is imported, options and configuration included: where nothing has changed, a run costs
what this module does.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TextIO

from relax_lint import looks, store

MOST_RUNS = 32
_ENVIRONMENT = ("HOME", "NO_COLOR", "TERM")
"""The variables that a check reads."""
_ALONE = frozenset(
    {
        "-q", "--quiet", "--strict", "--force-exclude", "--isolated", "--statistics", "--show-suppressed",
        "--exit-zero", "--require-recipes", "--require-checked", "--require-reasons", "--unsafe-fixes", "--no-migrate",
        "--exit-non-zero-on-fix",
    }
)  # fmt: skip
_WITH_VALUE = frozenset(
    {
        "--select", "--ignore", "--extend-select", "--extend-ignore", "--profile", "--exclude", "--config", "--env",
        "--relax-root", "--verl-root", "--baseline", "--format", "-j", "--jobs",
    }
)  # fmt: skip
"""Options whose runs do nothing but look and print."""


def run(words: Sequence[str], check: Callable[[], int]) -> int:
    """A check with these words: as it was when it is remembered, else done now, and remembered where that can be."""
    place = store.directory()
    if place is None or not _only_prints(words):
        return check()
    kept, name = store.Store(place, "run", MOST_RUNS), _name(words)
    body = kept.find(name)
    remembered = None if body is None else _as_it_was(body)
    if remembered is not None:
        status, printed, complained = remembered
        sys.stderr.write(complained)
        sys.stdout.write(printed)
        return status
    done, seen = _noted(check)
    if seen is not None:
        kept.keep(name, marshal.dumps((*done, seen)))
    return done[0]


def _as_it_was(body: bytes) -> tuple[int, str, str] | None:
    """What a run did that did what an entry says; ``None`` when something has changed since, or the entry says
    nothing."""
    try:
        status, printed, complained, seen = marshal.loads(body)
        if (type(status), type(printed), type(complained)) == (int, str, str) and looks.still_the_same(seen):
            return status, printed, complained
    except store.MALFORMED:
        pass
    return None


def _noted(check: Callable[[], int]) -> tuple[tuple[int, str, str], bytes | None]:
    """What a check does, and what it looked at; ``None`` when it is not to be remembered.

    This is a function of its own, and a short one: where memory is at an end, CPython 3.11 never gets out of a ``with``
    or ``finally`` far behind the beginning of a function.
    """
    noted = looks.note()
    try:
        with _Copied("stdout") as printed, _Copied("stderr") as complained:
            status = check()
        wanted = looks.noted() is noted  # else somebody knows better than to remember it
    finally:
        looks.stop()
    return (status, printed.text, complained.text), noted.packed() if wanted and status in (0, 1) else None


def _only_prints(words: Iterable[str]) -> bool:
    """Whether no option of a run makes it write files, ask git, or read standard input."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            continue
        option, equals, _ = word.partition("=")
        if option in _WITH_VALUE:
            if not equals:
                next(rest, None)
        elif word not in _ALONE and not (word.startswith("-j") and word[2:].isdigit()):
            return False
    return True


def _name(words: Sequence[str]) -> str:
    """Everything that a run depends on beside the disk."""
    terminals = [stream.isatty() for stream in (sys.stdout, sys.stderr)]
    environment = [os.environ.get(name) for name in _ENVIRONMENT]
    who = os.geteuid() if hasattr(os, "geteuid") else 0
    parts = [list(words), os.getcwd(), who, terminals, environment, store.program(), store.libraries()]
    return str(store.digest(repr(parts).encode("utf-8", "surrogateescape")))


class _Copied:
    """One of the standard streams, with a copy of the text that is written to it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stream: TextIO = getattr(sys, name)
        self._written: list[str] = []

    def __enter__(self) -> _Copied:
        setattr(sys, self._name, self)
        return self

    def __exit__(self, *_: object) -> None:
        setattr(sys, self._name, self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, and keep a copy."""
        self._written.append(text)
        return self._stream.write(text)

    @property
    def text(self) -> str:
        """What was written."""
        return "".join(self._written)
