"""Values of verl's settings: plain data, in which strings may have parts that only bash knows."""

from __future__ import annotations

import re
from typing import TypeAlias

from relax_lint.records import record
from relax_lint.shell.launch import Unknown

SAFE_DEFAULT = re.compile(r"[\w./+-]+")
"""Texts that can stand as they are as the default of a variable."""
_WITH_DEFAULT = re.compile(r"\$\{(?P<name>\w+):-(?P<default>[\w./+-]+)\}")
_SPECIAL_IN_DOUBLE_QUOTES = re.compile(r'([\\"$`])')


@record
class Template:
    """A string with parts that bash puts in: ``$HOME`` in ``$HOME/data/train.parquet``.

    ``parts`` are literal text and unknown parts in order; at least one is unknown (a string that is known is a
    ``str``).
    """

    parts: tuple[str | Unknown, ...]

    @property
    def quoted(self) -> str:
        """What stands between double quotes in bash to give this string."""
        return "".join(
            _SPECIAL_IN_DOUBLE_QUOTES.sub(r"\\\1", part) if isinstance(part, str) else part.text for part in self.parts
        )

    @property
    def variables(self) -> frozenset[str]:
        """The environment variables it is made of."""
        return frozenset(part.variable for part in self.parts if not isinstance(part, str) and part.variable)


Data: TypeAlias = "bool | int | float | str | Template | list[Data] | dict[str, Data] | None"
"""What a setting holds."""


def with_default(variable: str, default: str) -> Unknown:
    """A variable that has a default where it is read."""
    return Unknown(f"${{{variable}:-{default}}}", variable)


def default_of(part: Unknown) -> str | None:
    """The default that :func:`with_default` gave a variable."""
    found = _WITH_DEFAULT.fullmatch(part.text)
    return found["default"] if found and found["name"] == part.variable else None


def is_known(data: Data) -> bool:
    """Whether no part of it is left to bash."""
    if isinstance(data, Template):
        return False
    if isinstance(data, list):
        return all(map(is_known, data))
    return not isinstance(data, dict) or all(map(is_known, data.values()))
