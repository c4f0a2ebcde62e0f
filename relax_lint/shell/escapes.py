r"""Backslash escapes: those of ``$'…'``, of ``echo -e``, and of ``printf`` in its format and in ``%b``.

All of them can name bytes, so they are put together as bytes and read as UTF-8 afterwards.
"""

from __future__ import annotations

import re
from typing import Literal

from relax_lint.patterns import pattern

Dialect = Literal["ansi-c", "echo", "format", "percent-b"]

_SIMPLE = {"a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_OCTAL = pattern(r"[0-7]{1,3}")
_ECHO_OCTAL = pattern(r"0[0-7]{0,3}")
_HEX = pattern(r"[0-9a-fA-F]{1,2}")
_BRACED_HEX = pattern(r"\{([0-9a-fA-F]*)\}?")
_UNICODE = {"u": re.compile(r"[0-9a-fA-F]{1,4}"), "U": re.compile(r"[0-9a-fA-F]{1,8}")}


def to_bytes(text: str) -> bytes:
    """The bytes of a text; a surrogate stands for the byte that could not be read."""
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """The text of bytes; what is no UTF-8 survives as surrogates."""
    return data.decode("utf-8", "surrogateescape")


def ansi_c(text: str) -> str:
    r"""What stands between the quotes of ``$'…'``; bash ends the text at a ``\0``."""
    return to_text(expand_escapes(text, "ansi-c")[0].partition(b"\0")[0])


def expand_escapes(text: str, dialect: Dialect) -> tuple[bytes, bool]:
    r"""The bytes that a text means, and whether a ``\c`` ended all output."""
    made = bytearray()
    at = 0
    while True:
        backslash = text.find("\\", at)
        if backslash < 0 or backslash + 1 == len(text):
            made += to_bytes(text[at:])
            return bytes(made), False
        made += to_bytes(text[at:backslash])
        if text[backslash + 1] == "c" and dialect in ("echo", "percent-b"):
            return bytes(made), True
        piece, at = expand_one(text, backslash + 1, dialect)
        made += piece


def expand_one(text: str, at: int, dialect: Dialect) -> tuple[bytes, int]:
    """The bytes of the escape whose letter is at ``at``, and the offset behind it."""
    char = text[at]
    if char in _SIMPLE:
        return bytes([_SIMPLE[char]]), at + 1
    if "0" <= char <= "7":
        return _octal(text, at, dialect)
    if char == "x":
        return _hex(text, at + 1, dialect)
    if char in _UNICODE:
        digits = _UNICODE[char].match(text, at + 1)
        if digits is None:
            return b"\\" + char.encode(), at + 1
        return _utf8(int(digits[0], 16)), digits.end()
    if char in "'\"?" and dialect in ("ansi-c", "format"):
        return char.encode(), at + 1
    if char == "c" and dialect == "ansi-c" and at + 1 < len(text):
        control = text[at + 1]
        width = 3 if text.startswith("\\\\", at + 1) else 2
        return bytes([127 if control == "?" else ord(control.upper()) & 31]), at + width
    return b"\\" + to_bytes(char), at + 1


def _octal(text: str, at: int, dialect: Dialect) -> tuple[bytes, int]:
    leading_zero = text[at] == "0"
    if dialect == "echo" and not leading_zero:
        return b"\\" + text[at].encode(), at + 1
    longer = leading_zero and dialect in ("echo", "percent-b")
    digits = (_ECHO_OCTAL if longer else _OCTAL).match(text, at)
    assert digits is not None
    return bytes([int(digits[0], 8) & 255]), digits.end()


def _hex(text: str, at: int, dialect: Dialect) -> tuple[bytes, int]:
    braced = _BRACED_HEX.match(text, at) if dialect == "ansi-c" else None
    if braced is not None:
        return bytes([int(braced[1] or "0", 16) & 255]), braced.end()
    digits = _HEX.match(text, at)
    if digits is None:
        return b"\\x", at
    return bytes([int(digits[0], 16)]), digits.end()


def _utf8(code: int) -> bytes:
    """The bytes bash writes for a code point, those that UTF-8 does not allow included."""
    if code < 0x80:
        return bytes([code])
    for size, limit in ((2, 0x800), (3, 0x10000), (4, 0x200000), (5, 0x4000000), (6, 0x80000000)):
        if code < limit:
            lead = (0xFF00 >> size) & 0xFF
            parts = [0x80 | (code >> shift) & 0x3F for shift in range(6 * (size - 2), -1, -6)]
            return bytes([lead | code >> 6 * (size - 1), *parts])
    return b""
