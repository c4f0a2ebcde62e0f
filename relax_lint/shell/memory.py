"""What evaluations of several scripts share: roots, argv words, and what sourcing a common file does.

Every launcher of a tree sources the same entrypoint. What that does depends on few things; for the same things it is
worked out once and applied again.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from relax_lint.records import node
from relax_lint.shell.liveness import Mentions, mentions, sourced_text
from relax_lint.shell.state import State
from relax_lint.shell.values import Known, Root, Value, Variable

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell
    from relax_lint.shell.launch import Word
    from relax_lint.shell.recorder import Recorder, Way
    from relax_lint.sources.script import ScriptFile

# Readings of the caller's identity that only tell "sourced" from "run", or only print.
_HARMLESS_SELF = re.compile(r"^\s*(?:echo|printf)\b.*$|BASH_SOURCE\[0\]\}?\"?\s*!?==?\s*\"?\$\{?0\}?", re.MULTILINE)
_SELF = re.compile(r"\$\{?0\b|BASH_SOURCE\[[^0]|\bcaller\b|FUNCNAME")


class Memory:
    """Shared by the evaluations of one project."""

    def __init__(self) -> None:
        self.roots: dict[object, Root] = {}
        self.words: dict[int, tuple[Value, Word]] = {}
        self.summaries: dict[object, Summary] = {}
        self.mentions: dict[ScriptFile, Mentions] = {}
        self.knows_caller: dict[ScriptFile, bool] = {}


@node
class _End:
    """One way that sourcing ends, as changes to the state it began in."""

    changed: dict[str, Variable | None]
    state: State
    conditions: tuple[str, ...]
    made: tuple[Value, ...]
    strays: int
    keeps_arguments: bool


@node
class Summary:
    """What sourcing a file does."""

    ends: list[_End]
    ways: list[tuple[Way, tuple[str, ...]]]
    trainings: int
    noted: Noted


Noted = Mapping[str, Any]
"""What a recorder holds besides launches, each thing once: by the name of the attribute."""
_LISTS = ("problems", "exits", "unresolved_sources", "files")
_TABLES = ("near", "not_followed")


def key_of(shell: Shell, source: ScriptFile, spelled: str, state: State) -> object:
    """What the outcome of sourcing depends on, the positional parameters aside; None when that cannot be told."""
    plain = (
        shell.environment_unknown and len(state.frames) == 1 and shell.subshell_depth == 0 and shell.repeating == 0
        and state.output is None and state.stdin is None and not state.functions and not state.traps
        and len(shell.calls) == 1 and shell.guard == 0 and not shell.recorder.redirected_to
    )  # fmt: skip
    if not plain or _knows_its_caller(source, shell):
        return None
    reads = mentions(source, shell.reading).reads
    values = []
    for name, variable in state.frames[0].items():
        if not reads(name, 0, shell.reading) and name not in ("IFS", "HOME", "PWD"):
            continue
        value = variable.value
        if variable.elements is not None or (value is not None and not _placeless(value)):
            return None
        values.append((name, variable.attributes, value.chunks if value is not None else None))
    runs_itself = shell.name_of_script == spelled
    return (
        source, spelled, runs_itself, state.cwd, state.options, state.status, frozenset(values),
        frozenset(state.bindings.items()),
    )  # fmt: skip


def _knows_its_caller(source: ScriptFile, shell: Shell) -> bool:
    known = shell.reading.memory.knows_caller.get(source)
    if known is None:
        known = bool(_SELF.search(_HARMLESS_SELF.sub("", sourced_text(source, shell.reading))))
        shell.reading.memory.knows_caller[source] = known
    return known


def _placeless(value: Value) -> bool:
    return all(not isinstance(chunk, Known) or chunk.source is None for chunk in value.chunks)


@contextmanager
def noting(recorder: Recorder) -> Iterator[dict[str, Any]]:
    """Within this, have a recorder note things apart, what it knows already among them; they come to what it gives."""
    before = {name: getattr(recorder, name) for name in (*_LISTS, *_TABLES)}
    noted: dict[str, Any] = {name: type(held)() for name, held in before.items()}
    vars(recorder).update(noted)
    try:
        yield noted
    finally:
        vars(recorder).update(before)
        _note(noted, recorder)


def _note(noted: Noted, recorder: Recorder) -> None:
    for name in _LISTS:
        held = getattr(recorder, name)
        held.extend(each for each in noted[name] if each not in held)
    for name in _TABLES:
        held = getattr(recorder, name)
        for key, value in noted[name].items():
            held.setdefault(key, value)


def summarize(start: State, ends: list[State], ways: Iterable[Way], trainings: int, noted: Noted) -> Summary:
    """The outcome of sourcing, to be applied again."""
    found = []
    for end in ends:
        old, new = start.frames[0], end.frames[0]
        changed: dict[str, Variable | None] = {
            name: variable for name, variable in new.items() if old.get(name) is not variable
        }
        changed.update({name: None for name in old if name not in new})
        found.append(
            _End(
                changed,
                end.copy(),
                tuple(each for each in end.conditions if each not in start.conditions),
                tuple(each for each in end.made if each not in start.made),
                end.strays - start.strays,
                end.arguments == start.arguments,
            )
        )
    made = []
    for way in ways:
        launch = copy.copy(way.launch)
        made.append((way.copy(launch), tuple(each for each in launch.conditions if each not in start.conditions)))
    return Summary(found, made, trainings, noted)


def apply(summary: Summary, state: State, recorder: Recorder) -> list[State]:
    """The states that sourcing ends in, begun in another state that differs only in what does not matter."""
    for way, conditions in summary.ways:
        launch = copy.copy(way.launch)
        launch.conditions = state.conditions + conditions
        launch.script = recorder.script
        recorder.ways.append(way.copy(launch))
    recorder.count(summary.trainings)
    _note(summary.noted, recorder)
    return [_applied(end, state) for end in summary.ends]


def _applied(end: _End, state: State) -> State:
    after = end.state.copy()
    frame = dict(state.frames[0])
    for name, variable in end.changed.items():
        if variable is None:
            frame.pop(name, None)
        else:
            frame[name] = variable
    after.frames = [frame]
    after.conditions = state.conditions + end.conditions
    after.made = state.made + end.made
    after.strays = state.strays + end.strays
    if end.keeps_arguments:
        after.arguments = state.arguments
    return after
