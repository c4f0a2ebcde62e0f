"""A file as text with exact positions: the ground every parser and every edit stands on."""

from __future__ import annotations

import bisect
import re
from functools import cached_property
from pathlib import Path


class SourceFile:
    """The bytes of one file and their text.

    ``text`` is decoded without translating line ends or dropping a byte-order mark, so an offset into it always
    names one place in the file. Undecodable bytes survive as surrogates.
    """

    def __init__(self, path: Path, data: bytes, *, encoding: str = "utf-8") -> None:
        self.path = path
        self.data = data
        self.encoding = encoding
        self.text = data.decode(encoding, "surrogateescape")

    @property
    def as_it_is(self) -> SourceFile:
        """The file with what is in it now; the same object where nobody changes that."""
        return self

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of every line; lines end at ``\\n`` only."""
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a text offset, both counted from 1, the column in characters."""
        line = bisect.bisect_right(self.line_starts, offset)
        column = offset - self.line_starts[line - 1] + 1
        if line == 1 and self.text.startswith("\ufeff") and column > 1:
            column -= 1
        return line, column

    def line_text(self, line: int) -> str:
        """The text of a line (from 1) without its end."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] - 1 if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].removesuffix("\r")

    def to_byte(self, offset: int) -> int:
        """The offset in the file's bytes of a text offset."""
        if self.text.isascii():
            return offset
        return len(self.text[:offset].encode(self.encoding, "surrogateescape"))

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern is anywhere in the text; looked for once."""
        if pattern not in self._said:
            self._said[pattern] = pattern.search(self.text) is not None
        return self._said[pattern]

    @cached_property
    def _said(self) -> dict[re.Pattern[str], bool]:
        return {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"
