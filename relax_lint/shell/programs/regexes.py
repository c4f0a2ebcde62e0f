"""Regular expressions of ``grep``, ``sed`` and ``expr`` in terms of Python's."""

from __future__ import annotations

import re

from relax_lint.shell.programs.result import Unsupported
from relax_lint.shell.regex import compile_regex

_STACKED = re.compile(r"(?<!\\)[*+?}][*+?{]")
_LETTER_ESCAPES = {"n": "\n", "t": "\t"}


def compile_basic(expression: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """A basic regular expression with GNU's additions."""
    return compile_extended(_extended(expression), ignore_case=ignore_case)


def compile_extended(expression: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """An extended regular expression; refused where Python could choose another match than POSIX, or is no match."""
    spelled = re.sub(
        r"\\(.)",
        lambda found: _LETTER_ESCAPES.get(found[1], found[0]),
        expression.replace("\\\\", "\\\\"),
        flags=re.DOTALL,
    )
    if re.search(r"\\[0-9<>`'bB]", spelled) or _STACKED.search(re.sub(r"\[\^?\]?[^]]*\]", "[]", spelled)):
        raise Unsupported(expression)
    try:
        compiled = compile_regex([(spelled, False)], ignore_case=ignore_case)
    except re.error as error:
        raise Unsupported(str(error)) from None
    if not compiled.exact or compiled.explosive:
        raise Unsupported(expression)
    return compiled.pattern


def _extended(expression: str) -> str:
    """The same expression in the extended syntax."""
    made: list[str] = []
    at = 0
    while at < len(expression):
        char = expression[at]
        at += 1
        starts = not made or made[-1] in ("(", "|")
        if char == "\\" and at < len(expression):
            char = expression[at]
            at += 1
            made.append(char if char in "(){}|+?" else "\\" + char)
        elif char == "[":
            close = _bracket_end(expression, at)
            made.append(expression[at - 1 : close])
            at = close
        elif char in "(){}|+?":
            made.append("\\" + char)
        elif char == "*" and (starts or (made[-1] == "^" and len(made) == 1)):
            made.append("\\*")
        elif char == "^" and not starts:
            made.append("\\^")
        elif char == "$" and at < len(expression) and not expression.startswith(("\\)", "\\|"), at):
            made.append("\\$")
        else:
            made.append(char)
    return "".join(made)


def _bracket_end(expression: str, at: int) -> int:
    """The offset behind the bracket expression whose content starts at ``at``."""
    found = re.compile(r"\^?\]?(?:\[:\w+:\]|[^]])*\]").match(expression, at)
    if found is None:
        raise Unsupported(expression)
    return found.end()
