"""Builtins that print: ``echo`` and ``printf``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.shell import formatting
from relax_lint.shell.commands import builtin, write
from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.state import State
from relax_lint.shell.values import Known, Sym, Value, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell


@builtin("echo")
def echo(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Prints its words."""
    if state.output is None:
        return
    values = [state.resolve(word) for word in words[1:]]
    if any(isinstance(chunk, Sym) for value in values for chunk in value.chunks):
        _echo_partly_known(values, state)
        return
    state.put(Known(formatting.echo([value.text or "" for value in values]).text))


def _echo_partly_known(values: list[Value], state: State) -> None:
    options = ""
    while (
        values
        and (text := values[0].text) is not None
        and len(text) > 1
        and text[0] == "-"
        and set(text[1:]) <= set("neE")
    ):
        options += text[1:]
        values = values[1:]
    out: list[Known | Sym] = []
    for index, value in enumerate(values):
        if index:
            out.append(Known(" "))
        for chunk in value.chunks:
            if isinstance(chunk, Known) and "e" in options:
                chunk = Known(formatting.echo(["-ne", chunk.text]).text)
            out.append(chunk)
    if "n" not in options:
        out.append(Known("\n"))
    assert state.output is not None
    state.put(*out)


@builtin("printf")
def printf(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Prints by a format, or sets a variable with ``-v``."""
    arguments = words[1:]
    target = None
    texts = [state.resolve(word).likely for word in arguments]
    if texts[:1] == ["-v"] and len(texts) > 2:
        target = texts[1]
        arguments, texts = arguments[2:], texts[2:]
    if texts[:1] == ["--"]:
        arguments, texts = arguments[1:], texts[1:]
    if not arguments:
        state.status = 2
        return
    roots = tuple(dict.fromkeys(root for word in arguments for root in state.resolve(word).roots))
    root = shell.expander.root(node, roots)
    try:
        printed = None
        if None not in texts:
            printed = formatting.printf(texts[0] or "", [text or "" for text in texts[1:]])
    except formatting.Unpredictable:
        printed = None
    if printed is not None:
        state.status = printed.status
    if target is not None:
        value = known(printed.text) if printed and not roots else unknown(root, printed.text if printed else None)
        set_target(shell, target, value, state)
    elif printed is not None and not roots:
        if state.output is not None:
            state.put(Known(printed.text))
    elif state.output is not None:
        plain = [state.resolve(value) for value in arguments]
        if texts[0] in ("%s", "%s\n") and len(plain) == 2:
            state.put(*plain[1].chunks)
            if texts[0] == "%s\n":
                state.put(Known("\n"))
        elif printed is not None:
            write(state, printed.text, roots, lambda parents: root)
        else:
            root.text = f"$({shell.source.text[node.start : node.end]})"
            state.put(Sym(root))


def set_target(shell: Shell, target: str, value: Value, state: State) -> None:
    """Give ``name`` or ``name[index]`` a value."""
    name, _, index = target.partition("[")
    if not index:
        state.set_value(name, value)
        return
    variable = state.lookup(state.resolve_name(name))
    if variable is not None and "A" in variable.attributes:
        shell.expander.parameters.assign_element(name, index.removesuffix("]"), value, state)
    else:
        number = shell.expander.arithmetic_of(known(index.removesuffix("]")), state, shell.command).likely
        shell.expander.parameters.assign_element(name, int(number or 0), value, state)
