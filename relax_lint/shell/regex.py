"""POSIX extended regular expressions, as ``[[ =~ ]]`` takes them, in terms of Python's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
    "space": " \\t\\n\\r\\f\\v", "xdigit": "0-9a-fA-F", "punct": "!-/:-@\\[-`{-~", "word": "a-zA-Z0-9_",
    "cntrl": "\\x00-\\x1f\\x7f", "graph": "!-~", "print": " -~",
}  # fmt: skip


def compile_regex(pieces: Sequence[tuple[str, bool]], *, ignore_case: bool = False) -> re.Pattern[str] | None:
    """The expression; quoted characters stand for themselves. None where Python and POSIX would choose differently.

    Raises ``re.error`` for what is no regular expression.
    """
    spelling = "".join(_escaped(text) if quoted else text for text, quoted in pieces)
    return _compile(spelling, ignore_case)


def _escaped(text: str) -> str:
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", text)


@lru_cache(maxsize=512)
def _compile(spelling: str, ignore_case: bool) -> re.Pattern[str] | None:
    made = []
    at = 0
    alternatives = False
    while at < len(spelling):
        char = spelling[at]
        if char == "[":
            bracket, at = _bracket(spelling, at)
            made.append(bracket)
            continue
        if char == "\\":
            following = spelling[at + 1 : at + 2]
            if following.isalnum():
                # GNU's \w \b \s mean what Python's mean; other letters stand for themselves.
                made.append("\\" + following if following in "wWsSbB" else following)
            else:
                made.append("\\" + (following or "\\"))
            at += 2
            continue
        if char == "|":
            alternatives = True
        made.append({"$": r"\Z", "^": r"\A"}.get(char, char))
        at += 1
    pattern = re.compile("".join(made), re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    # POSIX takes the longest alternative, Python the first one that fits: only without a choice are they sure to agree
    # on what was captured.
    return None if alternatives and _ambiguous(spelling) else pattern


def _ambiguous(spelling: str) -> bool:
    """Whether one alternative could be the beginning of another."""
    groups = re.findall(r"\(?([^()]*\|[^()]*)\)?", spelling)
    for group in groups:
        options = group.strip("^$").split("|")
        if any(re.search(r"[*+?{\[.]", option) for option in options):
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
        named = re.compile(r"\[:(\w+):\]").match(spelling, at)
        if named:
            if named.group(1) not in _CLASSES:
                raise re.error("unknown character class", spelling, at)
            members.append(_CLASSES[named.group(1)])
            at = named.end()
        else:
            members.append(char if char == "-" else re.sub(r"([\\\]\[^&~|])", r"\\\1", char))
            at += 1
        first = False
    if members and members[-1] == "-":
        members[-1] = "\\-"
    return "[" + ("^" if negated else "") + "".join(members) + "]", at + 1
