"""Places in a text as the protocol counts them: lines and columns from 0, columns in the units that were agreed on."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from lsprotocol.types import Position, PositionEncodingKind, Range

_LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line in the protocol; form feeds and the like, at which Python's splitlines() cuts, do not."""
_BEYOND_ONE_UNIT = re.compile("[\U00010000-\U0010ffff]")
BOM = "\ufeff"


class Lines:
    """The lines of a text, to turn offsets into positions and back."""

    def __init__(self, text: str, encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16) -> None:
        self.text = text
        self._encoding = encoding
        breaks = list(_LINE_END.finditer(text))
        self._starts = [0, *(match.end() for match in breaks)]
        self._ends = [*(match.start() for match in breaks), len(text)]

    def position(self, offset: int) -> Position:
        """Where an offset is. What is in the middle of a line's end is at the end of the line."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return Position(line, self._units(self.text[start : min(offset, self._ends[line])]))

    def range(self, start: int, end: int) -> Range:
        """The range from an offset to another."""
        return Range(self.position(start), self.position(end))

    def offset(self, position: Position) -> int:
        """The offset of a position; beyond the end of a line that end, beyond the last line the text's end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[position.line], self._ends[position.line]
        line = self.text[start:end]
        if self._encoding == PositionEncodingKind.Utf32 or line.isascii():
            return min(start + position.character, end)
        reached = list(accumulate(map(self._units, line), initial=0))
        return start + bisect_right(reached, position.character) - 1

    def line(self, number: int) -> Range:
        """What stands on a line, counted from 0."""
        number = min(number, len(self._starts) - 1)
        start, end = self._starts[number], self._ends[number]
        text = self.text[start:end]
        return self.range(start + len(text) - len(text.lstrip()), end)

    def _units(self, text: str) -> int:
        if self._encoding == PositionEncodingKind.Utf8:
            return len(text.encode("utf-8", "surrogatepass"))
        if self._encoding == PositionEncodingKind.Utf32 or text.isascii():
            return len(text)
        return len(text) + len(_BEYOND_ONE_UNIT.findall(text))
