"""Runs of one script that differ in how it is called: what they have in common behind that is worked out once.

A launcher takes its mode from its first argument or the environment, in one of its first lines; called as without any
argument, or by another way for the same mode, it goes on from there as before. A run notes the point behind which it
asked nothing more of how it was called, and a later one that comes to that point in the same state is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from relax_lint.shell.bounds import MAXIMUM_STEPS
from relax_lint.shell.values import Variable

if TYPE_CHECKING:
    from relax_lint.shell.evaluate import Evaluation
    from relax_lint.shell.interpret import Shell
    from relax_lint.shell.state import Arguments, State


class Rejoined(Exception):
    """This run goes on as an earlier one did, with this outcome."""

    def __init__(self, outcome: Evaluation) -> None:
        self.outcome = outcome


class _Point(NamedTuple):
    """Where a run was: how many commands of the script were behind it, in what state, after what was found."""

    commands: int
    state: State
    found: tuple[Any, ...]
    steps: int


class Course:
    """One run of a script: the only one, or one after some others (none yet) of the same script."""

    def __init__(self, earlier: Sequence[Course] | None = None) -> None:
        self.is_one_of_several = earlier is not None
        self.earlier = [each for each in earlier or () if each.outcome is not None and each.point is not None]
        self.arguments: Arguments = ()
        self.given: frozenset[str] = frozenset()
        self.point: _Point | None = None
        self.steps = 0
        self.outcome: Evaluation | None = None

    def asked_arguments(self, arguments: Arguments) -> None:
        """Positional parameters were asked for; those of functions and other scripts are their own."""
        if arguments is self.arguments:
            self.point = None

    def asked_attributes(self, name: str) -> None:
        """It was asked whether a variable is exported, or that was changed."""
        if name in self.given:
            self.point = None

    def asked_environment(self) -> None:
        """It was asked what is exported."""
        self.point = None

    def passed(self, shell: Shell, commands: int, states: list[State]) -> None:
        """So many commands of the script itself have run; raises :class:`Rejoined` when all else is known."""
        if not self.is_one_of_several or len(states) != 1 or shell.recorder.ways or shell.recorder.complex_at:
            return
        state = states[0]
        if state.flow is not None or "allexport" in state.options:
            return
        for each in self.earlier:
            point = each.point
            if point is None or point.commands != commands or each.outcome is None or point.found != _found(shell):
                continue
            if shell.steps + each.steps - point.steps < MAXIMUM_STEPS and self._same(state, point.state, each):
                raise Rejoined(each.outcome)
        if self.point is None:
            self.point = _Point(commands, state.copy(), _found(shell), shell.steps)

    def ended(self, shell: Shell, outcome: Evaluation) -> Evaluation:
        """The run has this outcome."""
        self.steps, self.outcome = shell.steps, outcome
        if outcome.too_complex is not None:
            self.point = None
        return outcome

    def _same(self, mine: State, other: State, course: Course) -> bool:
        """Whether nothing that follows can differ as long as it does not ask how the script was called."""
        arguments, frame = mine.arguments, mine.frames[0]
        likened = mine.copy()
        if arguments is self.arguments and other.arguments is course.arguments:
            likened.arguments = other.arguments
        for name in self.given:
            there = other.frames[0].get(name)
            if name in frame and there is not None:
                likened.frames[0][name] = _exported_as(frame[name], there)
        return (
            likened.same(other)
            and mine.bindings == other.bindings
            and mine.conditions == other.conditions
            and mine.made == other.made
            and mine.strays == other.strays
            and mine.undecided == other.undecided
            and mine.pipe_status == other.pipe_status
        )


def _exported_as(variable: Variable, other: Variable) -> Variable:
    if variable.value is None or other.value is None:
        return variable  # one that is gone is no variable of the environment's any more
    return variable._replace(attributes=variable.attributes - {"x"} | other.attributes & {"x"})


def _found(shell: Shell) -> tuple[Any, ...]:
    """What was found so far, and what the numbers of lines depend on."""
    recorder = shell.recorder
    return (
        tuple(recorder.problems),
        tuple(recorder.exits),
        tuple(recorder.unresolved_sources),
        tuple(recorder.files),
        tuple(recorder.near),
        tuple(recorder.not_followed),
        tuple(recorder.redirected_to),
        tuple(shell.lost_lines.items()),
    )
