"""What a recipe's own preprocessing does to the rows of a data set, step by step, as `datasets` does it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One step. ``go`` is given a row and its number among those that come to the step, and gives the row that comes of
    it, or None when it is left out. In ``order``: it has to see all the rows, one after the other."""

    go: Callable[[Row, int], Row | None]
    counts: bool = False
    leaves_out: bool = False
    order: bool = False


@dataclass(frozen=True)
class OwnFile:
    """The rows of one file: of these splits, each after its steps, and after steps that all of them take together."""

    parts: Sequence[tuple[str, Sequence[Step]]]
    then: Sequence[Step] = ()

    def is_in_order(self) -> bool:
        """Whether what becomes of a row depends on the rows before it, more than by how many they are."""
        steps = [step for _, part in self.parts for step in part] + list(self.then)
        left_out = len(self.parts) > 1
        for step in steps:
            if step.order or (step.counts and left_out):
                return True
            left_out = left_out or step.leaves_out
        return False


def mapped(
    function: Callable[..., Any],
    indices: bool = False,
    remove: Collection[str] = (),
    only: bool = False,
    given: Mapping[str, Any] | None = None,
    columns: Sequence[str] = (),
    order: bool = False,
) -> Step:
    """Have a function make a row of each; ``only`` what it gives is kept."""
    call = called(function, indices, given or {}, columns)

    def go(row: Row, number: int) -> Row:
        changed = dict(row)
        result = call(changed, number)
        if result is None:
            return row
        if result is changed:
            return {name: value for name, value in changed.items() if is_kept(name, value, row, remove, only)}
        return {**{name: value for name, value in changed.items() if not only and name not in remove}, **result}

    return Step(go, counts=indices, order=order)


def is_kept(name: str, value: Any, before: Row, remove: Collection[str], only: bool) -> bool:
    """Whether a column stays that a function gave back in the row that it was given: those that it set do."""
    return not (only or name in remove) or name not in before or value is not before[name]


def grown(function: Callable[[Row, int], Row | None], order: bool = False) -> Step:
    """Have a function make a row of each, or none."""
    return Step(lambda row, number: function(dict(row), number), counts=True, leaves_out=True, order=order)


def filtered(
    function: Callable[..., Any],
    indices: bool = False,
    given: Mapping[str, Any] | None = None,
    columns: Sequence[str] = (),
    order: bool = False,
) -> Step:
    """Keep the rows for which a function is true."""
    call = called(function, indices, given or {}, columns)
    return Step(lambda row, number: row if call(dict(row), number) else None, indices, True, order)


def called(
    function: Callable[..., Any], indices: bool, given: Mapping[str, Any], columns: Sequence[str]
) -> Callable[[Row, int], Any]:
    """A function of rows that is given what `datasets` gives it."""

    def call(row: Row, number: int) -> Any:
        values = [row[name] for name in columns] if columns else [row]
        return function(*values, *([number] if indices else []), **given)

    return call


def taken(numbers: Collection[int]) -> Step:
    """Keep the rows of these numbers."""
    return Step(lambda row, number: row if number in numbers else None, counts=True, leaves_out=True, order=True)


def removed(*names: str) -> Step:
    """Leave these columns out."""
    return Step(lambda row, _: {name: value for name, value in row.items() if name not in names})


def chosen(*names: str) -> Step:
    """Keep these columns alone."""
    return Step(lambda row, _: {name: row[name] for name in names})


def renamed(names: Mapping[str, str]) -> Step:
    """Give columns other names."""
    return Step(lambda row, _: {names.get(name, name): value for name, value in row.items()})


@dataclass
class Course:
    """The rows of one file on their way through its steps; ``first`` is the number of the first row."""

    file: OwnFile
    first: int = 0
    part: int = -1
    seen: dict[int, int] = field(default_factory=dict)
    seen_by_all: dict[int, int] = field(default_factory=dict)

    def go(self, row: Row, part: int) -> Row | None:
        """What comes of the next row, one of that part; None when it is left out."""
        if part != self.part:
            self.part, self.seen = part, {}
        for step, number in self._numbered(part):
            result = step.go(row, number)
            if result is None:
                return None
            row = result
        return row

    def _numbered(self, part: int) -> Iterator[tuple[Step, int]]:
        for steps, seen in ((self.file.parts[part][1], self.seen), (self.file.then, self.seen_by_all)):
            for place, step in enumerate(steps):
                number = seen.get(place, self.first)
                seen[place] = number + 1
                yield step, number
