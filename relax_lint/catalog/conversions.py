"""What argparse's ``type=`` functions of Relax, Megatron and SGLang make of a word."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from relax_lint.patterns import pattern


class BadValue(Exception):
    """A word that its flag does not take; ``crash`` says that Python's traceback ends the run, not a message."""

    def __init__(self, message: str, crash: bool = False) -> None:
        super().__init__(message)
        self.crash = crash


_SI = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_IEC = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_WITH_SUFFIX = pattern(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)")
_PATTERN = pattern(r"[,\d\[\]()+*]*")


def _human_int(text: str) -> int:
    """``25.6k``, ``1Mi`` or a plain number."""
    text = text.strip()
    found = _WITH_SUFFIX.fullmatch(text)
    if found is None:
        return int(text)
    number, suffix = found.groups()
    if suffix in _IEC:
        return int(number) * _IEC[suffix]
    from decimal import Decimal

    return int(Decimal(number) * _SI[suffix])


def _nullable(text: str) -> str | None:
    return None if text in ("", "None") else text


def _frequency(text: str) -> object:
    """A number, or a list spelled with ``+`` and ``*``: ``([1]*3+[0])*2``."""
    if "[" not in text:
        return int(text)
    if not _PATTERN.fullmatch(text):
        raise ValueError("no pattern")
    from relax_lint.catalog.patterns import evaluate

    return evaluate(text)


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.strip("()").split(","))


CONVERSIONS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "json": json.loads,
    "bool-text": bool,
    "human_readable_int": _human_int,
    "nullable_str": _nullable,
    "moe_freq_type": _frequency,
    "la_freq_type": _frequency,
    "no_rope_freq_type": _frequency,
    "tuple_type": _integers,
}
"""By the catalogue's name of a type; what is not here is taken as it is."""

_PATTERN_WANTED = "a whole number or a list pattern such as ([1]*3+[0])*2"
_WANTED = {
    "int": "a whole number",
    "float": "a number",
    "json": "JSON",
    "human_readable_int": "a whole number (k, M, G, T, Ki, Mi, Gi, Ti may follow)",
    "moe_freq_type": _PATTERN_WANTED,
    "la_freq_type": _PATTERN_WANTED,
    "no_rope_freq_type": _PATTERN_WANTED,
    "tuple_type": "whole numbers with commas between them",
}


def converted(text: str, kind: str | None, choices: Sequence[object] | None) -> Any:
    """The value of a word. Raises :class:`BadValue`."""
    if kind == "enum":
        if choices is not None and text not in choices:
            raise BadValue(f"{text!r} is none of {_listed(choices)}", crash=True)
        return text
    convert = CONVERSIONS.get(kind or "str")
    try:
        value = text if convert is None else convert(text)
    except (ValueError, TypeError, ArithmeticError, RecursionError):
        raise BadValue(f"{text!r} is not {_WANTED.get(kind or '', 'a value it takes')}") from None
    if choices is not None and value not in choices:
        raise BadValue(f"{text!r} is none of {_listed(choices)}")
    return value


def _listed(choices: Sequence[object]) -> str:
    return ", ".join(str(choice) for choice in choices)
