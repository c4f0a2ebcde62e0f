"""Decimal numbers as ``printf`` and ``seq`` compute and write them: 80-bit floating point, exact rounding."""

from __future__ import annotations

import re
from fractions import Fraction

from relax_lint.records import record

_DECIMAL = re.compile(r"[ \t\n]*([-+]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([-+]?[0-9]+))?")
_MANTISSA_BITS = 64
_LARGEST_EXPONENT = 4000


@record
class Float:
    """A value and its sign, which 0 has too."""

    value: Fraction
    negative: bool


def read_float(text: str) -> tuple[Float, int] | None:
    """The number at the start of a text and where it ends; ``None`` when there is none or it is out of reach."""
    found = _DECIMAL.match(text)
    if found is None or abs(int(found[3] or "0")) > _LARGEST_EXPONENT:
        return None
    value = Fraction(found[2].removesuffix(".") if found[2][0] != "." else "0" + found[2])
    value = to_long_double(value * Fraction(10) ** int(found[3] or "0"))
    return Float(-value if found[1] == "-" else value, found[1] == "-"), found.end()


def to_long_double(value: Fraction) -> Fraction:
    """The nearest number with a mantissa of 64 bits, the even one of two."""
    if not value:
        return value
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    shift = Fraction(2) ** (_MANTISSA_BITS - 1 - exponent)
    if abs(value) * shift >= 1 << _MANTISSA_BITS:
        shift /= 2
    elif abs(value) * shift < 1 << (_MANTISSA_BITS - 1):
        shift *= 2
    return round(value * shift) / shift


def write_float(number: Float, conversion: str, precision: int | None, *, keep_zeros: bool = False) -> str:
    """A number without padding in the manner of ``%f``, ``%e`` or ``%g``; upper-case conversions too."""
    value = abs(number.value)
    places = 6 if precision is None else precision
    kind = conversion.lower()
    if kind == "f":
        text = _fixed(value, places, keep_zeros)
    elif kind == "e":
        text = _scientific(value, places, keep_zeros)
    else:
        text = _general(value, places or 1, keep_zeros)
    return ("-" if number.negative else "") + (text.upper() if conversion.isupper() else text)


def _fixed(value: Fraction, places: int, point: bool) -> str:
    digits = str(round(value * 10**places)).rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
    return f"{whole}.{fraction}" if places or point else whole


def _rounded(value: Fraction, places: int) -> tuple[str, int]:
    """``places + 1`` significant digits and the exponent of the first."""
    if not value:
        return "0" * (places + 1), 0
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    if value < Fraction(10) ** exponent:
        exponent -= 1
    digits = str(round(value * Fraction(10) ** (places - exponent)))
    if len(digits) > places + 1:
        digits, exponent = digits[:-1], exponent + 1
    return digits, exponent


def _scientific(value: Fraction, places: int, point: bool) -> str:
    digits, exponent = _rounded(value, places)
    mantissa = f"{digits[0]}.{digits[1:]}" if places or point else digits
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _general(value: Fraction, places: int, keep_zeros: bool) -> str:
    _, exponent = _rounded(value, places - 1)
    if -4 <= exponent < places:
        text = _fixed(value, places - 1 - exponent, keep_zeros)
        tail = ""
    else:
        mantissa, _, power = _scientific(value, places - 1, keep_zeros).partition("e")
        text, tail = mantissa, "e" + power
    if not keep_zeros and "." in text:
        text = text.rstrip("0").rstrip(".")
    return text + tail
