"""Text in the width of a terminal."""

from __future__ import annotations

import re

WIDTH = 80
ELLIPSIS = "…"
MOST_LINES = 6
"""How many lines a value may take; JSON has it whole."""

_BELOW = 8
"""Where a value begins that stands below its flag."""
_PIECES = re.compile(r"\S+?,(?=\S)|\S+")
"""Where a text may be broken: at blanks, and after a comma."""


def printable(text: str, keep: str = "") -> str:
    """A text without control characters and bytes that are no text, which must not reach a terminal, but for those to
    be kept."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else "\N{REPLACEMENT CHARACTER}" for one in text)


def shortened(text: str, width: int) -> str:
    """A text that fits, its middle left out: of a path whole directories, since its end says most."""
    if len(text) <= width:
        return text
    first, slash, rest = text.partition("/")
    if slash and not first:
        inner, slash, rest = rest.partition("/")
        first = f"/{inner}"
    head = f"{first}/{ELLIPSIS}"
    for found in re.finditer("/", rest) if slash else ():
        if len(head) + len(rest) - found.start() <= width:
            return f"{head}{rest[found.start() :]}"
    kept = (width - 1) // 2
    return f"{text[:kept]}{ELLIPSIS}{text[len(text) - (width - 1 - kept) :]}"


def wrapped(text: str, width: int, most: int = MOST_LINES) -> list[str]:
    """The lines of a text; what is too long for one is shortened, and what makes too many lines is left out."""
    lines, end = [""], 0
    for piece in _PIECES.finditer(text):
        gap = " " if lines[-1] and piece.start() > end else ""
        end = piece.end()
        shown = shortened(piece[0], width)
        if lines[-1] and len(lines[-1]) + len(gap) + len(shown) > width:
            lines.append(shown)
        else:
            lines[-1] += gap + shown
    if len(lines) > most:
        left_out = len(lines) - most + 1
        lines[most - 2 : -1] = [f"{ELLIPSIS} {left_out} lines more {ELLIPSIS}"]
    return lines


def hanging(label: str, text: str, indent: int, most: int = MOST_LINES) -> list[str]:
    """A label and a text beside it, whose further lines stand under its first."""
    lines = wrapped(text, WIDTH - indent, most)
    return [f"{label:<{indent}}{lines[0]}".rstrip(), *(f"{'':<{indent}}{line}" for line in lines[1:])]


def row(head: str, value: str, place: str, column: int) -> list[str]:
    """A value from a column on and its place at the right edge; below, on lines of their own, a value that is too
    long for that."""
    start = max(column, len(head) + 2)
    room = WIDTH - start - (len(place) + 2 if place else 0)
    if len(value) <= room:
        return [f"{head:<{start}}{value:<{room}}  {place}".rstrip() if place else f"{head:<{start}}{value}".rstrip()]
    if len(head) + len(place) + 2 > WIDTH:
        return [head, *row(" " * (_BELOW - 2), value, place, _BELOW)]
    return [
        f"{head}{place:>{WIDTH - len(head)}}",
        *(f"{'':<{_BELOW}}{line}" for line in wrapped(value, WIDTH - _BELOW)),
    ]
