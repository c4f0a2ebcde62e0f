"""Follows loops: those over known items pass by pass, the others until nothing new is learned."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relax_lint.flow.conditions import branches
from relax_lint.flow.effects import forget_filled
from relax_lint.flow.scopes import leaves_function
from relax_lint.flow.shapes import (
    NOTHING,
    SAMPLES_LENGTH,
    SCALAR,
    TEXT,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Constant,
    Dictionary,
    Length,
    LengthKind,
    Library,
    Sequence,
    Shape,
    alternatives,
    union,
)
from relax_lint.flow.state import State, distinct, names_in
from relax_lint.records import changed as replace
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.flow.body import Body
    from relax_lint.flow.facts import Facts

MOST_PASSES = 16
"""Passes of a loop that are followed one by one when each is known."""
ROUNDS = 4
"""Times that a loop is gone through in general; what changes after half of them is taken for unknown."""

_ENDLESS = Library("itertools.count()")


class After:
    """Where statements lead: on to the next one, out of the loop around, or to its next pass."""

    __slots__ = ("breaks", "continues", "on")

    def __init__(
        self, on: list[State] | None = None, breaks: list[State] | None = None, continues: list[State] | None = None
    ) -> None:
        self.on = [] if on is None else on
        self.breaks = [] if breaks is None else breaks
        self.continues = [] if continues is None else continues

    def jumps(self, other: After) -> None:
        """Take over the jumps of statements inside of these."""
        self.breaks.extend(other.breaks)
        self.continues.extend(other.continues)


def items_of(shape: Shape) -> tuple[Shape, ...] | None:
    """The items that iterating gives, when each is known and there are few."""
    if isinstance(shape, Sequence):
        if shape.items is not None and len(shape.items) <= MOST_PASSES:
            return shape.items
        if shape.length.kind == "exact" and shape.length.count <= MOST_PASSES and shape.kind != "set":
            return (shape.element,) * shape.length.count
    if isinstance(shape, Dictionary) and not shape.open and all(entry.sure for entry in shape.entries):
        return tuple(Constant(entry.key) for entry in shape.entries) if len(shape.entries) <= MOST_PASSES else None
    return None


def element_of(shape: Shape) -> Shape:
    """What one item of an iterable is."""
    element = union(part.element if isinstance(part, Sequence) else UNKNOWN for part in alternatives(shape))
    return UNKNOWN if element == NOTHING else element


def follow_for(body: Body, node: ast.For | ast.AsyncFor, state: State) -> After:
    """Where a ``for`` loop leads."""
    iterable = body.expressions.evaluate(node.iter, state)
    _forget_changed_items(body, node, state)
    items = items_of(iterable)
    if items is None or isinstance(node, ast.AsyncFor):
        return _in_general(body, node, state, iterable)
    result = After()
    states = [state]
    for item in items:
        for way in states:
            body.assign(way, node.target, item)
        here = body.block(node.body, states)
        _forget_touched_items(body, node, item, [*here.on, *here.continues, *here.breaks])
        result.on.extend(here.breaks)
        states = distinct([*here.on, *here.continues])
    facts = body.interpreter.facts
    result.on = [_with_open_dictionaries(way, facts, node, [*states, *result.on]) for way in result.on]
    done = [_with_open_dictionaries(way, facts, node, states) for way in states]
    return _with_else(body, node, done, result)


def _forget_changed_items(body: Body, node: ast.For | ast.AsyncFor, state: State) -> None:
    """A loop that changes each item in place changes what is in the list."""
    if not body.interpreter.facts.changed(node) & names_in(node.target):
        return
    for name in names_in(node.iter):
        held = state.variables.get(name)
        if isinstance(held, Sequence):
            element = union(body.interpreter.changed(part) for part in alternatives(held.element))
            state.change(name, Sequence(element, held.length, kind=held.kind))


def _forget_touched_items(body: Body, node: ast.For | ast.AsyncFor, item: Shape, ends: list[State]) -> None:
    """A pass that hands its item to code which changes it changes what is in the list."""
    fresh = State({})
    body.assign(fresh, node.target, item)
    for way in ends:
        touched = any(
            isinstance(shape, Dictionary) and way.variables.get(name, shape) != shape
            for name, shape in fresh.variables.items()
        )
        for name in names_in(node.iter) if touched else ():
            held = way.variables.get(name)
            if isinstance(held, Sequence):
                element = union(body.interpreter.changed(part) for part in alternatives(held.element))
                way.change(name, Sequence(element, held.length, kind=held.kind))


def _with_open_dictionaries(state: State, facts: Facts, node: ast.AST, others: list[State]) -> State:
    """Dictionaries that a loop fills, under whatever name, can hold more keys than this way through it gives them."""
    way = state.copy()
    changed, stored = facts.changed(node), facts.stored(node)
    for name, held in state.variables.items():
        if name in stored and name not in changed:
            continue
        if isinstance(held, Dictionary) and any(other.variables.get(name) != held for other in others):
            way.variables[name] = replace(held, open=True)
    return way


def _with_else(body: Body, node: ast.For | ast.AsyncFor | ast.While, done: Iterable[State], result: After) -> After:
    """After the loop's ``else``, which breaks (in ``result.on``) leave out."""
    tail = body.block(node.orelse, distinct(done))
    result.on = distinct([*tail.on, *result.on])
    result.jumps(tail)
    return result


def _in_general(body: Body, node: ast.For | ast.AsyncFor, state: State, iterable: Shape) -> After:
    # Whether there is anything to go over is asked again by `if items:` and by other loops over the same.
    condition = body.interpreter.facts.condition(node.iter)
    known = state.facts.get(condition.key)
    per_sample = isinstance(iterable, Sequence) and iterable.length == SAMPLES_LENGTH
    if known is not None and not known[0] and not per_sample:
        return _with_else(body, node, [state], After())
    skipped = state.copy()
    if not per_sample:
        forget_filled(skipped, body.interpreter.facts.filled(node))
    skipped.facts[condition.key] = (False, condition.names)
    state.facts[condition.key] = (True, condition.names)
    stored = _with_aliases(state, body.interpreter.facts.stored(node))
    # Lists that the passes add to count from the beginning of a pass: "since".
    before = {
        name: shape.length
        for name, shape in state.variables.items()
        if isinstance(shape, Sequence) and shape.kind == "list" and name in stored
    }
    heads = [_with_lengths(state, dict.fromkeys(before, Length("since")))]
    breaks: list[State] = []
    ends: list[State] = []
    left_before = len(body.ways)
    for number in range(ROUNDS):
        entered = [way.copy() for way in heads]
        for way in entered:
            body.assign(way, node.target, element_of(iterable))
        here = body.block(node.body, entered)
        _forget_touched_items(body, node, element_of(iterable), [*here.on, *here.continues, *here.breaks])
        if per_sample and not number and not here.on and not here.continues:
            del body.ways[left_before:]
            return _in_one_pass(body, node, state, iterable)
        breaks.extend(here.breaks)
        ends = distinct([*here.on, *here.continues])
        again = [_with_lengths(way, dict.fromkeys(before, Length("since"))) for way in ends]
        if number >= ROUNDS // 2:
            again = [_forget_changing(way, stored - before.keys()) for way in again]
        grown = distinct([*heads, *again])
        if {way.key() for way in grown} == {way.key() for way in heads}:
            break
        heads = grown
    lengths = dict.fromkeys(stored, UNKNOWN_LENGTH)
    lengths.update((name, UNKNOWN_LENGTH) for name in _lengthened(state, ends, before))
    passes = iterable.length.kind if isinstance(iterable, Sequence) else "unknown"
    if passes == "fewer" and state.counted:
        passes = "unknown"  # an earlier loop may have gone over none because this one goes over all
    lengths.update((name, _length_after(name, length, ends, breaks, passes)) for name, length in before.items())
    done = [_with_lengths(way, lengths) for way in ends]
    if iterable == _ENDLESS:
        done = []
    elif not per_sample and known is None:  # batches without samples are not scored
        skipped = _with_lengths(skipped, {name: UNKNOWN_LENGTH for name, old in before.items() if old.kind == "fewer"})
        skipped.counted = True  # what is gone over may come from the samples, and lists filled here fit them then
        done.append(skipped)
    facts = body.interpreter.facts
    done = [_with_open_dictionaries(way, facts, node, [*done, *breaks]) for way in done]
    breaks = [_with_open_dictionaries(way, facts, node, [*done, *breaks]) for way in breaks]
    if _counts_attempts(node):
        for way in done:
            way.doubtful = True
    return _with_else(body, node, done, After(on=[_with_lengths(way, lengths) for way in breaks]))


def _in_one_pass(body: Body, node: ast.For | ast.AsyncFor, state: State, iterable: Shape) -> After:
    """Where a loop over something leads of which each pass leaves it: the first is all that there is."""
    body.assign(state, node.target, element_of(iterable))
    here = body.block(node.body, [state])
    return _with_else(body, node, [], After(on=here.breaks))


def _with_aliases(state: State, names: frozenset[str]) -> frozenset[str]:
    """Names with the other names of the same lists and dictionaries."""
    held = {id(state.variables.get(name)) for name in names}
    return names | {
        name
        for name, shape in state.variables.items()
        if id(shape) in held and isinstance(shape, (Dictionary, Sequence))
    }


def _lengthened(state: State, ends: list[State], known: Iterable[str]) -> Iterator[str]:
    """Lists that a loop adds to under another name than theirs."""
    for name, shape in state.variables.items():
        if isinstance(shape, Sequence) and name not in known:
            for way in ends:
                after = way.variables.get(name)
                if isinstance(after, Sequence) and after.length != shape.length:
                    yield name


def _with_lengths(state: State, lengths: dict[str, Length]) -> State:
    way = state.copy()
    made: dict[int, Shape] = {}  # names of one list go on being names of one
    for name, length in lengths.items():
        shape = way.variables.get(name)
        if isinstance(shape, Sequence) and shape.length != length:
            way.variables[name] = made.setdefault(id(shape), replace(shape, length=length, items=None))
    return way


def _forget_changing(state: State, names: Iterable[str]) -> State:
    """Without the values of counters, which every pass changes."""
    way = state.copy()
    made: dict[int, Shape] = {}
    for name in names:
        shape = way.variables.get(name)
        if isinstance(shape, Constant) and not isinstance(shape.value, bool):
            way.variables[name] = TEXT if isinstance(shape.value, str) else SCALAR
        elif isinstance(shape, Sequence):
            changed = replace(shape, length=UNKNOWN_LENGTH, items=None)
            way.variables[name] = made.setdefault(id(shape), changed)
    return way


def _length_after(name: str, before: Length, ends: list[State], breaks: list[State], passes: LengthKind) -> Length:
    """How long a list is after a loop that adds to it."""
    shapes = [way.variables.get(name) for way in ends]
    lengths = {shape.length if isinstance(shape, Sequence) else UNKNOWN_LENGTH for shape in shapes}
    if lengths == {Length("since")} and not breaks:
        return before
    if before != Length("exact", 0) or {length.kind for length in lengths} != {"since"}:
        return UNKNOWN_LENGTH
    counts = {length.count for length in lengths}
    if passes == "fewer" and max(counts) <= 1:
        return Length("fewer")
    if passes != "samples":
        return UNKNOWN_LENGTH
    if counts == {1}:
        return Length("fewer") if breaks else SAMPLES_LENGTH
    if min(counts) >= 1:
        return UNKNOWN_LENGTH if breaks else Length("more")
    return Length("fewer") if max(counts) <= 1 else UNKNOWN_LENGTH


def _counts_attempts(node: ast.For | ast.AsyncFor) -> bool:
    """Whether the loop counts and leaves the function on some count: its end is then not meant to be reached, though
    nothing says that it is not."""
    call = node.iter
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("range", "enumerate")):
        return False
    counters = names_in(node.target)
    tests = (part for part in walk(node) if isinstance(part, ast.If) and counters & names_in(part.test))
    return any(leaves_function(test) for test in tests)


def follow_while(body: Body, node: ast.While, state: State) -> After:
    """Where a ``while`` loop leads."""
    stored = _with_aliases(state, body.interpreter.facts.stored(node))
    lengths = dict.fromkeys(stored, UNKNOWN_LENGTH)
    states = [state]
    breaks: list[State] = []
    done: list[State] = []
    seen: set[tuple[object, ...]] = set()
    for number in range(MOST_PASSES + ROUNDS):
        fresh = [way for way in states if way.key() not in seen]
        if not fresh:
            break
        seen.update(way.key() for way in fresh)
        entered: list[State] = []
        for way in fresh:
            true, false = branches(body.expressions, node.test, way)
            for left in false if not number else ():
                left.counted = True  # as with what a `for` finds nothing to go over
            entered.extend(true)
            done.extend(false)
        here = body.block(node.body, distinct(_with_lengths(way, lengths) for way in entered))
        breaks.extend(here.breaks)
        states = distinct([*here.on, *here.continues])
        if number >= MOST_PASSES:
            states = distinct(_forget_changing(way, stored) for way in states)
    return _with_else(body, node, done, After(on=breaks))
