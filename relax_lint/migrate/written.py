"""How values are written in a launcher: a word of bash for each, and comments of a bearable width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.values import Template

if TYPE_CHECKING:
    from relax_lint.migrate.plan import Passed

_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_SPECIAL_IN_DOUBLE_QUOTES = re.compile(r'([\\"$`])')
_NEGATIVE = re.compile(r"-(?:\d+\.?|\d*\.\d+)(?:[eE][-+]?\d+)?")
_WHOLE_DEFAULT = re.compile(r"\$\{\w+:?-(?P<default>.*)\}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9.]+")
WIDTH = 100
"""How wide comments are."""


def word(value: str | Template) -> str:
    """A value as one word of bash."""
    if isinstance(value, Template):
        return f'"{value.quoted}"'
    if _PLAIN.fullmatch(value):
        return value
    if any(character < " " or character == "\x7f" for character in value):
        from relax_lint.shell.quoting import quote_ansi_c

        return quote_ansi_c(value)
    if "'" not in value:
        return f"'{value}'"
    return '"' + _SPECIAL_IN_DOUBLE_QUOTES.sub(r"\\\1", value) + '"'


def flag(passed: Passed) -> str:
    """A flag with its values. What argparse would take for another flag stands in one word with its own."""
    if len(passed.values) == 1 and _looks_like_a_flag(passed.values[0]):
        return f"{passed.flag}={word(passed.values[0])}"
    return " ".join([passed.flag, *map(word, passed.values)])


def _looks_like_a_flag(value: str | Template) -> bool:
    """Whether a value begins with a dash, or does when the variable that it begins with is empty."""
    known = [part for part in value.parts if isinstance(part, str)] if isinstance(value, Template) else [value]
    first = known[0] if known else ""
    return first.startswith("-") and not _NEGATIVE.fullmatch(first)


def comment(text: str, indent: str = "", first: str = "", later: str | None = None) -> Iterator[str]:
    """A text as lines of comments; ``first`` stands before it, ``later`` (else as many blanks) before further lines."""
    ahead = f"{indent}# "
    following = " " * len(first) if later is None else later
    yield from textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=ahead + first,
        subsequent_indent=ahead + following,
        break_long_words=False,
        break_on_hyphens=False,
    )


def continued(lines: Iterable[str], indent: str) -> Iterator[str]:
    """The lines of one command, each but the last with a backslash."""
    found = list(lines)
    for number, line in enumerate(found):
        ahead = indent if number == 0 else f"{indent}    "
        yield f"{ahead}{line}" + (" \\" if number < len(found) - 1 else "")


def filled(words: Iterable[str], width: int = 72) -> Iterator[str]:
    """Words put together to lines."""
    line = ""
    for each in words:
        if line and len(line) + len(each) >= width:
            yield line
            line = ""
        line = f"{line} {each}" if line else each
    if line:
        yield line


def likely(written: str) -> str:
    """A value without the variable that may override it, and without quotes in it."""
    match = _WHOLE_DEFAULT.fullmatch(written)
    return likely(match["default"].strip("\"'")) if match else written


def directory_of(path: str) -> str:
    """The directory of a path, in double quotes; empty when it has none that can be told."""
    directory, _, name = likely(path).rpartition("/")
    return f'"{directory}"' if directory and "}" not in name and directory.count("{") == directory.count("}") else ""


def plain_name(text: str, most: int = 40) -> str:
    """A text as a part of a file's name."""
    return _NOT_IN_A_NAME.sub("-", text).strip("-.")[:most].rstrip("-.")
