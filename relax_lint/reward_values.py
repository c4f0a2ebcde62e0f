"""What is wrong with a value as a reward, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from relax_lint.flow.shapes import (
    Awaitable,
    Class,
    Dictionary,
    Entry,
    Exit,
    Function,
    NoneValue,
    Sample,
    Sequence,
    Shape,
    Thing,
    Unknown,
    alternatives,
    in_words,
    is_scalar,
    is_text,
)
from relax_lint.sources.python import walk

CalledForm = Literal["single", "batch"]

_NO_NUMBERS = (NoneValue, Awaitable, Thing, Function, Class, Sample, Sequence, Dictionary)


def fault(shape: Shape, form: CalledForm) -> str | None:
    """What is wrong with what a way out returns; ``None`` when nothing certainly is."""
    if isinstance(shape, NoneValue):
        return "returns None on some way"
    if is_text(shape) or isinstance(shape, (Awaitable, Thing, Function, Class, Sample)):
        return f"returns {in_words(shape)}"
    if form == "single":
        return f"returns {in_words(shape)}, and a reward is a number or a dict" if isinstance(shape, Sequence) else None
    if is_scalar(shape) or isinstance(shape, Dictionary):
        return f"returns {in_words(shape)} for all samples: a batch reward is a list with one for each"
    return _fault_of_list(shape) if isinstance(shape, Sequence) else None


def _fault_of_list(shape: Sequence) -> str | None:
    if shape.kind == "set" or (shape.kind == "tuple" and shape.length.kind == "exact"):
        return f"returns {in_words(shape)}: a batch reward is a list with one for each sample"
    if shape.length.kind == "fewer":
        return "returns a list that can have fewer items than there are samples"
    if shape.length.kind == "more":
        return "returns a list that can have more items than there are samples"
    if shape.length.kind == "exact":
        return f"returns a list of {shape.length.count}, however many samples there are"
    for part in alternatives(shape.element):
        if isinstance(part, (NoneValue, Awaitable, Sequence, Sample)) or is_text(part):
            return f"returns a list that can hold {in_words(part)}"
    return None


def fault_under(key: str, way: Exit, form: CalledForm) -> str | None:
    """What is wrong with what the dicts of a way out hold under the key that is learned from."""
    for part in of_one_sample(way.shape, form):
        entry = part.get(key) if isinstance(part, Dictionary) else None
        if entry is None or (isinstance(part, Dictionary) and part.open and not _is_written_in(entry, way)):
            continue
        for value in alternatives(entry.value):
            if is_text(value) or isinstance(value, _NO_NUMBERS):
                some = " on some way" if isinstance(value, NoneValue) else ""
                return f"returns {in_words(value)} under {key}{some}, where --reward-key looks for a number"
    return None


def _is_written_in(entry: Entry, way: Exit) -> bool:
    """Whether a key is written where it is returned, so that nothing can have set it again by one that is not known."""
    return entry.at is not None and any(node is entry.at.node for node in walk(way.node))


def of_one_sample(shape: Shape, form: CalledForm) -> tuple[Shape, ...]:
    """What one sample can get of what a way out returns."""
    if form == "single":
        return alternatives(shape)
    if not isinstance(shape, Sequence) or (shape.kind == "tuple" and shape.length.kind == "exact"):
        return ()
    return alternatives(shape.element)


def with_dicts(exits: Iterable[Exit], form: CalledForm) -> list[Exit]:
    """The ways out that give dicts."""
    return [way for way in exits if any(isinstance(part, Dictionary) for part in of_one_sample(way.shape, form))]


def mixed(way: Exit, dicts: list[Exit], form: CalledForm) -> str | None:
    """What is wrong with a number where other ways give dicts."""
    if dicts and any(is_scalar(part) for part in of_one_sample(way.shape, form)):
        return "returns a number here and dicts on other ways: --reward-key fits only one of them"
    return None


def key_to_learn_from(dicts: list[Dictionary]) -> str | None:
    """``score`` where all dicts have it; else the only key that all have a number under; ``None`` if not plain."""
    common = [
        entry
        for entry in (dicts[0].entries if dicts else ())
        if all((other := part.get(entry.key)) is not None and other.sure for part in dicts)
    ]
    if any(entry.key == "score" for entry in common):
        return "score"
    numbers = [str(entry.key) for entry in common if all(map(is_scalar, alternatives(entry.value)))]
    unknown = any(isinstance(part, Unknown) for entry in common for part in alternatives(entry.value))
    return numbers[0] if len(numbers) == 1 and not unknown else None
