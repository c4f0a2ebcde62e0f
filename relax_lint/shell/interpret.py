"""Control flow: runs a script in thought, both ways where a condition is not known.

Every command takes one :class:`State` and gives the states that it can end in. Ways that reach equal states merge.
Nothing outside is run; what a program would do or print is unknown, but for the few text tools in ``programs``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.diagnostics import Place
from relax_lint.shell import commands, conditions, loops
from relax_lint.shell.expand import Expander
from relax_lint.shell.liveness import drop_dead
from relax_lint.shell.nodes import (
    AndOr, ArithmeticCommand, ArithmeticFor, ArrayLiteral, Assignment, Background, Case, Command, CommandSubstitution,
    Conditional, For, Function, Group, If, Loop, Pipeline, ProcessSubstitution, Redirect, SimpleCommand, Word,
)  # fmt: skip
from relax_lint.shell.parameters import Abort, Discard
from relax_lint.shell.recorder import Recorder
from relax_lint.shell.state import Flow, Outcome, State, Undecided, merge
from relax_lint.shell.values import EMPTY, Chunk, Known, Root, Sym, Value, Variable, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.evaluate import Reading, ScriptFile

MAXIMUM_WAYS = 48
MAXIMUM_STEPS = 60_000
MAXIMUM_CALLS = 40


class TooComplex(Exception):
    """The bound on commands evaluated is reached."""


class Frame:
    """An entry of the call stack: the script, a file being sourced, a function."""

    __slots__ = ("called_at", "name", "resumes_at", "source", "spelled")

    def __init__(self, name: str, source: ScriptFile, spelled: str, called_at: int, resumes_at: int = 0) -> None:
        self.resumes_at = resumes_at
        self.name = name
        self.source = source
        self.spelled = spelled
        self.called_at = called_at


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
        self.subshell_depth = 0
        self.substitution_status: int | None = None
        self.substituted = False
        self.stages: list[tuple[list[tuple[Value, ...]], int]] = []
        self.steps = 0
        self.repeating = 0
        self.nested_scripts = 0
        self.run_by_type: dict[type, Callable[[Any, State], list[State]]] = {
            SimpleCommand: self.run_simple, Pipeline: self.run_pipeline, AndOr: self.run_and_or,
            Background: self.run_background, If: self.run_if, Loop: self.run_loop, For: self.run_for,
            ArithmeticFor: self.run_arithmetic_for, Case: self.run_case, Group: self.run_group,
            Function: self.define_function, ArithmeticCommand: self.run_arithmetic, Conditional: self.run_conditional,
        }  # fmt: skip

    # ------------------------------------------------------------ what expansion asks

    @property
    def line_number(self) -> int:
        """``$LINENO``."""
        return self.source.position(self.command.start)[0] if self.command is not None else 1

    def special_array(self, name: str, state: State) -> list[Value] | None:
        """``BASH_SOURCE`` and its like."""
        if name == "BASH_SOURCE":
            return [known(frame.spelled) for frame in reversed(self.calls)]
        if name == "FUNCNAME":
            inside = any(frame.name != "main" for frame in self.calls)
            return [known(frame.name) for frame in reversed(self.calls)] if inside else None
        if name == "BASH_LINENO":
            return [known(str(frame.called_at)) for frame in reversed(self.calls)]
        if name == "PIPESTATUS":
            root = self.expander.variable_root("PIPESTATUS")
            return [unknown(root) if status is None else known(str(status)) for status in state.pipe_status]
        return None

    def is_certain(self, path: str) -> bool:
        """Whether a file found here is sure to be there when the launcher runs."""
        return self.reading.clean or Path(path).is_relative_to(self.reading.root)

    def substitute(self, node: CommandSubstitution, state: State) -> Value:
        """The output of ``$( … )``, trailing line ends dropped."""
        root = self.expander.root(node)
        state.forget(root)
        child = state.copy()
        child.output = ()
        child.traps = {}
        if "inherit_errexit" not in child.options:
            child.options -= {"errexit"}
        ends = self.run_subshell(node.body, child)
        self.substituted = True
        statuses = {end.status for end in ends}
        self.substitution_status = state.status = statuses.pop() if len(statuses) == 1 else None
        outputs = {_without_newlines(end.output or ()): end for end in reversed(ends)}
        if not outputs:
            return EMPTY
        if len(outputs) == 1:
            return self.output_value(next(iter(outputs)), node)
        expected = [output for output, end in outputs.items() if end.strays == state.strays]
        default = Value(expected[0]).likely if len(expected) == 1 else None
        return unknown(root, default or None)

    def output_value(self, chunks: tuple[Chunk, ...], node: CommandSubstitution) -> Value:
        """Output as a value; when it is all one program's, it is shown as the substitution was written."""
        if len(chunks) == 1 and type(chunks[0]) is Sym and chunks[0].root.variable is None and not chunks[0].default:
            root = chunks[0].root
            if root.text.startswith("$(") and self.source.text[node.start : node.end].startswith(("$(", "`")):
                return unknown(self.expander.root(node, root.parents))
        return Value(chunks) if chunks else EMPTY

    def process_substitution(self, node: ProcessSubstitution, state: State) -> Root:
        """``<( … )``: what it launches is recorded; its name is not known."""
        child = state.copy()
        child.output = ()
        child.traps = {}
        self.run_subshell(node.body, child)
        return self.expander.root(node)

    def run_subshell(self, body: tuple[Command, ...], child: State) -> list[State]:
        """Commands in a copy of the shell; the states it ends in."""
        self.subshell_depth += 1
        loops_outside, self.guard = self.guard, self.guard
        try:
            ends = self.run(body, [child])
            return self.run_exit_traps(ends)
        finally:
            self.guard = loops_outside
            self.subshell_depth -= 1

    # ------------------------------------------------------------ lists

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
        self.steps += 1
        if self.steps > MAXIMUM_STEPS:
            self.recorder.too_complex(Place(self.source, command.start, command.end))
            raise TooComplex
        redirects = getattr(command, "redirects", ())
        if redirects and type(command) is not SimpleCommand:
            return self.redirected(redirects, state, lambda inner: self.run_by_type[type(command)](command, inner))
        return self.run_by_type[type(command)](command, state)

    def checked(self, states: list[State], command: Command) -> list[State]:
        """``set -e`` after a command that may fail: a failure that is certain ends the shell."""
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
        self.run_subshell((node.command,), child)
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

    def run_loop(self, node: Loop, state: State) -> list[State]:
        """``while`` and ``until``."""
        return self.repeat(lambda: loops.run_while(self, node, state))

    def run_for(self, node: For, state: State) -> list[State]:
        """``for name in``."""
        return self.repeat(lambda: loops.run_for(self, node, state))

    def run_arithmetic_for(self, node: ArithmeticFor, state: State) -> list[State]:
        """``for ((…))``."""
        return self.repeat(lambda: loops.run_arithmetic_for(self, node, state))

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
            return self.failed_expansion(state, error)
        state.status, state.undecided = 0, None
        after: list[State] = []
        waiting = [state]
        falling: list[State] = []
        spelled = self.source.text[node.subject.start : node.subject.end]
        for item in node.items:
            entering, falling = falling, []
            missed: list[State] = []
            for each in waiting:
                yes, no = self.match_item(subject, item.patterns, each, spelled)
                entering.extend(yes)
                missed.extend(no)
            waiting = missed
            if not entering:
                continue
            for each in entering:
                each.status, each.undecided = 0, None
            ends = self.run(item.body, merge(entering))
            if item.terminator == ";;":
                after.extend(ends)
            else:
                after.extend(end for end in ends if end.flow is not None)
                (falling if item.terminator == ";&" else waiting).extend(end for end in ends if end.flow is None)
        for each in waiting:
            if item_less(node) or each.status is None:
                each.status, each.undecided = 0, None
        return after + falling + waiting

    def match_item(
        self, subject: Value, words: tuple[Word, ...], state: State, spelled: str
    ) -> tuple[list[State], list[State]]:  # fmt: skip
        """The ways on which one of the patterns matches, and the one on which none does."""
        matched: list[State] = []
        current: State | None = state
        for word in words:
            if current is None:
                break
            pieces = self.expander.pieces(word, current)
            outcome = current.decided(
                conditions.matches(subject, pieces, current, extglob="extglob" in current.options)
            )
            if isinstance(outcome, Undecided):
                current.status, current.undecided = None, outcome
                pattern = self.source.text[word.start : word.end]
                yes, no = self.branch(current, f"case {spelled} in {pattern})")
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
        ends = self.run_subshell(node.body, child)
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
        except Discard:
            state.status, state.undecided = 1, None
            return self.checked([state], node)
        except Abort as error:
            return self.failed_expansion(state, error)
        if value.text is not None:
            self.set_outcome(state, value.text != "0")
        else:
            self.set_outcome(state, conditions.numeric("-ne", value, known("0"), state))
        return self.checked([state], node)

    def run_conditional(self, node: Conditional, state: State) -> list[State]:
        """``[[ … ]]``."""
        self.command = node
        try:
            self.set_outcome(state, conditions.conditional(node.expression, state, self))
        except (conditions.TestFault, Discard) as error:
            state.status, state.undecided = (2 if isinstance(error, conditions.TestFault) else 1), None
        except Abort as error:
            return self.failed_expansion(state, error)
        return self.checked([state], node)

    # ------------------------------------------------------------ pipelines

    def run_pipeline(self, node: Pipeline, state: State) -> list[State]:
        """``a | b``, each in a subshell, the output of one the input of the next."""
        if node.negated:
            self.guard += 1
        try:
            ends = self.run_stages(node, state) if len(node.commands) > 1 else self.run_one(node.commands[0], state)
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

    def run_stages(self, node: Pipeline, state: State) -> list[State]:
        """Every command of a pipeline."""
        words: list[tuple[Value, ...]] = [() for _ in node.commands]
        ways: list[tuple[State, tuple[int | None, ...]]] = [(state.copy(), ())]
        last = len(node.commands) - 1
        for index, command in enumerate(node.commands):
            following: list[tuple[State, tuple[int | None, ...]]] = []
            for way, statuses in ways:
                child = way.copy()
                child.traps = {}
                child.output = () if index < last else way.output
                self.stages.append((words, index))
                try:
                    ends = self.run_subshell((command,), child)
                finally:
                    self.stages.pop()
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
        return merge(after)

    # ------------------------------------------------------------ simple commands

    def run_simple(self, node: SimpleCommand, state: State) -> list[State]:
        """Assignments, or a function, a builtin, a program."""
        self.command = node
        self.substituted = False
        try:
            if not node.words:
                return self.run_assignments(node, state)
            words: list[Value] = []
            assigned: list[Assignment] = []
            for word in node.words:
                if type(word) is Assignment:
                    assigned.append(word)
                else:
                    words.extend(self.expander.fields(word, state))  # type: ignore[arg-type]
            if not words:
                return self.run_assignments(node, state)
            state.status = state.status if not self.substituted else self.substitution_status
            if node.redirects:
                return self.redirected(node.redirects, state, lambda inner: self.call(node, words, assigned, inner))
            return self.call(node, words, assigned, state)
        except (Abort, Discard) as error:
            return self.failed_expansion(state, error)

    def failed_expansion(self, state: State, error: Abort | Discard) -> list[State]:
        """What bash does when an expansion fails: leave the shell, or the line."""
        state.undecided = None
        if isinstance(error, Abort):
            state.status = error.status
            state.flow = Flow("exit")
            node = self.command
            self.recorder.exits_at(Place(self.source, node.start, node.end), error.status)
        else:
            state.status = 1
            state.flow = Flow("discard")
        return [state]

    def run_assignments(self, node: SimpleCommand, state: State) -> list[State]:
        """``A=1 B=2`` with no command."""
        status: int | None = 0
        for assignment in node.assignments:
            self.substituted = False
            if not commands.assign(self, assignment, state):
                status = 1
            elif self.substituted:
                status = self.substitution_status
        if node.redirects:
            for redirect in node.redirects:
                if redirect.body is None:
                    self.expander.value(redirect.target, state)
        if not node.assignments and self.substituted:
            status = self.substitution_status
        state.status, state.undecided = status, None
        return self.checked([state], node)

    def call(
        self, node: SimpleCommand, words: list[Value], assigned: list[Assignment], state: State
    ) -> list[State]:  # fmt: skip
        """A command with its words."""
        if self.stages and not self.stages[-1][0][self.stages[-1][1]]:
            self.stages[-1][0][self.stages[-1][1]] = tuple(state.resolve(word) for word in words)
        if not node.assignments:
            return self.checked(commands.dispatch(self, node, words, assigned, state), node)
        scope: dict[str, Variable] = {}
        state.frames.append(scope)
        for assignment in node.assignments:
            value = assignment.value
            if isinstance(value, ArrayLiteral) or assignment.subscript is not None:
                continue
            text = self.expander.value(value, state, assigned=True) if value is not None else EMPTY
            old = state.lookup(assignment.name)
            if assignment.append and old is not None and old.value is not None:
                text = Value(old.value.chunks + text.chunks)
            scope[assignment.name] = Variable(text, None, frozenset("x"))
        depth = len(state.frames) - 1
        states = commands.dispatch(self, node, words, assigned, state)
        for each in states:
            del each.frames[depth]
        return self.checked(states, node)

    def redirected(
        self, redirects: tuple[Redirect, ...], state: State, run: Callable[[State], list[State]]
    ) -> list[State]:  # fmt: skip
        """A command with its input and output elsewhere."""
        outer_stdin, outer_output = state.stdin, state.output
        replaced = False
        try:
            for redirect in redirects:
                operator, descriptor = redirect.operator, redirect.descriptor
                if redirect.body is not None:
                    state.stdin = self.expander.value(redirect.body, state)
                    replaced = True
                    continue
                if operator == "<<<":
                    text = self.expander.value(redirect.target, state)
                    state.stdin = Value((*text.chunks, Known("\n")))
                    replaced = True
                    continue
                if operator == "<" and descriptor in ("", "0"):
                    state.stdin = self.input_of(redirect.target, state)
                    replaced = True
                    continue
                target = self.expander.value(redirect.target, state)
                if descriptor in ("", "1") and operator.startswith((">", "&>")):
                    if operator != ">&" or target.text != "1":
                        state.output = None if outer_output is None else ()
                        if operator != ">&":
                            self.recorder.redirected_to.append(target)
        except (Abort, Discard) as error:
            return self.failed_expansion(state, error)
        states = run(state)
        for each in states:
            if replaced:
                each.stdin = outer_stdin
            each.output = outer_output if state.output is not outer_output or _diverted(redirects) else each.output
        return states

    def input_of(self, target: Word, state: State) -> Value:
        """What reading a redirected file gives: known only for ``< <( … )``."""
        if len(target.parts) == 1 and isinstance(target.parts[0], ProcessSubstitution):
            part = target.parts[0]
            child = state.copy()
            child.output = ()
            child.traps = {}
            ends = self.run_subshell(part.body, child)
            outputs = {end.output or () for end in ends}
            if len(outputs) == 1:
                return Value(outputs.pop() or EMPTY.chunks)
            return unknown(self.expander.root(part))
        path = self.expander.value(target, state)
        if state.resolve(path).text == "/dev/null":
            return EMPTY
        return unknown(self.expander.root(target))

    # ------------------------------------------------------------ calls and scripts

    def call_function(self, name: str, words: list[Value], state: State) -> list[State]:
        """A function, with its arguments and its own scope for ``local``."""
        node, source = state.functions[name]
        if len(self.calls) > MAXIMUM_CALLS:
            self.recorder.too_complex(Place(self.source, node.start, node.end))
            state.status = None
            return [state]
        outer_arguments = state.arguments
        state.arguments = tuple(words)
        state.frames.append({})
        depth = len(state.frames) - 1
        frame = Frame(name, source, self.spelled(source), self.line_number)
        states = self.repeat(lambda: self.within(frame, lambda: self.run_one(node.body, state)))
        for each in states:
            each.arguments = outer_arguments
            del each.frames[depth]
            if each.flow is not None and each.flow.kind == "return":
                each.flow = None
        return merge(states)

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

    def source_file(self, source: ScriptFile, spelled: str, arguments: list[Value], state: State) -> list[State]:
        """``source file args``."""
        outer = state.arguments
        if arguments:
            state.arguments = tuple(arguments)
        frame = Frame("source", source, spelled, self.line_number, self.command.end)
        states = self.within(frame, lambda: self.run_lines(source, state))
        for each in states:
            if arguments:
                each.arguments = outer
            if each.flow is not None and each.flow.kind == "return":
                each.flow = None
        return merge(states)

    def run_lines(self, source: ScriptFile, state: State) -> list[State]:
        """The commands of a file; one that bash gives up on takes the rest of its line with it."""
        states = [state]
        for problem in source.script.problems:
            self.recorder.problem(Place(source, problem.start, problem.end), problem.message)
        abandoned_line = 0
        for command in source.script.commands:
            if any(each.flow is not None and each.flow.kind == "discard" for each in states):
                if source.position(command.start)[0] == abandoned_line:
                    continue
                for each in states:
                    if each.flow is not None and each.flow.kind == "discard":
                        each.flow = None
                        if "errexit" in each.options:
                            each.flow = Flow("exit")
            states = self.run((command,), states)
            if len(states) > 1 and self.repeating == 0 and self.environment_unknown:
                states = drop_dead(states, self.remaining(source, command.end), self.reading)
            abandoned_line = source.position(max(command.start, command.end - 1))[0]
        for each in states:
            if each.flow is not None and each.flow.kind in ("discard", "break", "continue"):
                each.flow = None
        return states

    def remaining(self, source: ScriptFile, offset: int) -> list[tuple[ScriptFile, int]]:
        """What is still to run, innermost first."""
        rest = [(source, offset)]
        rest.extend((outer.source, inner.resumes_at) for outer, inner in zip(self.calls, self.calls[1:], strict=False))
        return rest

    def run_text(self, text: str, state: State, arguments: list[Value] | None = None) -> list[State]:
        """``eval`` and traps: a string as commands, which stand where the string was evaluated."""
        source = self.reading.evaluated(text, Place(self.source, self.command.start, self.command.end), self.source)
        frame = Frame(self.calls[-1].name, source, self.calls[-1].spelled, self.calls[-1].called_at)
        self.repeating += 1
        outer_source, outer_command = self.source, self.command
        self.calls[-1], outer_frame = frame, self.calls[-1]
        self.source = source
        try:
            return self.run_lines(source, state)
        finally:
            self.repeating -= 1
            self.calls[-1] = outer_frame
            self.source, self.command = outer_source, outer_command

    def run_process(
        self, source: ScriptFile, name: str, arguments: list[Value], state: State, options: frozenset[str]
    ) -> list[State]:  # fmt: skip
        """Another bash: it inherits the directory and what is exported, and gives back a status and output."""
        child = state.copy()
        child.frames = [self.exported(state)]
        child.functions = {}
        child.options = options
        child.traps = {}
        child.arguments = tuple(arguments)
        child.status = 0
        outer = self.calls, self.name_of_script, self.guard, self.subshell_depth, self.nested_scripts
        self.calls, self.name_of_script, self.guard, self.subshell_depth = [], name, 0, 0
        self.nested_scripts += 1
        try:
            frame = Frame("main", source, name, 0)
            ends = self.within(frame, lambda: self.run_exit_traps(self.run_lines(source, child)))
        finally:
            self.calls, self.name_of_script, self.guard, self.subshell_depth, self.nested_scripts = outer
        return self.after_subshell(state, ends)

    def exported(self, state: State) -> dict[str, Variable]:
        """The environment of a child."""
        environment = self.reading.initial_variables()
        for frame in state.frames:
            for name, variable in frame.items():
                if variable.exported and variable.elements is None and variable.value is not None:
                    environment[name] = variable
                elif name in environment and name not in ("IFS", "OPTIND", "OPTERR", "PS4"):
                    del environment[name]
        if state.cwd is not None:
            environment["PWD"] = Variable(known(state.cwd), None, frozenset("x"))
        return environment

    def run_exit_traps(self, states: list[State]) -> list[State]:
        """``trap … EXIT`` at the end of a shell."""
        after: list[State] = []
        for state in states:
            state.flow = None
            trap = state.traps.get("EXIT")
            text = state.resolve(trap).likely if trap is not None else None
            if text:
                status = state.status
                state.traps = {key: value for key, value in state.traps.items() if key != "EXIT"}
                for end in self.run_text(text, state):
                    if end.flow is None:
                        end.status = status
                    end.flow = None
                    after.append(end)
            else:
                after.append(state)
        return merge(after)

    def resolve_path(self, text: str, state: State) -> str | None:
        """An absolute path, where the directory is known."""
        if text.startswith("/"):
            return os.path.normpath(text)
        return os.path.normpath(os.path.join(state.cwd, text)) if state.cwd is not None else None


def item_less(node: Case) -> bool:
    """Whether a case has nothing to match."""
    return not node.items


def _deciding(node: Command) -> Command:
    """The part of a condition whose status is the whole's."""
    while isinstance(node, AndOr):
        node = node.right
    return node


def _diverted(redirects: tuple[Redirect, ...]) -> bool:
    return any(redirect.operator.startswith((">", "&>")) and redirect.descriptor in ("", "1") for redirect in redirects)


def _without_newlines(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """Output as ``$( )`` gives it."""
    kept = list(chunks)
    while kept and isinstance(kept[-1], Known):
        text = kept[-1].text.rstrip("\n")
        if text:
            kept[-1] = kept[-1]._replace(text=text)
            break
        kept.pop()
    return tuple(kept)
