"""Pieces of Markdown that every generated page is made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

GENERATED = "<!-- the whole page: made by `make docs` -->"
"""The first line of a page that nobody writes."""
UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\ufeff\ud800-\udfff]")
UNSEEN_NAMES = {"\r": "␍", "\0": "␀", "\ufeff": "⟨byte-order mark⟩"}


def fenced(text: str, language: str) -> str:
    """A code block whose fence the text cannot close; what would not be seen in it is made visible."""
    text = UNSEEN.sub(lambda match: UNSEEN_NAMES.get(match[0], f"\\x{ord(match[0]) & 0xFF:02x}"), text)
    ticks = max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1
    fence = "`" * ticks
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def cell(text: str) -> str:
    """Text that stays within its cell of a table."""
    return " ".join(text.replace("|", "&#124;").split())


def code(text: str) -> str:
    """Text as code within a line, also where it holds backticks itself."""
    if not text:
        return '`""`'
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, its cells as they are."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def between(text: str, name: str, content: str, *, comment: str = "<!-- {} -->") -> str:
    """The text with ``content`` between the marks ``name: made by `make docs``` and ``end of name``."""
    begin, end = comment.format(f"{name}: made by `make docs`"), comment.format(f"end of {name}")
    found = re.search(rf"{re.escape(begin)}\n.*?(?=[ ]*{re.escape(end)})", text, re.DOTALL)
    return text if found is None else f"{text[: found.start()]}{begin}\n{content}{text[found.end() :]}"
