"""What is known of a value without running anything."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from relax_lint.records import changed as replace
from relax_lint.records import field, node, record

if TYPE_CHECKING:
    from relax_lint.sources.python import PythonSource

MOST_ALTERNATIVES = 12
"""A value with more possible shapes than this is not followed any further."""

SequenceKind = Literal["list", "tuple", "iterator", "set"]
Leak = Literal["", "near", "item", "attribute", "anywhere"]
"""How code that does not name an object can come by it: through a container that the function itself holds (``near``),
through one that others hold too (``item``), through an attribute, or through more than one of them."""
LengthKind = Literal["exact", "samples", "fewer", "more", "since", "unknown"]


@record
class Exit:
    """One way out of a function: the ``return``, or the definition where its end is reached, and what comes out.

    ``stored`` are the attributes that may have been stored by then, where that was asked for.
    """

    source: PythonSource
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    node: ast.AST
    shape: Shape
    stored: frozenset[str] = frozenset()

    @property
    def falls_off(self) -> bool:
        """Whether no ``return`` stands here."""
        return self.node is self.function and not isinstance(self.node, ast.Lambda)


@record
class Site:
    """Where something is written."""

    source: PythonSource
    node: ast.AST


@record
class Misfit:
    """Where a value is taken apart into more or fewer names than it has parts: ``count`` of them."""

    at: Site
    shape: Shape
    count: int


@record
class Shape:
    """Any value at all. ``origin`` is the exit of the function that gave it, if one did."""

    origin: Exit | None = field(default=None, compare=False, kw_only=True)


@record
class Unknown(Shape):
    """Nothing is known."""


@record
class Truthy(Unknown):
    """Nothing is known but whether it counts as true."""

    holds: bool


@record
class Nothing(Shape):
    """The item of a list that has none."""


@record
class NoneValue(Shape):
    """``None``."""


@record
class Scalar(Shape):
    """A number: bool, int, float, a numpy scalar or a tensor of no dimension."""


@record
class SampleCount(Scalar):
    """The number of samples that a batch function was given."""


@record
class Text(Shape):
    """A string."""


@record
class Constant(Shape):
    """A bool, an integer or a string whose value is known; flags and loop counters decide ways by it."""

    value: bool | int | str


@record
class Length:
    """How many items a list has.

    ``samples`` is as many as the batch has samples; ``fewer`` and ``more`` that it can be so; ``since`` counts from
    the beginning of the loop pass that is followed.
    """

    kind: LengthKind
    count: int = 0

    def plus(self, other: Length) -> Length:
        """The length after as many more."""
        if other.kind == "exact" and self.kind in ("exact", "since"):
            return Length(self.kind, self.count + other.count)
        if other == NO_LENGTH:
            return self
        if self == NO_LENGTH:
            return other
        if self.kind in ("samples", "more") and (other.kind, other.count) >= ("exact", 1) and other.kind == "exact":
            return Length("more")
        return UNKNOWN_LENGTH

    def times(self, other: Length) -> Length:
        """The length of as many runs of the other length."""
        if other == ONE_MORE:
            return self
        if self.kind == "exact" and other.kind == "exact":
            return Length("exact", self.count * other.count)
        return Length("more") if self.kind == "samples" and other.kind == "exact" and other.count else UNKNOWN_LENGTH

    def at_most(self) -> Length:
        """The length of what is left when some items may be left out."""
        return Length("fewer") if self.kind in ("samples", "fewer") else UNKNOWN_LENGTH


NO_LENGTH = Length("exact", 0)
ONE_MORE = Length("exact", 1)
UNKNOWN_LENGTH = Length("unknown")
SAMPLES_LENGTH = Length("samples")


@record
class Sequence(Shape):
    """A list, or another run of items (``kind``): ``items`` when each is known, else ``element`` for all of them."""

    element: Shape
    length: Length
    items: tuple[Shape, ...] | None = None
    kind: SequenceKind = "list"
    leak: Leak = ""

    @classmethod
    def of(cls, items: Iterable[Shape], kind: SequenceKind = "list") -> Sequence:
        """A run of known items."""
        known = tuple(items)
        return cls(union(known or (NOTHING,)), Length("exact", len(known)), known, kind)


@record
class Entry:
    """A key of a dictionary; ``sure`` when it is there on every way. ``at`` is where it is written, if at one place."""

    key: str | int | bool
    value: Shape
    sure: bool = True
    at: Site | None = field(default=None, compare=False)


@record
class Dictionary(Shape):
    """A dictionary; ``open`` when it may hold keys that are not listed. ``at`` is where it is made."""

    entries: tuple[Entry, ...] = ()
    open: bool = False
    leak: Leak = ""
    size: Length = UNKNOWN_LENGTH
    """Of a dictionary made of samples whose keys are not known."""
    at: Site | None = field(default=None, compare=False)

    def get(self, key: object) -> Entry | None:
        """The entry of a key."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def put(self, key: str | int | bool, value: Shape, *, sure: bool = True, at: Site | None = None) -> Dictionary:
        """With a key set."""
        old = self.get(key)
        kept = tuple(entry for entry in self.entries if entry.key != key)
        entry = Entry(key, value, sure, at)
        if not sure and old is not None:
            entry = Entry(key, union((old.value, value)), old.sure, at)
        return replace(self, entries=(*kept, entry), size=UNKNOWN_LENGTH)

    def without(self, key: object) -> Dictionary:
        """With a key gone."""
        kept = tuple(entry for entry in self.entries if entry.key != key)
        return replace(self, entries=kept, size=UNKNOWN_LENGTH)

    def merged(self, other: Shape) -> Dictionary:
        """After ``update`` with another value: a dictionary, or pairs of a key and its value."""
        pairs = _pairs(other)
        if pairs is not None:
            other = Dictionary()
            for key, value in pairs:
                other = other.put(key, value)
        if isinstance(other, Union) and all(isinstance(part, Dictionary) for part in other.alternatives):
            other = in_common([part for part in other.alternatives if isinstance(part, Dictionary)])
        if not isinstance(other, Dictionary):
            return replace(self.opened(), entries=tuple(replace(entry, value=UNKNOWN) for entry in self.entries))
        result = replace(self, open=self.open or other.open, size=UNKNOWN_LENGTH)
        if other.open:
            result = replace(result, entries=tuple(replace(entry, value=UNKNOWN) for entry in self.entries))
        for entry in other.entries:
            result = result.put(entry.key, entry.value, sure=entry.sure, at=entry.at)
        return result

    def opened(self) -> Dictionary:
        """After code that is not followed may have changed it."""
        entries = tuple(Entry(entry.key, UNKNOWN, False, entry.at) for entry in self.entries)
        return replace(self, open=True, entries=entries, size=UNKNOWN_LENGTH)


@record
class Sample(Shape):
    """A Relax sample."""


@record
class Thing(Shape):
    """Something that is certainly none of the others: ``what`` says it in words."""

    what: str


@record
class Awaitable(Shape):
    """What gives ``result`` when awaited, and is no value before."""

    result: Shape


@node
class Closure:
    """The names that a nested function sees of the function around it."""

    names: dict[str, Shape]
    outer: Closure | None = None

    def lookup(self, name: str) -> Shape | None:
        """The value of a name, ``None`` when no function around binds it."""
        if name in self.names:
            return self.names[name]
        return self.outer.lookup(name) if self.outer is not None else None


@record
class Function(Shape):
    """A function of the recipe, with what ``partial`` or a method call has bound already."""

    source: PythonSource = field(compare=False)
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    closure: Closure | None = None
    bound: tuple[Shape, ...] = ()
    keywords: tuple[tuple[str, Shape], ...] = ()


@record
class Class(Shape):
    """A class of the recipe."""

    source: PythonSource = field(compare=False)
    node: ast.ClassDef


@record
class Instance(Shape):
    """An object of a class of the recipe. Its attributes are not followed."""

    cls: Class


@record
class TupleClass(Shape):
    """A class that ``namedtuple`` made, with its fields."""

    fields: tuple[str, ...]
    defaults: tuple[Shape, ...] = ()


@record
class Super(Shape):
    """``super()`` in a method: an object as its bases behind a class see it."""

    instance: Instance
    behind: ast.ClassDef


@record
class Library(Shape):
    """A module, function or class from elsewhere, by its dotted name; ``builtins`` have none before theirs."""

    name: str


@record
class Module(Shape):
    """A module of the repository."""

    name: str


@record
class Method(Shape):
    """A method of a value that is no object of the recipe."""

    receiver: Shape
    name: str
    variable: str | None = None
    """The local variable that holds the receiver, which the method may change."""


@record
class Union(Shape):
    """One of several shapes, which none of the ways followed tells apart."""

    alternatives: tuple[Shape, ...]


@record
class Arguments:
    """What a function is called with; not ``complete`` when there may be more, from ``*`` or ``**``."""

    positional: tuple[Shape, ...] = ()
    keywords: tuple[tuple[str, Shape], ...] = ()
    complete: bool = True

    def at(self, index: int, keyword: str = "") -> Shape | None:
        """An argument by position or name."""
        if index < len(self.positional):
            return self.positional[index]
        return dict(self.keywords).get(keyword)


NONE_TYPE = "types.NoneType"
UNKNOWN = Unknown()
IMAGE = Thing("an image")
NOTHING = Nothing()
NONE = NoneValue()
SCALAR = Scalar()
TEXT = Text()


def _pairs(shape: Shape) -> list[tuple[str | int | bool, Shape]] | None:
    """The keys and values in a run of pairs, when all are known."""
    if not isinstance(shape, Sequence) or shape.items is None:
        return None
    pairs = []
    for item in shape.items:
        parts = item.items if isinstance(item, Sequence) else None
        if parts is None or len(parts) != 2 or not isinstance(parts[0], Constant):
            return None
        pairs.append((parts[0].value, parts[1]))
    return pairs


def in_common(shapes: list[Dictionary]) -> Dictionary:
    """A dictionary whose sure keys are those that all have."""
    keys = dict.fromkeys(entry.key for shape in shapes for entry in shape.entries)
    entries = []
    for key in keys:
        found = [entry for entry in (shape.get(key) for shape in shapes) if entry is not None]
        sure = len(found) == len(shapes) and all(entry.sure for entry in found)
        entries.append(Entry(key, union(entry.value for entry in found), sure, found[0].at))
    return Dictionary(tuple(entries), open=any(shape.open for shape in shapes))


def alternatives(shape: Shape) -> tuple[Shape, ...]:
    """The shapes that a value can have."""
    return shape.alternatives if isinstance(shape, Union) else (shape,)


def union(shapes: Iterable[Shape]) -> Shape:
    """A value that has one of these shapes."""
    parts = [part for shape in shapes for part in alternatives(shape)]
    if len(parts) > 1:
        parts = list(dict.fromkeys(parts))
    found = [part for part in parts if part is not NOTHING] or parts
    if not found or len(found) > MOST_ALTERNATIVES:
        return UNKNOWN
    return found[0] if len(found) == 1 else Union(tuple(found))


def each(shape: Shape, change: Callable[[Shape], Shape]) -> Shape:
    """A value after a change that depends on its shape."""
    return union(change(part) for part in alternatives(shape))


def is_text(shape: Shape) -> bool:
    """Whether this is certainly a string."""
    return isinstance(shape, Text) or (isinstance(shape, Constant) and isinstance(shape.value, str))


def is_scalar(shape: Shape) -> bool:
    """Whether this is certainly a number."""
    return isinstance(shape, Scalar) or (isinstance(shape, Constant) and not isinstance(shape.value, str))


def truth(shape: Shape) -> bool | None:
    """Whether a value counts as true; ``None`` when that is not known."""
    if isinstance(shape, Union):
        truths = {truth(part) for part in shape.alternatives}
        return truths.pop() if len(truths) == 1 else None
    if isinstance(shape, Constant):
        return bool(shape.value)
    if isinstance(shape, Truthy):
        return shape.holds
    if isinstance(shape, NoneValue):
        return False
    if isinstance(shape, Dictionary):
        if any(entry.sure for entry in shape.entries):
            return True
        return None if shape.open or shape.entries else False
    if isinstance(shape, Sequence) and shape.length.kind == "exact" and shape.kind != "iterator":
        return shape.length.count > 0
    if isinstance(shape, (Function, Class, Awaitable)):
        return True
    return None


def changed_unseen(shape: Shape) -> Shape:
    """A value after code that is not followed may have changed it."""
    if isinstance(shape, Dictionary):
        return shape.opened()
    if isinstance(shape, Sequence):
        return replace(shape, element=UNKNOWN, length=UNKNOWN_LENGTH, items=None)
    return UNKNOWN


def in_words(shape: Shape) -> str:
    """What a value is, for messages."""
    if isinstance(shape, NoneValue):
        return "None"
    if is_text(shape):
        return "a string"
    if is_scalar(shape):
        return "a number"
    if isinstance(shape, Dictionary):
        return "a dict"
    if isinstance(shape, Sequence):
        return {"list": "a list", "tuple": "a tuple", "iterator": "an iterator", "set": "a set"}[shape.kind]
    if isinstance(shape, Awaitable):
        return "a coroutine that nobody awaits"
    if isinstance(shape, Thing):
        return shape.what
    if isinstance(shape, Function):
        return "a function"
    if isinstance(shape, Class):
        return "a class"
    if isinstance(shape, Sample):
        return "a sample"
    return "an object"
