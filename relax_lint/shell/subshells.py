"""Subshells: ``$( … )``, ``<( … )``, ``( … )``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.shell.calls import run_exit_traps
from relax_lint.shell.nodes import Command, CommandSubstitution, ProcessSubstitution, Redirect, SimpleCommand, Word
from relax_lint.shell.state import State
from relax_lint.shell.values import EMPTY, Chunk, Known, Root, Sym, Value, unknown

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell


def substitute(shell: Shell, node: CommandSubstitution, state: State) -> Value:
    """The output of ``$( … )``, trailing line ends dropped."""
    if not node.body:
        shell.substituted = True
        shell.substitution_status = state.status = 0
        return EMPTY
    root = shell.expander.root(node)
    state.forget(root)
    if (read := _file_read(node.body)) is not None:
        shell.substituted, shell.substitution_status = True, None
        content = input_of(shell, read.target, state)
        return unknown(root) if content.text is None else output_value(shell, _without_newlines(content.chunks), node)
    child = state.copy()
    child.output = ()
    child.traps = {}
    if "inherit_errexit" not in child.options:
        child.options -= {"errexit"}
    ends = _run_aside(shell, node.body, child)
    shell.substituted = True
    statuses = {end.status for end in ends}
    shell.substitution_status = state.status = statuses.pop() if len(statuses) == 1 else None
    outputs = {_without_newlines(end.output or ()): end for end in reversed(ends)}
    if not outputs:
        return EMPTY
    if len(outputs) == 1:
        return output_value(shell, next(iter(outputs)), node)
    expected = [output for output, end in outputs.items() if end.strays == state.strays]
    default = Value(expected[0]).likely if len(expected) == 1 else None
    return unknown(root, default or None)


def _file_read(body: tuple[Command, ...]) -> Redirect | None:
    """The redirection of ``$(< file)``, which is ``$(cat file)``; None for anything else."""
    only = body[0] if len(body) == 1 else None
    if not isinstance(only, SimpleCommand) or only.words or only.assignments or len(only.redirects) != 1:
        return None
    redirect = only.redirects[0]
    return redirect if redirect.operator == "<" and redirect.descriptor in ("", "0") else None


def output_value(shell: Shell, chunks: tuple[Chunk, ...], node: CommandSubstitution) -> Value:
    """Output as a value; when it is all one program's, it is shown as the substitution was written."""
    if len(chunks) == 1 and isinstance(chunks[0], Sym) and chunks[0].root.variable is None and not chunks[0].default:
        root = chunks[0].root
        if root.text.startswith("$(") and shell.source.text[node.start : node.end].startswith(("$(", "`")):
            return unknown(shell.expander.root(node, root.parents))
    return Value(chunks) if chunks else EMPTY


def process_substitution(shell: Shell, node: ProcessSubstitution, state: State) -> Root:
    """``<( … )``: what it launches is recorded; its name is not known."""
    child = state.copy()
    child.output = ()
    child.traps = {}
    _run_aside(shell, node.body, child)
    return shell.expander.root(node)


def input_of(shell: Shell, target: Word, state: State) -> Value:
    """What reading a redirected file gives: known only for ``< <( … )``."""
    if len(target.parts) == 1 and isinstance(target.parts[0], ProcessSubstitution):
        part = target.parts[0]
        child = state.copy()
        child.output = ()
        child.traps = {}
        ends = _run_aside(shell, part.body, child)
        outputs = {end.output or () for end in ends}
        if len(outputs) == 1:
            return Value(outputs.pop() or EMPTY.chunks)
        return unknown(shell.expander.root(part))
    path = shell.expander.value(target, state)
    if state.resolve(path).text == "/dev/null":
        return EMPTY
    return unknown(shell.expander.root(target))


def _run_aside(shell: Shell, body: tuple[Command, ...], child: State) -> list[State]:
    """What stands in a word of a command is no part of the pipeline that the command is in."""
    stages, shell.stages = shell.stages, []
    try:
        return run_subshell(shell, body, child, leaves_loops=True)
    finally:
        shell.stages = stages


def run_subshell(
    shell: Shell, body: tuple[Command, ...], child: State, *, leaves_loops: bool = False
) -> list[State]:  # fmt: skip
    """Commands in a copy of the shell; the states it ends in. ``break`` of a loop around it ends the copy where it
    ``leaves_loops``, and is none elsewhere."""
    shell.subshell_depth += 1
    frame = shell.calls[-1]
    guard, in_document, loops = shell.guard, shell.expander.in_document, frame.loops
    frame.loops = loops if leaves_loops else 0
    shell.expander.in_document = False
    try:
        ends = shell.run(body, [child])
        return run_exit_traps(shell, ends)
    finally:
        shell.guard, shell.expander.in_document, frame.loops = guard, in_document, loops
        shell.subshell_depth -= 1


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
