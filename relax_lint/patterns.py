"""Regular expressions that are compiled when they are first used.

A hook starts this program for every commit, and most of its patterns find nothing to do in a run: compiling them all
takes a tenth of it.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    """Becomes a compiled pattern piece by piece: what is asked for once is kept."""

    def __init__(self, text: str, flags: int) -> None:
        self._given = (text, flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that does what ``re.compile`` gives, but for being handed to functions of ``re``."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
