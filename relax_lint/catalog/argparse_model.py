"""One argparse parser, read off the catalogue: which words it takes for flags, and which follow each as its values.

This is what CPython 3.12.3 does, the Python of Relax's image: a bare ``--`` ends everything, ``-1`` is a value and
``-1e-6`` is not, a word with a space in it is a value, and a parser that takes abbreviations refuses those that fit
several flags.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from relax_lint.catalog.flags import Catalogue, Flag
from relax_lint.records import record
from relax_lint.shell.launch import Argument, Word

NegativeNumber = re.compile(r"-\d+\Z|-\d*\.\d+\Z")
ABBREVIATING = frozenset({"sglang-tp", "sglang", "teacher"})
"""Relax's parsers that take any unambiguous beginning of a flag."""
TAKES_VALUES = frozenset({"store", "append", "extend"})

ProblemKind = Literal["missing-value", "unwanted-value", "ambiguous", "bad-value", "help"]


@record
class Match:
    """A flag that a parser took, with its values; ``option`` is its full spelling where an abbreviation was written,
    ``at`` its position among the words."""

    flag: Flag
    option: str
    word: Word
    values: tuple[Word, ...]
    inline: bool
    at: int

    @property
    def argument(self) -> Argument:
        """The same as an argument of the launch."""
        return Argument(self.option, self.values, self.word, self.inline)


@record
class Problem:
    """Why a parser stops: argparse's message and exit status 2, or a traceback; ``at`` is the position of the flag."""

    parser: str
    kind: ProblemKind
    option: str
    word: Word
    message: str
    at: int
    crash: bool = False


class Parsed(NamedTuple):
    """What a parser makes of an argv; ``flags`` are the positions of what it takes for flags, its own or not."""

    matches: list[Match]
    problems: list[Problem]
    flags: set[int]


class _Option(NamedTuple):
    """A word that is a flag: of this parser (``flag``), or of another (``None``)."""

    flag: Flag | None
    option: str
    explicit: Word | None


_END = _Option(None, "--", None)


def candidates(words: Sequence[Word]) -> list[int]:
    """The words that a parser may take for flags: those with a dash in front, up to a bare ``--``."""
    found = []
    for at, word in enumerate(words):
        if word.text.startswith("-"):
            found.append(at)
            if word.text == "--":
                break
    return found


class ParserModel:
    """A parser of Relax with its flags."""

    def __init__(self, name: str, catalogue: Catalogue) -> None:
        self.name = name
        self.catalogue = catalogue
        self._options: dict[str, Flag | None] = {}
        self._plain: dict[str, _Option | None] = {"--": _END}
        self._completions: dict[str, list[str]] = {}

    def option(self, word: str) -> Flag | None:
        """The flag of this parser that a word names exactly."""
        if word not in self._options:
            found = self.catalogue.flags(word) if "=" not in word else ()
            self._options[word] = next((flag for flag in found if flag.parser == self.name), None)
        return self._options[word]

    def completions(self, prefix: str) -> list[str]:
        """The flags that begin so, where the parser takes abbreviations."""
        if self.name not in ABBREVIATING:
            return []
        if prefix not in self._completions:
            self._completions[prefix] = self._completed(prefix)
        return self._completions[prefix]

    def _completed(self, prefix: str) -> list[str]:
        words = self.catalogue.words
        found = []
        for at in range(bisect_left(words, prefix), len(words)):
            if not words[at].startswith(prefix):
                break
            if self.option(words[at]) is not None:
                found.append(words[at])
        return found

    def parse(self, words: Sequence[Word], dashed: Sequence[int]) -> Parsed:
        """The flags of this parser among the words of an argv, and what it stops at; ``dashed`` are the words that may
        be flags (:func:`candidates`)."""
        parsed = Parsed([], [], set())
        options: dict[int, _Option] = {}
        plain = self._plain
        for at in dashed:
            word = words[at]
            if word.text in plain and not word.unknowns:
                found = plain[word.text]
            else:
                found = self._option(word, at, parsed.problems)
                if not word.unknowns and "=" not in word.text and not _depends_on_place(found, at, parsed.problems):
                    plain[word.text] = found
            if found is not None:
                options[at] = found
        parsed.flags.update(options)
        end = 0
        for at, option in options.items():
            if at >= end and option.flag is not None:
                end = self._consume(words, options, at, option, parsed)
        return parsed

    def _option(self, word: Word, at: int, problems: list[Problem]) -> _Option | None:
        text = word.text
        if word.unknowns:
            return self._partly_known(word)
        flag = self.option(text)
        if flag is not None:
            return _Option(flag, text, None)
        if len(text) == 1:
            return None
        name, equals, _ = text.partition("=")
        flag = self.option(name) if equals else None
        if flag is not None:
            return _Option(flag, name, _explicit(word))
        if text.startswith("--"):
            found = self.completions(name)
            if len(found) > 1:
                message = f"could be {', '.join(found[:8])}{' …' if len(found) > 8 else ''}"
                problems.append(Problem(self.name, "ambiguous", name, word, message, at))
                return _Option(None, text, None)
            if found:
                return _Option(self.option(found[0]), found[0], _explicit(word) if equals else None)
        elif self.option(text[:2]) is not None:
            return _Option(self.option(text[:2]), text[:2], Word(text[2:], (), word.place))
        if NegativeNumber.match(text) or " " in text:
            return None
        return _Option(None, text, None)

    def _partly_known(self, word: Word) -> _Option | None:
        head = word.text.partition(word.unknowns[0].text)[0]
        if not head:
            return None
        name, equals, _ = head.partition("=")
        if " " in name and (head.startswith("--") or self.option(head[:2]) is None):
            return None
        if not equals:
            return _Option(None, head, None)
        flag = self.option(name)
        if flag is None and (found := self.completions(name)) and len(found) == 1:
            flag, name = self.option(found[0]), found[0]
        return _Option(flag, name, _explicit(word))

    def _consume(
        self, words: Sequence[Word], options: Mapping[int, _Option], start: int, kind: _Option, parsed: Parsed
    ) -> int:
        """Takes the values of a flag; where to go on."""
        flag, option, explicit = kind
        assert flag is not None
        word, at = words[start], start + 1
        least, most = arity(flag)
        if flag.action == "help":
            parsed.problems.append(Problem(self.name, "help", option, word, "prints the help and ends", start))
            return at
        if explicit is not None:
            if most >= 1 >= least:
                parsed.matches.append(Match(flag, option, word, (explicit,), True, start))
            else:
                kind_of: ProblemKind = "unwanted-value" if most == 0 else "missing-value"
                message = "takes no value" if most == 0 else f"takes {least} values"
                parsed.problems.append(Problem(self.name, kind_of, option, word, message, start))
            return at
        end = at
        while end < len(words) and end - at < most and end not in options:
            end += 1
        if end - at < least:
            message = "has no value" if least == 1 else f"takes {least} values"
            parsed.problems.append(Problem(self.name, "missing-value", option, word, message, start))
            return at
        parsed.matches.append(Match(flag, option, word, tuple(words[at:end]), False, start))
        return end


def _depends_on_place(found: _Option | None, at: int, problems: Sequence[Problem]) -> bool:
    """Whether a word is told from others of the same text."""
    return (found is not None and found.explicit is not None) or (bool(problems) and problems[-1].at == at)


def arity(flag: Flag) -> tuple[int, int]:
    """How many values a flag takes at least and at most."""
    if flag.action not in TAKES_VALUES:
        return 0, 0
    if isinstance(flag.nargs, int):
        return flag.nargs, flag.nargs
    return {None: (1, 1), "?": (0, 1), "*": (0, 10**9), "+": (1, 10**9)}[flag.nargs]


def _explicit(word: Word) -> Word:
    """The value in ``--flag=value``."""
    _, _, value = word.text.partition("=")
    return Word(value, tuple(one for one in word.unknowns if one.text in value), word.place, word.defaults)
