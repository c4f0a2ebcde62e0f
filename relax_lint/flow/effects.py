"""What code that is not followed may do to lists and dictionaries: which of them it can come by, and what is still
known of them afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from relax_lint.flow.methods import READING_METHODS
from relax_lint.flow.parts import containers, with_part
from relax_lint.flow.scopes import NOT_CHANGING, is_logging
from relax_lint.flow.shapes import (
    UNKNOWN,
    Dictionary,
    Function,
    Leak,
    Library,
    Method,
    Sequence,
    Shape,
    Unknown,
    alternatives,
    changed_unseen,
    is_scalar,
    is_text,
)
from relax_lint.records import changed as replace

if TYPE_CHECKING:
    from relax_lint.flow.body import Body
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.flow.state import State

_LOGGING = frozenset({"info", "warning", "error", "debug", "exception", "log", "critical"})
_CALLING = frozenset({"map", "filter", "sorted", "min", "max"})
"""Functions that call what they are given with the items of what they are given."""
_SEEING_LOCALS = {"exec": 1, "eval": 1, "locals": 0, "vars": 0}
"""Functions that come by the local variables when they are given so many arguments."""
_KEEPING = frozenset({"append", "extend", "insert", "update", "setdefault", *READING_METHODS})
"""Methods of which it is told what they put where."""
_FILLING = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__", "__ior__"})
"""Methods that change the keys of a dictionary."""
_HELD = (Dictionary, Sequence)
_FAR: tuple[Leak, ...] = ("item", "attribute", "anywhere")
"""What code that has no part in the function can come by."""


def hand_out(state: State, shape: Shape, leak: Leak) -> Shape:
    """A value that is put where it can be taken from again without its name, marked so."""
    for part in list(containers(shape)):
        known = _together(part.leak, leak)
        if known != part.leak:
            marked = replace(part, leak=known)
            state.swap(part, marked)
            shape = with_part(shape, part, marked)
    return shape


def _together(one: Leak, other: Leak) -> Leak:
    if one == other or not other or (other == "near" and one):
        return one
    return other if one in ("", "near") else "anywhere"


def spoil(state: State, shape: Shape) -> None:
    """A value and all that is in it may have been changed."""
    for part in list(containers(shape)):
        state.swap(part, changed_unseen(part))


def spoil_leaked(state: State, through: Iterable[Leak] = ("near", *_FAR)) -> None:
    """Code that names nothing of this function may have changed what it can come by."""
    for held in list(state.variables.values()):
        if held.__class__ in _HELD:
            for part in list(containers(held)):
                if part.leak in through:
                    spoil(state, part)


def note_taken_method(state: State, holder: Shape, name: str) -> None:
    """``value.method`` that is not called here changes the value whenever it is called."""
    if name in READING_METHODS:
        return
    for part in alternatives(holder):
        if isinstance(part, _HELD):
            spoil(state, part)
        elif isinstance(part, Unknown) and name in _FILLING:
            spoil_leaked(state)


def note_lost(state: State, holders: Iterable[Shape], result: Shape) -> None:
    """What is taken out of a container without being known may be any part of it."""
    if isinstance(result, Sequence):
        result = result.element
    if any(isinstance(part, Unknown) for part in alternatives(result)):
        for holder in holders:
            if holder.__class__ in _HELD:
                hand_out(state, holder, "near")


def note_call(
    interpreter: Interpreter, node: ast.Call, callee: Shape, given: list[Shape], result: Shape, state: State
) -> None:
    """Lists and dictionaries that are handed to code which may change them are no longer known."""
    if isinstance(node.func, ast.Name) and len(given) == _SEEING_LOCALS.get(node.func.id):
        for held in list(state.variables.values()):
            spoil(state, held)
    if isinstance(callee, Library):
        if is_logging(callee.name):
            return
        if callee.name in NOT_CHANGING:
            if callee.name in _CALLING:
                _note_called_back(interpreter, given, state)
            note_lost(state, given, result)
            return
    if isinstance(callee, Method):
        if is_text(callee.receiver) or callee.name in _LOGGING:
            return
        if isinstance(callee.receiver, _HELD):
            for shape in given if callee.name not in _KEEPING else ():
                hand_out(state, shape, "near")
            note_lost(state, (callee.receiver,), result)
            return
        if callee.name in _FILLING:
            spoil_leaked(state)
    unpacked = any(isinstance(argument, ast.Starred) for argument in node.args)
    for index, shape in enumerate(given):
        if not any(True for _ in containers(shape)):
            if isinstance(callee, Function) and isinstance(shape, Unknown):
                if _changes(interpreter, callee, node, index, shape):
                    spoil_leaked(state)
            continue
        if isinstance(callee, Function) and not unpacked and not _changes(interpreter, callee, node, index, shape):
            continue
        spoil(state, shape)
    if isinstance(callee, Library) and _is_plain_call(given):
        return
    spoil_leaked(state, _FAR)


def _is_plain_call(given: list[Shape]) -> bool:
    """Whether a call is given nothing that leads to anything else."""
    return all(is_scalar(part) or is_text(part) for shape in given for part in alternatives(shape))


def _note_called_back(interpreter: Interpreter, given: list[Shape], state: State) -> None:
    for function in given:
        for callee in alternatives(function):
            if not isinstance(callee, Function):
                continue
            names = [parameter.arg for parameter in (*callee.node.args.posonlyargs, *callee.node.args.args)]
            free = names[len(callee.bound) :]
            if not free or any(interpreter.facts.may_change(callee.node, name, items=True) for name in free):
                for shape in given:
                    _spoil_parts(state, shape)


def _spoil_parts(state: State, shape: Shape) -> None:
    """What is in a list may have been changed, while the list is as it was."""
    for part in list(containers(shape)):
        if part is not shape:
            spoil(state, part)


def _changes(interpreter: Interpreter, callee: Function, node: ast.Call, index: int, shape: Shape) -> bool:
    """Whether a function may change its ``index``-th argument in place."""
    spec = callee.node.args
    names = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args)]
    if index < len(node.args):
        position = index + len(callee.bound)
        if position >= len(names):
            return True
        name = names[position]
    else:
        keyword = node.keywords[index - len(node.args)].arg
        if keyword is None or keyword not in {*names, *(parameter.arg for parameter in spec.kwonlyargs)}:
            return True
        name = keyword
    items = sum(1 for _ in containers(shape)) > 1
    return interpreter.facts.may_change(callee.node, name, items=items)


def forget_filled(state: State, names: Iterable[str]) -> None:
    """Lists of which not all items need have been assigned, nor need any be left."""
    for name in names:
        held = state.variables.get(name)
        if isinstance(held, Sequence) and not isinstance(held.element, Unknown):
            state.swap(held, replace(held, element=UNKNOWN, items=None))


def note_defaults(body: Body, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, state: State) -> None:
    """What parameters are given where a function is made is known to it from then on."""
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is not None and not isinstance(default, ast.Constant):
            hand_out(state, body.expressions.evaluate(default, state), "anywhere")
