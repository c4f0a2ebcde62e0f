"""Redirections: where a command reads from and writes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from relax_lint.shell.calls import failed_expansion
from relax_lint.shell.nodes import Redirect
from relax_lint.shell.refusals import Abort, Discard
from relax_lint.shell.state import State
from relax_lint.shell.subshells import input_of
from relax_lint.shell.values import Known, Value

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell


def redirected(
    shell: Shell, redirects: tuple[Redirect, ...], state: State, run: Callable[[State], list[State]], *,
    outside: bool = False,
) -> list[State]:  # fmt: skip
    """A command with its input and output elsewhere.

    For a program ``outside`` the words behind ``<`` and ``>`` are expanded in its own process: nothing that they
    assign lasts, and no failure ends the shell.
    """
    expanding = state
    if outside and any((redirect.body or redirect.target).literal is None for redirect in redirects):
        expanding = state.copy()
    outer_stdin, outer_output = state.stdin, state.output
    outer_targets = len(shell.recorder.redirected_to)
    replaced = diverted = False
    try:
        for redirect in redirects:
            operator, descriptor = redirect.operator, redirect.descriptor
            if redirect.body is not None:
                state.stdin = shell.expander.document(redirect.body, expanding)
                replaced = True
                continue
            if operator == "<<<":
                text = shell.expander.value(redirect.target, expanding, taken=True)
                state.stdin = Value((*text.chunks, Known("\n")))
                replaced = True
                continue
            if operator == "<" and descriptor in ("", "0"):
                state.stdin = input_of(shell, redirect.target, expanding)
                replaced = True
                continue
            target = shell.expander.value(redirect.target, expanding)
            if descriptor in ("", "1") and operator.startswith((">", "&>")):
                if operator != ">&" or target.text != "1":
                    state.output = None if outer_output is None else ()
                    diverted = True
                    if operator != ">&":
                        shell.recorder.redirected_to.append(target)
    except (Abort, Discard) as error:
        if expanding is state:
            return failed_expansion(shell, state, error)
        state.stdin, state.output = outer_stdin, outer_output
        state.status, state.undecided = 1, None
        return shell.checked([state], shell.command)
    states = run(state)
    del shell.recorder.redirected_to[outer_targets:]
    for each in states:
        if replaced:
            each.stdin = outer_stdin
        if diverted:
            each.output = outer_output
    return states
