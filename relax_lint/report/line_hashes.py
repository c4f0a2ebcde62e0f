"""The names by which GitHub's code scanning knows a line whatever its number: ``primaryLocationLineHash``.

A line is told by the hundred characters from its start on, blanks and tabs left out, and by a count of the lines before
it that are told by the same. GitHub works this out itself where its own action uploads a report, and wants it given
where something else does.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from sys import byteorder

_WINDOW = 100
_BASE, _MODULUS = 37, 1 << 64
_WEIGHTS = [pow(_BASE, _WINDOW - 1 - place, _MODULUS) for place in range(_WINDOW)]
_END = b"\xff\xff" + bytes(2 * (_WINDOW - 1))
_LINE_END = b"\n\0"


class LineHashes:
    """The lines of one file."""

    def __init__(self, data: bytes) -> None:
        text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        self._units = text.translate({ord(" "): None, ord("\t"): None}).encode("utf-16-le", "surrogatepass") + _END
        self._windows: list[bytes] = []
        self._counts: list[int] = []
        seen: Counter[bytes] = Counter()
        for start in self._line_starts():
            window = self._units[start : start + 2 * _WINDOW]
            seen[window] += 1
            self._windows.append(window)
            self._counts.append(seen[window])

    def _line_starts(self) -> Iterator[int]:
        yield 0
        at = self._units.find(_LINE_END)
        while at >= 0:
            if at % 2 == 0:
                yield at + 2
            at = self._units.find(_LINE_END, at + 1)

    def of(self, line: int) -> str | None:
        """The name of a line, which counts from 1; ``None`` when there is no such line."""
        if line > len(self._windows):
            return None
        characters = array("H", self._windows[line - 1])
        if byteorder == "big":
            characters.byteswap()
        total = sum(character * weight for character, weight in zip(characters, _WEIGHTS, strict=True)) % _MODULUS
        return f"{total:x}:{self._counts[line - 1]}"
