"""What is known at one point of one way through a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from relax_lint.flow.parts import with_part
from relax_lint.flow.shapes import (
    SCALAR,
    TEXT,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Dictionary,
    Sequence,
    Shape,
    in_common,
    is_scalar,
    is_text,
    union,
)
from relax_lint.sources.python import walk

FEW_STATES = 3
"""Ways that are followed side by side as they are."""
MOST_STATES = 24
"""Ways followed side by side; beyond, they are taken together and what differs is forgotten."""


class State:
    """The local variables, and what has been found true or false on the way.

    ``doubtful``: a loop ended in a way that the code seems to rule out, so nothing is certain any more. ``counted``:
    the number of samples was looked at, so lists of a fixed length may be right. ``stored``: attributes that may have
    been stored on the way, where that is asked for (see ``flow.stores``).
    """

    __slots__ = ("counted", "doubtful", "facts", "stored", "variables")

    def __init__(
        self, variables: dict[str, Shape], facts: dict[str, tuple[bool, frozenset[str]]] | None = None
    ) -> None:
        self.variables = variables
        self.facts = facts if facts is not None else {}
        self.doubtful = False
        self.counted = False
        self.stored: frozenset[str] | None = None

    def copy(self) -> State:
        """The same knowledge, to go on along another way."""
        other = State(dict(self.variables), dict(self.facts))
        other.doubtful, other.counted, other.stored = self.doubtful, self.counted, self.stored
        return other

    def set(self, name: str, shape: Shape) -> None:
        """Bind a variable; what was known of conditions on it is gone."""
        self.variables[name] = shape
        if self.facts:
            self.facts = {key: fact for key, fact in self.facts.items() if name not in fact[1]}

    def narrow(self, name: str, shape: Shape) -> None:
        """Know more of a variable than before."""
        self.variables[name] = shape

    def change(self, name: str, shape: Shape) -> None:
        """Change the object that a variable holds, under whatever other names it is known."""
        old = self.variables.get(name)
        if old is not None:
            self.swap(old, shape)
        self.set(name, shape)

    def swap(self, old: Shape, new: Shape) -> None:
        """Change an object wherever it is held, be it inside of lists and dictionaries."""
        made: dict[int, Shape] = {}
        for name, held in self.variables.items():
            if held.__class__ in _HOLDING or held is old:
                if id(held) not in made:
                    made[id(held)] = with_part(held, old, new)
                self.variables[name] = made[id(held)]

    def key(self) -> tuple[object, ...]:
        """Equal for states that go on alike."""
        return frozenset(self.variables.items()), self.doubtful, self.counted, self.stored


_HOLDING = (Dictionary, Sequence)


def distinct(states: Iterable[State]) -> list[State]:
    """The states without repetitions. Where there are many, those that differ only in what was found true of
    conditions are one; where there are too many still, all are."""
    states = list(states)
    if len(states) <= FEW_STATES:
        return states
    by_key: dict[tuple[object, ...], State] = {}
    for state in states:
        known = by_key.setdefault(state.key(), state)
        if known is not state and known.facts != state.facts:
            known.facts = {key: fact for key, fact in known.facts.items() if state.facts.get(key) == fact}
    found = list(by_key.values())
    return [joined(found)] if len(found) > MOST_STATES else found


def joined(states: list[State]) -> State:
    """One state that stands for all: where they differ, only what holds of all of them."""
    result = states[0].copy()
    result.facts = {}
    result.doubtful = any(state.doubtful for state in states)
    result.counted = any(state.counted for state in states)
    if result.stored is not None:
        result.stored = result.stored.union(*(state.stored or () for state in states))
    together: dict[tuple[int, ...], Shape] = {}  # names of one object go on being names of one
    for name in {name for state in states for name in state.variables}:
        held = [state.variables.get(name, UNKNOWN) for state in states]
        key = tuple(map(id, held))
        if key not in together:
            shapes = list(dict.fromkeys(held))
            together[key] = shapes[0] if len(shapes) == 1 else common(shapes)
        result.variables[name] = together[key]
    return result


def common(shapes: list[Shape]) -> Shape:
    """What several shapes have in common."""
    if all(is_scalar(shape) for shape in shapes):
        return SCALAR
    if all(is_text(shape) for shape in shapes):
        return TEXT
    dictionaries = [shape for shape in shapes if isinstance(shape, Dictionary)]
    if len(dictionaries) == len(shapes):
        return in_common(dictionaries)
    sequences = [shape for shape in shapes if isinstance(shape, Sequence)]
    if len(sequences) == len(shapes) and len({shape.kind for shape in sequences}) == 1:
        length = sequences[0].length if len({shape.length for shape in sequences}) == 1 else UNKNOWN_LENGTH
        return Sequence(union(shape.element for shape in sequences), length, kind=sequences[0].kind)
    return UNKNOWN


def names_in(node: ast.AST) -> frozenset[str]:
    """The names that an expression reads."""
    return frozenset(part.id for part in walk(node) if isinstance(part, ast.Name))
