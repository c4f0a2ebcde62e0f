"""What a name may hold, as far as calls are concerned: functions, classes, objects, and what Relax hands over."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from relax_lint.records import field, record

if TYPE_CHECKING:
    from relax_lint.calls.frames import Frame
    from relax_lint.sources.python import PythonSource


@record
class Value:
    """Something that nobody can tell."""


@record
class Everything(Value):
    """So many things that they are not told apart any more, whatever else is added."""


@record
class Routine(Value):
    """A function of the repository, with the arguments that ``partial`` or a method call has bound already.

    ``scope`` is the call around it whose names it sees.
    """

    source: PythonSource = field(compare=False)
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Frame | None = None
    bound: tuple[frozenset[Value], ...] = ()
    keywords: tuple[tuple[str, frozenset[Value]], ...] = ()


@record
class Kind(Value):
    """A class of the repository."""

    source: PythonSource = field(compare=False)
    node: ast.ClassDef


@record
class Object(Value):
    """Any object of a class of the repository: what one is given, all have."""

    kind: Kind


@record
class Parents(Value):
    """What ``super()`` gives in a method: the bases of the class that holds it, for an object."""

    kind: Kind
    of: Object


@record
class Outside(Value):
    """Something from elsewhere by its dotted name; what calling ``x`` gives is ``x()``: ``requests.Session().post``."""

    name: str


@record
class File(Value):
    """A module of the repository."""

    name: str


@record
class Given(Value):
    """What Relax hands to a recipe: ``args``, ``sample``, ``samples``, ``sampling_params``, ``response_text``.

    ``path`` are the parts of it that this is: ``("metadata", "[question]")``, a key in brackets.
    """

    name: str
    path: tuple[str, ...] = ()


@record
class Several(Value):
    """A list, tuple or dictionary: what it may hold. In a ``placed`` one each part is the item at its place."""

    parts: tuple[frozenset[Value], ...]
    placed: bool = False

    @property
    def any(self) -> Values:
        """What each of its items may be."""
        return together(self.parts)


Values = frozenset[Value]

ANYTHING = Value()
EVERYTHING = Everything()
TOO_MUCH: Values = frozenset({EVERYTHING})
UNTOLD: Values = frozenset({ANYTHING})
NOTHING: Values = frozenset()
ARGS, SAMPLE, SAMPLES = Given("args"), Given("sample"), Given("samples")
OF_LISTS = frozenset(dir(list))
"""What lists of samples have; nothing else is read where a reward may be given a sample as well."""
MOST_VALUES = 40
_DEEPEST = 3
_MOST_CALLS = 8
UNKNOWN_ROOT = "?."


def together(parts: Iterable[Values]) -> Values:
    """Everything that one of these may be; anything, where that is too much to tell."""
    found: Values = NOTHING.union(*parts)
    return found if len(found) <= MOST_VALUES and EVERYTHING not in found else TOO_MUCH


def several(parts: Iterable[Values], *, placed: bool = False) -> Values:
    """A container of these; nothing is said of one that holds nothing, or of what is nested too deep."""
    kept = tuple(parts)
    if not any(kept):
        return NOTHING
    made = Several(kept, placed)
    return UNTOLD if _depth(made) > _DEEPEST else frozenset({made})


def _depth(value: Value) -> int:
    if not isinstance(value, Several):
        return 0
    return 1 + max((_depth(item) for part in value.parts for item in part), default=0)


def outside(name: str) -> Values:
    """Something from elsewhere, unless its name tells nothing any more."""
    return frozenset({Outside(name)}) if name.count("(") + name.count("[") <= _MOST_CALLS else UNTOLD


def unknown_part(name: str) -> Values:
    """An attribute of something that nobody can tell: only its name is known."""
    return frozenset({Outside(f"{UNKNOWN_ROOT}{name}")})


def items(values: Values) -> Values:
    """What going through these gives, or a subscript whose index is not known."""
    return together(_items(value) for value in values)


def _items(value: Value) -> Values:
    if isinstance(value, Several):
        return value.any
    if value == SAMPLES:
        return frozenset({SAMPLE})
    return NOTHING if value == SAMPLE else UNTOLD


def part(values: Values, index: int, count: int) -> Values:
    """What unpacking these into ``count`` targets gives the one at ``index``."""
    found = []
    for value in values:
        if isinstance(value, Several) and value.placed and len(value.parts) == count:
            found.append(value.parts[index])
        else:
            found.append(_items(value))
    return together(found)
