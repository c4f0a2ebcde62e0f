"""From a value of verl's to the words of a flag of Relax: the conversions that the mapping names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import isfinite
from typing import TypeAlias

from relax_lint.migrate.mapping import PASS
from relax_lint.migrate.values import Data, Template
from relax_lint.records import record

Words: TypeAlias = "tuple[str | Template, ...] | None"
"""The values of a flag, none for a switch; ``None`` when the flag is not to be passed."""

_MIB = 1024 * 1024
_SECONDS = 60
_ZEROS_OF_EXPONENT = re.compile(r"e([+-]?)0*(\d)")


class Unsuitable(Exception):
    """A value that the flag cannot say: why, and what to do."""

    def __init__(self, reason: str, todo: str = "") -> None:
        super().__init__(reason)
        self.reason, self.todo = reason, todo


@record
class Conversion:
    """How a value becomes the words of a flag. ``carries`` says that it takes text with parts that bash puts in."""

    words: Callable[[Data], Words]
    carries: bool = False


def text_of(value: Data) -> str:
    """A value as it stands in a command line: ``1e-06`` as 1e-6, lists and mappings as JSON, in which what bash
    completes stays as it is written."""
    if isinstance(value, float):
        return _ZEROS_OF_EXPONENT.sub(r"e\1\2", repr(value))
    if value is None or isinstance(value, (bool, list, dict)):
        return json.dumps(value, default=lambda part: part.quoted)
    return str(value)


def _passed(value: Data) -> Words:
    if value is None:
        return None
    return (value if isinstance(value, Template) else text_of(value),)


def _switch(value: Data) -> Words:
    return () if _truth(value) else None


def _switched_off(value: Data) -> Words:
    return None if _truth(value) else ()


def _truth(value: Data) -> bool:
    if isinstance(value, bool) or value is None or value in (0, 1):
        return bool(value)
    raise Unsuitable(f"{text_of(value)} is neither true nor false")


def _first(value: Data) -> Words:
    return _passed(_pair(value)[0])


def _second(value: Data) -> Words:
    return _passed(_pair(value)[1])


def _pair(value: Data) -> tuple[Data, Data]:
    if isinstance(value, list) and len(value) == 2:
        return value[0], value[1]
    raise Unsuitable(f"{text_of(value)} is no pair of numbers")


def _positive(value: Data) -> Words:
    """-1 and null stand for off."""
    return None if value is None or _number(value) <= 0 else _passed(value)


def _mib_to_bytes(value: Data) -> Words:
    return None if value is None else (str(round(_number(value) * _MIB)),)


def _seconds_to_minutes(value: Data) -> Words:
    """Rounded up, so that nothing times out earlier."""
    return None if value is None else (str(max(1, -int(-_number(value) // _SECONDS))),)


def _number(value: Data) -> float:
    number = value
    if isinstance(value, str):
        with suppress(ValueError):
            number = float(value)
    if isinstance(number, (int, float)) and not isinstance(number, bool) and isfinite(number):
        return number
    raise Unsuitable(f"{text_of(value)} is no number")


def _words(value: Data) -> Words:
    """A list becomes several words."""
    if value is None or value == []:
        return None
    if isinstance(value, list):
        return tuple(part if isinstance(part, Template) else text_of(part) for part in value)
    return _passed(value)


def _json(value: Data) -> Words:
    return None if value is None or value == {} else (json.dumps(value),)


def _option(value: Data) -> Words:
    """An option of a server's: true is its switch, false is nothing, a mapping JSON, a list several words."""
    if value is None or value is False:
        return None
    if value is True:
        return ()
    return (json.dumps(value),) if isinstance(value, dict) else _words(value)


def _half(value: Data) -> Words:
    """Whether a type of numbers is float16; bfloat16 is Relax's own."""
    if value is None or value in ("bfloat16", "bf16"):
        return None
    if value in ("float16", "fp16", "half"):
        return ()
    raise Unsuitable(f"Relax trains in bfloat16 or float16, not in {text_of(value)}", "leave it at bfloat16")


def _adam(value: Data) -> Words:
    """verl's names of one optimizer: AdamW, adam."""
    if not isinstance(value, str):
        raise Unsuitable(f"{text_of(value)} is no optimizer")
    return ("adam",) if value.lower() in ("adam", "adamw") else (value.lower(),)


_KL_ESTIMATES = {"kl": "k1", "mse": "k2", "k1": "k1", "k2": "k2", "k3": "k3", "low_var_kl": "low_var_kl"}


def _kl_estimate(value: Data) -> Words:
    if isinstance(value, str) and value in _KL_ESTIMATES:
        return (_KL_ESTIMATES[value],)
    raise Unsuitable(
        f"Relax does not estimate KL as {text_of(value)}", f"choose one of {', '.join(dict.fromkeys(_KL_ESTIMATES))}"
    )


def _token_weights(value: Data) -> Words:
    """Whether importance weights are given token by token, as Relax does; none is no weights."""
    if value is None or value == "token":
        return None if value is None else ()
    raise Unsuitable(
        f"Relax weights each token by itself, not by {text_of(value)}",
        "use token, or write a function for --custom-tis-function-path",
    )


def _images(value: Data) -> Words:
    return None if value is None else (json.dumps({"image": value}),)


def _positions(value: Data) -> Words:
    """The length that a model is made for, overridden in the server's copy of its config."""
    return None if value is None else (json.dumps({"max_position_embeddings": value}),)


CONVERSIONS: Mapping[str, Conversion] = {
    PASS: Conversion(_passed, carries=True),
    "switch": Conversion(_switch),
    "switched off": Conversion(_switched_off),
    "first": Conversion(_first),
    "second": Conversion(_second),
    "positive": Conversion(_positive),
    "MiB to bytes": Conversion(_mib_to_bytes),
    "seconds to minutes": Conversion(_seconds_to_minutes),
    "words": Conversion(_words, carries=True),
    "json": Conversion(_json),
    "option": Conversion(_option, carries=True),
    "half": Conversion(_half),
    "adam": Conversion(_adam),
    "KL estimate": Conversion(_kl_estimate),
    "token weights": Conversion(_token_weights),
    "images": Conversion(_images),
    "positions": Conversion(_positions),
}
"""By name; ``conversion_of`` knows more."""
_FIXED = re.compile(r"(\S+) (if|unless) (\S+)")


def conversion_of(name: str) -> Conversion:
    """The conversion of a name. ``full if true`` gives one word, or nothing, by what the value is; ``on if R2`` is the
    same for a switch."""
    if name in CONVERSIONS:
        return CONVERSIONS[name]
    found = _FIXED.fullmatch(name)
    if found is None:
        raise KeyError(name)
    word, sign, wanted = found.groups()
    words: Words = () if word == "on" else (word,)
    return Conversion(lambda value: words if (text_of(value) == wanted) == (sign == "if") else None)
