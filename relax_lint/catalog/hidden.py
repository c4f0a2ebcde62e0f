"""A value that cannot be told statically, with the words that hide it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from relax_lint.shell.launch import Word


class Hidden:
    """A value that is not known, and the words of the launch that keep it so; no words when nothing written does.

    It is neither true nor false: asking it raises, so that nobody takes a guess for an answer.
    """

    __slots__ = ("words",)

    def __init__(self, words: Iterable[Word] = ()) -> None:
        self.words = tuple(dict.fromkeys(words))

    def __bool__(self) -> bool:
        raise TypeError("a hidden value is neither true nor false")

    def __repr__(self) -> str:
        return f"Hidden({', '.join(word.text for word in self.words)})"


UNKNOWN = Hidden()
"""A value that nothing in the launch gives."""


def is_hidden(value: object) -> TypeGuard[Hidden]:
    """Whether a value is one that cannot be told."""
    return isinstance(value, Hidden)


def merged(hidden: Iterable[Hidden]) -> Hidden:
    """One hidden value for several."""
    return Hidden(word for one in hidden for word in one.words)
