"""Which ways a condition leaves open, and what is known on each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from relax_lint.flow.kinds import BUILT_IN_KINDS, EXACT_KINDS, example_of, is_of_kinds, kinds_in
from relax_lint.flow.shapes import (
    NONE,
    NONE_TYPE,
    SAMPLES_LENGTH,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Constant,
    Dictionary,
    Library,
    NoneValue,
    SampleCount,
    Sequence,
    Shape,
    Union,
    Unknown,
    alternatives,
    is_scalar,
    is_text,
    truth,
    union,
)
from relax_lint.flow.signals import NoReturn
from relax_lint.flow.state import State, distinct
from relax_lint.records import changed as replace

if TYPE_CHECKING:
    from relax_lint.flow.expressions import Expressions

Ways = tuple[list[State], list[State]]

_NEGATED: dict[type[ast.cmpop], ast.cmpop] = {ast.NotEq: ast.Eq(), ast.IsNot: ast.Is(), ast.NotIn: ast.In()}
_DEEPEST = 60
_MOST_PARTS = 6


def branches(expressions: Expressions, test: ast.expr, state: State, depth: int = 0) -> Ways:
    """The states in which a condition holds, and those in which it does not; ``state`` is used up."""
    if depth > _DEEPEST:
        return [state], [state.copy()]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        true, false = branches(expressions, test.operand, state, depth + 1)
        return false, true
    if isinstance(test, ast.BoolOp):
        return _chain(expressions, test, state, depth)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _NEGATED:
        positive = expressions.interpreter.facts.positive(test, _NEGATED[type(test.ops[0])])
        true, false = branches(expressions, positive, state, depth + 1)
        return false, true
    return _atom(expressions, test, state)


def _chain(expressions: Expressions, test: ast.BoolOp, state: State, depth: int) -> Ways:
    """``and`` goes on while true, ``or`` while false."""
    conjunction = isinstance(test.op, ast.And)
    going, left = [state], []
    for value in test.values:
        further: list[State] = []
        for way in going:
            try:
                true, false = branches(expressions, value, way, depth + 1)
            except NoReturn:
                continue
            further.extend(true if conjunction else false)
            left.extend(false if conjunction else true)
        going = distinct(further)
    left = distinct(left)
    return (going, left) if conjunction else (left, going)


def _atom(expressions: Expressions, test: ast.expr, state: State) -> Ways:
    shape = expressions.evaluate(test, state)
    decided = truth(shape)
    if decided is None:
        decided = _decided(expressions, test, state)
    if decided is not None:
        return ([state], []) if decided else ([], [state])
    parts = _decided_by_part(expressions, test, state)
    condition = expressions.interpreter.facts.condition(test)
    if condition.key in state.facts:
        return ([state], []) if state.facts[condition.key][0] else ([], [state])
    _forget_lengths(condition.measured, state)
    true, false = state, state.copy()
    true.facts[condition.key] = (True, condition.names)
    false.facts[condition.key] = (False, condition.names)
    _narrow(expressions, test, true, True)
    _narrow(expressions, test, false, False)
    for name, answers in parts:
        for way, wrong in ((true, False), (false, True)):
            left = [part for part, answer in answers if answer is not wrong]
            held = alternatives(way.variables[name])
            both = [part for part in held if part in left]
            if both and len(both) < len(held):
                way.narrow(name, union(both))
    return [true], [false]


def _decided_by_part(
    expressions: Expressions, test: ast.expr, state: State
) -> list[tuple[str, list[tuple[Shape, bool | None]]]]:
    """For each variable in a condition that can be of several shapes, what each of them decides."""
    found = []
    for name in expressions.interpreter.facts.condition(test).names:
        held = state.variables.get(name)
        if not isinstance(held, Union) or len(held.alternatives) > _MOST_PARTS:
            continue
        answers: list[tuple[Shape, bool | None]] = []
        for part in held.alternatives:
            way = state.copy()
            way.narrow(name, part)
            try:
                answer = truth(expressions.evaluate(test, way))
                answers.append((part, _decided(expressions, test, way) if answer is None else answer))
            except NoReturn:
                continue
        found.append((name, answers))
    return found


def is_condition(test: ast.expr) -> bool:
    """Whether an expression gives nothing but True or False, by what it looks like."""
    if isinstance(test, ast.BoolOp):
        return all(map(is_condition, test.values))
    if isinstance(test, ast.UnaryOp):
        return isinstance(test.op, ast.Not)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name):
        return test.func.id in ("isinstance", "bool", "callable", "hasattr", "all", "any")
    return isinstance(test, ast.Compare) and len(test.ops) == 1


def _variable(test: ast.expr) -> str | None:
    if isinstance(test, ast.NamedExpr):
        return test.target.id
    return test.id if isinstance(test, ast.Name) else None


def _is_isinstance(test: ast.expr) -> TypeGuard[ast.Call]:
    if not (isinstance(test, ast.Call) and isinstance(test.func, ast.Name)):
        return False
    return test.func.id == "isinstance" and len(test.args) == 2


def _compared(test: ast.expr) -> tuple[ast.expr, ast.cmpop, ast.expr] | None:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, (ast.Is, ast.Eq)) and _stands_right(left) and not _stands_right(right):
        return right, operator, left
    return left, operator, right


def _stands_right(node: ast.expr) -> bool:
    """Whether this is what other things are compared with, wherever it is written."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in BUILT_IN_KINDS)


def _decided(expressions: Expressions, test: ast.expr, state: State) -> bool | None:
    """Whether what is known of the parts decides a condition."""
    compared = _compared(test)
    if compared is not None:
        decided = _type_test(expressions, compared, state)
        if decided is not None:
            return decided
        left, operator, right = compared
        return _decided_comparison(operator, expressions.evaluate(left, state), expressions.evaluate(right, state))
    return None


def instance_test(expressions: Expressions, test: ast.expr, state: State) -> bool | None:
    """What ``isinstance(value, types)`` gives; ``None`` when it is not known, or no such call."""
    if not _is_isinstance(test):
        return None
    return _is_of(expressions.evaluate(test.args[0], state), _types(expressions, test.args[1], state))


def attribute_test(node: ast.Call, arguments: tuple[Shape, ...]) -> bool | None:
    """What ``hasattr(value, name)`` gives for a value that is None."""
    if not (isinstance(node.func, ast.Name) and node.func.id == "hasattr" and len(arguments) == 2):
        return None
    value, name = arguments
    if isinstance(value, NoneValue) and isinstance(name, Constant) and isinstance(name.value, str):
        return hasattr(None, name.value)
    return None


def comparison_value(expressions: Expressions, node: ast.Compare, shapes: list[Shape], state: State) -> bool | None:
    """What a comparison gives, where that is known."""
    if len(node.ops) != 1:
        return None
    negated = type(node.ops[0]) in _NEGATED
    operator = _NEGATED.get(type(node.ops[0]), node.ops[0])
    decided = _type_test(expressions, (node.left, operator, node.comparators[0]), state)
    if decided is None:
        decided = _decided_comparison(operator, shapes[0], shapes[1])
    return decided if decided is None or not negated else not decided


def _types(expressions: Expressions, node: ast.expr, state: State) -> tuple[str, ...]:
    """The names of the types in an expression, or in the tuple that a name stands for."""
    if isinstance(node, ast.Name):
        held = expressions.body.lookup(state, node.id)
        items = held.items if isinstance(held, Sequence) else None
        if items is not None:
            return tuple(part.name.rpartition(".")[2] if isinstance(part, Library) else "" for part in items)
    return kinds_in(node)


def is_instance(shape: Shape, kinds: ast.expr) -> bool | None:
    """Whether a value is of one of the types that an expression names."""
    return _is_of(shape, kinds_in(kinds))


def _is_of(shape: Shape, names: tuple[str, ...]) -> bool | None:
    answers = {is_of_kinds(part, names) for part in alternatives(shape)}
    return answers.pop() if len(answers) == 1 else None


def _type_test(expressions: Expressions, compared: tuple[ast.expr, ast.cmpop, ast.expr], state: State) -> bool | None:
    """What ``type(value) is list`` and its like give."""
    left, operator, right = compared
    if not isinstance(operator, (ast.Is, ast.Eq, ast.In)):
        return None
    if _typed(left) is None and not isinstance(operator, ast.In):
        left, right = right, left
    subject = _typed(left)
    if subject is None:
        return None
    kinds = _types(expressions, right, state)
    answer = _is_of(expressions.evaluate(subject, state), kinds)
    return answer if answer is False or set(kinds) <= EXACT_KINDS else None


def _typed(node: ast.expr) -> ast.expr | None:
    """What an expression takes the type of, or its name."""
    if isinstance(node, ast.Attribute) and node.attr in ("__name__", "__qualname__"):
        return _typed(node.value)
    if isinstance(node, ast.Attribute) and node.attr == "__class__":
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type":
        return node.args[0] if len(node.args) == 1 else None
    return None


def _decided_comparison(operator: ast.cmpop, left: Shape, right: Shape) -> bool | None:
    if isinstance(operator, (ast.Is, ast.Eq)) and isinstance(left, Library) and isinstance(right, Library):
        return left == right if NONE_TYPE in (left.name, right.name) else None
    if isinstance(operator, ast.Is):
        if isinstance(right, NoneValue):
            answers = {is_none(part) for part in alternatives(left)}
            return answers.pop() if len(answers) == 1 else None
        if isinstance(left, Constant) and isinstance(right, Constant) and isinstance(left.value, bool):
            return left.value is right.value
        return None
    if isinstance(operator, ast.In):
        return _is_in(left, right)
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _compare(operator, left.value, right.value)
    if isinstance(left, SampleCount) and isinstance(right, SampleCount):
        return isinstance(operator, (ast.Eq, ast.LtE, ast.GtE))
    if isinstance(left, Constant) and isinstance(right, SampleCount) and type(left.value) is int and left.value <= 0:
        return isinstance(operator, (ast.Lt, ast.LtE))  # a batch without samples is not scored
    if isinstance(operator, ast.Eq):
        answers = {_never_equal(one, other) for one in alternatives(left) for other in alternatives(right)}
        if answers == {True}:
            return False
        if isinstance(right, NoneValue):
            return _decided_comparison(ast.Is(), left, right)
    return None


def _never_equal(left: Shape, right: Shape) -> bool:
    """Whether two values are of kinds that never compare equal."""
    kinds = {_plain_kind(left), _plain_kind(right)}
    return None not in kinds and len(kinds) == 2


def _plain_kind(shape: Shape) -> str | None:
    if is_text(shape):
        return "text"
    if is_scalar(shape):
        return "number"
    if isinstance(shape, (NoneValue, Dictionary)):
        return type(shape).__name__
    return shape.kind if isinstance(shape, Sequence) and shape.kind in ("list", "tuple") else None


def _compare(operator: ast.cmpop, left: object, right: object) -> bool | None:
    if isinstance(operator, ast.Eq):
        return left == right
    if isinstance(left, str) != isinstance(right, str):
        return None
    ordered: dict[type[ast.cmpop], bool] = {
        ast.Lt: left < right,  # type: ignore[operator]
        ast.LtE: left <= right,  # type: ignore[operator]
        ast.Gt: left > right,  # type: ignore[operator]
        ast.GtE: left >= right,  # type: ignore[operator]
    }
    return ordered.get(type(operator))


def is_none(shape: Shape) -> bool | None:
    """Whether a value is None; ``None`` when that is not known."""
    if isinstance(shape, NoneValue):
        return True
    return None if isinstance(shape, (Unknown, Library)) else False


def _is_in(left: Shape, right: Shape) -> bool | None:
    if isinstance(right, Sequence) and right.items is not None:
        answers = {_is_among(part, right.items) for part in alternatives(left)}
        return answers.pop() if len(answers) == 1 else None
    if not isinstance(left, Constant):
        return None
    if isinstance(right, Dictionary):
        entry = right.get(left.value)
        if entry is not None:
            return True if entry.sure else None
        return None if right.open else False
    if isinstance(right, Constant) and isinstance(right.value, str) and isinstance(left.value, str):
        return left.value in right.value
    return None


def _is_among(value: Shape, items: tuple[Shape, ...]) -> bool | None:
    answers = [_is_equal(value, item) for item in items]
    return True if True in answers else (None if None in answers else False)


def _is_equal(one: Shape, other: Shape) -> bool | None:
    if isinstance(one, NoneValue) and isinstance(other, NoneValue):
        return True
    if isinstance(one, Constant) and isinstance(other, Constant):
        return bool(one.value == other.value)
    if isinstance(one, Library) and isinstance(other, Library) and NONE_TYPE in (one.name, other.name):
        return one == other
    return False if _never_equal(one, other) else None


def _narrow(expressions: Expressions, test: ast.expr, state: State, holds: bool) -> None:
    """Take over what a condition says of the variables in it."""
    _narrow_by_count(expressions, test, state, holds)
    if isinstance(test, ast.NamedExpr) and is_condition(test.value):
        _narrow(expressions, test.value, state, holds)
    name = _variable(test)
    if name is not None:
        _keep(
            expressions,
            state,
            name,
            [part for part in _parts(expressions, state, name) if truth(part) is not (not holds)],
        )
        return
    compared = _compared(test)
    if compared is not None:
        left, operator, right = compared
        name = _variable(left)
        other = expressions.evaluate(right, state)
        if name is not None and isinstance(operator, (ast.Is, ast.Eq)) and isinstance(other, NoneValue):
            _narrow_to_none(expressions, state, name, holds)
        elif name is not None and isinstance(operator, ast.Eq) and isinstance(other, Constant) and holds:
            if isinstance(expressions.body.lookup(state, name), Unknown) or isinstance(other.value, (bool, str)):
                state.narrow(name, other)
        elif isinstance(operator, ast.In):
            _narrow_keys(expressions, state, left, right, holds)
        return
    if _is_isinstance(test):
        name = _variable(test.args[0])
        if name is not None:
            _narrow_to_kinds(expressions, state, name, _types(expressions, test.args[1], state), holds)


def _parts(expressions: Expressions, state: State, name: str) -> tuple[Shape, ...]:
    return alternatives(expressions.body.lookup(state, name))


def _keep(expressions: Expressions, state: State, name: str, parts: list[Shape]) -> None:
    if parts and len(parts) < len(_parts(expressions, state, name)):
        state.narrow(name, union(parts))


def _narrow_to_none(expressions: Expressions, state: State, name: str, holds: bool) -> None:
    parts = _parts(expressions, state, name)
    if holds:
        state.narrow(name, NONE)
    else:
        _keep(expressions, state, name, [part for part in parts if not isinstance(part, NoneValue)])


def _narrow_keys(expressions: Expressions, state: State, left: ast.expr, right: ast.expr, holds: bool) -> None:
    key, name = expressions.evaluate(left, state), _variable(right)
    held = expressions.body.lookup(state, name) if name is not None else UNKNOWN
    if name is not None and isinstance(held, Dictionary) and isinstance(key, Constant):
        entry = held.get(key.value)
        value = entry.value if entry is not None else UNKNOWN
        state.narrow(name, held.put(key.value, value) if holds else held.without(key.value))


def _narrow_to_kinds(expressions: Expressions, state: State, name: str, kinds: tuple[str, ...], holds: bool) -> None:
    parts = _parts(expressions, state, name)
    if not holds:
        _keep(expressions, state, name, [part for part in parts if is_of_kinds(part, kinds) is not True])
        return
    fitting = [part for part in parts if is_of_kinds(part, kinds) is not False]
    if len(parts) == 1 and isinstance(parts[0], Unknown):
        state.narrow(name, union(example_of(kind) for kind in kinds))
    else:
        _keep(expressions, state, name, fitting)


def _narrow_by_count(expressions: Expressions, test: ast.expr, state: State, holds: bool) -> None:
    """Where the number of samples is looked at, lists of a fixed length can be right on the way of few samples."""
    name = _variable(test)
    if name is not None:
        held = expressions.body.lookup(state, name)
        if (isinstance(held, Sequence) and held.length == SAMPLES_LENGTH) or isinstance(held, SampleCount):
            state.counted = state.counted or not holds
        return
    compared = _compared(test)
    if compared is None:
        return
    left, operator, right = compared
    sides = [isinstance(expressions.evaluate(side, state), SampleCount) for side in (left, right)]
    if any(sides):
        few = (
            isinstance(operator, (ast.Eq, ast.Lt, ast.LtE)) if sides[0] else not isinstance(operator, (ast.Lt, ast.LtE))
        )
        state.counted = state.counted or holds is few


def _forget_lengths(names: frozenset[str], state: State) -> None:
    """A length that the code compares is one that it takes care of."""
    for name in names:
        held = state.variables.get(name)
        if isinstance(held, Dictionary) and held.size != UNKNOWN_LENGTH:
            state.change(name, replace(held, size=UNKNOWN_LENGTH))
        if isinstance(held, Sequence) and held.length.kind in ("fewer", "more", "since"):
            state.change(name, Sequence(held.element, UNKNOWN_LENGTH, kind=held.kind))
