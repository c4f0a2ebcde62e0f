"""Regular expressions that are compiled when they are first used.

A hook starts this program for every commit, and most of its patterns find nothing to do in a run: compiling them all
takes a tenth of it. And most texts hold no word of what a pattern finds, which is told much faster than searched for.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, AnyStr, cast


class _Pattern:
    """Becomes a compiled pattern piece by piece: what is asked for once is kept."""

    def __init__(self, text: Any, flags: int) -> None:
        self._given = (text, flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found


class _PatternOfWords(_Pattern):
    """A pattern of which each match holds one of some words."""

    def __init__(self, text: Any, flags: int, words: Collection[Any]) -> None:
        super().__init__(text, flags)
        self._whole: re.Pattern[Any] = cast("Any", _Pattern(text, flags))
        self._words = words

    def search(self, text: Any) -> re.Match[Any] | None:
        """As of any pattern."""
        known = text.lower() if self._given[1] & re.IGNORECASE else text
        return self._whole.search(text) if any(map(known.__contains__, self._words)) else None


def pattern(text: AnyStr, flags: int = 0, *, words: Collection[AnyStr] = ()) -> re.Pattern[AnyStr]:
    """A pattern that does what ``re.compile`` gives, but for being handed to functions of ``re``. With ``words``, each
    match holds one of them; they are in small letters where it finds large ones, too."""
    return cast("re.Pattern[AnyStr]", _PatternOfWords(text, flags, words) if words else _Pattern(text, flags))
