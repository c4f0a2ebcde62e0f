"""Which variables the rest of a script can still read: ways that differ in others alone need not stay apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from relax_lint.shell.state import State, merge

if TYPE_CHECKING:
    from relax_lint.shell.evaluate import Reading, ScriptFile

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What reads variables without naming them.
_DYNAMIC = re.compile(r"(?:^|[\s;&|(`])(?:eval|compgen)[\s\"']|\$\{!|\b(?:declare|local|typeset)\s+-\w*n", re.MULTILINE)
_COMMENT_LINE = re.compile(r"(?m)^[ \t]*#.*$")
_SOURCED = re.compile(
    r"(?m)(?:^|[;&|(]|\bthen\b|\bdo\b)[ \t]*(?:source|\.)[ \t]+[\"']?(?:\$\{?\w+\}?)?/?([^\s\"';&|)]*)"
)
_ALWAYS_READ = frozenset({"IFS", "HOME", "PWD", "OLDPWD", "OPTIND", "DIRSTACK", "PS4"})


def names_after(source: ScriptFile, offset: int, reading: Reading) -> frozenset[str] | None:
    """The names that the text from ``offset`` on, and the files it sources, mention; None when it could read any."""
    cache = source.live_names
    if offset not in cache:
        cache[offset] = None
        rest = _COMMENT_LINE.sub("", source.text[offset:])
        if not _DYNAMIC.search(rest):
            names = set(_NAME.findall(rest))
            for relative in _SOURCED.findall(rest):
                for path in (source.path.parent / relative, reading.root / "scripts" / "models" / relative):
                    found = reading.script(path)
                    if found is not None:
                        names |= names_after(found, 0, reading) or frozenset()
            cache[offset] = frozenset(names)
    return cache[offset]


def drop_dead(states: list[State], remaining: Iterable[tuple[ScriptFile, int]], reading: Reading) -> list[State]:
    """Merge ways that differ only in what nothing reads any more. ``remaining``: what is still to run of each file.

    What is dropped counts as unknown from then on, so a reader that was overlooked is not misled.
    """
    live = set(_ALWAYS_READ)
    for source, offset in remaining:
        names = names_after(source, offset, reading)
        if names is None:
            return states
        live |= names
    for state in states:
        for node, source in state.functions.values():
            body = source.text[node.start : node.end]
            if _DYNAMIC.search(body):
                return states
            live.update(_NAME.findall(body))
        for trap in state.traps.values():
            live.update(_NAME.findall(trap.shown))
    first = states[0].frames[0]
    for name in {name for state in states for name in state.frames[0]} - live:
        if any(state.frames[0].get(name) != first.get(name) for state in states):
            for state in states:
                state.frames[0].pop(name, None)
    return merge(states)
