"""``seq`` and ``expr``."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from relax_lint.shell.floats import Float, read_float, to_long_double, write_float
from relax_lint.shell.formatting import printf
from relax_lint.shell.programs.regexes import compile_basic
from relax_lint.shell.programs.result import Call, Result, Unsupported

_LONGEST = 100_000
_SMALL = re.compile(r"-?[1-9][0-9]{0,8}|0")
_INTEGER = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.([0-9]*))?|\.([0-9]+))")


def seq(call: Call) -> Result:
    """``seq [-w] [-s STRING] [-f FORMAT] [FIRST [STEP]] LAST``."""
    template, separator, equal_width, operands = _seq_arguments(list(call.arguments))
    if not 1 <= len(operands) <= 3:
        return Result("", 1)
    first, last = operands[0] if len(operands) > 1 else "1", operands[-1]
    step = operands[1] if len(operands) == 3 else "1"
    places = max(_places(first), _places(step))
    _places(last)
    start, by, end = (_value(text) for text in (first, step, last))
    if not by:
        return Result("", 1)
    width = _width(first, last, places) if equal_width else 0
    if template is None and not width and all(_SMALL.fullmatch(operand) for operand in operands):
        numbers = range(int(first), int(last) + (1 if by > 0 else -1), int(step))
        if len(numbers) <= _LONGEST:
            return Result(separator.join(map(str, numbers)) + "\n" if numbers else "")
    write = _writer(template, places, width)
    texts = _sequence(start, by, end, write)
    return Result(separator.join(texts) + "\n" if texts else "")


def _seq_arguments(arguments: list[str]) -> tuple[str | None, str, bool, list[str]]:
    template, separator, equal_width = None, "\n", False
    while arguments and re.match(r"-[^-0-9.]|--.", arguments[0]):
        option = arguments.pop(0)
        if option in ("-w", "--equal-width"):
            equal_width = True
            continue
        name, value = (
            (option[:2], option[2:]) if option[1] != "-" else (option.partition("=")[0], option[option.find("=") + 1 :])
        )
        if name in ("-s", "-f") and not value and arguments:
            value = arguments.pop(0)
        if name in ("-s", "--separator"):
            separator = value
        elif name in ("-f", "--format"):
            template = value
        else:
            raise Unsupported(option)
    if arguments[:1] == ["--"]:
        arguments.pop(0)
    return template, separator, equal_width, arguments


def _places(text: str) -> int:
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise Unsupported(text)
    return len(found[1] or found[2] or "")


def _value(text: str) -> Fraction:
    number = read_float(text)
    assert number is not None
    return number[0].value


def _width(first: str, last: str, places: int) -> int:
    def width(text: str) -> int:
        own = _places(text)
        size = len(text.removeprefix("+")) + places - own
        return size - bool(own and not places) + bool(places and not own)

    return max(width(first), width(last))


def _writer(template: str | None, places: int, width: int) -> Callable[[Fraction], str]:
    def plain(value: Fraction) -> str:
        text = write_float(Float(value, value < 0), "f", places)
        return "-" + text[1:].rjust(width - 1, "0") if value < 0 else text.rjust(width, "0")

    if template is None:
        return plain
    if not re.fullmatch(r"(?:[^%]|%%)*%[-+ 0#]*[0-9]*(?:\.[0-9]*)?[eEfFgG](?:[^%]|%%)*", template) or "\\" in template:
        raise Unsupported(template)

    def formatted(value: Fraction) -> str:
        return printf(template, [write_float(Float(value, value < 0), "f", 60)]).text

    return formatted


def _sequence(start: Fraction, by: Fraction, end: Fraction, write: Callable[[Fraction], str]) -> list[str]:
    if (end - start) / by > _LONGEST:
        raise Unsupported("a long sequence")
    texts: list[str] = []
    value = start
    while (value <= end) if by > 0 else (value >= end):
        texts.append(write(value))
        value = to_long_double(start + to_long_double(len(texts) * by))
    if texts:
        # A number that rounding has put just past the end, and that is written like it, still counts.
        beyond = write(value)
        number = read_float(beyond)
        if number is not None and number[0].value == end and beyond != texts[-1]:
            texts.append(beyond)
    return texts


def expr(call: Call) -> Result:
    """``expr`` with its operators and string functions."""
    arguments = list(call.arguments)
    if arguments[:1] == ["--"]:
        arguments.pop(0)
    reader = _Expression(arguments)
    try:
        value = reader.either()
    except _Failure:
        return Result("", 2)
    if reader.rest:
        return Result("", 2)
    return Result(value + "\n", int(_null(value)))


class _Failure(Exception):
    """A division by zero, or a word that is no number."""


class _Expression:
    """Recursive descent over the words; ``|`` binds loosest."""

    def __init__(self, words: list[str]) -> None:
        self.rest = words

    def accept(self, *operators: str) -> str | None:
        return self.rest.pop(0) if self.rest and self.rest[0] in operators else None

    def either(self) -> str:
        value = self.both()
        while self.accept("|"):
            other = self.both()
            if _null(value):
                value = "0" if _null(other) else other
        return value

    def both(self) -> str:
        value = self.comparison()
        while self.accept("&"):
            other = self.comparison()
            value = "0" if _null(value) or _null(other) else value
        return value

    def comparison(self) -> str:
        value = self.sum()
        while operator := self.accept("<", "<=", "=", "==", "!=", ">=", ">"):
            other = self.sum()
            numeric = all(_INTEGER.fullmatch(text) for text in (value, other))
            order = (
                (int(value) > int(other)) - (int(value) < int(other)) if numeric else (value > other) - (value < other)
            )
            value = str(int(_HOLDS[operator](order)))
        return value

    def sum(self) -> str:
        value = self.product()
        while operator := self.accept("+", "-"):
            other = self.product()
            value = str(_integer(value) + _integer(other) * (1 if operator == "+" else -1))
        return value

    def product(self) -> str:
        value = self.matched()
        while operator := self.accept("*", "/", "%"):
            left, right = _integer(value), _integer(self.matched())
            if operator == "*":
                value = str(left * right)
                continue
            if right == 0:
                raise _Failure
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            value = str(quotient if operator == "/" else left - quotient * right)
        return value

    def matched(self) -> str:
        value = self.primary()
        while self.accept(":"):
            value = _match(value, self.primary())
        return value

    def primary(self) -> str:
        if not self.rest:
            raise _Failure
        word = self.rest.pop(0)
        if word == "(":
            value = self.either()
            if not self.accept(")"):
                raise _Failure
            return value
        if word == ")":
            raise _Failure
        if word == "+" and self.rest:
            return self.rest.pop(0)
        if word == "length" and self.rest:
            return str(len(self.primary()))
        if word == "match" and len(self.rest) > 1:
            return _match(self.primary(), self.primary())
        if word == "index" and len(self.rest) > 1:
            text, chars = self.primary(), self.primary()
            return str(min((text.find(char) + 1 for char in chars if char in text), default=0))
        if word == "substr" and len(self.rest) > 2:
            text, start, size = self.primary(), _integer(self.primary()), _integer(self.primary())
            return text[start - 1 : start - 1 + size] if start > 0 and size > 0 else ""
        return word


_HOLDS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0, "<=": lambda order: order <= 0, "=": lambda order: order == 0,
    "==": lambda order: order == 0, "!=": lambda order: order != 0, ">=": lambda order: order >= 0,
    ">": lambda order: order > 0,
}  # fmt: skip


def _null(value: str) -> bool:
    return value == "" or re.fullmatch(r"-?0+", value) is not None


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise _Failure
    return int(text)


def _match(text: str, expression: str) -> str:
    found = compile_basic(expression).match(text)
    if "\\(" in expression:
        return (found[1] or "") if found else ""
    return str(found.end() if found else 0)
