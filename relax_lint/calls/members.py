"""Attributes of classes of the repository and of their objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.calls.values import (
    NOTHING,
    UNTOLD,
    Kind,
    Object,
    Outside,
    Parents,
    Routine,
    Value,
    Values,
    outside,
    together,
)

if TYPE_CHECKING:
    from relax_lint.calls.frames import Frame
    from relax_lint.calls.look import Look
    from relax_lint.sources.python import PythonSource

_MOST_BASES = 20
_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property", "abc.abstractproperty"})
_PLAIN_BASES = frozenset({"object", "abc.ABC", "typing.Protocol", "typing.Generic"})


def class_of(frame: Frame) -> Kind | None:
    """The class whose method a frame is."""
    holder = frame.holder
    return None if holder is None else Kind(frame.source, holder)


def lineage(look: Look, kind: Kind) -> Iterator[Value]:
    """A class and its bases, those that are not known among them."""
    pending: list[Value] = [kind]
    seen: set[ast.ClassDef] = set()
    while pending and len(seen) < _MOST_BASES:
        current = pending.pop(0)
        if isinstance(current, Kind):
            if current.node in seen:
                continue
            seen.add(current.node)
            above = look.at_module(current.source)
            bases = [base.value if isinstance(base, ast.Subscript) else base for base in current.node.bases]
            pending = [value for base in bases for value in above.value(base)] + pending
        yield current


def member(look: Look, holder: Kind | Object | Parents, name: str) -> Values:
    """``holder.name``: a method bound to its object, what a property gives, or what is stored under the name."""
    kind = holder if isinstance(holder, Kind) else holder.kind
    bound = holder.of if isinstance(holder, Parents) else holder
    stored = NOTHING if isinstance(holder, Parents) else look.graph.read(("attribute", kind.node, name), look.reader)
    hidden = False
    for index, current in enumerate(lineage(look, kind)):
        if isinstance(holder, Parents) and index == 0:
            continue
        if isinstance(current, Kind):
            if isinstance(bound, Object):
                stored |= look.graph.read(("attribute", current.node, name), look.reader)
            statement = _binding(current.node, name)
            if statement is not None:
                return together((stored, _of(look, current, statement, bound)))
        elif isinstance(current, Outside):
            if current.name not in _PLAIN_BASES:
                made = current.name if isinstance(bound, Kind) else f"{current.name}()"
                return together((stored, outside(f"{made}.{name}")))
        else:
            hidden = True
    if name in ("__init__", "__post_init__", "__call__", "__enter__", "__aenter__"):
        return stored
    return together((stored, UNTOLD)) if hidden else stored


def _binding(node: ast.ClassDef, name: str) -> ast.stmt | None:
    found: ast.stmt | None = None
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if statement.name == name and not _is_overload(statement):
                found = statement
        elif isinstance(statement, ast.Assign):
            if any(isinstance(target, ast.Name) and target.id == name for target in statement.targets):
                found = statement
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            if isinstance(statement.target, ast.Name) and statement.target.id == name:
                found = statement
    return found


def _is_overload(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(name.endswith((".setter", ".deleter", "overload")) for name in names)


def _of(look: Look, kind: Kind, statement: ast.stmt, bound: Value) -> Values:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return _method(look, kind.source, statement, bound)
    value = getattr(statement, "value", None)
    if value is None:
        return UNTOLD
    above = look.at_module(kind.source)
    factory = _factory_in(value)
    return above.value(value) if factory is None else _made_by(above, factory)


def _factory_in(value: ast.expr) -> ast.expr | None:
    """What ``field(default_factory=…)`` of a dataclass has made for each object."""
    if not isinstance(value, ast.Call):
        return None
    return next((keyword.value for keyword in value.keywords if keyword.arg == "default_factory"), None)


def _made_by(look: Look, factory: ast.expr) -> Values:
    from relax_lint.calls.look import Passed

    return together(look.apply(callee, Passed(), None) for callee in look.value(factory))


def _method(
    look: Look, source: PythonSource, node: ast.FunctionDef | ast.AsyncFunctionDef, bound: Value
) -> Values:  # fmt: skip
    from relax_lint.calls.look import Passed

    names = [ast.unparse(decorator) for decorator in node.decorator_list]
    if "staticmethod" in names:
        return frozenset({Routine(source, node)})
    if "classmethod" in names:
        cls = bound if isinstance(bound, Kind) else getattr(bound, "kind", bound)
        return frozenset({Routine(source, node, bound=(frozenset({cls}),))})
    found = look.at_module(source).definition(node)
    if isinstance(bound, Kind):
        return found
    me: Values = frozenset({bound})
    if any(name in _PROPERTIES for name in names):
        getter = Routine(source, node, bound=(me,))
        return look.graph.enter(look, getter, Passed(), look.frame.where, None)
    return frozenset(_bind(value, me) if isinstance(value, Routine) else value for value in found)


def _bind(routine: Routine, me: Values) -> Routine:
    return Routine(routine.source, routine.node, routine.scope, (me, *routine.bound), routine.keywords)
