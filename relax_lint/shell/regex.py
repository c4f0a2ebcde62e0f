"""POSIX extended regular expressions, as ``[[ =~ ]]`` takes them, in terms of Python's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from relax_lint.records import record

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
    "space": " \\t\\n\\r\\f\\v", "xdigit": "0-9a-fA-F", "punct": "!-/:-@\\[-`{-~", "word": "a-zA-Z0-9_",
    "cntrl": "\\x00-\\x1f\\x7f", "graph": "!-~", "print": " -~",
}  # fmt: skip
_CLASS = re.compile(r"\[:(\w+):\]")
_COLLATES = re.compile(r"\[[.=:]")
_ALONE = re.compile(r"\[([.=])(.)\1\]", re.DOTALL)
"""One character that collates like itself, as POSIX has it, where the locale has no others."""
_INTERVAL = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")
_GNU = {
    "<": r"\b(?=\w)", ">": r"\b(?<=\w)", "`": r"\A", "'": r"\Z", "w": r"\w", "W": r"\W", "s": r"\s", "S": r"\S",
    "b": r"\b", "B": r"\B",
}  # fmt: skip
_LONGEST_WITH_BRACKETS = 1_000
"""Characters of an expression in which it is looked for brackets that hold what is quoted."""


# A group that repeats and holds what repeats, or a choice: the ways to match it can double with every character.
_REPEATED_GROUP = re.compile(r"[*+?}|].*\)[*+{]")


@record
class Regex:
    """A compiled expression. Unless ``exact``, Python may match another part of the text than POSIX would; when
    ``explosive``, it may take longer than anyone waits."""

    pattern: re.Pattern[str]
    exact: bool
    explosive: bool = False


def compile_regex(pieces: Sequence[tuple[str, bool]], *, ignore_case: bool = False) -> Regex:
    """The expression; quoted characters stand for themselves. Raises ``re.error`` for what is none."""
    return _compile(_spelled([(char, quoted) for text, quoted in pieces for char in text]), ignore_case)


def _spelled(chars: Sequence[tuple[str, bool]]) -> str:
    """The expression as bash hands it over: what is quoted behind a backslash, but as it is in a bracket expression,
    where it means what it would mean unquoted."""
    made, at = [], 0
    closes = len(chars) <= _LONGEST_WITH_BRACKETS
    while at < len(chars):
        char, quoted = chars[at]
        opens = closes and (char, quoted) == ("[", False)
        end = _end_of_bracket(chars, at) if opens else at + 1
        if end == at + 1:
            closes = closes and not opens  # behind one that does not end, none is looked for: that would take long
            made.append(_escaped(char) if quoted else char)
        else:
            made.extend(char for char, _ in chars[at:end])
        at = end
    return "".join(made)


def _end_of_bracket(chars: Sequence[tuple[str, bool]], start: int) -> int:
    """Where a bracket expression ends, by its first ``]`` that is not quoted; the next character when it does not."""
    at = start + 1
    at += chars[at : at + 1] == [("^", False)]
    at += chars[at : at + 1] == [("]", False)]
    while at < len(chars):
        named = chars[at] == ("[", False) and chars[at + 1 : at + 2] in ([(":", False)], [(".", False)], [("=", False)])
        if named:
            closing = [chars[at + 1], ("]", False)]
            inner = range(at + 2, len(chars) - 1)
            at = next((each for each in inner if chars[each : each + 2] == closing), at - 1) + 2
        elif chars[at] == ("]", False):
            return at + 1
        else:
            at += 1
    return start + 1


def _escaped(text: str) -> str:
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", text)


@lru_cache(maxsize=512)
def _compile(spelling: str, ignore_case: bool) -> Regex:
    translator = _Translator(spelling)
    made = translator.alternatives()
    if translator.at < len(spelling):
        raise re.error("unmatched parenthesis", spelling, translator.at)
    pattern = re.compile(made, re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    # POSIX takes the longest alternative, Python the first one that fits: only without a choice are they sure to agree
    # on what was matched.
    return Regex(pattern, not (translator.chooses and _ambiguous(spelling)), bool(_REPEATED_GROUP.search(spelling)))


class _Translator:
    def __init__(self, spelling: str) -> None:
        self.spelling = spelling
        self.at = 0
        self.depth = 0
        self.chooses = False

    def alternatives(self) -> str:
        made = self.branch()
        while self.spelling.startswith("|", self.at):
            self.at += 1
            self.chooses = True
            made += "|" + self.branch()
        return made

    def branch(self) -> str:
        """Atoms with their repetitions, up to ``|`` or the end of the group."""
        made = ""
        while self.at < len(self.spelling):
            char = self.spelling[self.at]
            if char == "|" or (char == ")" and self.depth):
                break
            atom = self.atom(char)
            repeated = 0
            while repetition := self.repetition():
                # Two repetitions in a row would be a lazy or possessive one to Python.
                atom = (f"(?:{atom})" if repeated else atom) + repetition
                repeated += 1
            made += atom
        return made

    def atom(self, char: str) -> str:
        if char == "[":
            bracket, self.at = _bracket(self.spelling, self.at)
            return bracket
        self.at += 1
        if char == "(":
            self.depth += 1
            inner = self.alternatives()
            if not self.spelling.startswith(")", self.at):
                raise re.error("missing )", self.spelling, self.at)
            self.at += 1
            self.depth -= 1
            return f"({inner})"
        if char == "\\":
            following = self.spelling[self.at : self.at + 1]
            if not following:
                raise re.error("trailing backslash", self.spelling, self.at)
            self.at += 1
            if following in _GNU or "1" <= following <= "9":
                return _GNU.get(following, "\\" + following)
            return re.escape(following)
        if char in "*+?{":
            raise re.error("nothing to repeat", self.spelling, self.at)
        return {"$": r"\Z", "^": r"\A", ".": "."}.get(char) or re.escape(char)

    def repetition(self) -> str:
        char = self.spelling[self.at : self.at + 1]
        if char and char in "*+?":
            self.at += 1
            return char
        if char != "{":
            return ""
        found = _INTERVAL.match(self.spelling, self.at)
        if found is None or not (found[1] or found[3]) or (found[3] and int(found[1] or "0") > int(found[3])):
            raise re.error("invalid interval", self.spelling, self.at)
        self.at = found.end()
        return f"{{{found[1] or '0'}{found[2]}{found[3]}}}"


def _ambiguous(spelling: str) -> bool:
    """Whether one alternative could be the beginning of another."""
    groups = re.findall(r"\(?([^()]*\|[^()]*)\)?", spelling)
    for group in groups:
        options = group.strip("^$").split("|")
        if any(not option or re.search(r"[*+?{\[.]", option) for option in options):
            return not (spelling.startswith("^") and spelling.endswith("$"))
        if any(a != b and b.startswith(a) for a in options for b in options):
            return True
    return False


def _bracket(spelling: str, at: int) -> tuple[str, int]:
    """A bracket expression as Python writes it, and where it ends."""
    start = at
    at += 1
    negated = spelling[at : at + 1] == "^"
    at += negated
    members = []
    first = True
    while True:
        char = spelling[at : at + 1]
        if not char:
            raise re.error("unterminated bracket expression", spelling, start)
        if char == "]" and not first:
            break
        if char == "-" and not first and spelling[at + 1 : at + 2] != "]":
            raise re.error("a range of no beginning", spelling, at)
        named = _CLASS.match(spelling, at)
        if named:
            if named[1] not in _CLASSES or _goes_on(spelling, named.end()):
                raise re.error("no such class, or a range of one", spelling, at)
            members.append(_CLASSES[named[1]])
            at = named.end()
        else:
            member, at = _member(spelling, at)
            if _goes_on(spelling, at):
                end, at = _member(spelling, at + 1)
                member = f"{member}-{end}"
            members.append(member)
        first = False
    return "[" + ("^" if negated else "") + "".join(members) + "]", at + 1


def _goes_on(spelling: str, at: int) -> bool:
    """Whether what stands before is the first of a range."""
    return spelling[at : at + 1] == "-" and spelling[at + 1 : at + 2] not in ("]", "")


def _member(spelling: str, at: int) -> tuple[str, int]:
    """A character of a bracket expression, so that it stands for itself beside any other, and where what follows is."""
    char, end = spelling[at], at + 1
    if _COLLATES.match(spelling, at):
        alone = _ALONE.match(spelling, at)
        if alone is None:
            raise re.error("no class of characters", spelling, at)
        char, end = alone[2], alone.end()
    return f"\\{char}" if char in "\\[]^-&~|" else char, end
