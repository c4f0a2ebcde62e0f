"""A value that cannot be told statically, with the words that hide it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from relax_lint.shell.launch import Word


class Hidden:
    """A value that is not known, and the words of the launch that keep it so; no words when nothing written does.

    ``present`` says that it is not ``None``, whatever it is, ``filled`` that it is no empty text or list either,
    ``length`` how many a list holds. Asking it whether it is true raises, so that nobody takes a guess for an answer.
    """

    __slots__ = ("filled", "length", "present", "words")

    def __init__(
        self, words: Iterable[Word] = (), *, present: bool = False, filled: bool = False, length: int | None = None
    ) -> None:
        self.words = tuple(dict.fromkeys(words))
        self.present = present or filled
        self.filled = filled
        self.length = length

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
