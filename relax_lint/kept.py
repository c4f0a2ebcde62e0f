"""Answers that are worked out once and kept, with the files that they were made from.

A run from the command line asks each question once of files that do not change. A language server sees one change
after the other: :func:`follow_changes` has it noted from then on which files an answer was made from, and
:func:`forget` takes back those that a change bears on. All others stand, and need not be worked out again.

What a project reads is noted where it is read; what is kept elsewhere than in a :class:`Kept` or by
:class:`kept_property`, and was made from files, would outlive their changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Answer = TypeVar("Answer")


class _Files:
    """Some files, a bit of ``bits`` for each: there are thousands of such sets, and most are joined with most."""

    __slots__ = ("bits",)

    def __init__(self) -> None:
        self.bits = 0


_NONE = _Files()


class Kept(dict[Any, Any]):
    """A table of answers by question."""

    def __init__(self) -> None:
        super().__init__()
        if _notes is not None:
            self.made_of: dict[object, _Files] = {}
            _notes.tables[id(self)] = self

    def ask(self, question: object, answer: Callable[[], Answer]) -> Answer:
        """The answer, worked out the first time that it is asked for."""
        if _notes is not None:
            return cast("Answer", _notes.ask(self, question, answer))
        if question not in self:
            self[question] = answer()
        return cast("Answer", self[question])

    def ask_within(self, question: object, meanwhile: Answer, answer: Callable[[], Answer]) -> Answer:
        """The same, where working it out may come back to the question: then that is answered with ``meanwhile``, and
        for good if it is given up."""
        if question in self:
            return self.ask(question, answer)
        self[question] = meanwhile
        if _notes is not None:
            return cast("Answer", _notes.work_out(self, question, answer, even_if_given_up=True))
        self[question] = answer()
        return cast("Answer", self[question])

    def add(self, question: object, answer: object) -> None:
        """Keep what shows while something else is worked out, as long as that stands."""
        if question not in self:
            self[question] = answer
            if _notes is not None:
                _notes.add(self, question)


class kept_property(Generic[Answer]):  # reads like property
    """Like :func:`functools.cached_property`, for what is made from files that are not the object's own."""

    def __init__(self, answer: Callable[[Any], Answer]) -> None:
        self._answer = answer
        self.__doc__ = answer.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> kept_property[Answer]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Answer: ...
    def __get__(self, instance: object | None, owner: type) -> Answer | kept_property[Answer]:
        if instance is None:
            return self
        values = instance.__dict__
        if _notes is None:
            values[self._name] = value = self._answer(instance)
            return value
        if _TABLE not in values:
            values[_TABLE] = Kept()
        return cast("Answer", values[_TABLE].ask(self._name, lambda: self._answer(instance)))


_TABLE = " kept"
"""Where an object keeps the answers of its properties while changes are followed."""


class _Notes:
    """Which files the answers that are being worked out are made from, the innermost last."""

    def __init__(self) -> None:
        self.tables: WeakValueDictionary[int, Kept] = WeakValueDictionary()
        self.open: list[_Files] = []
        self._bits: dict[Path, int] = {}

    def note(self, path: Path) -> None:
        if self.open:
            self.open[-1].bits |= self._bits.setdefault(path, 1 << len(self._bits))

    def add(self, table: Kept, question: object) -> None:
        # These files go on growing in number until what is being worked out is known.
        table.made_of[question] = self.open[-1] if self.open else _NONE

    def ask(self, table: Kept, question: object, answer: Callable[[], object]) -> object:
        if question not in table:
            return self.work_out(table, question, answer)
        if self.open:
            self.open[-1].bits |= table.made_of.get(question, _NONE).bits
        return table[question]

    def work_out(
        self, table: Kept, question: object, answer: Callable[[], object], *, even_if_given_up: bool = False
    ) -> object:
        files = _Files()
        self.open.append(files)
        try:
            value = table[question] = answer()
            even_if_given_up = True
        finally:
            self.open.pop()
            if even_if_given_up:
                table.made_of[question] = files
            if self.open:
                self.open[-1].bits |= files.bits
        return value

    def forget(self, paths: Iterable[Path]) -> None:
        changed = 0
        for path in paths:
            changed |= self._bits.get(path, 0)
        for table in list(self.tables.values()):
            for question in [one for one, files in table.made_of.items() if files.bits & changed]:
                del table.made_of[question]
                table.pop(question, None)


_notes: _Notes | None = None


def note(path: Path) -> None:
    """Say that the content of a file is looked at."""
    if _notes is not None:
        _notes.note(path)


def forget(paths: Iterable[Path]) -> None:
    """Take back every answer that was made from one of these files."""
    if _notes is not None:
        _notes.forget(paths)


def follows_changes() -> bool:
    """Whether what answers are made from is noted."""
    return _notes is not None


@contextmanager
def follow_changes() -> Iterator[None]:
    """Within this, note what answers are made from. What was kept before is not known to be made from anything."""
    global _notes
    before, _notes = _notes, _Notes()
    try:
        yield
    finally:
        _notes = before
