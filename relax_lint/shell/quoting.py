"""How bash writes a value so that it can be read again: ``${v@Q}``, ``printf %q``, ``declare -p``; and ``${v@U}`` …"""

from __future__ import annotations

from relax_lint.patterns import pattern
from relax_lint.shell.escapes import ansi_c, to_bytes
from relax_lint.shell.patterns import change_case

_SPECIAL = pattern(r"[ \t\n'\"\\|&;()<>!{}*\[\]?^$`,]|^#|(?:^|(?<=[:=]))~")
_LETTERS = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 27: "E"}


def needs_ansi_c(value: str) -> bool:
    """Whether a value holds characters that bash writes as escapes."""
    return any(char < " " or "\x7f" <= char < "\xa0" or "\ud800" <= char <= "\udfff" for char in value)


def quote_ansi_c(value: str) -> str:
    """A value as ``$'…'``."""
    parts = []
    for char in value:
        code = ord(char)
        if code in _LETTERS:
            parts.append("\\" + _LETTERS[code])
        elif char in "\\'":
            parts.append("\\" + char)
        elif needs_ansi_c(char):
            parts += [f"\\{byte:03o}" for byte in to_bytes(char)]
        else:
            parts.append(char)
    return "$'" + "".join(parts) + "'"


def quote(value: str) -> str:
    """``${v@Q}``."""
    if needs_ansi_c(value):
        return quote_ansi_c(value)
    if value == "'":
        return "\\'"
    return "'" + value.replace("'", "'\\''") + "'"


def as_word(value: str) -> str:
    """A value as one word of a command: as it is where bash leaves it so, in quotes elsewhere."""
    return value if value and not needs_ansi_c(value) and not _SPECIAL.search(value) else quote(value)


def quote_backslash(value: str) -> str:
    """``printf %q``."""
    if not value:
        return "''"
    return quote_ansi_c(value) if needs_ansi_c(value) else _SPECIAL.sub(r"\\\g<0>", value)


def transform(value: str, operator: str) -> str | None:
    """``${v@Q}``, ``@E``, ``@U``, ``@u``, ``@L``; ``None`` for those that need more than the value."""
    if operator == "Q":
        return quote(value)
    if operator == "E":
        return ansi_c(value)
    case = {"U": "^^", "u": "^", "L": ",,"}.get(operator)
    return change_case(value, case) if case else None
