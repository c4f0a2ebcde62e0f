"""``env -S``: a string as words by the rules of GNU env, which are not those of a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from relax_lint.patterns import pattern
from relax_lint.shell.values import Chunk, Known, Sym, Value

_BLANKS = " \t\n\v\f\r"
_ESCAPES = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", **{char: char for char in "\"#$'\\"}}
_VARIABLE = pattern(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PLAIN = pattern(r"[^\s'\"#$\\]+")

Lookup = Callable[[str], "Value | None"]
"""The value of an environment variable; ``None`` when it is unset."""


class Refused(Exception):
    """env says that it cannot split the string, and runs nothing."""


def split(string: Value, lookup: Lookup) -> list[Value]:
    """The words of a string. A part that is not known is taken for what it looks like: outside of quotes any number of
    words, inside a part of one. Raises :class:`Refused`."""
    splitter = _Splitter(lookup)
    splitter.take(string.chunks)
    return splitter.words


class _Splitter:
    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self.words: list[Value] = []
        self.chunks: list[Chunk] = []
        self.open = False
        """Whether a word has begun."""
        self.many = False
        self.quote = ""

    def take(self, chunks: Iterable[Chunk]) -> None:
        for chunk in _merged(chunks):
            if isinstance(chunk, Sym):
                self.add(chunk)
                self.many = self.many or not (self.quote or chunk.default)
            elif self.take_text(chunk.text):
                break
        if self.quote:
            raise Refused
        self.end()

    def add(self, chunk: Chunk) -> None:
        self.open = True
        self.chunks.append(chunk)

    def end(self) -> None:
        if self.open:
            self.words.append(Value(tuple(_merged(self.chunks)) or (Known(""),), None, self.many))
        self.chunks, self.open, self.many = [], False, False

    def take_text(self, text: str) -> bool:
        """Known characters. Whether the string ends with them, whatever follows."""
        at = 0
        while at < len(text):
            char = text[at]
            at += 1
            if char in "'\"" and self.quote in ("", char):
                self.quote = "" if self.quote else char
                self.open = True
            elif char in _BLANKS and not self.quote:
                self.end()
            elif char == "#" and not self.open:
                return True
            elif char == "\\" and (self.quote != "'" or text[at : at + 1] in ("\\", "'")):
                if self.take_escape(text[at : at + 1]):
                    return True
                at += 1
            elif char == "$" and self.quote != "'":
                found = _VARIABLE.match(text, at - 1)
                if found is None:
                    raise Refused
                at = found.end()
                self.take_variable(found[1])
            else:
                self.add(Known(char))
        return False

    def take_escape(self, char: str) -> bool:
        """What stands behind a backslash. Whether it ends the string."""
        if char == "_":
            if self.quote:
                self.add(Known(" "))
            else:
                self.end()
        elif char == "c":
            if self.quote:
                raise Refused
            return True
        elif char in _ESCAPES:
            self.add(Known(_ESCAPES[char]))
        else:
            raise Refused
        return False

    def take_variable(self, name: str) -> None:
        """Its value as it is, never split."""
        value = self.lookup(name)
        if value is not None:
            self.open = True
            self.chunks.extend(value.chunks)


def _merged(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Known characters in a row as one chunk; defaults that hold more than a plain part of a word as characters."""
    text = ""
    for chunk in chunks:
        if isinstance(chunk, Sym) and (chunk.default is None or _PLAIN.fullmatch(chunk.default)):
            if text:
                yield Known(text)
            text = ""
            yield chunk
        else:
            text += chunk.default or "" if isinstance(chunk, Sym) else chunk.text
    if text:
        yield Known(text)
