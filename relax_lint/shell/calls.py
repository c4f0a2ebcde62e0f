"""Functions, sourced files, evaluated strings and other processes: code that runs somewhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.shell import memory
from relax_lint.shell.liveness import drop_dead, join_environments
from relax_lint.shell.refusals import Abort, Discard, Refused
from relax_lint.shell.state import Flow, State, merge
from relax_lint.shell.values import Value, Variable, known

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell
    from relax_lint.shell.nodes import Command
    from relax_lint.sources.script import ScriptFile

MAXIMUM_CALLS = 40
NOTHING: Mapping[str, Variable] = {}


class Frame:
    """An entry of the call stack: the script, a file being sourced, a function. ``loops`` is how many loops
    ``break`` can leave: a function cannot leave those of its caller."""

    __slots__ = ("called_at", "loops", "name", "resumes_at", "source", "spelled")

    def __init__(
        self, name: str, source: ScriptFile, spelled: str, called_at: int, resumes_at: int = 0, loops: int = 0
    ) -> None:
        self.resumes_at = resumes_at
        self.loops = loops
        self.name = name
        self.source = source
        self.spelled = spelled
        self.called_at = called_at


def call_function(shell: Shell, name: str, words: list[Value], state: State) -> list[State]:
    """A function, with its arguments and its own scope for ``local``."""
    node, source = state.functions[name]
    if len(shell.calls) > MAXIMUM_CALLS:
        shell.recorder.too_complex(Place(shell.source, node.start, node.end))
        state.status = None
        return [state]
    outer_arguments = state.arguments
    state.arguments = tuple(words)
    state.frames.append({})
    depth = len(state.frames) - 1
    frame = Frame(name, source, shell.spelled(source), shell.line_number)
    states = shell.repeat(lambda: shell.within(frame, lambda: shell.run_one(node.body, state)))
    for each in states:
        each.arguments = outer_arguments
        del each.frames[depth]
        if each.flow is not None and each.flow.kind == "return":
            each.flow = None
    return merge(states)


def source_file(shell: Shell, source: ScriptFile, spelled: str, arguments: list[Value], state: State) -> list[State]:
    """``source file args``."""
    if shell.reading.is_entrypoint(source):
        spelled = str(source.path)
    key = memory.key_of(shell, source, spelled, state) if not arguments else None
    if key is None:
        return _sourced(shell, source, spelled, arguments, state)
    summaries = shell.reading.memory.summaries
    with_arguments = (key, state.arguments)
    summary = summaries.get(key) or summaries.get(with_arguments)
    if summary is not None:
        ends = memory.apply(summary, state, shell.recorder)
    else:
        recorder = shell.recorder
        start, ways, trainings, bound = state.copy(), len(recorder.ways), recorder.trainings, recorder.complex_at
        shell.summarizing, shell.asked_arguments = True, False
        try:
            with memory.noting(recorder) as noted:
                ends = _sourced(shell, source, spelled, arguments, state)
        finally:
            shell.summarizing = False
        if recorder.complex_at is bound:
            summaries[with_arguments if shell.asked_arguments else key] = memory.summarize(
                start, ends, recorder.ways[ways:], recorder.trainings - trainings, noted
            )
    return _without_dead(shell, ends, shell.source, shell.command.end)


def _without_dead(shell: Shell, states: list[State], source: ScriptFile, offset: int) -> list[State]:
    """The ways, those merged that differ only in what nothing after ``offset`` reads."""
    if len(states) < 2 or shell.repeating or shell.summarizing or not shell.environment_unknown:
        return states
    return drop_dead(states, shell.remaining(source, offset), shell.reading)


def _sourced(shell: Shell, source: ScriptFile, spelled: str, arguments: list[Value], state: State) -> list[State]:
    outer, needed = state.arguments, state.conditions
    if arguments:
        state.arguments = tuple(arguments)
    frame = Frame("source", source, spelled, shell.line_number, shell.command.end, shell.calls[-1].loops)
    states = shell.within(frame, lambda: run_lines(shell, source, state))
    for each in states:
        if arguments:
            each.arguments = outer
        if each.flow is not None and each.flow.kind == "return":
            each.flow = None
    states = merge(states)
    return join_environments(states, needed) if shell.reading.is_entrypoint(source) else states


def run_lines(shell: Shell, source: ScriptFile, state: State) -> list[State]:
    """The commands of a file; one that bash gives up on takes the rest of its line with it."""
    states = [state]
    ended: list[State] = []
    for problem in source.script.problems:
        shell.recorder.problem(Place(source, problem.start, problem.end), problem.message)
    abandoned_line = 0
    is_main = len(shell.calls) == 1 and not (shell.repeating or shell.nested_scripts or shell.subshell_depth)
    for number, command in enumerate(source.script.commands):
        if is_main and not ended:
            shell.recorder.course.passed(shell, number, states)
        if any(_is_given_up(each) for each in states):
            if source.position(command.start)[0] == abandoned_line:
                continue
            for each in states:
                if _is_given_up(each):
                    each.flow = None
        states = shell.run((command,), states)
        states = _without_dead(shell, states, source, command.end)
        abandoned_line = source.position(max(command.start, command.end - 1))[0]
        if any(_is_given_up(each) for each in states):
            _lose_lines(shell, source, command, abandoned_line)
        if len(states) > 1:
            ended.extend(each for each in states if each.flow is not None and each.flow.kind != "discard")
            states = [each for each in states if each.flow is None or each.flow.kind == "discard"]
    for each in states:
        if _is_given_up(each):
            each.flow = None
    return states + ended


def _is_given_up(state: State) -> bool:
    return state.flow is not None and state.flow.kind == "discard"


def _lose_lines(shell: Shell, source: ScriptFile, command: Command, last: int) -> None:
    """Bash counts on from the line where it gave up, though it had read the command to its end."""
    failed = shell.latest
    if failed is not None and shell.latest_source is source and command.start <= failed.start < command.end:
        lost = last - source.position(failed.start)[0]
        shell.lost_lines[source] = shell.lost_lines.get(source, 0) + lost


def run_text(shell: Shell, text: str, state: State) -> list[State]:
    """``eval`` and traps: a string as commands, which stand where the string was evaluated."""
    source = shell.reading.evaluated(text, Place(shell.source, shell.command.start, shell.command.end), shell.source)
    outer_frame = shell.calls[-1]
    frame = Frame(outer_frame.name, source, outer_frame.spelled, outer_frame.called_at, loops=outer_frame.loops)
    shell.repeating += 1
    outer_source, outer_command = shell.source, shell.command
    shell.calls[-1] = frame
    shell.source = source
    try:
        return run_lines(shell, source, state)
    finally:
        shell.repeating -= 1
        shell.calls[-1] = outer_frame
        shell.source, shell.command = outer_source, outer_command


def run_process(
    shell: Shell, source: ScriptFile, name: str, arguments: list[Value], state: State, options: frozenset[str],
    environment: Mapping[str, Variable] = NOTHING,
) -> list[State]:  # fmt: skip
    """Another bash: it inherits the directory and what is exported, and gives back a status and output."""
    child = state.copy()
    child.frames = [{**exported(shell, state), **environment}]
    child.functions = {}
    child.options = options
    child.traps = {}
    child.arguments = tuple(arguments)
    child.status = 0
    outer = shell.calls, shell.name_of_script, shell.guard, shell.subshell_depth, shell.nested_scripts
    shell.calls, shell.name_of_script, shell.guard, shell.subshell_depth = [], name, 0, 0
    shell.nested_scripts += 1
    try:
        frame = Frame("main", source, name, 0)
        ends = shell.within(frame, lambda: run_exit_traps(shell, run_lines(shell, source, child)))
    finally:
        shell.calls, shell.name_of_script, shell.guard, shell.subshell_depth, shell.nested_scripts = outer
    return shell.after_subshell(state, ends)


def exported(shell: Shell, state: State) -> dict[str, Variable]:
    """The environment of a child."""
    shell.recorder.course.asked_environment()
    environment = shell.reading.initial_variables()
    for frame in state.frames:
        for name, variable in frame.items():
            if variable.exported and variable.elements is None and variable.value is not None:
                environment[name] = variable
            elif name in environment and name not in ("IFS", "OPTIND", "OPTERR", "PS4"):
                del environment[name]
    if state.cwd is not None:
        environment["PWD"] = Variable(known(state.cwd), None, frozenset("x"))
    return environment


def run_exit_traps(shell: Shell, states: list[State]) -> list[State]:
    """``trap … EXIT`` at the end of a shell."""
    after: list[State] = []
    for state in states:
        state.flow = None
        trap = state.traps.get("EXIT")
        text = state.resolve(trap).likely if trap is not None else None
        if text:
            status = state.status
            state.traps = {key: value for key, value in state.traps.items() if key != "EXIT"}
            for end in run_text(shell, text, state):
                if end.flow is None:
                    end.status = status
                end.flow = None
                after.append(end)
        else:
            after.append(state)
    return merge(after)


def failed_expansion(shell: Shell, state: State, error: Abort | Discard) -> list[State]:
    """What bash does when an expansion fails: leave the shell, or the line."""
    state.undecided = None
    if isinstance(error, Abort):
        _leave(shell, state, error.status)
    else:
        state.status = 1
        ends = isinstance(error, Refused) and "errexit" in state.options
        state.flow = Flow("exit" if ends else "discard")
    return [state]


def unwritable(shell: Shell, state: State, status: int) -> list[State]:
    """What bash does when a builtin or a loop cannot write its variable: ``set -e`` ends the shell, guarded or not."""
    state.status, state.undecided = status, None
    if "errexit" in state.options:
        _leave(shell, state, status)
    return [state]


def _leave(shell: Shell, state: State, status: int) -> None:
    state.status = status
    state.flow = Flow("exit")
    node = shell.command
    shell.recorder.exits_at(Place(shell.source, node.start, node.end), status)
