"""What a command name means: a function, a builtin, a wrapper round another command, a program."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint import looks
from relax_lint.shell.bounds import MAXIMUM_WORDS, TooComplex
from relax_lint.shell.calls import call_function, run_process, unwritable
from relax_lint.shell.nodes import ArrayLiteral, Assignment, SimpleCommand
from relax_lint.shell.partly_known import as_commands
from relax_lint.shell.refusals import ReadOnly
from relax_lint.shell.state import Flow, State, Undecided
from relax_lint.shell.values import (
    EMPTY,
    Known,
    Root,
    Sym,
    Value,
    Variable,
    compacted,
    known,
    unknown,
)  # fmt: skip

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell
    from relax_lint.shell.wrappers import Wrapped

Builtin = Callable[["Shell", SimpleCommand, list[Value], State], "list[State] | None"]
BUILTINS: dict[str, Builtin] = {}
RECORDED = frozenset({"python", "python3", "ray", "torchrun", "accelerate", "sbatch"})
SHELLS = frozenset({"bash", "sh"})
ELSEWHERE = frozenset(
    {
        *("docker", "docker-compose", "podman", "nerdctl", "kubectl", "oc", "ssh", "pdsh", "clush", "tmux", "screen"),
        *("at", "batch", "qsub", "bsub", "msub"),
    }
)
"""Programs that run commands in another place."""
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})
MAXIMUM_NESTED_SCRIPTS = 6


def builtin(*names: str) -> Callable[[Builtin], Builtin]:
    """Register a builtin; it changes the state and returns None, or returns the states it ends in."""

    def register(function: Builtin) -> Builtin:
        for name in names:
            BUILTINS[name] = function
        return function

    return register


def is_recorded(name: str) -> bool:
    """Whether calls of a program are launches."""
    return name in RECORDED or (name.startswith("python3.") and name[8:].isdigit())


# ---------------------------------------------------------------- assignments


def assign(shell: Shell, node: Assignment, state: State) -> None:
    """``name=value``. Raises :class:`ReadOnly`."""
    name = state.resolve_name(node.name)
    old = state.lookup(name)
    if old is not None and "r" in old.attributes:
        raise ReadOnly
    attributes = old.attributes if old is not None else frozenset[str]()
    if isinstance(node.value, ArrayLiteral):
        assign_array(shell, name, node, state, attributes)
        return
    value = shell.expander.value(node.value, state, assigned=True) if node.value is not None else EMPTY
    old = state.lookup(name)
    if node.subscript is not None:
        assign_subscript(shell, name, node, value, state)
        return
    current = old.scalar if old is not None else None
    if current is None and node.append and old is None:
        current = shell.expander.parameters.scalar(name, state)
    value = converted(shell, value, current, attributes, state, append=node.append)
    state.set_value(name, compacted(value))


def converted(
    shell: Shell, value: Value, current: Value | None, attributes: frozenset[str], state: State, *, append: bool
) -> Value:  # fmt: skip
    """A value as a variable of these attributes takes it: integers computed, case changed, ``+=`` added."""
    if "i" in attributes:
        value = shell.expander.arithmetic_of(value, state, shell.command)
        if append and current is not None:
            both = Value((*current.chunks, Known("+("), *value.chunks, Known(")")))
            value = shell.expander.arithmetic_of(both, state, shell.command)
        return value
    if append and current is not None:
        value = Value((*current.chunks, *value.chunks), value.place, value.many or current.many)
    if "l" in attributes:
        value = shell.expander.computed(shell.command, state, [value], str.lower)
    elif "u" in attributes:
        value = shell.expander.computed(shell.command, state, [value], str.upper)
    return value


def assign_subscript(shell: Shell, name: str, node: Assignment, value: Value, state: State) -> None:
    """``name[i]=value``."""
    assert node.subscript is not None
    old = state.lookup(name)
    attributes = old.attributes if old is not None else frozenset[str]()
    parameters = shell.expander.parameters
    index: int | str
    if "A" in attributes:
        key = state.resolve(shell.expander.value(node.subscript, state)).likely
        if key is None:
            state.store(name, Variable(None, {"": unknown(parameters.many_root(name), many=True)}, attributes))
            return
        index = key
    else:
        number = state.resolve(shell.expander.integer(node.subscript, state, node)).likely
        if number is None:
            state.store(name, Variable(None, {0: unknown(parameters.many_root(name), many=True)}, attributes))
            return
        index = int(number)
    current = parameters.element(name, index, state) if node.append else None
    value = converted(shell, value, current, attributes, state, append=node.append)
    parameters.assign_element(name, index, value, state)


def assign_array(
    shell: Shell, name: str, node: Assignment, state: State, attributes: frozenset[str]
) -> None:  # fmt: skip
    """``name=( … )`` and ``name+=( … )``."""
    literal = node.value
    assert isinstance(literal, ArrayLiteral)
    associative = "A" in attributes
    old = state.lookup(name)
    elements: dict[int | str, Value] = {}
    if node.append and old is not None:
        if old.elements is not None:
            elements.update(old.elements)
        elif old.value is not None:
            elements[0] = old.value
    keyed = any(element.key is not None for element in literal.elements)
    following = max((key for key in elements if isinstance(key, int)), default=-1) + 1
    if associative and any(element.key is None for element in literal.elements):
        pairs = [
            field for element in literal.elements for field in shell.expander.fields(element.value, state, element=True)
        ]
        for key, value in zip(pairs[::2], [*pairs[1::2], EMPTY], strict=False):
            elements[state.resolve(key).likely or ""] = value
        state.store(name, Variable(None, elements, attributes))
        return
    for element in literal.elements:
        if element.key is None:
            for field in shell.expander.fields(element.value, state, element=True):
                elements[following] = field
                following += 1
            continue
        # Behind `[1]=` bash joins a list by IFS, though nowhere else where it assigns.
        apart = " " if associative else shell.expander.separators(state)[:1] or " "
        value = shell.expander.value(element.value, state, assigned=True, apart=apart)
        index: int | str
        if associative:
            key_text = state.resolve(shell.expander.value(element.key, state)).likely
            index = key_text if key_text is not None else element.key.literal or ""
        else:
            number = state.resolve(shell.expander.integer(element.key, state, node)).likely
            index = int(number) if number is not None else following
            if index < 0:
                index += max((key for key in elements if isinstance(key, int)), default=-1) + 1
            following = index + 1
        current = elements.get(index) if element.append else None
        elements[index] = converted(shell, value, current, attributes, state, append=element.append)
    if not associative:
        elements = dict(sorted(elements.items())) if keyed else elements
        attributes |= {"a"}
    if "i" in attributes:
        elements = {key: shell.expander.arithmetic_of(value, state, node) for key, value in elements.items()}
    if len(elements) > MAXIMUM_WORDS:
        raise TooComplex
    state.store(name, Variable(None, elements, attributes))


# ---------------------------------------------------------------- dispatch


def dispatch(
    shell: Shell, node: SimpleCommand, words: list[Value], assigned: list[Assignment], state: State
) -> list[State]:  # fmt: skip
    """Run a command whose words are expanded."""
    if not BUILTINS:
        _register_builtins()
    name = state.resolve(words[0]).likely
    if name is not None and name in state.functions and not words[0].many:
        return call_function(shell, name, words[1:], state)
    return run_named(shell, node, words, assigned, state)


def _register_builtins() -> None:
    import relax_lint.shell.builtins
    import relax_lint.shell.directories
    import relax_lint.shell.printing  # noqa: F401


def runs_outside(words: list[Value], state: State) -> bool:
    """Whether a command is a program, neither a function nor a builtin."""
    name = state.resolve(words[0]).likely
    return name is None or not (name in state.functions or name in BUILTINS or name in _DECLARING)


def run_named(
    shell: Shell, node: SimpleCommand, words: list[Value], assigned: list[Assignment], state: State
) -> list[State]:  # fmt: skip
    """A command that is no function, as after ``command``."""
    name = state.resolve(words[0]).likely
    state.undecided = None
    if name in _DECLARING:
        from relax_lint.shell.declarations import declare

        return declare(shell, name or "", words[1:], assigned, state)
    found = BUILTINS.get(name) if name is not None else None
    if found is not None:
        shell.status_before, state.status = state.status, 0
        try:
            ends = found(shell, node, words, state)
        except ReadOnly:
            return unwritable(shell, state, 2 if name == "getopts" else 1)
        return [state] if ends is None else ends
    return run_program(shell, node, words, state)


def run_program(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """A program outside: recorded when it launches, read through when it wraps, otherwise unknown."""
    before = shell.recorder.trainings
    return shell.recorder.judged(shell.reading, before, _run_program(shell, node, words, state))


def _run_program(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    from relax_lint.shell import wrappers

    name = state.resolve(words[0]).likely
    base = os.path.basename(name) if name else None
    if base is None:
        if shell.recorder.looks_like_launch(words[1:], state):
            shell.recorder.record(shell, node, words, state)
        else:
            shell.recorder.record_if_near(shell, node, words, state)
        return unknown_program(shell, node, state)
    if is_recorded(base):
        if shell.reading.clean and name is not None and "/" in name and not _can_run(shell, name, state):
            return unknown_program(shell, node, state)
        shell.recorder.record(shell, node, words, state)
        if base in ("ray", "sbatch") and not shell.reading.clean:
            from relax_lint.shell.elsewhere import run_submitted

            return run_submitted(shell, node, base, words, state)
        return unknown_program(shell, node, state)
    inner = wrappers.unwrap(base, words, state, lambda variable: environment_variable(shell, variable, state))
    if inner is not None:
        return run_wrapped(shell, node, inner, state)
    if base in SHELLS:
        return run_shell(shell, node, words, state)
    if base in ELSEWHERE:
        from relax_lint.shell.elsewhere import run_elsewhere

        return run_elsewhere(shell, node, base, words, state)
    if base == "xargs":
        from relax_lint.shell.xargs import run_xargs

        return run_xargs(shell, node, words, state)
    if base in ("find", "parallel"):
        from relax_lint.shell.many_runs import run_find, run_parallel

        return (run_find if base == "find" else run_parallel)(shell, node, words, state)
    if name is not None and "/" in name:
        return run_path(shell, node, name, words, state)
    return run_text_program(shell, node, base, words, state)


def environment_variable(shell: Shell, name: str, state: State) -> Value | None:
    """What a program that is run finds in a variable; ``None`` when it is unset."""
    variable = state.lookup(name)
    shell.recorder.course.asked_attributes(name)
    if variable is None:
        return shell.expander.parameters.scalar(name, state)
    return variable.value if variable.exported and variable.elements is None else None


def _can_run(shell: Shell, name: str, state: State) -> bool:
    path = shell.resolve_path(name, state)
    return path is not None and looks.executable(path)


def run_wrapped(shell: Shell, node: SimpleCommand, inner: Wrapped, state: State) -> list[State]:
    """The command inside ``env A=1``, ``nohup`` and the like."""
    words, environment = inner
    if not words:
        return unknown_program(shell, node, state)
    scope = {name: Variable(value, None, frozenset("x")) for name, value in environment}
    state.frames.append(scope)
    depth = len(state.frames) - 1
    states = run_program(shell, node, words, state)
    for each in states:
        del each.frames[depth]
    return states


def unknown_program(shell: Shell, node: SimpleCommand, state: State) -> list[State]:
    """A program of which neither status nor output is known."""
    shell.recorder.not_followed[node] = None
    state.status, state.undecided = None, None
    print_unknown(shell, node, state)
    return [state]


def print_unknown(shell: Shell, node: SimpleCommand, state: State) -> None:
    """What a command writes, where nothing is known of that."""
    if state.output is not None:
        root = shell.expander.root(node)
        text = shell.source.text[node.start : node.end]
        root.text = text if text.startswith("$(") else f"$({text})"
        state.forget(root)
        state.put(Sym(root))


def run_unknown(shell: Shell, node: SimpleCommand, name: str, words: list[Value], state: State) -> list[State]:
    """A program that may run the rest of its words, as its own starters do: a training among them counts."""
    from relax_lint.shell import wrappers

    if not shell.reading.clean and shell.recorder.looks_like_launch(words[2:], state):
        inner = wrappers.training_in(name, words, state)
        if inner:
            return run_program(shell, node, inner, state)
    shell.recorder.record_if_near(shell, node, words, state)
    return unknown_program(shell, node, state)


_OF_THE_PROCESS = ("/proc/", "/dev/")


def _without_links(shell: Shell, path: str) -> str:
    """A path with its links followed; not known where they lead elsewhere on another machine, or in another process."""
    from relax_lint.shell.programs import Unsupported

    if path.startswith(_OF_THE_PROCESS) or not shell.is_certain(path):
        raise Unsupported(path)
    return looks.real(path)


def run_text_program(
    shell: Shell, node: SimpleCommand, name: str, words: list[Value], state: State
) -> list[State]:  # fmt: skip
    """``dirname``, ``seq`` and others that only turn text into text."""
    from relax_lint.shell import programs

    if name == "mkdir":
        from relax_lint.shell.directories import make_directories

        make_directories(words, state)
    if name not in programs.PROGRAMS:
        return run_unknown(shell, node, name, words, state)
    if any(word.many for word in words):
        return unknown_program(shell, node, state)
    values = [state.resolve(word) for word in words[1:]]
    stdin = state.resolve(state.stdin) if state.stdin is not None else None
    texts = [value.likely for value in values]
    given = stdin.likely if stdin is not None else None
    if None in texts or (state.cwd is None and name in ("realpath", "readlink")):
        return unknown_program(shell, node, state)
    result = programs.run(
        name, [text or "" for text in texts], given, state.cwd or "/",
        exists=lambda path: shell.is_certain(path) and looks.lexists(path),
        resolve=lambda path: _without_links(shell, path),
    )  # fmt: skip
    if result is None:
        return unknown_program(shell, node, state)
    inputs = values if stdin is None or not programs.reads_input(name) else [*values, stdin]
    roots = tuple(dict.fromkeys(root for value in inputs for root in value.roots))
    if stdin is not None and programs.reads_input(name):
        state.stdin = EMPTY
    write(state, result.output, roots, lambda parents: shell.expander.root(node, parents))
    state.status = result.status
    if roots and name in programs.ANSWERING:
        state.status, state.undecided = None, Undecided(likely=result.status == 0)
    return [state]


def write(state: State, text: str, roots: tuple[Root, ...], root: Callable[[tuple[Root, ...]], Root]) -> None:
    """Output of a command that was computed from values with these roots."""
    if state.output is None or not text:
        return
    if not roots:
        state.put(Known(text))
        return
    ending = "\n" if text.endswith("\n") else ""
    state.put(Sym(root(roots), text.removesuffix("\n") or None))
    if ending:
        state.put(Known(ending))


# ---------------------------------------------------------------- other scripts


def run_shell(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """``bash script args``, ``bash -c 'commands' name args``, ``bash -s args`` and ``bash`` with the commands as its
    input."""
    options: set[str] = set()
    at = 1
    command_string = from_input = False
    while at < len(words):
        text = state.resolve(words[at]).likely
        if text is None or not text.startswith(("-", "+")) or text == "-":
            break
        at += 1
        if text == "--":
            break
        if text.startswith("--"):
            at += text in ("--rcfile", "--init-file")
            continue
        for letter in text[1:]:
            if letter == "c":
                command_string = True
            elif letter == "s":
                from_input = True
            elif letter == "o" and at < len(words):
                options.add(state.resolve(words[at]).likely or "")
                at += 1
            elif letter in ("e", "u", "x", "f"):
                options.add({"e": "errexit", "u": "nounset", "x": "xtrace", "f": "noglob"}[letter])
    from_input = not command_string and (from_input or at >= len(words))
    if (at >= len(words) and not from_input) or shell.nested_scripts >= MAXIMUM_NESTED_SCRIPTS:
        return unknown_program(shell, node, state)
    if from_input:
        return _run_string(shell, node, state.stdin, [known("bash"), *words[at:]], state, frozenset(options))
    rest = words[at + 1 :]
    if command_string:
        shell.recorder.record_if_near(shell, node, words, state)
        return _run_string(shell, node, words[at], rest or [known("bash")], state, frozenset(options))
    first = state.resolve(words[at]).likely
    if first is None:
        return unknown_program(shell, node, state)
    if is_python_file(first):
        shell.recorder.record_if_near(shell, node, [words[0], *words[at:]], state)
        return unknown_program(shell, node, state)
    path = shell.resolve_path(first, state)
    found = shell.reading.script(Path(path)) if path is not None else None
    if found is None:
        return unknown_program(shell, node, state)
    shell.recorder.reads(found)
    return run_process(shell, found, first, rest, state, frozenset(options))


def is_python_file(name: str) -> bool:
    """Whether a file that a shell is to read is one of Python, of which it can make nothing."""
    return name.endswith(".py")


def _run_string(
    shell: Shell, node: SimpleCommand, commands: Value | None, called: list[Value], state: State,
    options: frozenset[str],
) -> list[State]:  # fmt: skip
    """Another bash that runs the text of a value; ``called`` is its name and its arguments."""
    from relax_lint.diagnostics import Place

    spelled = as_commands(commands, state) if commands is not None else None
    if spelled is None:
        return unknown_program(shell, node, state)
    text, parts = spelled
    source = shell.reading.evaluated(text, Place(shell.source, node.start, node.end), shell.source)
    name = state.resolve(called[0]).likely or "bash"
    return run_process(shell, source, name, called[1:], state, options, parts)


def run_path(shell: Shell, node: SimpleCommand, name: str, words: list[Value], state: State) -> list[State]:
    """``./script.sh args``: followed when it is a bash script that can be executed."""
    path = shell.resolve_path(name, state)
    if path is None or shell.nested_scripts >= MAXIMUM_NESTED_SCRIPTS or not looks.executable(path):
        return run_unknown(shell, node, os.path.basename(name), words, state)
    found = shell.reading.script(Path(path))
    if found is None or not found.is_shell:
        return run_unknown(shell, node, os.path.basename(name), words, state)
    shell.recorder.reads(found)
    return run_process(shell, found, name, words[1:], state, frozenset())


def leave(state: State, kind: str, status: int | None) -> None:
    """``exit`` and ``return``."""
    state.flow = Flow(kind)
    state.status, state.undecided = status, None
