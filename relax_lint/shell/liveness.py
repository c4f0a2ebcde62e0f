"""Which variables the rest of a script can still read: ways that differ in others alone need not stay apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from relax_lint.shell.needs import Needs
from relax_lint.shell.state import State, merge

if TYPE_CHECKING:
    from relax_lint.shell.evaluate import Reading
    from relax_lint.sources.script import ScriptFile

# What reads variables without naming them. Each begins with fixed characters, which is what makes a search fast.
_DYNAMIC = tuple(
    re.compile(pattern)
    for pattern in (
        r"\$\{!",
        *(rf"{name}(?<![^\s;&|(`]{name})[\s\"']" for name in ("eval", "compgen")),
        *(rf"{name}(?<!\w{name})\s+-\w*n" for name in ("declare", "local", "typeset")),
    )
)
_COMMENT_LINE = re.compile(r"(?m)^[ \t]*#.*$")
_SOURCED = tuple(re.compile(name + r"[ \t]+[\"']?(?:\$\{?\w+\}?)?/?([^\s\"';&|)]*)") for name in ("source", r"\."))
_OPENS_COMMAND = re.compile(r"(?:\A|[;&|(]|\bthen|\bdo)[ \t]*\Z")
_NAME_CHARACTERS = frozenset("_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_ALWAYS_READ = frozenset({"IFS", "HOME", "PWD", "OLDPWD", "OPTIND", "DIRSTACK", "PS4"})


class Mentions:
    """Where a script last mentions each name, itself or through a file that it sources."""

    def __init__(self, source: ScriptFile, reading: Reading) -> None:
        self.text = source.text
        self.last: dict[str, int] = {}
        self.dynamic = max(
            (match.start() for pattern in _DYNAMIC for match in self.outside_comments(pattern)), default=-1
        )
        self.sourced: list[tuple[int, ScriptFile]] = sorted(
            (
                (match.start(), found)
                for pattern in _SOURCED
                for match in self.outside_comments(pattern)
                if _OPENS_COMMAND.search(self.line_before(match.start()))
                for found in candidates(source, match.group(1), reading)
                if found is not source
            ),
            key=itemgetter(0),
        )

    def line_before(self, offset: int) -> str:
        """What stands on a line before an offset."""
        return self.text[self.text.rfind("\n", 0, offset) + 1 : offset]

    def outside_comments(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """What matches on lines that are no comments."""
        for match in pattern.finditer(self.text):
            if not self.line_before(match.start()).lstrip(" \t").startswith("#"):
                yield match

    def last_mention(self, name: str) -> int:
        """Where a name is mentioned last; -1 where it is not."""
        at = self.last.get(name)
        if at is None:
            at = self.last[name] = self._find_last(name)
        return at

    def _find_last(self, name: str) -> int:
        text, size = self.text, len(name)
        at = text.rfind(name)
        while at >= 0 and (
            text[at - 1 : at] in _NAME_CHARACTERS
            or text[at + size : at + size + 1] in _NAME_CHARACTERS
            or self.line_before(at).lstrip(" \t").startswith("#")
        ):
            at = text.rfind(name, 0, at + size - 1)
        return at

    def reads(self, name: str, offset: int, reading: Reading, depth: int = 0) -> bool:
        """Whether the text from ``offset`` on can read a name."""
        if self.dynamic >= offset or self.last_mention(name) >= offset or depth > 4:
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
    base.conditions = needed
    for state in others:
        state.conditions = needed
        base.absorb(state)
        base.options &= state.options
        base.functions = {**state.functions, **base.functions}
        base.cwd = base.cwd if base.cwd == state.cwd else None
    base.status, base.undecided = 0, None
    return [base, *(state for state in states if state.flow is not None)]
