"""The conditions of constraints: a small part of Python's expressions, judged with three truth values.

A name is an attribute of Relax's arguments or a derived value. ``given("--flag")`` asks whether a flag is passed,
``env("NAME")`` for a variable of the launch's environment. What is not known statically matters only when it decides:
``False and unknown`` is false.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from types import CodeType
from typing import TYPE_CHECKING, Any, Protocol, cast

from relax_lint.catalog.hidden import Hidden, is_hidden

if TYPE_CHECKING:
    import ast

GIVEN, ENVIRONMENT = "given ", "env "
"""How the names begin that ``given("--flag")`` and ``env("NAME")`` stand for."""


class Lookup(Protocol):
    """Where the values of names come from; it holds :data:`FUNCTIONS` and :func:`askers` as well."""

    def __getitem__(self, name: str, /) -> Any:
        """The value of a name. Raises :class:`NotKnown` when it is hidden."""


class NotKnown(Exception):
    """A name whose value is hidden."""

    def __init__(self, hidden: Hidden) -> None:
        super().__init__("hidden")
        self.hidden = hidden


class ExpressionError(Exception):
    """Text that is no condition; ``offset`` is where in it."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Failed(Exception):
    """A condition that cannot be worked out with the values of a launch, such as ``None < 3``."""


def is_json(text: object) -> bool:
    """Whether a text is JSON."""
    try:
        json.loads(text)  # type: ignore[arg-type]
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def is_integer(text: object) -> bool:
    """Whether a text is a whole number, as ``int()`` reads it."""
    try:
        int(str(text))
    except ValueError:
        return False
    return True


def _loads(text: str) -> object:
    return json.loads(text)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "bool": bool,
    "endswith": lambda text, end: str(text).endswith(end),
    "float": float,
    "int": int,
    "is_integer": is_integer,
    "is_json": is_json,
    "is_list": lambda value: isinstance(value, list),
    "is_number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "is_object": lambda value: isinstance(value, dict),
    "is_text": lambda value: isinstance(value, str),
    "json": _loads,
    "len": len,
    "lower": lambda text: str(text).lower(),
    "max": max,
    "min": min,
    "startswith": lambda text, start: str(text).startswith(start),
    "strip": lambda text: str(text).strip(),
    "sum": sum,
}
"""What a condition can call."""

_LONGEST_NUMBER = 4096


def times(left: Any, right: Any) -> Any:
    """The product of two numbers of bounded length: texts and lists would be repeated, however often."""
    _refuse_no_number(left, right)
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > _LONGEST_NUMBER:
        raise OverflowError(f"a product of more than {_LONGEST_NUMBER} bits")
    return left * right


def remainder(left: Any, right: Any) -> Any:
    """The remainder of two numbers: a text would be formatted, however wide."""
    _refuse_no_number(left, right)
    return left % right


def _refuse_no_number(*values: object) -> None:
    for value in values:
        if not isinstance(value, int | float):
            raise TypeError(f"* and % are for numbers, not for {type(value).__name__}")


_BOUNDED = {"times ": times, "remainder ": remainder}
"""What stands for ``*`` and ``%``, by names that no condition can have."""
_GLOBALS = {"__builtins__": {}, **FUNCTIONS}
FAILURES = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError, RecursionError)
"""What values that do not fit a condition raise."""


def askers(lookup: Lookup) -> dict[str, Callable[..., Any]]:
    """``given`` and ``env`` as functions, and what stands for ``*`` and ``%``: a lookup must hold them too."""

    def given(*flags: str) -> bool:
        return any(lookup[GIVEN + flag] for flag in flags)

    def env(name: str) -> Any:
        return lookup[ENVIRONMENT + name]

    return {"given": given, "env": env, **_BOUNDED}


class Expression:
    """A condition or a formula. What comes from outside is checked by asking for its ``tree`` before its value."""

    __slots__ = ("__dict__", "text")

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tree(self) -> ast.expr:
        """Its syntax, with calls of ``given`` and ``env`` turned into names. Raises :class:`ExpressionError`."""
        from relax_lint.constraints.syntax import tree_of

        return tree_of(self.text)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that it reads."""
        from relax_lint.constraints.syntax import names_of

        return names_of(self.tree)

    @cached_property
    def _worker(self) -> Callable[[Lookup], Any]:
        """Works it out where names are hidden."""
        from relax_lint.constraints.kleene import worker

        return worker(self.tree)

    @cached_property
    def code(self) -> CodeType:
        """Works it out where all names that count are known."""
        line = on_one_line(self.text).lstrip()
        if "*" not in line and "%" not in line:
            return compile(line, "<condition>", "eval")
        from relax_lint.constraints.syntax import bounded

        return compile(bounded(line), "<condition>", "eval")

    def fails(self, lookup: Lookup) -> bool:
        """Whether it is false for sure, as a quick look tells."""
        try:
            return not eval(self.code, _GLOBALS, cast(Mapping[str, object], lookup))
        except (NotKnown, *FAILURES):
            return False

    def value(self, lookup: Lookup) -> Any:
        """What it is worth; :class:`Hidden` when that depends on what is not known. Raises :class:`Failed`."""
        try:
            return eval(self.code, _GLOBALS, cast(Mapping[str, object], lookup))
        except NotKnown:
            pass
        except FAILURES as error:
            raise Failed(str(error)) from None
        return self._worker(lookup)

    def truth(self, lookup: Lookup) -> bool | Hidden:
        """Whether it holds. Raises :class:`Failed`."""
        value = self.value(lookup)
        return (value.filled or value) if is_hidden(value) else bool(value)


def on_one_line(text: str) -> str:
    """A condition may be written over several lines; offsets stay."""
    return text.replace("\r", " ").replace("\n", " ")
