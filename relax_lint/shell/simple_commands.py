"""Simple commands: words expanded, assignments made, a function, builtin or program called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.shell import commands
from relax_lint.shell.bounds import WORDS_A_STEP
from relax_lint.shell.calls import failed_expansion, unwritable
from relax_lint.shell.nodes import ArrayLiteral, Assignment, SimpleCommand
from relax_lint.shell.redirection import redirected
from relax_lint.shell.refusals import Abort, Discard
from relax_lint.shell.state import State
from relax_lint.shell.values import EMPTY, Value, Variable

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell


def run_simple(shell: Shell, node: SimpleCommand, state: State) -> list[State]:
    """Assignments, or a function, a builtin, a program."""
    shell.command = node
    shell.substituted = False
    try:
        if not node.words:
            return run_assignments(shell, node, state)
        words: list[Value] = []
        assigned: list[Assignment] = []
        for word in node.words:
            if isinstance(word, Assignment):
                assigned.extend(shell.expander.declared(word))
            else:
                words.extend(shell.expander.fields(word, state))
        if not words:
            return run_assignments(shell, node, state)
        state.status = state.status if not shell.substituted else shell.substitution_status
        if node.redirects:
            return redirected(
                shell, node.redirects, state, lambda inner: call(shell, node, words, assigned, inner),
                outside=commands.runs_outside(words, state),
            )  # fmt: skip
        return call(shell, node, words, assigned, state)
    except (Abort, Discard) as error:
        return failed_expansion(shell, state, error)


def run_assignments(shell: Shell, node: SimpleCommand, state: State) -> list[State]:
    """``A=1 B=2`` with no command."""
    status: int | None = 0
    for assignment in node.assignments:
        shell.substituted = False
        commands.assign(shell, assignment, state)
        if shell.substituted:
            status = shell.substitution_status
    if node.redirects:
        for redirect in node.redirects:
            if redirect.body is None:
                shell.expander.value(redirect.target, state)
    if not node.assignments and shell.substituted:
        status = shell.substitution_status
    state.status, state.undecided = status, None
    return shell.checked([state], node)


def call(shell: Shell, node: SimpleCommand, words: list[Value], assigned: list[Assignment], state: State
) -> list[State]:  # fmt: skip
    """A command with its words."""
    shell.spend(len(words) // WORDS_A_STEP)
    if shell.stages and not (stage := shell.stages[-1]).words[stage.position]:
        stage.words[stage.position] = tuple(state.resolve(word) for word in words)
    if not node.assignments:
        return shell.checked(commands.dispatch(shell, node, words, assigned, state), node)
    scope: dict[str, Variable] = {}
    state.frames.append(scope)
    for assignment in node.assignments:
        if state.is_read_only(assignment.name):
            if "errexit" in state.options:
                state.frames.pop()
                return unwritable(shell, state, 1)
            continue
        value = assignment.value
        if isinstance(value, ArrayLiteral) or assignment.subscript is not None:
            continue
        text = shell.expander.value(value, state, assigned=True) if value is not None else EMPTY
        old = state.lookup(assignment.name)
        if assignment.append and old is not None and old.value is not None:
            text = Value(old.value.chunks + text.chunks)
        scope[assignment.name] = Variable(text, None, frozenset("x"))
    depth = len(state.frames) - 1
    states = commands.dispatch(shell, node, words, assigned, state)
    for each in states:
        del each.frames[depth]
    return shell.checked(states, node)
