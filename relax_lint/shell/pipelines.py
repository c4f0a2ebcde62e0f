"""Pipelines: each command in a subshell, the output of one the input of the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from relax_lint.shell.bounds import MAXIMUM_WAYS
from relax_lint.shell.nodes import Pipeline
from relax_lint.shell.state import State, merge
from relax_lint.shell.subshells import run_subshell
from relax_lint.shell.values import EMPTY, Value

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell


class Stage(NamedTuple):
    """Where in a pipeline something runs: the words of each command, its position, and the options of the shell around,
    by which the whole pipeline succeeds or fails, whatever its commands set for themselves."""

    words: list[tuple[Value, ...]]
    position: int
    options: frozenset[str]


def run_stages(shell: Shell, node: Pipeline, state: State) -> list[State]:
    """Every command of a pipeline."""
    words: list[tuple[Value, ...]] = [() for _ in node.commands]
    ways: list[tuple[State, tuple[int | None, ...]]] = [(state.copy(), ())]
    last = len(node.commands) - 1
    before = shell.recorder.trainings
    for index, command in enumerate(node.commands):
        following: list[tuple[State, tuple[int | None, ...]]] = []
        for way, statuses in ways:
            child = way.copy()
            child.traps = {}
            child.output = () if index < last else way.output
            shell.stages.append(Stage(words, index, way.options))
            try:
                ends = run_subshell(shell, (command,), child)
            finally:
                shell.stages.pop()
            for end in ends:
                parent = way.copy()
                parent.bindings, parent.conditions, parent.strays = end.bindings, end.conditions, end.strays
                parent.made = end.made
                parent.status, parent.undecided = end.status, end.undecided
                if index < last:
                    parent.stdin = Value(end.output) if end.output else EMPTY
                else:
                    parent.output = end.output
                following.append((parent, (*statuses, end.status)))
        ways = following[:MAXIMUM_WAYS]
    after = []
    for way, statuses in ways:
        way.stdin = state.stdin
        way.pipe_status = statuses
        if "pipefail" in way.options:
            failing = [status for status in statuses if status != 0]
            if failing and failing[-1] is not None:
                way.status, way.undecided = failing[-1], None
            elif failing:
                way.status, way.undecided = None, None
        after.append(way)
    return merge(shell.recorder.judged(shell.reading, before, after))
