"""Which variables the rest of a script can still read: ways that differ in others alone need not stay apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relax_lint.shell.needs import Needs
from relax_lint.shell.state import State, merge

if TYPE_CHECKING:
    from relax_lint.shell.evaluate import Reading
    from relax_lint.sources.script import ScriptFile

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What reads variables without naming them.
_DYNAMIC = re.compile(r"(?:^|[\s;&|(`])(?:eval|compgen)[\s\"']|\$\{!|\b(?:declare|local|typeset)\s+-\w*n", re.MULTILINE)
_COMMENT_LINE = re.compile(r"(?m)^[ \t]*#.*$")
_SOURCED = re.compile(
    r"(?m)(?:^|[;&|(]|\bthen\b|\bdo\b)[ \t]*(?:source|\.)[ \t]+[\"']?(?:\$\{?\w+\}?)?/?([^\s\"';&|)]*)"
)
_ALWAYS_READ = frozenset({"IFS", "HOME", "PWD", "OLDPWD", "OPTIND", "DIRSTACK", "PS4"})


class Mentions:
    """Where a script last mentions each name, itself or through a file that it sources."""

    def __init__(self, source: ScriptFile, reading: Reading) -> None:
        text = _COMMENT_LINE.sub(lambda match: " " * len(match.group()), source.text)
        self.last = {match.group(): match.start() for match in _NAME.finditer(text)}
        self.dynamic = max((match.start() for match in _DYNAMIC.finditer(text)), default=-1)
        self.sourced: list[tuple[int, ScriptFile]] = [
            (match.start(), found)
            for match in _SOURCED.finditer(text)
            for found in candidates(source, match.group(1), reading)
            if found is not source
        ]

    def reads(self, name: str, offset: int, reading: Reading, depth: int = 0) -> bool:
        """Whether the text from ``offset`` on can read a name."""
        if self.last.get(name, -1) >= offset or self.dynamic >= offset or depth > 4:
            return True
        return any(
            at >= offset and mentions(found, reading).reads(name, 0, reading, depth + 1) for at, found in self.sourced
        )


def mentions(source: ScriptFile, reading: Reading) -> Mentions:
    """The mentions of a script, worked out once."""
    memory = reading.memory.mentions
    found = memory.get(source)
    if found is None:
        found = memory[source] = Mentions(source, reading)
    return found


def candidates(source: ScriptFile, relative: str, reading: Reading) -> Iterator[ScriptFile]:
    """The files that ``source "${DIR}/relative"`` may mean: beside the script, or a model's."""
    for path in (source.path.parent / relative, reading.root / "scripts" / "models" / relative):
        found = reading.script(path)
        if found is not None:
            yield found


def sourced_text(source: ScriptFile, reading: Reading, seen: frozenset[ScriptFile] = frozenset()) -> str:
    """The text of a script and of every file it may source, without comments."""
    seen |= {source}
    inner = [sourced_text(found, reading, seen) for _, found in mentions(source, reading).sourced if found not in seen]
    return "\n".join([_COMMENT_LINE.sub("", source.text), *inner])


def drop_dead(states: list[State], remaining: Iterable[tuple[ScriptFile, int]], reading: Reading) -> list[State]:
    """Merge ways that differ only in what nothing reads any more. ``remaining``: what is still to run of each file.

    What is dropped counts as unknown from then on, so a reader that was overlooked is not misled.
    """
    alive = [state for state in states if state.flow is None]
    if len(alive) < 2:
        return states
    first = alive[0].frames[0]
    names = {name for state in alive for name in state.frames[0]}
    differing = [name for name in names if any(state.frames[0].get(name) != first.get(name) for state in alive[1:])]
    rest = [(mentions(source, reading), offset) for source, offset in remaining]
    bodies = {id(node): (node, source) for state in alive for node, source in state.functions.values()}
    rest.extend((mentions(source, reading), node.start) for node, source in bodies.values())
    traps = " ".join(trap.shown for state in alive for trap in state.traps.values())
    dead = [
        name
        for name in differing
        if name not in _ALWAYS_READ and name not in traps and not any(m.reads(name, at, reading) for m, at in rest)
    ]
    if not dead:
        return states
    for state in alive:
        for name in dead:
            state.frames[0].pop(name, None)
    return merge(states)


def join_environments(states: list[State], needed: Needs) -> list[State]:
    """One way out of an entrypoint: what it may set in several manners is the environment's business, and unknown, and
    so is what it asked; ``needed`` is what it took to get there."""
    alive = [state for state in states if state.flow is None]
    if len(alive) < 2:
        return states
    base, others = alive[0], alive[1:]
    frame = base.frames[0]
    for name in {name for state in alive for name in state.frames[0]}:
        if any(state.frames[0].get(name) != frame.get(name) for state in others):
            frame.pop(name, None)
    for state in others:
        base.absorb(state)
        base.options &= state.options
        base.functions = {**state.functions, **base.functions}
        base.cwd = base.cwd if base.cwd == state.cwd else None
    base.status, base.undecided = 0, None
    base.conditions = needed
    return [base, *(state for state in states if state.flow is not None)]
