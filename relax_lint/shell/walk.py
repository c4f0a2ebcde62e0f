"""Going through a syntax tree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from relax_lint.attached import attached
from relax_lint.shell.nodes import (
    AndOr,
    ArithmeticFor,
    ArrayLiteral,
    Assignment,
    Background,
    Case,
    Command,
    For,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    Script,
    SimpleCommand,
)

if TYPE_CHECKING:
    from relax_lint.sources.script import ScriptFile

Node = TypeVar("Node")

_HOLDS_NONE = re.compile(r"(?:str|int|bool)(?: \| None)?|object|list\[.*\]|tuple\[bool, \.\.\.\]")
"""What the fields of nodes are annotated with that hold no nodes; what is cached on one is an ``object``."""


def find(root: Any, kind: type[Node]) -> Iterator[Node]:
    """Every node of one kind, at any depth, words and their parts included."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, kind):
            yield node
        pending.extend(reversed(_children(node)))


def nodes_of(source: ScriptFile, kind: type[Node]) -> Sequence[Node]:
    """Every node of exactly one class in a script, in the order of :func:`find`."""
    return cast("Sequence[Node]", _by_class(source).get(kind, ()))


@attached
def _by_class(source: ScriptFile) -> dict[type, list[Any]]:
    found: dict[type, list[Any]] = defaultdict(list)
    pending: list[Any] = [source.script]
    while pending:
        node = pending.pop()
        found[node.__class__].append(node)
        held = _children(node)
        if held:
            held.reverse()
            pending += held
    return found


def innermost(root: Any, start: int, end: int, kind: type[Node]) -> Node | None:
    """The smallest node of a kind that holds ``start:end``."""
    holding = [node for node in find(root, kind) if _start(node) <= start and end <= _end(node)]
    return min(holding, key=lambda node: _end(node) - _start(node), default=None)


def command_lists(root: Script | Command) -> Iterator[Sequence[Command]]:
    """Every list of commands that run one after another, the outer before the inner. Substitutions are left out."""
    pending: list[Script | Command | Sequence[Command]] = [root]
    while pending:
        one = pending.pop()
        if isinstance(one, Sequence):
            yield one
            pending.extend(reversed(one))
        elif not isinstance(one, SimpleCommand):
            pending.extend(reversed([*_bodies(one), *_joined(one)]))


def simple_commands(root: Script | Command) -> Iterator[SimpleCommand]:
    """Every simple command outside of substitutions, in the order of the text."""
    pending = [root]
    while pending:
        command = pending.pop()
        if isinstance(command, SimpleCommand):
            yield command
        else:
            inner = [*_joined(command), *(each for commands in _bodies(command) for each in commands)]
            pending.extend(reversed(inner))


@attached
def commands_of(source: ScriptFile) -> tuple[SimpleCommand, ...]:
    """Every simple command of a script outside of substitutions."""
    return tuple(simple_commands(source.script))


def command_at(source: ScriptFile, offset: int) -> SimpleCommand | None:
    """The simple command that holds an offset."""
    return next((command for command in commands_of(source) if command.start <= offset < command.end), None)


def array_literals(command: SimpleCommand) -> Iterator[tuple[Assignment, ArrayLiteral]]:
    """The arrays that a command sets with ``( … )``."""
    for assignment in (*command.assignments, *command.words):
        if isinstance(assignment, Assignment) and isinstance(assignment.value, ArrayLiteral):
            yield assignment, assignment.value


def first_simple(command: Command) -> SimpleCommand | None:
    """The simple command that a command begins with, when it is one, or several joined on one line."""
    while isinstance(command, (Pipeline, AndOr, Background)):
        if isinstance(command, Pipeline):
            command = command.commands[0]
        else:
            command = command.left if isinstance(command, AndOr) else command.command
    return command if isinstance(command, SimpleCommand) else None


def _bodies(command: Script | Command) -> Iterator[Sequence[Command]]:
    if isinstance(command, Script):
        yield command.commands
    elif isinstance(command, If):
        for condition, body in command.branches:
            yield condition
            yield body
        yield command.otherwise or ()
    elif isinstance(command, Loop):
        yield command.condition
        yield command.body
    elif isinstance(command, (For, ArithmeticFor, Group)):
        yield command.body
    elif isinstance(command, Case):
        for item in command.items:
            yield item.body
    elif isinstance(command, Function):
        yield (command.body,)


def _joined(command: Script | Command) -> Sequence[Command]:
    if isinstance(command, Pipeline):
        return command.commands
    if isinstance(command, AndOr):
        return (command.left, command.right)
    if isinstance(command, Background):
        return (command.command,)
    return ()


def _children(node: Any) -> list[Any]:
    """The nodes that a node holds itself, in the order of its fields."""
    found: list[Any] = []
    for name in _holding_fields(node.__class__):
        value = getattr(node, name)
        if value.__class__ is tuple:
            _collect(value, found)
        elif value is not None:
            found.append(value)
    return found


def _collect(values: tuple[Any, ...], found: list[Any]) -> None:
    for value in values:
        if value.__class__ is tuple:
            _collect(value, found)
        else:
            found.append(value)


@cache
def _holding_fields(kind: type) -> tuple[str, ...]:
    """The fields of a class of nodes that hold others, told by their annotations."""
    annotations = kind.__annotations__
    return tuple(name for name in annotations if not _HOLDS_NONE.fullmatch(annotations[name]))


def _start(node: Any) -> int:
    return int(node.start)


def _end(node: Any) -> int:
    return int(node.end)
