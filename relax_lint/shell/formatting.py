"""What ``printf`` and ``echo`` write."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.shell.arithmetic import wrap
from relax_lint.shell.escapes import expand_escapes, expand_one, to_bytes, to_text
from relax_lint.shell.quoting import quote_backslash

_CONVERSION = pattern(
    r"%(?P<flags>[-+ 0#']*)(?P<width>\*|-?[0-9]+)?(?P<point>\.(?P<precision>\*|[0-9]*))?[hjlLtz]*"
    r"(?P<letter>\([^)]*\)T|.)?",
    re.DOTALL,
)
_INTEGER = pattern(r"[ \t\n]*([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")
_OTHER_FLOAT = pattern(r"[ \t\n]*[-+]?(?:0x|inf|nan|[0-9.]+e[-+]?[0-9]{4})", re.IGNORECASE)
_LARGEST = (1 << 63) - 1


class Unpredictable(Exception):
    """The output depends on the time, or on something not modelled here."""


@record
class Printed:
    """What a command wrote and its status."""

    text: str
    status: int = 0


def echo(arguments: Sequence[str]) -> Printed:
    """``echo`` with its options ``-n``, ``-e`` and ``-E``."""
    newline, escapes = True, False
    at = 0
    while at < len(arguments) and re.fullmatch(r"-[neE]+", arguments[at]):
        for letter in arguments[at][1:]:
            newline = newline and letter != "n"
            escapes = letter == "e" if letter != "n" else escapes
        at += 1
    text = " ".join(arguments[at:])
    if not escapes:
        return Printed(text + "\n" * newline)
    data, ended = expand_escapes(text, "echo")
    return Printed(to_text(data) + "\n" * (newline and not ended))


def printf(template: str, arguments: Sequence[str]) -> Printed:
    """``printf template arguments…``; raises ``Unpredictable`` for ``%(…)T``, ``%n`` and ``%a``."""
    return _Printer(template, arguments).run()


class _Stop(Exception):
    """``\\c`` in a ``%b``, or an invalid conversion: no more output."""


class _Printer:
    def __init__(self, template: str, arguments: Sequence[str]) -> None:
        self.template = template
        self.arguments = arguments
        self.used = 0
        self.status = 0
        self.made = bytearray()

    def run(self) -> Printed:
        try:
            while True:
                before = self.used
                self.once()
                if self.used >= len(self.arguments) or self.used == before:
                    break
        except _Stop:
            pass
        return Printed(to_text(bytes(self.made)), self.status)

    def next(self) -> str | None:
        self.used += 1
        return self.arguments[self.used - 1] if self.used <= len(self.arguments) else None

    def once(self) -> None:
        template = self.template
        at = 0
        while at < len(template):
            char = template[at]
            if char == "\\" and at + 1 < len(template):
                piece, at = expand_one(template, at + 1, "format")
                self.made += piece
            elif char != "%":
                self.made += to_bytes(char)
                at += 1
            elif template.startswith("%%", at):
                self.made += b"%"
                at += 2
            else:
                found = _CONVERSION.match(template, at)
                assert found is not None
                self.convert(found)
                at = found.end()

    def convert(self, found: re.Match[str]) -> None:
        flags, letter = found["flags"], found["letter"] or ""
        width = self.size(found["width"])
        precision = self.size(found["precision"] or "0") if found["point"] else None
        if precision is not None and precision < 0:
            precision = None
        if width is not None and width < 0:
            flags, width = flags + "-", -width
        if letter.endswith("T") or letter in ("n", "a", "A"):
            raise Unpredictable(found[0])
        if letter == "(":
            self.made += to_bytes(found[0])
            return
        method = _METHODS.get(letter)
        if method is None:
            self.status = 1
            raise _Stop
        method(self, letter, flags, width or 0, precision)

    def size(self, text: str | None) -> int | None:
        if text == "*":
            return self.integer(self.next())
        return None if text is None else int(text or "0")

    def pad(self, body: bytes, flags: str, width: int) -> None:
        self.made += body.ljust(width) if "-" in flags else body.rjust(width)

    def string(self, letter: str, flags: str, width: int, precision: int | None) -> None:
        self.pad(to_bytes(self.next() or "")[:precision], flags, width)

    def character(self, letter: str, flags: str, width: int, precision: int | None) -> None:
        self.pad(to_bytes(self.next() or "")[:1] or b"\0", flags, width)

    def escaped(self, letter: str, flags: str, width: int, precision: int | None) -> None:
        body, ended = expand_escapes(self.next() or "", "percent-b")
        self.pad(body[:precision], flags, width)
        if ended:
            raise _Stop

    def quoted(self, letter: str, flags: str, width: int, precision: int | None) -> None:
        text = self.next() or ""
        if letter == "Q" and precision is not None:
            text = to_text(to_bytes(text)[:precision])
            precision = None
        self.pad(to_bytes(quote_backslash(text))[:precision], flags, width)

    def decimal(self, letter: str, flags: str, width: int, precision: int | None) -> None:
        value = self.integer(self.next())
        self.number(_sign(value < 0, flags), str(abs(value)), flags, width, precision)

    def unsigned(self, letter: str, flags: str, width: int, precision: int | None) -> None:
        value = self.integer(self.next(), unsigned=True)
        digits = format(value, {"u": "d", "o": "o", "x": "x", "X": "X"}[letter])
        prefix = ""
        if "#" in flags and letter in "xX" and value:
            prefix = "0" + letter
        if "#" in flags and letter == "o" and digits[0] != "0" and (precision or 0) <= len(digits):
            precision = len(digits) + 1
        self.number(prefix, digits, flags, width, precision)

    def number(self, prefix: str, digits: str, flags: str, width: int, precision: int | None) -> None:
        if precision is not None:
            digits = "" if precision == 0 and digits == "0" else digits.rjust(precision, "0")
        elif "0" in flags and "-" not in flags:
            digits = digits.rjust(width - len(prefix), "0")
        self.pad((prefix + digits).encode(), flags, width)

    def real(self, letter: str, flags: str, width: int, precision: int | None) -> None:
        argument = self.next()
        text = "0" if argument is None else argument
        if text[:1] in ("'", '"'):
            text = str(_code(text))
        if _OTHER_FLOAT.match(text):
            raise Unpredictable(text)
        from fractions import Fraction

        from relax_lint.shell.floats import Float, read_float, write_float

        value, end = read_float(text) or (Float(Fraction(0), negative=False), 0)
        if end < len(text):
            self.status = 1
        body = write_float(value, letter, precision, keep_zeros="#" in flags).removeprefix("-")
        prefix = _sign(value.negative, flags)
        if "0" in flags and "-" not in flags:
            body = body.rjust(width - len(prefix), "0")
        self.pad((prefix + body).encode(), flags, width)

    def integer(self, text: str | None, *, unsigned: bool = False) -> int:
        if text is None:
            return 0
        if text[:1] in ("'", '"'):
            return _code(text)
        found = _INTEGER.match(text)
        if found is None:
            self.status = int(bool(text))
            return 0
        if found.end() < len(text):
            self.status = 1
        digits = found[2]
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
        value = int(digits, base) * (-1 if found[1] == "-" else 1)
        if unsigned:
            return value % (1 << 64) if abs(value) < 1 << 64 else (1 << 64) - 1
        return max(-_LARGEST - 1, min(_LARGEST, value))


def _sign(negative: bool, flags: str) -> str:
    return "-" if negative else "+" if "+" in flags else " " if " " in flags else ""


def _code(text: str) -> int:
    """The number that ``'x`` means to a numeric conversion."""
    if len(text) == 1:
        return 0
    code = ord(text[1])
    return wrap(code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code)


_METHODS: dict[str, Callable[[_Printer, str, str, int, int | None], None]] = {
    "s": _Printer.string, "c": _Printer.character, "b": _Printer.escaped, "q": _Printer.quoted, "Q": _Printer.quoted,
    "d": _Printer.decimal, "i": _Printer.decimal, "u": _Printer.unsigned, "o": _Printer.unsigned,
    "x": _Printer.unsigned, "X": _Printer.unsigned, "e": _Printer.real, "E": _Printer.real, "f": _Printer.real,
    "F": _Printer.real, "g": _Printer.real, "G": _Printer.real,
}  # fmt: skip
