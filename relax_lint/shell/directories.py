"""Builtins about directories: ``cd``, ``pwd``, ``pushd``; and ``mkdir``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from relax_lint import looks
from relax_lint.shell.commands import builtin
from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.state import State
from relax_lint.shell.values import Known, Sym, Value, Variable, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell


@builtin("pwd")
def pwd(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Prints the directory."""
    if state.output is None:
        return
    if state.cwd is None:
        state.put(Sym(shell.expander.variable_root("PWD")), Known("\n"))
    elif any(state.resolve(word).text == "-P" for word in words):
        state.put(Known(looks.real(state.cwd) + "\n"))
    else:
        state.put(Known(state.cwd + "\n"))


@builtin("cd")
def cd(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Changes the directory."""
    arguments = words[1:]
    physical = False
    while (
        arguments and (text := state.resolve(arguments[0]).text) is not None and text.startswith("-") and len(text) > 1
    ):
        physical = physical or "P" in text
        arguments = arguments[1:]
        if text == "--":
            break
    if len(arguments) > 1:
        state.status = 1
        return [state]
    if not arguments:
        home = state.lookup("HOME")
        target: Value | None = home.value if home is not None else None
        if target is None and shell.reading.clean:
            state.status = 1
            return [state]
    else:
        target = arguments[0]
    text = state.resolve(target).likely if target is not None else None
    if text == "-":
        old = state.lookup("OLDPWD")
        text = old.value.likely if old is not None and old.value is not None else None
        if text is not None and state.output is not None:
            state.put(Known(text + "\n"))
    return _go(shell, text, state, physical=physical)


def _go(shell: Shell, text: str | None, state: State, *, physical: bool = False) -> list[State]:
    """Change to a directory; one that is not there may be there when the launcher runs."""
    previous = state.cwd
    if text == "":
        return [state]
    if text is None or (previous is None and not text.startswith("/")):
        state.cwd = None
    else:
        path = os.path.normpath(os.path.join(previous or "/", text))
        if path.startswith("//"):
            path = path[1:]
        state.cwd = looks.real(path) if physical else path
        if shell.is_certain(path) and looks.is_file(path):
            state.cwd = previous
            state.status = 1
            return [state]
    if previous is not None:
        state.set_text("OLDPWD", previous)
    if state.cwd is not None:
        state.set_text("PWD", state.cwd)
    else:
        state.set_value("PWD", unknown(shell.expander.variable_root("PWD", "$(pwd)")))
    return [state]


@builtin("pushd", "popd")
def push_directory(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Directories on a stack."""
    stack = state.lookup("DIRSTACK")
    elements = list((stack.elements or {}).values()) if stack is not None else []
    if words[0].text == "pushd":
        target = state.resolve(words[1]).likely if len(words) == 2 else None
        elements.insert(0, known(state.cwd or ""))
    else:
        if not elements:
            state.status = 1
            return [state]
        target = elements.pop(0).likely
    state.frames[0]["DIRSTACK"] = Variable(None, dict(enumerate(elements)))
    return _go(shell, target or None, state)


def make_directories(words: list[Value], state: State) -> None:
    """``mkdir``: what a launch may rely on."""
    made = tuple(
        word for word in words[1:] if not ((text := state.resolve(word).likely) is not None and text.startswith("-"))
    )
    state.made += tuple(word for word in made if word not in state.made)
