"""The words of bash, and where each ends."""

from __future__ import annotations

import re

from relax_lint.shell.expansions import ExpansionScanner
from relax_lint.shell.nodes import Literal, Part, Word
from relax_lint.shell.scanner import METACHARACTERS, ShellSyntaxError, append_literal, literal_value

# A word with nothing special in it, right up to where it ends: most words of a launcher.
PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:@%+,=-]+(?=[ \t\n;&|<>)]|\Z)")
_UNQUOTED_RUN = re.compile(r"[^\\'\"$`\s;&|()<>?*+@!\]\x00]+")
_DOCUMENT_RUN = re.compile(r"[^\\$`]+")


class WordScanner(ExpansionScanner):
    """Reads words."""

    def scan_word(self, ends: str = METACHARACTERS, *, regex: bool = False, pattern: bool = True) -> Word:
        """The word at the position. ``regex`` lets ``( ) |`` stand in it, as on the right of ``=~``."""
        start = self.position
        plain = PLAIN_WORD.match(self.text, start, self.limit) if ends is METACHARACTERS else None
        if plain is not None:
            self.position = plain.end()
            value = plain.group()
            return Word((Literal(value, False, start, self.position),), start, self.position, value)
        parts: list[Part] = []
        text, limit = self.text, self.limit
        depth = 0
        while self.position < limit:
            at = self.position
            char = text[at]
            if char == "\\":
                self.scan_backslash(parts)
            elif char == "'":
                self.scan_single(parts)
            elif char == '"':
                self.scan_double(parts)
            elif char == "$":
                self.scan_dollar(parts, quoted=False)
            elif char == "`":
                self.scan_backquote(parts, quoted=False)
            elif char in "<>" and text.startswith("(", at + 1, limit) and not regex:
                self.scan_process(parts)
            elif regex and char in "()":
                depth += 1 if char == "(" else -1
                if depth < 0:
                    break
                parts.append(Literal(char, False, at, at + 1))
                self.position += 1
            elif regex and char == "|" and (depth or not text.startswith("||", at, limit)):
                parts.append(Literal(char, False, at, at + 1))
                self.position += 1
            elif char in ends:
                if not (depth and regex and char in " \t<>;&"):
                    break
                parts.append(Literal(char, False, at, at + 1))
                self.position += 1
            elif pattern and char in "?*+@!" and text.startswith("(", at + 1, limit):
                self.scan_extended_pattern(parts)
            else:
                self.scan_run(parts, ends)
        if self.position == start < limit:
            raise ShellSyntaxError(f"unexpected {text[start]!r}", start)
        if depth and regex:
            raise ShellSyntaxError("unbalanced parenthesis in a regular expression", start)
        return Word(tuple(parts), start, self.position, literal_value(parts))

    def scan_run(self, parts: list[Part], ends: str) -> None:
        """Ordinary characters."""
        at = self.position
        if ends is METACHARACTERS:
            run = _UNQUOTED_RUN.match(self.text, at, self.limit)
            stop = run.end() if run else at + 1
        else:
            stop = at + 1
            special = "\\'\"$`?*+@!<>" + ends
            while stop < self.limit and self.text[stop] not in special:
                stop += 1
        if stop == at + 1 and self.text[at] == "\0":
            raise ShellSyntaxError("a NUL byte", at)
        append_literal(parts, self.text[at:stop], False, at, stop)
        self.position = stop

    def scan_extended_pattern(self, parts: list[Part]) -> None:
        """``@(a|b)`` and its like, kept as characters with whatever is quoted or expanded inside."""
        start = self.position
        self.nested(start)
        append_literal(parts, self.text[start : start + 2], False, start, start + 2)
        self.position += 2
        while True:
            if self.position >= self.limit:
                raise ShellSyntaxError("a pattern that is never closed", start)
            at = self.position
            char = self.text[at]
            if char == ")":
                break
            if char == "|" or char in " \t\n<>;&(":
                append_literal(parts, char, False, at, at + 1)
                self.position += 1
                continue
            inner = self.scan_word("|)" + " \t\n<>;&(")
            parts.extend(inner.parts)
        append_literal(parts, ")", False, self.position, self.position + 1)
        self.position += 1
        self.depth -= 1

    def document_word(self, start: int, end: int, *, quoted: bool, strip_tabs: bool) -> Word:
        """The body of a here document as a word."""
        body = self.text[start:end]
        if strip_tabs:
            body = re.sub(r"(?m)^\t+", "", body)
        if quoted:
            return Word((Literal(body, True, start, end),), start, end, body)
        if strip_tabs:
            text = " " * start + body
            scanner = self.sub_parser(text, start, len(text))
        else:
            scanner = self.sub_parser(self.text, start, end)
        parts: list[Part] = []
        scanner.scan_quoted(parts, "", _DOCUMENT_RUN, "$`\\")
        return Word(tuple(parts), start, end, literal_value(parts, quoted_too=True))
