"""The syntax of simple commands: assignments, arrays, words, redirections, here documents."""

from __future__ import annotations

import re

from relax_lint.shell.nodes import (
    ArrayElement,
    ArrayLiteral,
    Assignment,
    Command,
    Literal,
    Redirect,
    SimpleCommand,
    Word,
)  # fmt: skip
from relax_lint.shell.scanner import METACHARACTERS, ShellSyntaxError
from relax_lint.shell.words import PLAIN_WORD, WordScanner

_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|while|until|for|do|done|case|esac|select|function|time|coproc|in|\{|\}|!|\[\[)"
    r"(?=[\s;&|()<>]|\\\n|\Z)"
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)")
_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?=[\s;&|)]|\Z)")
_REDIRECT = re.compile(r"(\d+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||<|>)")
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})


class SimpleParser(WordScanner):
    """Reads simple commands."""

    def reserved(self) -> str | None:
        """The reserved word at the position, not consumed."""
        match = _RESERVED.match(self.text, self.position, self.limit)
        return match.group() if match else None

    def expect(self, word: str, opened: int) -> None:
        """Consume ``word`` or say what is missing."""
        if self.position >= self.limit:
            raise ShellSyntaxError(f"the script ends before the {word!r} that closes this", opened)
        if not self.looking_at(word):
            raise ShellSyntaxError(f"expected {word!r}", self.position)
        self.position += len(word)

    def skip_empty(self, stop: frozenset[str]) -> None:
        """Blanks, comments and empty lines."""
        while True:
            self.skip_blanks()
            if self.position >= self.limit:
                return
            char = self.text[self.position]
            if char == "#":
                self.skip_comment()
            elif char == "\n":
                self.take_newline()
            else:
                return

    def skip_comment(self) -> None:
        """Up to the line's end."""
        end = self.text.find("\n", self.position, self.limit)
        end = self.limit if end < 0 else end
        self.comments.append((self.position, end))
        self.position = end

    def take_newline(self) -> None:
        """A line's end, and the here documents that begin behind it."""
        self.position += 1
        if self.pending_documents:
            pending, self.pending_documents = self.pending_documents, []
            for redirect in pending:
                self.read_document(redirect)

    def read_document(self, redirect: Redirect) -> None:
        """The body of a here document."""
        quoted = any(part.quoted for part in redirect.target.parts)
        delimiter = "".join(part.text for part in redirect.target.parts if isinstance(part, Literal))
        strip = redirect.operator == "<<-"
        start = at = self.position
        while True:
            end = self.text.find("\n", at, self.limit)
            line_end = self.limit if end < 0 else end
            line = self.text[at:line_end]
            if (line.lstrip("\t") if strip else line) == delimiter and at < self.limit:
                body_end, after = at, min(line_end + 1, self.limit)
                break
            if end < 0:
                body_end = after = self.limit
                break
            at = end + 1
        redirect.body = self.document_word(start, body_end, quoted=quoted, strip_tabs=strip)
        self.position = after

    def parse_words(self) -> tuple[Word, ...]:
        """Words up to a separator."""
        words: list[Word] = []
        while True:
            self.skip_blanks()
            if self.position >= self.limit or self.text[self.position] in "\n;#":
                if self.peek() == "#":
                    self.skip_comment()
                return tuple(words)
            if self.text[self.position] in METACHARACTERS and not self.peek(1) == "(":
                raise ShellSyntaxError(f"unexpected {self.peek()!r}", self.position)
            words.append(self.scan_word())

    def parse_simple(self) -> Command:
        """Assignments, words and redirections up to a separator."""
        start = end = self.position
        assignments: list[Assignment] = []
        words: list[Word | Assignment] = []
        redirects: list[Redirect] = []
        declaring = False
        text = self.text
        while True:
            self.skip_blanks()
            if self.position >= self.limit:
                break
            char = text[self.position]
            if char in "\n;|)" or char == "#":
                break
            if char == "&" and not self.looking_at("&>"):
                break
            if char in "<>&0123456789{":
                redirect = self.parse_redirect()
                if redirect is not None:
                    redirects.append(redirect)
                    end = self.position
                    continue
            if char == "(":
                raise ShellSyntaxError("unexpected '('", self.position)
            if not words or declaring:
                assignment = self.parse_assignment(bare=declaring)
                if assignment is not None:
                    (words if declaring else assignments).append(assignment)
                    end = self.position
                    continue
            word = self.scan_word()
            words.append(word)
            end = self.position
            if len(words) == 1 or (len(words) == 2 and _is_prefix(words[0])):
                declaring = word.literal in _DECLARING
        if not (words or assignments or redirects):
            raise ShellSyntaxError(f"unexpected {text[start : start + 1]!r}", start)
        return SimpleCommand(tuple(assignments), tuple(words), tuple(redirects), start, end)

    def parse_assignment(self, *, bare: bool) -> Assignment | None:
        """``name=…`` at the position; with ``bare`` a lone name too."""
        start = self.position
        match = _ASSIGNMENT.match(self.text, start, self.limit)
        if match is None:
            if bare:
                name = _BARE_NAME.match(self.text, start, self.limit)
                if name is not None:
                    self.position = name.end()
                    return Assignment(name.group(), start, self.position)
            return None
        subscript = None
        operator = match.group(2)
        self.position = match.end()
        if operator == "[":
            try:
                subscript = self.scan_subscript(start)
            except ShellSyntaxError:
                self.position = start
                return None
            operator = "+=" if self.looking_at("+=") else "="
            if not self.looking_at(operator):
                self.position = start
                return None
            self.position += len(operator)
        value: Word | ArrayLiteral
        if self.looking_at("(") and subscript is None:
            value = self.parse_array()
        else:
            value = self.scan_assigned()
        return Assignment(match.group(1), start, self.position, value, subscript, operator == "+=")

    def scan_assigned(self) -> Word:
        """The word on the right of ``=``, perhaps empty."""
        at = self.position
        if at >= self.limit or (
            self.text[at] in METACHARACTERS and not (self.text[at] in "<>" and self.peek(1) == "(")
        ):
            return Word((), at, at, "")
        return self.scan_word()

    def parse_array(self) -> ArrayLiteral:
        """``( … )`` over any number of lines, with comments."""
        start = self.position
        self.position += 1
        elements: list[ArrayElement] = []
        text, limit = self.text, self.limit
        while True:
            at = self.position
            if at >= limit:
                raise ShellSyntaxError("an array that is never closed", start)
            char = text[at]
            if char in " \t":
                self.position += 1
            elif char == "\n":
                self.take_newline()
            elif char == "#":
                self.skip_comment()
            elif char == "\\" and text.startswith("\\\n", at, limit):
                self.continuations.append(at)
                self.position += 2
            elif char == ")":
                self.position += 1
                return ArrayLiteral(tuple(elements), start, self.position)
            elif char in ";&|(" or (char in "<>" and self.peek(1) != "("):
                raise ShellSyntaxError(f"unexpected {char!r} in an array", at)
            elif char == "[":
                elements.append(self.parse_keyed_element())
            else:
                plain = PLAIN_WORD.match(text, at, limit)
                if plain is None:
                    elements.append(ArrayElement(self.scan_word()))
                else:
                    self.position = plain.end()
                    value = plain.group()
                    literal = Literal(value, False, at, self.position)
                    elements.append(ArrayElement(Word((literal,), at, self.position, value)))

    def parse_keyed_element(self) -> ArrayElement:
        """``[key]=value``, or a word that merely begins with a bracket."""
        start = self.position
        self.position += 1
        try:
            key = self.scan_subscript(start)
        except ShellSyntaxError:
            key = None
        if key is not None and (self.looking_at("=") or self.looking_at("+=")):
            append = self.looking_at("+=")
            self.position += 2 if append else 1
            return ArrayElement(self.scan_assigned(), key, append)
        self.position = start
        return ArrayElement(self.scan_word())

    def parse_redirect(self) -> Redirect | None:
        """A redirection at the position, if there is one."""
        start = self.position
        match = _REDIRECT.match(self.text, start, self.limit)
        if match is None:
            return None
        operator = match.group(2)
        if operator in ("<", ">") and self.text.startswith("(", match.end(), self.limit):
            return None
        self.position = match.end()
        self.skip_blanks()
        if self.position >= self.limit or (self.peek() in "\n;&|)" and operator != "<<<"):
            raise ShellSyntaxError("a redirection without a target", start)
        target = self.scan_word()
        redirect = Redirect(operator, match.group(1) or "", target, start, self.position)
        if operator in ("<<", "<<-"):
            raw = self.text[target.start : target.end]
            target.parts = (_delimiter(raw, target.start),)
            self.pending_documents.append(redirect)
        return redirect


def _delimiter(raw: str, start: int) -> Literal:
    """The delimiter of a here document: quotes removed, nothing expanded."""
    quoted = any(char in raw for char in "'\"\\")
    text = re.sub(r"\\(.)|['\"]", lambda match: match.group(1) or "", raw)
    return Literal(text, quoted, start, start + len(raw))


def _is_prefix(word: Word | Assignment) -> bool:
    return isinstance(word, Word) and word.literal in ("builtin", "command")
