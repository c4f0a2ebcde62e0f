"""Control flow: runs a script in thought, both ways where a condition is not known.

Every command takes one :class:`State` and gives the states that it can end in. Ways that reach equal states merge.
Nothing outside is run; what a program would do or print is unknown, but for the few text tools in ``programs``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.diagnostics import Place
from relax_lint.shell import conditions, loops
from relax_lint.shell.bounds import MAXIMUM_STEPS, MAXIMUM_WAYS, TooComplex
from relax_lint.shell.calls import Frame, failed_expansion, unwritable
from relax_lint.shell.double_bracket_tests import conditional
from relax_lint.shell.expand import Expander
from relax_lint.shell.nodes import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Background,
    Case,
    Command,
    Conditional,
    For,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    SimpleCommand,
    Word,
)  # fmt: skip
from relax_lint.shell.pipelines import Stage, run_stages
from relax_lint.shell.recorder import Recorder
from relax_lint.shell.redirection import redirected
from relax_lint.shell.refusals import Abort, Discard, ReadOnly
from relax_lint.shell.simple_commands import run_simple
from relax_lint.shell.state import SOME_FAILURE, Flow, Outcome, State, Undecided, merge
from relax_lint.shell.subshells import run_subshell
from relax_lint.shell.values import EMPTY, Value, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.evaluate import Reading
    from relax_lint.sources.script import ScriptFile


class Shell:
    """One process of bash, in thought."""

    def __init__(self, reading: Reading, recorder: Recorder) -> None:
        self.reading = reading
        self.recorder = recorder
        self.expander = Expander(self)
        self.environment_unknown = not reading.clean
        self.source: ScriptFile
        self.command: Any = None
        self.name_of_script = ""
        self.calls: list[Frame] = []
        self.guard = 0
        self.uncounted: Place | None = None
        self.rounds: tuple[tuple[Place, int], ...] = ()
        self.in_background = False
        self.subshell_depth = 0
        self.substitution_status: int | None = None
        self.status_before: int | None = 0
        self.substituted = False
        self.stages: list[Stage] = []
        self.steps = 0
        self.latest: Command | None = None
        self.latest_source: ScriptFile | None = None
        self.repeating = 0
        self.lost_lines: dict[ScriptFile, int] = {}
        self.summarizing = False
        self.asked_arguments = False
        self.nested_scripts = 0
        self.run_by_type: dict[type, Callable[[Any, State], list[State]]] = {
            Pipeline: self.run_pipeline,
            AndOr: self.run_and_or,
            Background: self.run_background,
            If: self.run_if,
            Loop: self.run_loop,
            For: self.run_loop,
            ArithmeticFor: self.run_loop,
            Case: self.run_case,
            Group: self.run_group,
            Function: self.define_function,
            ArithmeticCommand: self.run_arithmetic,
            Conditional: self.run_conditional,
        }

    # ------------------------------------------------------------ what expansion asks

    def asks_arguments(self, state: State) -> None:
        """Note that the positional parameters of the script matter; those of a function are its own."""
        if len(state.frames) == 1:
            self.asked_arguments = True
        self.recorder.course.asked_arguments(state.arguments)

    @property
    def line_number(self) -> int:
        """``$LINENO``. Bash loses count of the lines of a command that it gives up half-way."""
        if self.command is None:
            return 1
        return self.source.position(self.command.start)[0] - self.lost_lines.get(self.source, 0)

    def special_array(self, name: str, state: State) -> list[Value] | None:
        """``BASH_SOURCE`` and its like."""
        if name == "BASH_SOURCE":
            return [known(frame.spelled) for frame in reversed(self.calls)]
        if name == "FUNCNAME":
            inside = any(frame.name not in ("main", "source") for frame in self.calls)
            return [known(frame.name) for frame in reversed(self.calls)] if inside else None
        if name == "BASH_LINENO":
            return [known(str(frame.called_at)) for frame in reversed(self.calls)]
        if name == "PIPESTATUS":
            root = self.expander.variable_root("PIPESTATUS")
            statuses = (None if status == SOME_FAILURE else status for status in state.pipe_status)
            return [unknown(root) if status is None else known(str(status)) for status in statuses]
        return None

    def is_certain(self, path: str) -> bool:
        """Whether a file found here is sure to be there when the launcher runs."""
        return self.reading.clean or Path(path).is_relative_to(self.reading.root)

    # ------------------------------------------------------------ lists

    def run_round(
        self, number: int, loop: Command, body: Sequence[Command], states: list[State], *, counted: bool
    ) -> list[State]:
        """The body of a loop, whose rounds are ``counted`` when all that decides how many there are is known."""
        before = self.uncounted, self.rounds
        place = Place(self.source, loop.start, loop.end)
        self.rounds = (*self.rounds, (place, number))
        if not counted:
            self.uncounted = place
        try:
            return self.run(body, states)
        finally:
            self.uncounted, self.rounds = before

    def run(self, body: Iterable[Command], states: list[State]) -> list[State]:
        """Commands in a row."""
        for command in body:
            if len(states) == 1 and states[0].flow is None:
                states = self.run_one(command, states[0])
            else:
                after: list[State] = []
                for state in states:
                    if state.flow is None:
                        after.extend(self.run_one(command, state))
                    else:
                        after.append(state)
                states = after
            if len(states) > 1:
                states = self.bounded(merge(states), command)
            elif not states:
                return states
        return states

    def bounded(self, states: list[State], command: Command) -> list[State]:
        """No more ways than are worth following."""
        if len(states) > MAXIMUM_WAYS:
            self.recorder.too_complex(Place(self.source, command.start, command.end))
            return states[:MAXIMUM_WAYS]
        return states

    def run_one(self, command: Command, state: State) -> list[State]:
        """One command."""
        self.latest = command
        self.latest_source = self.source
        self.spend(1)
        if type(command) is SimpleCommand:
            return run_simple(self, command, state)
        redirects = getattr(command, "redirects", ())
        if redirects:
            return redirected(self, redirects, state, lambda inner: self.run_by_type[type(command)](command, inner))
        return self.run_by_type[type(command)](command, state)

    def spend(self, steps: int) -> None:
        """Count what is done; raises :class:`TooComplex` at the bound."""
        self.steps += steps
        if self.steps > MAXIMUM_STEPS:
            raise TooComplex

    def checked(self, states: list[State], command: Command) -> list[State]:
        """``set -e`` after a command that may fail: a failure that is certain ends the shell."""
        if not isinstance(command, Pipeline):
            for state in states:
                state.pipe_status = (state.status,)
        if self.guard == 0:
            for state in states:
                if state.flow is None and "errexit" in state.options:
                    if state.status is None:
                        if state.undecided is not None:
                            state.assume(state.undecided, True, self.text_of(command))
                        state.status = 0
                    elif state.status != 0:
                        state.flow = Flow("exit")
                        self.recorder.exits_at(Place(self.source, command.start, command.end), state.status)
        return states

    def text_of(self, node: Command) -> str:
        """A condition as shown to people: the source, on one line."""
        return " ".join(self.source.text[node.start : node.end].replace("\\\n", " ").split())

    def branch(self, state: State, node: Command | str) -> tuple[State | None, State | None]:
        """The ways on which the last command succeeded, and failed."""
        if state.status is not None:
            return (state, None) if state.status == 0 else (None, state)
        text = node if isinstance(node, str) else self.text_of(_deciding(node))
        undecided = state.undecided
        other = state.copy()
        state.assume(undecided, True, text)
        other.assume(undecided, False, text[2:] if text.startswith("! ") else f"! {text}")
        return state, other

    def set_outcome(self, state: State, outcome: Outcome) -> None:
        """The status of a condition."""
        outcome = state.decided(outcome)
        if isinstance(outcome, Undecided):
            state.status, state.undecided = None, outcome
        else:
            state.status, state.undecided = (0 if outcome else 1), None

    # ------------------------------------------------------------ compound commands

    def run_and_or(self, node: AndOr, state: State) -> list[State]:
        """``&&`` and ``||``."""
        self.guard += 1
        try:
            states = self.run_one(node.left, state)
        finally:
            self.guard -= 1
        after: list[State] = []
        for each in states:
            if each.flow is not None:
                after.append(each)
                continue
            succeeded, failed = self.branch(each, node.left)
            going, staying = (succeeded, failed) if node.operator == "&&" else (failed, succeeded)
            if going is not None:
                after.extend(self.run_one(node.right, going))
            if staying is not None:
                after.append(staying)
        return after

    def run_background(self, node: Background, state: State) -> list[State]:
        """``&``."""
        child = state.copy()
        child.stdin = EMPTY
        child.traps = {}
        before, self.in_background = self.in_background, True
        try:
            run_subshell(self, (node.command,), child)
        finally:
            self.in_background = before
        state.status, state.undecided = 0, None
        return [state]

    def run_if(self, node: If, state: State) -> list[State]:
        """``if``."""
        after: list[State] = []
        waiting = [state]
        for condition, body in node.branches:
            failed: list[State] = []
            for each in self.run_condition(condition, waiting):
                if each.flow is not None:
                    after.append(each)
                    continue
                yes, no = self.branch(each, condition[-1] if condition else node)
                if yes is not None:
                    after.extend(self.run(body, [yes]))
                if no is not None:
                    failed.append(no)
            waiting = merge(failed)
        if node.otherwise is not None:
            after.extend(self.run(node.otherwise, waiting))
        else:
            for each in waiting:
                each.status, each.undecided = 0, None
            after.extend(waiting)
        return after

    def run_condition(self, condition: tuple[Command, ...], states: list[State]) -> list[State]:
        """Commands whose failure is an answer."""
        self.guard += 1
        try:
            return self.run(condition, states)
        finally:
            self.guard -= 1

    def run_loop(self, node: Loop | For | ArithmeticFor, state: State) -> list[State]:
        """``while``, ``until``, ``for name in`` and ``for ((…))``."""
        return self.repeat(lambda: loops.run_loop(self, node, state))

    def repeat(self, run: Callable[[], list[State]]) -> list[State]:
        """Code that may run again: what stands before it in the text is not over."""
        self.repeating += 1
        try:
            return run()
        finally:
            self.repeating -= 1

    def run_case(self, node: Case, state: State) -> list[State]:
        """``case``."""
        self.command = node
        try:
            subject = self.expander.value(node.subject, state)
        except (Abort, Discard) as error:
            return failed_expansion(self, state, error)
        state.undecided = None
        after: list[State] = []
        untouched, again = [state], list[State]()
        falling: list[State] = []
        spelled = self.source.text[node.subject.start : node.subject.end]
        for item in node.items:
            entering, falling = falling, []
            missed: list[list[State]] = [[], []]
            for waiting, left in zip((untouched, again), missed, strict=True):
                for each in waiting:
                    yes, no = self.match_item(subject, item.patterns, each, spelled)
                    entering.extend(way for way in yes if way.flow is None)
                    after.extend(way for way in yes if way.flow is not None)
                    left.extend(no)
            untouched, again = missed
            if not entering:
                continue
            if not item.body:
                for each in entering:
                    each.status, each.undecided = 0, None
            ends = self.run(item.body, merge(entering))
            if item.terminator == ";;":
                after.extend(ends)
            else:
                after.extend(end for end in ends if end.flow is not None)
                (falling if item.terminator == ";&" else again).extend(end for end in ends if end.flow is None)
        for each in untouched:
            each.status, each.undecided = 0, None
        return after + falling + again + untouched

    def match_item(
        self, subject: Value, words: tuple[Word, ...], state: State, spelled: str
    ) -> tuple[list[State], list[State]]:  # fmt: skip
        """The ways on which one of the patterns matches or fails, and the one on which none does."""
        matched: list[State] = []
        current: State | None = state
        for word in words:
            if current is None:
                break
            try:
                pieces = self.expander.pieces(word, current)
            except (Abort, Discard) as error:
                return [*matched, *failed_expansion(self, current, error)], []
            outcome = current.decided(
                conditions.matches(subject, pieces, current, extglob="extglob" in current.options)
            )
            if isinstance(outcome, Undecided):
                before, current.status, current.undecided = current.status, None, outcome
                pattern = self.source.text[word.start : word.end]
                yes, no = self.branch(current, f"case {spelled} in {pattern})")
                for way in (yes, no):
                    if way is not None:
                        way.status = before  # what `$?` still gives in the body
                if yes is not None:
                    matched.append(yes)
                current = no
            elif outcome:
                matched.append(current)
                current = None
        return matched, [current] if current is not None else []

    def run_group(self, node: Group, state: State) -> list[State]:
        """``{ …; }`` and ``( … )``."""
        if not node.subshell:
            return self.run(node.body, [state])
        child = state.copy()
        child.traps = {}
        ends = run_subshell(self, node.body, child)
        if not ends:
            return []
        return self.checked(self.after_subshell(state, ends), node)

    def after_subshell(self, state: State, ends: list[State]) -> list[State]:
        """The parent after its subshell: only the status, the output, and what was assumed come back."""
        after = []
        for end in ends:
            parent = state.copy() if len(ends) > 1 else state
            parent.status, parent.undecided = end.status, end.undecided
            parent.output = end.output if state.output is not None else None
            parent.stdin = end.stdin
            parent.bindings, parent.conditions, parent.strays = end.bindings, end.conditions, end.strays
            parent.made = end.made
            after.append(parent)
        return merge(after)

    def define_function(self, node: Function, state: State) -> list[State]:
        """A definition."""
        state.functions = {**state.functions, node.name: (node, self.source)}
        state.status, state.undecided = 0, None
        return [state]

    def run_arithmetic(self, node: ArithmeticCommand, state: State) -> list[State]:
        """``(( … ))``."""
        self.command = node
        try:
            value = state.resolve(self.expander.arithmetic_value(node.expression, state, node))
        except ReadOnly:
            return unwritable(self, state, 1)
        except Discard:
            state.status, state.undecided = 1, None
            return self.checked([state], node)
        except Abort as error:
            return failed_expansion(self, state, error)
        if value.text is not None:
            self.set_outcome(state, value.text != "0")
        else:
            self.set_outcome(state, conditions.numeric("-ne", value, known("0"), state))
        return self.checked([state], node)

    def run_conditional(self, node: Conditional, state: State) -> list[State]:
        """``[[ … ]]``."""
        self.command = node
        try:
            self.set_outcome(state, conditional(node.expression, state, self))
        except conditions.TestFault as fault:
            state.status, state.undecided = fault.status, None
        except (Abort, Discard) as error:
            return failed_expansion(self, state, error)
        return self.checked([state], node)

    # ------------------------------------------------------------ pipelines

    def run_pipeline(self, node: Pipeline, state: State) -> list[State]:
        """``a | b``, each in a subshell, the output of one the input of the next."""
        if node.negated:
            self.guard += 1
        try:
            ends = run_stages(self, node, state) if len(node.commands) > 1 else self.run_one(node.commands[0], state)
        finally:
            if node.negated:
                self.guard -= 1
        if node.negated:
            for end in ends:
                if end.status is not None:
                    end.status = 0 if end.status else 1
                elif end.undecided is not None:
                    end.undecided = end.undecided.negated()
            return ends
        return self.checked(ends, node) if len(node.commands) > 1 else ends

    # ------------------------------------------------------------ simple commands

    def spelled(self, source: ScriptFile) -> str:
        """How the script names a file."""
        for frame in reversed(self.calls):
            if frame.source is source:
                return frame.spelled
        return str(source.path)

    def within(self, frame: Frame, run: Callable[[], list[State]]) -> list[State]:
        """Run code of a file or function."""
        outer_source, outer_command = self.source, self.command
        self.calls.append(frame)
        self.source = frame.source
        try:
            return run()
        finally:
            self.calls.pop()
            self.source, self.command = outer_source, outer_command

    def remaining(self, source: ScriptFile, offset: int) -> list[tuple[ScriptFile, int]]:
        """What is still to run, innermost first."""
        rest = [(source, offset)]
        rest.extend((outer.source, inner.resumes_at) for outer, inner in zip(self.calls, self.calls[1:], strict=False))
        return rest

    def resolve_path(self, text: str, state: State) -> str | None:
        """An absolute path, where the directory is known."""
        if text.startswith("/"):
            return os.path.normpath(text)
        return os.path.normpath(os.path.join(state.cwd, text)) if state.cwd is not None else None


def _deciding(node: Command) -> Command:
    """The part of a condition whose status is the whole's."""
    while isinstance(node, AndOr):
        node = node.right
    return node
