"""What is wrong with what an environment's ``step`` and ``reset`` return, by what the rollout does with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.environments import MEDIA_KEY, OBSERVATION_KEYS, ROLE_KEY, ROLES, STEP_PARTS, TEXT_KEY
from relax_lint.flow.classes import lacks
from relax_lint.flow.shapes import (
    IMAGE,
    Awaitable,
    Class,
    Constant,
    Dictionary,
    Entry,
    Exit,
    Function,
    Instance,
    NoneValue,
    Sample,
    Sequence,
    Shape,
    Site,
    Thing,
    Unknown,
    alternatives,
    in_words,
    is_scalar,
    is_text,
    truth,
)
from relax_lint.media_uses import is_image
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter


@record
class Fault:
    """What is wrong, and where it is written if that is not the ``return`` itself."""

    message: str
    error: bool = True
    at: Site | None = None


@record
class Reading:
    """How an environment's observations are read: the keys that are looked at, and whether roles are."""

    keys: frozenset[str] = OBSERVATION_KEYS
    roles: bool = True


STANDARD_READING = Reading()
"""That of the ``format_observation`` of BaseInteractionEnv."""


class Judge:
    """Judges what a step gives: ``parts`` are the numbers of names that the rollout takes it apart into, ``reading``
    says how observations are read, ``None`` if that is not known."""

    def __init__(self, interpreter: Interpreter, parts: frozenset[int], reading: Reading | None) -> None:
        self.interpreter = interpreter
        self.parts = parts
        self.reading = reading

    def step(self, way: Exit) -> Iterator[Fault]:
        """What is wrong with one way out of ``step``."""
        for shape in alternatives(way.shape):
            yield from self._result(shape, way)

    def reset(self, way: Exit) -> Iterator[Fault]:
        """What is wrong with one way out of ``reset``."""
        for shape in alternatives(way.shape):
            what = self._no_tuple(shape, way, frozenset((2,)))
            if what is not None:
                yield Fault(f"reset {what}: it is to return (observation, info)", error=False)

    def _result(self, shape: Shape, way: Exit) -> Iterator[Fault]:
        what = self._no_tuple(shape, way, self.parts)
        if what is not None:
            count = "" if self.parts == {STEP_PARTS} else f" {' or '.join(map(str, sorted(self.parts)))} parts:"
            yield Fault(f"step {what}: the rollout takes{count} (observation, done, info)")
            return
        items = shape.items if isinstance(shape, Sequence) else None
        if items is None or len(items) != STEP_PARTS:
            return
        observation, done, _ = items
        if all(_is_no_answer(part) for part in alternatives(done)):
            yield Fault(f"done is {in_words(alternatives(done)[0])}: step is to return (observation, done, info)")
        elif self.reading is not None and truth(done) is not True:
            for part in alternatives(observation):
                yield from self._observation(part, self.reading, goes_on=truth(done) is False)

    def _no_tuple(self, shape: Shape, way: Exit, parts: frozenset[int]) -> str | None:
        """What makes a value one that cannot be taken apart as it is to be."""
        if not parts:
            return None
        if isinstance(shape, NoneValue) and may_not_be_reached(way):
            return None
        if isinstance(shape, NoneValue):
            return "can reach its end without returning anything" if way.falls_off else "returns None"
        if isinstance(shape, Sequence):
            if shape.kind != "set" and shape.length.kind == "exact" and shape.length.count not in parts:
                count = shape.length.count
                return f"returns {count} value{'' if count == 1 else 's'}"
            return None
        if isinstance(shape, Instance):
            return None if not lacks(self.interpreter, shape.cls, "__iter__") else f"returns a {shape.cls.node.name}"
        if isinstance(shape, (Dictionary, Function, Class, Thing, Sample)) or is_text(shape) or is_scalar(shape):
            return f"returns {in_words(shape)}"
        return None

    # ------------------------------------------------------------ observations

    def _observation(self, shape: Shape, reading: Reading, *, goes_on: bool) -> Iterator[Fault]:
        if not isinstance(shape, Dictionary):
            if truth(shape) is False:  # taken for an empty one
                if goes_on:
                    yield Fault(f"the observation is {_shown(shape)}: the model is shown an empty text")
            elif not isinstance(shape, Unknown) and _is_no(shape, self.interpreter, "get"):
                yield Fault(f"the observation is {in_words(shape)}: it is to be a dict with {TEXT_KEY}")
            return
        unknown = [entry for entry in shape.entries if entry.key not in reading.keys]
        text, media = shape.get(TEXT_KEY), shape.get(MEDIA_KEY)
        if text is None and not shape.open:
            yield from self._without_text(shape, unknown, media, goes_on=goes_on)
        else:
            for entry in unknown:
                yield Fault(f"the rollout does not look at the observation's {entry.key}", error=False, at=entry.at)
        if text is not None:
            yield from self._text(text)
        if media is not None:
            yield from self._media(media)
        role = shape.get(ROLE_KEY)
        if role is not None and reading.roles:
            yield from _role(role)

    def _without_text(
        self, shape: Dictionary, unknown: list[Entry], media: Entry | None, *, goes_on: bool
    ) -> Iterator[Fault]:
        if not shape.entries and not goes_on:
            return  # most likely the last one, which nobody looks at
        has = f" (it has {', '.join(str(entry.key) for entry in unknown)})" if unknown else ""
        at = unknown[0].at if len(unknown) == 1 and unknown[0].at is not None else shape.at
        if media is not None and not unknown:
            yield Fault(f"the observation has no {TEXT_KEY}: the model is shown the media alone", error=False, at=at)
        else:
            yield Fault(f"the observation has no {TEXT_KEY}{has}: the model is shown an empty text", at=at)

    def _text(self, entry: Entry) -> Iterator[Fault]:
        for part in alternatives(entry.value):
            if isinstance(part, NoneValue) and may_not_be_reached(part.origin):
                continue
            if not is_text(part) and _is_no(part, self.interpreter, "strip"):
                yield Fault(f"{TEXT_KEY} is {in_words(part)}: it is to be a text", at=entry.at)

    def _media(self, entry: Entry) -> Iterator[Fault]:
        for held in alternatives(entry.value):
            if isinstance(held, Dictionary):
                for medium in held.entries:
                    for part in alternatives(medium.value):
                        what = self._not_items(part, medium)
                        if what is not None:
                            message = f"{MEDIA_KEY}'s {medium.key} is {what}: it is to be a list of media"
                            yield Fault(message, at=medium.at)
            elif truth(held) is not False and _is_no(held, self.interpreter, "items"):
                yield Fault(f"{MEDIA_KEY} is {in_words(held)}: it is to be a dict of lists", at=entry.at)

    def _not_items(self, shape: Shape, entry: Entry) -> str | None:
        """What a medium is, where it is no list of items."""
        if isinstance(shape, Sequence):
            return None
        if isinstance(shape, Unknown):
            return in_words(IMAGE) if entry.at is not None and is_image(entry.at) else None
        if isinstance(shape, Dictionary) and shape.open and not shape.entries:
            return None
        iterable = isinstance(shape, Instance) and not all(
            lacks(self.interpreter, shape.cls, name) for name in ("__iter__", "__getitem__")
        )
        return None if iterable or not _is_no(shape, self.interpreter, "append") else in_words(shape)


def _is_no(shape: Shape, interpreter: Interpreter, method: str) -> bool:
    """Whether a value is certainly none of the kind that has a method; of what is known, only the wrong kinds come."""
    if isinstance(shape, Instance):
        return lacks(interpreter, shape.cls, method)
    known = (NoneValue, Dictionary, Sequence, Function, Class, Thing, Sample, Awaitable)
    return isinstance(shape, known) or is_text(shape) or is_scalar(shape)


def _is_no_answer(shape: Shape) -> bool:
    """Whether a value is certainly no yes or no."""
    return isinstance(shape, (Dictionary, Sequence, Function, Class, Awaitable, Sample)) or is_text(shape)


def _shown(shape: Shape) -> str:
    if isinstance(shape, Sequence):
        return f"an empty {shape.kind}"
    return "an empty string" if is_text(shape) else in_words(shape)


def _role(entry: Entry) -> Iterator[Fault]:
    for part in alternatives(entry.value):
        role = part.value if isinstance(part, Constant) else None
        if role and role not in ROLES:
            message = f"the role {role} is not one of {', '.join(ROLES)}: it becomes user silently"
            yield Fault(message, error=False, at=entry.at)


def may_not_be_reached(way: Exit | None) -> bool:
    """Whether the end of a function lies behind comparisons of one thing that may leave nothing over. Texts can always
    be others than those that are compared with."""
    if way is None or not way.falls_off or isinstance(way.function, ast.Lambda):
        return False
    last: ast.stmt = way.function.body[-1]
    if isinstance(last, ast.Match):
        complete = all(leaves(case.body) for case in last.cases)
        return complete and not all(_is_text_pattern(case.pattern) for case in last.cases)
    subjects: list[str | None] = []
    while isinstance(last, ast.If):
        if not leaves(last.body):
            return False
        subjects.append(_compared(last.test))
        if len(last.orelse) != 1:
            break
        last = last.orelse[0]
    for before in reversed(way.function.body[:-1]):
        if not isinstance(before, ast.If) or before.orelse:
            break
        subjects.append(_compared(before.test))
    first = subjects[0] if subjects else None
    return first is not None and subjects.count(first) > 1


def leaves(body: list[ast.stmt]) -> bool:
    """Whether statements plainly end in leaving the function."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return leaves(last.body)
    if isinstance(last, ast.Try):
        return all(leaves(part) for part in (last.orelse or last.body, *(handler.body for handler in last.handlers)))
    return isinstance(last, (ast.Return, ast.Raise))


def _is_text_pattern(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return all(map(_is_text_pattern, pattern.patterns))
    value = pattern.value if isinstance(pattern, ast.MatchValue) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _compared(test: ast.expr) -> str | None:
    """What is compared with something that is no text."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is)):
        other = test.comparators[0]
        is_text_of_code = isinstance(other, ast.Constant) and isinstance(other.value, str)
        return None if is_text_of_code else ast.unparse(test.left)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance":
        return ast.unparse(test.args[0])
    return None
