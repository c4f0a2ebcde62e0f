"""Which attributes may have been stored on a way through a function, by it or by what it calls.

A name stands for any object but those whose class is part of the repository. ``status=NAME`` is added where a member of
an enum is stored under ``status``, ``status=?`` where something else is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from relax_lint.flow.parts import parts_of
from relax_lint.flow.scopes import NOT_CHANGING, is_logging
from relax_lint.flow.shapes import (
    Arguments,
    Class,
    Constant,
    Function,
    Instance,
    Library,
    Method,
    Sample,
    Shape,
    Unknown,
    alternatives,
)
from relax_lint.sources.python import called_name

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.flow.state import State

OUTSIDE = "*"
"""Code from elsewhere was handed a sample and may have stored anything."""
UNSEEN = "?"
"""So was code that cannot be told, the recipe's own most likely."""
STATUS = "status"
_OTHER_STATUS = f"{STATUS}=?"
_READS_META_INFO = "update_from_meta_info"
"""A method of samples that sets their status by what the engine says."""


def note_target(state: State, holder: Shape, target: ast.Attribute) -> None:
    """``holder.name = …``."""
    if state.stored is not None and not all(isinstance(part, Instance) for part in alternatives(holder)):
        state.stored |= {target.attr}


def note_status(state: State, target: ast.expr, value: ast.expr) -> None:
    """``holder.status = value``: which one."""
    if state.stored is not None and isinstance(target, ast.Attribute) and target.attr == STATUS:
        is_member = isinstance(value, ast.Attribute) and value.attr.isupper()
        state.stored |= {f"{STATUS}={value.attr}" if is_member else _OTHER_STATUS}  # type: ignore[attr-defined]


def note_stores_of_call(
    interpreter: Interpreter,
    node: ast.Call,
    callee: Shape,
    arguments: Arguments,
    given: Iterable[Shape],
    state: State,
) -> None:
    """What a call may store."""
    if state.stored is None:
        return
    shapes = list(given)
    for part in alternatives(callee):
        state.stored |= _stored_by(interpreter, part, arguments, shapes)
    name = called_name(node)
    if name == _READS_META_INFO:
        state.stored |= {STATUS, _OTHER_STATUS}
    if name in ("setattr", "__setattr__"):
        named = [part for part in shapes if isinstance(part, Constant) and isinstance(part.value, str)]
        state.stored |= {str(part.value) for part in named[:1]} or {UNSEEN}
    if name == "Sample":
        state.stored |= {keyword.arg or UNSEEN for keyword in node.keywords}


def _stored_by(interpreter: Interpreter, callee: Shape, arguments: Arguments, given: list[Shape]) -> frozenset[str]:
    if isinstance(callee, Function) and interpreter.follows(callee.source):
        return interpreter.stored_by(callee, arguments) | _of_callbacks(interpreter, given)
    if isinstance(callee, Library) and callee.name == "setattr":
        return frozenset()
    if isinstance(callee, Library) and (callee.name in NOT_CHANGING or is_logging(callee.name)):
        return _of_callbacks(interpreter, given)
    if isinstance(callee, Class):
        made = interpreter.method(Instance(callee), "__init__")
        return interpreter.stored_by(made, arguments) if isinstance(made, Function) else frozenset()
    known = _of_callbacks(interpreter, given)
    if not any(_holds_sample(shape) for shape in given) or _is_container(callee):
        return known
    if isinstance(callee, (Unknown, Instance, Method)):
        return known | {UNSEEN}
    calls_back = any(isinstance(part, Function) for part in given)  # what runs is the function that it is given
    return known if isinstance(callee, Library) and calls_back else known | {OUTSIDE}


def _is_container(callee: Shape) -> bool:
    """Whether this is a method of a list or the like, which only keeps what it is given."""
    return isinstance(callee, Method) and not isinstance(callee.receiver, (Unknown, Sample, Library))


def _of_callbacks(interpreter: Interpreter, given: Iterable[Shape]) -> frozenset[str]:
    """What functions that are handed over store when they are called."""
    parts = (part for shape in given for part in alternatives(shape))
    functions = [part for part in parts if isinstance(part, Function) and interpreter.follows(part.source)]
    unknown = Arguments(complete=False)
    return frozenset().union(*(interpreter.stored_by(function, unknown) for function in functions))


def _holds_sample(shape: Shape) -> bool:
    return any(isinstance(part, Sample) for part in parts_of(shape))
