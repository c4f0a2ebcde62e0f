"""Answers that are worked out once and kept, with the files that they were made from.

A run from the command line asks each question once of files that do not change. A language server sees one change
after the other: :func:`follow_changes` has it noted from then on which files an answer was made from, and
:func:`forget` takes back those that a change bears on. All others stand, and need not be worked out again.

What a project reads is noted where it is read; what is kept elsewhere than in a :class:`Kept` or by
:class:`kept_property`, and was made from files, would outlive their changes.

Most changes leave most of what is asked of a file as it was. An answer to :meth:`Kept.ask_firmly` is worked out anew
before what was made from it is taken back, and only if it is another one that is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload
from weakref import WeakValueDictionary, ref

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
            self.made_of: dict[object, tuple[_Files, Any]] = {}
            self.firm: dict[object, Callable[[], object]] = {}
            _notes.tables[id(self)] = self

    def ask(self, question: object, answer: Callable[[], Answer]) -> Answer:
        """The answer, worked out the first time that it is asked for."""
        if _notes is not None:
            known = self.made_of.get(question)
            if known is None or known[0].bits & _notes.doubtful:
                return cast("Answer", _notes.ask(self, question, answer))
            if _notes.open:
                _notes.open[-1].bits |= known[0].bits
            return cast("Answer", known[1])
        if question not in self:
            self[question] = answer()
        return cast("Answer", self[question])

    def ask_firmly(self, question: object, answer: Callable[[], Answer]) -> Answer:
        """The same, where a file that changes rarely makes it another one, which ``==`` tells. ``answer`` is called
        again after changes, so what it holds must outlive these; and so must what the question names."""
        if _notes is not None:
            return cast("Answer", _notes.ask_firmly(self, question, answer))
        return self.ask(question, answer)

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
                _notes.add(self, question, answer)


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


class _Firm:
    """A firm answer: what is asked, the tables that it is in, and all that it was made from in any of them."""

    __slots__ = ("made_of", "question", "tables")

    def __init__(self, question: object) -> None:
        self.question = question
        self.tables: list[ref[Kept]] = []
        self.made_of = 0

    def where(self) -> list[Kept]:
        """The tables that are still there."""
        found = [(one, table) for one in self.tables if (table := one()) is not None]
        self.tables = [one for one, _ in found]
        return [table for _, table in found if self.question in table.firm]

    def take_out(self) -> None:
        """Have it asked for anew."""
        for table in self.where():
            for part in (table, table.firm, table.made_of):
                part.pop(self.question, None)


class _Notes:
    """Which files the answers that are being worked out are made from, the innermost last.

    A firm answer counts as a file of its own for what is made from it. ``doubtful`` are those that may be others now:
    each is looked at when something made from it is asked for.
    """

    def __init__(self) -> None:
        self.tables: WeakValueDictionary[int, Kept] = WeakValueDictionary()
        self.open: list[_Files] = []
        self._bits: dict[object, int] = {}
        self._firm: dict[int, _Firm] = {}
        self.doubtful = self._settling = 0
        self._outdated: set[tuple[int, object]] = set()

    def _bit(self, of: object) -> int:
        bit = self._bits.get(of)
        if bit is None:
            bit = self._bits[of] = 1 << len(self._bits)
        return bit

    def note(self, path: Path) -> None:
        if self.open:
            self.open[-1].bits |= self._bit(path)

    def add(self, table: Kept, question: object, answer: object) -> None:
        # These files go on growing in number until what is being worked out is known.
        table.made_of[question] = (self.open[-1] if self.open else _NONE, answer)

    def ask(self, table: Kept, question: object, answer: Callable[[], object]) -> object:
        """The answer to a question that is not known without doubt."""
        if question in table.made_of:
            bits = table.made_of[question][0].bits
            self._settle(bits)
            if self.open and question in table:
                self.open[-1].bits |= bits
        return table[question] if question in table else self.work_out(table, question, answer)

    def work_out(
        self, table: Kept, question: object, answer: Callable[[], object], *, even_if_given_up: bool = False
    ) -> object:
        files = _Files()
        self.open.append(files)
        try:
            table[question] = answer()
            even_if_given_up = True
        finally:
            self.open.pop()
            if even_if_given_up:
                table.made_of[question] = (files, table[question])
            if self.open:
                self.open[-1].bits |= files.bits
        return cast("object", table[question])

    def forget(self, paths: Iterable[Path]) -> None:
        changed = 0
        for path in paths:
            changed |= self._bits.get(path, 0)
        self._take_back(changed)

    def _take_back(self, changed: int) -> None:
        for table in list(self.tables.values()):
            for question in [one for one, (files, _) in table.made_of.items() if files.bits & changed]:
                if question in table.firm:
                    self._outdated.add((id(table), question))
                    self.doubtful |= self._bit((_Firm, question))
                else:
                    del table.made_of[question]
                    table.pop(question, None)
        self._doubt_what_follows()

    # ------------------------------------------------------------ firm answers

    def ask_firmly(self, table: Kept, question: object, answer: Callable[[], object]) -> object:
        bit = self._bit((_Firm, question))
        if bit & self.doubtful:
            self._settle(bit)
        if question not in table.firm:
            self._firm.setdefault(bit, _Firm(question)).tables.append(ref(table))
            self._work_out_firmly(table, question, answer)
        if self.open:
            self.open[-1].bits |= bit
        return table[question]

    def _work_out_firmly(self, table: Kept, question: object, answer: Callable[[], object]) -> None:
        files = _Files()
        self.open.append(files)
        try:
            table[question] = answer()
        finally:
            self.open.pop()
        table.firm[question] = answer
        table.made_of[question] = (files, table[question])
        self._firm[self._bit((_Firm, question))].made_of |= files.bits

    def _doubt_what_follows(self) -> None:
        """Firm answers that were made from doubtful ones are doubtful, too."""
        before = -1
        while before != self.doubtful:
            before = self.doubtful
            for bit, firm in self._firm.items():
                if firm.made_of & before and not bit & before:
                    self.doubtful |= bit

    def _settle(self, bits: int) -> None:
        """Have no doubt left in any of these."""
        while due := bits & self.doubtful & ~self._settling:
            bit = due & -due
            self._settling |= bit
            firm, has_changed = self._firm[bit], True
            try:
                has_changed = self._has_changed(firm)
            except BaseException:
                firm.take_out()
                raise
            finally:
                self._settling &= ~bit
                self.doubtful &= ~bit
                if has_changed:
                    self._take_back(bit)

    def _has_changed(self, firm: _Firm) -> bool:
        changed = False
        for table in firm.where():
            self._settle(table.made_of[firm.question][0].bits)
            if (id(table), firm.question) in self._outdated:
                self._outdated.discard((id(table), firm.question))
                before = table[firm.question]
                self._work_out_firmly(table, firm.question, table.firm[firm.question])
                changed = changed or table[firm.question] != before
        return changed


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
