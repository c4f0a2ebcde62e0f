"""Which groups of a regular expression can hold nothing but a number."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache

_NO_NUMBERS = (
    *(
        "",
        "-",
        "+",
        " ",
        "a",
        ".",
        ",",
        "-.",
        "..",
        "1.2.3",
        "1,000",
        "--1",
        "1-2",
        "1 2",
        "0x1",
        "e",
        "1e",
        "/",
        "1/2",
    ),
    *("%", "1%", "$1", "½"),
)
_NO_INTEGERS = ("1.5", "1e3", ".5", "1.")
"""What a model may well write where a number is wanted."""


@lru_cache(maxsize=256)
def holds_number(pattern: str, group: int | str, function: str) -> bool:
    """Whether ``int`` or ``float`` can do with whatever a group matches."""
    part = _group(pattern, group)
    if part is None:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
            compiled = re.compile(part)
    except (re.error, OverflowError, RecursionError):
        return False
    refused = (*_NO_NUMBERS, *_NO_INTEGERS) if function == "int" else _NO_NUMBERS
    return not any(compiled.fullmatch(text) for text in refused) and compiled.fullmatch("1") is not None


def _group(pattern: str, group: int | str) -> str | None:
    """The text of a group; the whole pattern for group 0."""
    if group == 0:
        return pattern
    for number, (name, start, end) in enumerate(_groups(pattern), start=1):
        if group in (number, name):
            return None if _is_optional(pattern, end) else pattern[start:end]
    return None


def _is_optional(pattern: str, end: int) -> bool:
    """Whether a group may be left out, and is None then."""
    return pattern[end + 1 : end + 2] in ("?", "*") or pattern[end + 1 : end + 3] == "{0"


def _groups(pattern: str) -> list[tuple[str, int, int]]:
    """The groups that capture, in the order of their brackets: name, and the span of what is in them."""
    found: list[list[object]] = []
    opened: list[int] = []
    for at in _brackets(pattern):
        if pattern[at] == ")":
            index = opened.pop() if opened else -1
            if index >= 0:
                found[index][2] = at
            continue
        name, start = "", at + 1
        if pattern.startswith("?P<", start):
            close = pattern.find(">", start)
            name, start = pattern[start + 3 : close], close + 1
        elif pattern.startswith("?", start):
            opened.append(-1)
            continue
        opened.append(len(found))
        found.append([name, start, len(pattern)])
    return [(str(name), int(str(start)), int(str(end))) for name, start, end in found]


def _brackets(pattern: str) -> Iterator[int]:
    at, in_class = 0, False
    while at < len(pattern):
        letter = pattern[at]
        if letter == "\\":
            at += 1
        elif in_class:
            in_class = letter != "]"
        elif letter == "[":
            in_class = True
            at += pattern.startswith("^", at + 1)
            at += pattern.startswith("]", at + 1)
        elif letter in "()":
            yield at
        at += 1
