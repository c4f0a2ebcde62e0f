"""Variables by which a script decides in ways that its evaluation does not follow whether it goes on: it asks another
program, or ends itself by a signal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from relax_lint.attached import attached
from relax_lint.patterns import pattern
from relax_lint.shell.nodes import AndOr, Command, Function, If, Loop, Parameter, Redirect, SimpleCommand, Word
from relax_lint.shell.walk import commands_of, find, nodes_of
from relax_lint.sources.script import ScriptFile

_ASKING = frozenset("grep egrep fgrep rg awk gawk mawk expr bc printenv declare typeset export compgen ls stat".split())
_INTERPRETER = pattern(r"python[\d.]*|perl|ruby|node|bash|sh")
_LEAVING = frozenset("exit return kill exec".split())
_STOPS_AT_ERRORS = pattern(r"(?m)^[ \t]*set[ \t]+(?:-\w*e|[^\n#;]*\berrexit\b)|^#![^\n]*sh[ \t]+-\w*e")
_READS_BY_NAME = pattern(r"\$\{!\w|\b(?:printenv|env|eval)\b|\b(?:declare|typeset|local)[ \t]+-\w*[np]|[ \t]-v[ \t]")


def is_asked_for(name: str, files: Sequence[ScriptFile]) -> bool:
    """Whether one of some files looks at a variable in such a way, and does not go on without it."""
    leaving = _LEAVING.union(*(_leaving_functions(source) for source in files))
    named = re.compile(rf"(?<!\w){name}(?!\w)")
    return _is_named_to_reader(name, files) or any(
        named.search(source.text, start, end) is not None
        for source in files
        if name in source.text
        for question in _questions(source, leaving)
        for start, end in _spans(question)
    )


@attached
def _leaving_functions(source: ScriptFile) -> frozenset[str]:
    return frozenset(each.name for each in nodes_of(source, Function) if _leaves(each.body, _LEAVING))


def _spans(command: Command) -> Iterator[tuple[int, int]]:
    """Where a command is written, its here-documents included."""
    yield command.start, command.end
    for redirect in find(command, Redirect):
        if redirect.body is not None:
            yield redirect.body.start, redirect.body.end


def _questions(source: ScriptFile, leaving: frozenset[str]) -> Iterator[Command]:
    """The commands on whose status it depends whether a file goes on, as far as evaluation cannot tell."""
    for condition, consequences in _decisions(source):
        if any(_leaves(command, leaving) for command in consequences):
            killed = any(_kills_itself(command) for command in consequences)
            yield from (command for command in condition if killed or _asks(command))
    if _STOPS_AT_ERRORS.search(source.text) is not None:
        yield from (command for command in commands_of(source) if _is_question(command))


def _decisions(source: ScriptFile) -> Iterator[tuple[Sequence[Command], Sequence[Command]]]:
    """What is decided in a file, with what then happens, or not."""
    for joined in nodes_of(source, AndOr):
        yield (joined.left,), (joined.right,)
    for choice in nodes_of(source, If):
        bodies = [command for _, body in choice.branches for command in body]
        for condition, _ in choice.branches:
            yield condition, (*bodies, *(choice.otherwise or ()))
    for loop in nodes_of(source, Loop):
        yield loop.condition, loop.body


def _leaves(command: Command, leaving: frozenset[str]) -> bool:
    return any(_program(each) in leaving for each in find(command, SimpleCommand))


def _kills_itself(command: Command) -> bool:
    """Whether a command ends the script by a signal, which the evaluation does not follow."""
    return any(
        _program(each) == "kill"
        and ("0" in _literals(each.words) or any(part.name in ("$", "BASHPID") for part in find(each, Parameter)))
        for each in find(command, SimpleCommand)
    )


def _asks(command: Command) -> bool:
    return any(_is_question(each) for each in find(command, SimpleCommand))


def _is_question(command: SimpleCommand) -> bool:
    """Whether a command does nothing but look at what it is given."""
    program = _program(command)
    if _INTERPRETER.fullmatch(program) is None:
        return program in _ASKING
    given = [word.literal for word in command.words[1:2] if isinstance(word, Word)]
    return given in (["-c"], ["-e"], ["-"])


def _program(command: SimpleCommand) -> str:
    first = command.words[0] if command.words else None
    return (first.literal or "").rpartition("/")[2] if isinstance(first, Word) else ""


def _is_named_to_reader(name: str, files: Sequence[ScriptFile]) -> bool:
    """Whether a function that reads variables by their names is given this one's."""
    readers = {reader for source in files for reader in _readers_by_name(source)}
    return any(
        _program(command) in readers and name in _literals(command.words[1:])
        for source in files
        if name in source.text
        for command in commands_of(source)
    )


@attached
def _readers_by_name(source: ScriptFile) -> frozenset[str]:
    """The functions of a file that read variables whose names they are given, and may leave."""
    return frozenset(
        function.name
        for function in nodes_of(source, Function)
        if _READS_BY_NAME.search(source.text, function.start, function.end) is not None
        and _leaves(function.body, _LEAVING)
    )


def _literals(words: Iterable[object]) -> list[str | None]:
    return [word.literal for word in words if isinstance(word, Word)]
