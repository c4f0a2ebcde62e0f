"""The ground of the parser: a position in a text, and quotes."""

from __future__ import annotations

import re
from collections.abc import Callable

from relax_lint.shell.nodes import Command, Literal, Part, Redirect, Word

METACHARACTERS = " \t\n;&|()<>"
MAXIMUM_DEPTH = 60
_DOUBLE_RUN = re.compile(r'[^\\"$`]+')


class ShellSyntaxError(Exception):
    """What the parser cannot read, with the offset."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class Scanner:
    """Reads at ``position`` of ``text``; nothing at or past ``limit`` belongs to it."""

    def __init__(self, text: str, position: int = 0, limit: int | None = None) -> None:
        self.text = text
        self.position = position
        self.limit = len(text) if limit is None else limit
        self.depth = 0
        self.is_file = True
        self.comments: list[tuple[int, int]] = []
        self.continuations: list[int] = []
        self.pending_documents: list[Redirect] = []
        # What begins at an offset does not depend on how it was come by: read once, however often one backtracks.
        self.substitutions: dict[int, tuple[tuple[Command, ...], int]] = {}
        self.arithmetic: dict[int, tuple[Word, int] | None] = {}

    # ------------------------------------------------------------ what the parsers above it read

    def scan_word(self, ends: str = METACHARACTERS, *, regex: bool = False, pattern: bool = True) -> Word:
        """The word at the position. ``regex`` lets ``( ) |`` stand in it, as on the right of ``=~``."""
        raise AssertionError("defined by the word scanner")  # pragma: no cover

    def scan_dollar(self, parts: list[Part], *, quoted: bool) -> None:
        """Whatever begins with ``$``."""
        raise AssertionError("defined by the expansion scanner")  # pragma: no cover

    def scan_backquote(self, parts: list[Part], quoted: bool) -> None:
        """Backquotes: their text is unescaped, then parsed."""
        raise AssertionError("defined by the expansion scanner")  # pragma: no cover

    def parse_commands(self, stop: frozenset[str]) -> tuple[Command, ...]:
        """Commands up to one of ``stop``, which is not consumed."""
        raise AssertionError("defined by the command parser")  # pragma: no cover

    def sub_parser(self, text: str, position: int, limit: int) -> Scanner:
        """A parser of the same kind over another text."""
        scanner = type(self)(text, position, limit)
        scanner.depth = self.depth
        return scanner

    # ------------------------------------------------------------ small steps

    def peek(self, ahead: int = 0) -> str:
        """The character at the position, empty at the end."""
        at = self.position + ahead
        return self.text[at] if at < self.limit else ""

    def ends_file(self, at: int) -> bool:
        """Whether a backslash is the last character of a file: bash drops it, but keeps one that ends a string."""
        return self.is_file and at + 1 == len(self.text)

    def looking_at(self, text: str) -> bool:
        """Whether ``text`` comes next."""
        return self.text.startswith(text, self.position, self.limit)

    def nested(self, offset: int) -> None:
        """Go one level deeper; bounded, since every level costs stack."""
        self.depth += 1
        if self.depth > MAXIMUM_DEPTH:
            raise ShellSyntaxError("nested too deeply", offset)

    def skip_blanks(self) -> None:
        """Blanks and joined lines."""
        text, limit = self.text, self.limit
        at = self.position
        while at < limit:
            char = text[at]
            if char == " " or char == "\t":
                at += 1
            elif char == "\\" and text.startswith("\\\n", at, limit):
                self.continuations.append(at)
                at += 2
            elif char == "\\" and self.ends_file(at):
                at += 1
            else:
                break
        self.position = at

    # ------------------------------------------------------------ quotes

    def scan_backslash(self, parts: list[Part]) -> None:
        """An unquoted backslash: the next character quoted, or two lines joined."""
        at = self.position
        if at + 1 >= self.limit:
            if not self.ends_file(at):
                parts.append(Literal("\\", True, at, at + 1))
            self.position = self.limit
        elif self.text[at + 1] == "\n":
            self.continuations.append(at)
            self.position = at + 2
        else:
            parts.append(Literal(self.text[at + 1], True, at + 1, at + 2))
            self.position = at + 2

    def scan_single(self, parts: list[Part]) -> None:
        """``'…'``."""
        start = self.position
        end = self.text.find("'", start + 1, self.limit)
        if end < 0:
            raise ShellSyntaxError("a single quote that is never closed", start)
        parts.append(Literal(self.text[start + 1 : end], True, start + 1, end))
        self.position = end + 1

    def scan_double(self, parts: list[Part]) -> None:
        """``"…"``."""
        start = self.position
        self.position += 1
        before = len(parts)
        self.scan_quoted(parts, '"', _DOUBLE_RUN)
        if self.position >= self.limit:
            raise ShellSyntaxError("a double quote that is never closed", start)
        if len(parts) == before:
            parts.append(Literal("", True, start + 1, start + 1))
        self.position += 1

    def scan_quoted(self, parts: list[Part], end: str, run: re.Pattern[str], escapes: str = '$`"\\') -> None:
        """Text in which only ``\\``, ``$`` and backquotes mean something, up to ``end`` (not consumed)."""
        text, limit = self.text, self.limit
        while self.position < limit:
            at = self.position
            char = text[at]
            if char == end:
                return
            if char == "\\":
                following = text[at + 1] if at + 1 < limit else ""
                if following == "\n":
                    self.position = at + 2
                elif following and following in escapes:
                    parts.append(Literal(following, True, at + 1, at + 2))
                    self.position = at + 2
                else:
                    append_literal(parts, "\\", True, at, at + 1)
                    self.position = at + 1
            elif char == "$":
                self.scan_dollar(parts, quoted=True)
            elif char == "`":
                self.scan_backquote(parts, quoted=True)
            else:
                match = run.match(text, at, limit)
                stop = match.end() if match else at + 1
                append_literal(parts, text[at:stop], True, at, stop)
                self.position = stop


def append_literal(parts: list[Part], text: str, quoted: bool, start: int, end: int) -> None:
    """Add characters, joined to a literal that ends right before them."""
    last = parts[-1] if parts else None
    if isinstance(last, Literal) and last.quoted == quoted and last.end == start and last.text:
        if last.end - last.start == len(last.text):
            last.text += text
            last.end = end
            return
    parts.append(Literal(text, quoted, start, end))


_SPECIAL_UNQUOTED: Callable[[str], object] = re.compile(r"[?*\[{~\\]").search


def literal_value(parts: list[Part], *, quoted_too: bool = False) -> str | None:
    """The value of a word without expansions and without unquoted characters that could expand."""
    if len(parts) == 1 and isinstance(parts[0], Literal) and parts[0].text == "[":
        return "["  # the command; a bracket that nothing closes is no pattern
    texts = []
    for part in parts:
        if not isinstance(part, Literal):
            return None
        if not quoted_too and not part.quoted and _SPECIAL_UNQUOTED(part.text):
            return None
        texts.append(part.text)
    return "".join(texts)
