"""Which ways a condition leaves open, and what is known on each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from relax_lint.flow.shapes import (
    NONE,
    SAMPLES_LENGTH,
    SCALAR,
    TEXT,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Awaitable,
    Constant,
    Dictionary,
    Function,
    Instance,
    Library,
    NoneValue,
    Sample,
    SampleCount,
    Sequence,
    Shape,
    Unknown,
    alternatives,
    is_scalar,
    is_text,
    truth,
    union,
)
from relax_lint.flow.signals import NoReturn
from relax_lint.flow.state import State, distinct

if TYPE_CHECKING:
    from relax_lint.flow.expressions import Expressions

Ways = tuple[list[State], list[State]]

_NEGATED: dict[type[ast.cmpop], ast.cmpop] = {ast.NotEq: ast.Eq(), ast.IsNot: ast.Is(), ast.NotIn: ast.In()}
_DEEPEST = 60


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
    condition = expressions.interpreter.facts.condition(test)
    if condition.key in state.facts:
        return ([state], []) if state.facts[condition.key][0] else ([], [state])
    _forget_lengths(condition.measured, state)
    true, false = state, state.copy()
    true.facts[condition.key] = (True, condition.names)
    false.facts[condition.key] = (False, condition.names)
    _narrow(expressions, test, true, True)
    _narrow(expressions, test, false, False)
    return [true], [false]


def _variable(test: ast.expr) -> str | None:
    if isinstance(test, ast.NamedExpr):
        return test.target.id
    return test.id if isinstance(test, ast.Name) else None


def _is_isinstance(test: ast.expr) -> TypeGuard[ast.Call]:
    if not (isinstance(test, ast.Call) and isinstance(test.func, ast.Name)):
        return False
    return test.func.id == "isinstance" and len(test.args) == 2


def _compared(test: ast.expr) -> tuple[ast.expr, ast.cmpop, ast.expr] | None:
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return test.left, test.ops[0], test.comparators[0]
    return None


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
    return is_instance(expressions.evaluate(test.args[0], state), test.args[1])


def is_instance(shape: Shape, kinds: ast.expr) -> bool | None:
    """Whether a value is of one of the types that an expression names."""
    names = _kinds(kinds)
    answers = {_is_instance(part, names) for part in alternatives(shape)}
    return answers.pop() if len(answers) == 1 else None


def _type_test(expressions: Expressions, compared: tuple[ast.expr, ast.cmpop, ast.expr], state: State) -> bool | None:
    """What ``type(value) is list`` and its like give."""
    left, operator, right = compared
    if not (isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "type"):
        return None
    if len(left.args) != 1 or not isinstance(operator, (ast.Is, ast.Eq, ast.In)):
        return None
    return is_instance(expressions.evaluate(left.args[0], state), right) if set(_kinds(right)) <= _EXACT else None


def _decided_comparison(operator: ast.cmpop, left: Shape, right: Shape) -> bool | None:
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
    if not isinstance(left, Constant):
        return None
    if isinstance(right, Dictionary):
        entry = right.get(left.value)
        if entry is not None:
            return True if entry.sure else None
        return None if right.open else False
    if isinstance(right, Sequence) and right.items is not None:
        return left in right.items if all(isinstance(item, Constant) for item in right.items) else None
    if isinstance(right, Constant) and isinstance(right.value, str) and isinstance(left.value, str):
        return left.value in right.value
    return None


def _kinds(node: ast.expr) -> tuple[str, ...]:
    """The names of the types in an ``isinstance``."""
    if isinstance(node, ast.Tuple):
        return tuple(name for item in node.elts for name in _kinds(item))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return (*_kinds(node.left), *_kinds(node.right))
    if isinstance(node, ast.Name):
        return (node.id,)
    return (node.attr,) if isinstance(node, ast.Attribute) else ("",)


_MAPPINGS = {"dict", "Mapping", "MutableMapping"}
_NUMBERS = {"int", "float", "bool", "complex", "Number", "Real", "Integral", "number", "floating", "integer"}
_LISTS = {"list": {"list", "Sequence", "MutableSequence", "Iterable", "Collection"}, "tuple": {"tuple", "Sequence"}}
_EXACT = {"list", "tuple", "set", "dict", "str", "Sample"}
_BUILT_IN = _MAPPINGS | _NUMBERS | {"list", "tuple", "set", "str", "bytes", "Sequence", "Iterable", "Sample"}


def _is_instance(shape: Shape, kinds: tuple[str, ...]) -> bool | None:
    known = set(kinds) & _BUILT_IN
    others = len(known) < len(set(kinds))
    if isinstance(shape, NoneValue):
        return False if not others else None
    if isinstance(shape, Dictionary):
        return True if known & _MAPPINGS else (None if others or "Iterable" in known else False)
    if is_text(shape):
        return True if "str" in known else (None if others or known & {"Sequence", "Iterable"} else False)
    if is_scalar(shape):
        if {"int", "float"} <= known:
            return True
        return None if others or known & _NUMBERS else False
    if isinstance(shape, Sequence):
        fitting = _LISTS.get(shape.kind, {shape.kind})
        return True if known & fitting else (None if others or "Iterable" in known else False)
    if isinstance(shape, Sample):
        return True if "Sample" in known else (None if others else False)
    if isinstance(shape, (Function, Awaitable, Instance)):
        return None if others or known & {"Iterable", "Sequence", *_MAPPINGS} else False
    return None


def _narrow(expressions: Expressions, test: ast.expr, state: State, holds: bool) -> None:
    """Take over what a condition says of the variables in it."""
    _narrow_by_count(expressions, test, state, holds)
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
            _narrow_to_kinds(expressions, state, name, _kinds(test.args[1]), holds)


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
        _keep(expressions, state, name, [part for part in parts if _is_instance(part, kinds) is not True])
        return
    fitting = [part for part in parts if _is_instance(part, kinds) is not False]
    if len(parts) == 1 and isinstance(parts[0], Unknown):
        state.narrow(name, union(_example(kind) for kind in kinds))
    else:
        _keep(expressions, state, name, fitting)


def _example(kind: str) -> Shape:
    if kind in _MAPPINGS:
        return Dictionary(open=True)
    if kind in ("int", "float", "bool"):
        return SCALAR
    if kind == "str":
        return TEXT
    if kind in ("list", "tuple", "set"):
        return Sequence(UNKNOWN, UNKNOWN_LENGTH, kind=kind)  # type: ignore[arg-type]
    return Sample() if kind == "Sample" else UNKNOWN


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
        if isinstance(held, Sequence) and held.length.kind in ("fewer", "more", "since"):
            state.change(name, Sequence(held.element, UNKNOWN_LENGTH, kind=held.kind))
