"""What lists and dictionaries hold, and what becomes of them when that changes."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator

from relax_lint.flow.shapes import NOTHING, UNKNOWN, Awaitable, Dictionary, Sequence, Shape, Union, alternatives, union
from relax_lint.records import changed as replace


def containers(shape: Shape) -> Iterator[Dictionary | Sequence]:
    """The lists and dictionaries that a value is or holds, the outermost first."""
    if isinstance(shape, Union):
        for part in shape.alternatives:
            yield from containers(part)
    elif isinstance(shape, Dictionary):
        yield shape
        for entry in shape.entries:
            yield from containers(entry.value)
    elif isinstance(shape, Sequence):
        yield shape
        for part in shape.items if shape.items is not None else (shape.element,):
            yield from containers(part)
    elif isinstance(shape, Awaitable):
        yield from containers(shape.result)


def parts_of(shape: Shape) -> Iterator[Shape]:
    """What a value may be, and what is in it."""
    for part in alternatives(shape):
        yield part
        if isinstance(part, Dictionary):
            for entry in part.entries:
                yield from parts_of(entry.value)
        elif isinstance(part, Sequence):
            for item in part.items if part.items is not None else (part.element,):
                yield from parts_of(item)
        elif isinstance(part, Awaitable):
            yield from parts_of(part.result)


def with_part(holder: Shape, old: Shape, new: Shape) -> Shape:
    """A value after one object that it is or holds has changed; the value itself when it holds no such object."""
    if holder is old:
        return new
    if isinstance(holder, Union):
        parts = [with_part(part, old, new) for part in holder.alternatives]
        return union(parts) if any(map(operator.is_not, parts, holder.alternatives)) else holder
    if isinstance(holder, Dictionary):
        values = [with_part(entry.value, old, new) for entry in holder.entries]
        if not any(value is not entry.value for value, entry in zip(values, holder.entries, strict=True)):
            return holder
        pairs = zip(holder.entries, values, strict=True)
        return replace(holder, entries=tuple(replace(entry, value=value) for entry, value in pairs))
    if isinstance(holder, Sequence):
        if holder.items is not None:
            items = tuple(with_part(item, old, new) for item in holder.items)
            if not any(map(operator.is_not, items, holder.items)):
                return holder
            return replace(holder, items=items, element=union(items or (NOTHING,)))
        element = with_part(holder.element, old, new)
        return holder if element is holder.element else replace(holder, element=element)
    return holder


def held_in(shape: Dictionary | Sequence) -> Iterator[Shape]:
    """What is in a container, as far as it is known."""
    if isinstance(shape, Dictionary):
        values: Iterable[Shape] = (entry.value for entry in shape.entries)
    else:
        values = shape.items if shape.items is not None else (shape.element,)
    for value in values:
        yield from alternatives(value)


def with_unknown_parts(shape: Dictionary | Sequence) -> Dictionary | Sequence:
    """A container of the same size and keys, whatever is in it."""
    if isinstance(shape, Sequence):
        return Sequence(UNKNOWN, shape.length, kind=shape.kind)
    return replace(shape, entries=tuple(replace(entry, value=UNKNOWN) for entry in shape.entries))
