"""What ``set -e`` or ``set -o pipefail`` would end a script over, though nothing is wrong: ``grep`` finds nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.shell.continuations import is_orphan
from relax_lint.shell.nodes import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Assignment,
    Background,
    Case,
    Command,
    CommandSubstitution,
    Conditional,
    For,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    SimpleCommand,
    Word,
)
from relax_lint.shell.walk import find, nodes_of

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.script import ScriptFile

_SURE = frozenset(
    ": . basename break cat cd continue date declare dirname echo exit export hostname local mkdir printf pwd ray "
    "readonly set shopt sleep source tee touch trap true typeset ulimit umask unset wait".split()
)
"""What fails only when something is wrong: then the launch has failed, or the next one would."""


def fails_behind(source: ScriptFile, offset: int, launches: Iterable[Launch], *, pipes: bool) -> Place | None:
    """The first command behind an offset whose failure may be nothing but an answer, and would end the script; with
    ``pipes`` only what is piped into another one, as no other failure is new then."""
    failing = _Failing(source, [launch.site for launch in launches if launch.site.source is source])
    found: Iterator[Command]
    if pipes:
        found = (each for one in nodes_of(source, Pipeline) if one.start >= offset for each in failing.in_pipeline(one))
    else:
        found = failing.in_list(_outermost(source, offset))
    first = min(found, key=lambda command: command.start, default=None)
    return None if first is None else Place(source, first.start, first.end)


def _outermost(source: ScriptFile, offset: int) -> Iterator[Command]:
    """The commands behind an offset that stand in no other one behind it."""
    pending: list[Command] = list(reversed(source.script.commands))
    while pending:
        command = pending.pop()
        if command.start >= offset:
            yield command
        elif command.end > offset:
            pending.extend(reversed(_inner(command)))


def _inner(command: Command) -> Sequence[Command]:
    match command:
        case Pipeline():
            return command.commands
        case AndOr():
            return command.left, command.right
        case Background():
            return (command.command,)
        case If():
            bodies = [*(body for _, body in command.branches), command.otherwise or ()]
            return [one for body in bodies for one in body]
        case Case():
            return [one for item in command.items for one in item.body]
        case Function():
            return (command.body,)
        case Loop() | For() | ArithmeticFor() | Group():
            return command.body
        case _:
            return ()


class _Failing:
    def __init__(self, source: ScriptFile, launched: Sequence[Place]) -> None:
        self.source, self.launched = source, launched
        self.functions = {one.name: one.body for one in nodes_of(source, Function)}
        self.followed: set[str] = set()

    def in_list(self, commands: Iterable[Command]) -> Iterator[Command]:
        """The commands that may end a list. What a list of ``&&`` and ``||`` asks about does not."""
        for command in commands:
            match command:
                case SimpleCommand():
                    yield from self.in_simple(command)
                case AndOr():
                    yield from self.in_list([command.right])
                case Pipeline() if not command.negated:
                    yield from self.in_pipeline(command)
                case Conditional() | ArithmeticCommand():
                    yield command
                case Pipeline():
                    continue
                case _:
                    yield from self.in_list(_inner(command))

    def in_pipeline(self, pipeline: Pipeline) -> Iterator[Command]:
        if not any(pipeline.start <= place.start < pipeline.end for place in self.launched):
            yield from self.in_list(pipeline.commands)

    def in_simple(self, command: SimpleCommand) -> Iterator[Command]:
        if any(command.start <= place.start < command.end for place in self.launched):
            return
        if not command.words:
            inside = (one for each in command.assignments for one in find(each, CommandSubstitution))
            if any(True for one in inside for _ in self.in_list(one.body)):
                yield command
            return
        first = command.words[0]
        name = first.literal if isinstance(first, Word) else "declare" if isinstance(first, Assignment) else None
        if name in self.functions and name not in self.followed:
            self.followed.add(name)
            if any(True for _ in self.in_list([self.functions[name]])):
                yield command
            self.followed.discard(name)
        elif name not in _SURE and name not in self.followed and not is_orphan(self.source, command):
            yield command
