"""The builtins that launchers use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.patterns import pattern
from relax_lint.shell import conditions
from relax_lint.shell.calls import run_text, source_file
from relax_lint.shell.commands import builtin, is_python_file, leave, print_unknown, run_named, unknown_program
from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.partly_known import as_commands
from relax_lint.shell.refusals import Discard, ReadOnly
from relax_lint.shell.single_bracket_tests import test_command
from relax_lint.shell.state import Flow, State, Undecided, UnknownArguments
from relax_lint.shell.values import EMPTY, Known, Value, join, known

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell

_OPTIONS = {
    "e": "errexit", "u": "nounset", "x": "xtrace", "f": "noglob", "a": "allexport", "v": "verbose", "n": "noexec",
    "b": "notify", "h": "hashall", "m": "monitor", "B": "braceexpand", "C": "noclobber", "E": "errtrace",
    "H": "histexpand", "P": "physical", "T": "functrace", "k": "keyword", "p": "privileged", "t": "onecmd",
}  # fmt: skip


_ON_BY_DEFAULT = frozenset((
    "checkwinsize", "cmdhist", "complete_fullquote", "extquote", "force_fignore", "globasciiranges", "hostcomplete",
    "interactive_comments", "login_shell", "patsub_replacement", "progcomp", "promptvars", "sourcepath",
))  # fmt: skip
"""What ``shopt`` may say of a shell that was told nothing."""


def _texts(words: list[Value], state: State) -> list[str | None]:
    return [state.resolve(word).likely for word in words]


@builtin(":", "true")
def nothing(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Succeeds."""


@builtin("false")
def fail(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Fails."""
    state.status = 1


@builtin("ulimit")
def limit(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Refused where the machine's hard limit is lower, which is worth saying only when the question is what happens."""
    if all((text or "").startswith("-") for text in _texts(words[1:], state)):
        print_unknown(shell, node, state)
    state.status, state.undecided = None, Undecided(likely=True) if shell.reading.clean else None


@builtin("wait", "kill", "jobs", "fg", "bg", "help", "times", "umask")
def uncertain(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Builtins whose status depends on the machine."""
    return unknown_program(shell, node, state)


@builtin("disown", "enable", "history", "bind", "complete")
def harmless(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Builtins that change nothing that a launch depends on, and may tell what there is."""
    print_unknown(shell, node, state)


@builtin("alias", "unalias", "hash", "compgen", "logout", "suspend")
def ask_names(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Builtins that succeed where there is what they are asked about; not where they set it, or forget all."""
    texts = _texts(words[1:], state)
    if words[0].text == "alias" and texts and all(text is not None and "=" in text for text in texts):
        return [state]
    if texts in (["-r"], ["-a"]) or not texts:
        print_unknown(shell, node, state)
        return [state]
    return unknown_program(shell, node, state)


# ---------------------------------------------------------------- options and arguments


@builtin("set")
def set_options(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Options, and with ``--`` or plain words the positional parameters. Without any, it tells what is set."""
    texts = _texts(words, state)
    if texts[1:] in ([], ["-o"], ["+o"]):
        print_unknown(shell, node, state)
    at = 1
    while at < len(words):
        text = texts[at]
        if text is None:
            break
        if text == "--":
            shell.asks_arguments(state)
            state.arguments = tuple(state.resolve(word) for word in words[at + 1 :])
            return
        if text in ("-", "+"):
            at += 1
            break
        if not text.startswith(("-", "+")) or words[at].many:
            break
        turn_on = text[0] == "-"
        at += 1
        for letter in text[1:]:
            if letter == "o":
                name = texts[at] if at < len(texts) else None
                at += 1
                if name:
                    state.options = state.options | {name} if turn_on else state.options - {name}
            elif letter in _OPTIONS:
                name = _OPTIONS[letter]
                state.options = state.options | {name} if turn_on else state.options - {name}
            else:
                state.status = 2
                return
        if "allexport" in state.options:
            shell.recorder.course.asked_environment()
    if at < len(words):
        shell.asks_arguments(state)
        state.arguments = tuple(state.resolve(word) for word in words[at:])


@builtin("shopt")
def shopt(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Options with long names."""
    texts = [text or "" for text in _texts(words[1:], state)]
    flags = "".join(text[1:] for text in texts if text.startswith("-"))
    names = [text for text in texts if not text.startswith("-")]
    if "s" in flags:
        state.options |= frozenset(names)
    elif "u" in flags:
        state.options -= frozenset(names)
    else:
        if "q" not in flags:
            print_unknown(shell, node, state)
        off = [name for name in names if name not in state.options]
        state.status = None if _ON_BY_DEFAULT.intersection(off) else int(bool(off))


@builtin("shift")
def shift(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Drops arguments."""
    text = state.resolve(words[1]).likely if len(words) > 1 else "1"
    count = int(text) if text is not None and text.isdigit() else 1
    shell.asks_arguments(state)
    arguments = state.arguments
    if isinstance(arguments, UnknownArguments):
        state.arguments = UnknownArguments(arguments.shifted + count)
        state.status = None
    elif any(value.many for value in arguments[:count]):
        state.arguments = UnknownArguments(count)
        state.status = None
    elif count > len(arguments):
        state.status = 1
    else:
        state.arguments = arguments[count:]


@builtin("getopts")
def getopts(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """The next option of the arguments."""
    from relax_lint.shell.reading import next_option

    next_option(shell, node, words, state)


@builtin("read")
def read(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """A line of input into variables."""
    from relax_lint.shell.reading import read_line

    read_line(shell, node, words, state)


@builtin("mapfile", "readarray")
def mapfile(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Lines of input into an array."""
    from relax_lint.shell.reading import read_lines

    read_lines(shell, node, words, state)


@builtin("unset")
def unset(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Removes variables, elements and functions."""
    functions = references = False
    for text in _texts(words[1:], state):
        if text is None:
            continue
        if text.startswith("-"):
            functions, references = "f" in text, "n" in text
            continue
        name, bracket, index = text.partition("[")
        variable = state.lookup(state.resolve_name(name))
        if references:
            state.remove(name)
        elif functions or (variable is None and name in state.functions):
            state.functions = {key: value for key, value in state.functions.items() if key != name}
        elif variable is not None and "r" in variable.attributes:
            state.status = 1
        elif bracket:
            _unset_element(shell, state.resolve_name(name), index.removesuffix("]"), state)
        else:
            state.remove(state.resolve_name(name))


def _unset_element(shell: Shell, name: str, index: str, state: State) -> None:
    variable = state.lookup(name)
    if variable is None or variable.elements is None:
        state.remove(name)
        return
    if index in ("@", "*"):
        state.store(name, variable._replace(elements={}))
        return
    elements = dict(variable.elements)
    if "A" in variable.attributes:
        elements.pop(index.strip("'\""), None)
    else:
        number = shell.expander.arithmetic_of(known(index), state, shell.command).likely
        position = int(number) if number is not None else -1
        if position < 0:
            position += max((int(key) for key in elements), default=-1) + 1
        elements.pop(position, None)
    state.store(name, variable._replace(elements=elements))


@builtin("let")
def let(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Arithmetic; fails when the last value is 0."""
    value = EMPTY
    try:
        for word in words[1:]:
            value = state.resolve(shell.expander.arithmetic_of(word, state, node))
    except ReadOnly:
        raise
    except Discard:
        state.status = 1
        return
    if value.text is not None:
        state.status = 0 if value.text != "0" else 1
    else:
        shell.set_outcome(state, conditions.numeric("-ne", value, known("0"), state))


@builtin("test", "[")
def test(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """A condition."""
    arguments = words[1:]
    if words[0].text == "[":
        if not arguments or state.resolve(arguments[-1]).text != "]":
            state.status = 2
            return
        arguments = arguments[:-1]
    try:
        shell.set_outcome(state, test_command(arguments, state, shell))
    except conditions.TestFault:
        state.status = 2


# ---------------------------------------------------------------- flow


def _status(words: list[Value], state: State) -> int | None:
    if len(words) < 2:
        return state.status
    text = state.resolve(words[1]).likely
    try:
        return int(text) & 255 if text is not None else None
    except ValueError:
        return 2


@builtin("exit")
def leave_shell(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Ends the shell."""
    status = _status(words, state) if len(words) > 1 else _before(shell, state)
    if shell.subshell_depth == 0 and status != 0:
        shell.recorder.exits_at(Place(shell.source, node.start, node.end), status)
    leave(state, "exit", status)


@builtin("return")
def leave_function(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Ends a function or a sourced file."""
    if all(frame.name == "main" for frame in shell.calls):
        state.status = 2
        return
    leave(state, "return", _status(words, state) if len(words) > 1 else _before(shell, state))


def _before(shell: Shell, state: State) -> int | None:
    """The status that ``$?`` had when this command began."""
    return shell.status_before


@builtin("break", "continue")
def leave_loop(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """Leaves loops, or rounds of them; where there is none, nothing."""
    loops = shell.calls[-1].loops
    if not loops:
        return
    if len(words) > 2:
        state.status, state.flow = 1, Flow("discard")
        return
    text = state.resolve(words[1]).likely if len(words) > 1 else "1"
    levels = 1 if text is None else _number(text)
    if levels is None:
        leave(state, "exit", 128)
    elif levels < 1:
        state.status, state.flow = 1, Flow("break", loops)
    else:
        state.flow = Flow(state.resolve(words[0]).likely or "break", min(levels, loops))


def _number(text: str) -> int | None:
    """A whole number as builtins take it."""
    found = pattern(r"\s*([+-]?[0-9]+)\s*").fullmatch(text)
    return int(found.group(1)) if found and len(text) < 20 else None


@builtin("trap")
def trap(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """What to do at the end."""
    arguments = words[1:]
    if arguments and state.resolve(arguments[0]).text == "--":
        arguments = arguments[1:]
    if not arguments or (state.resolve(arguments[0]).text or "").startswith(("-l", "-p")):
        print_unknown(shell, node, state)
        return
    if len(arguments) < 2:
        if arguments and (name := state.resolve(arguments[0]).text) in ("EXIT", "0"):
            state.traps = {key: value for key, value in state.traps.items() if key != "EXIT" or not name}
        return
    for signal in arguments[1:]:
        name = state.resolve(signal).text
        if name in ("EXIT", "0", "exit", "SIGEXIT"):
            traps = {key: value for key, value in state.traps.items() if key != "EXIT"}
            if state.resolve(arguments[0]).text != "-":
                traps["EXIT"] = arguments[0]
            state.traps = traps


# ---------------------------------------------------------------- commands that run commands


@builtin("eval")
def evaluate(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Its words, joined, as commands."""
    arguments = words[2:] if len(words) > 1 and words[1].text == "--" else words[1:]
    spelled = as_commands(join(arguments, " "), state)
    if spelled is None:
        shell.recorder.unresolved(Place(shell.source, node.start, node.end))
        state.opaque = shell.reading.clean
        return unknown_program(shell, node, state)
    text, parts = spelled
    if not text.strip():
        return [state]
    state.frames[0].update(parts)
    return run_text(shell, text, state)


_STANDARD_INPUT = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


@builtin("source", ".")
def source(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Another file, in this shell."""
    if len(words) < 2:
        state.status = 2
        return [state]
    named = state.resolve(words[1]).text
    if state.stdin is not None and named in _STANDARD_INPUT:
        commands = as_commands(state.stdin, state)
        if commands is not None:
            state.frames[0].update(commands[1])
            state.stdin = EMPTY
            return run_text(shell, commands[0], state)
    if named is not None and is_python_file(named):
        shell.recorder.record_if_near(shell, node, words, state)
        state.status = None
        return [state]
    spelled, found = shell.reading.find_source(shell, node, words[1], state)
    if found is None:
        place = Place(shell.source, node.start, node.end)
        shell.recorder.unresolved(place)
        state.status = None
        # A file that is named and not here may be on the machine, and sets up programs; what is computed sets anything.
        state.opaque = shell.reading.clean and (named is None or named in _STANDARD_INPUT)
        return [state]
    if sum(frame.source is found for frame in shell.calls) > 1:
        state.status = None
        return [state]
    shell.recorder.reads(found)
    return source_file(shell, found, spelled, words[2:], state)


@builtin("command", "builtin")
def command(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """A command that is no function; ``-v`` asks whether there is one."""
    arguments = words[1:]
    while arguments and (text := state.resolve(arguments[0]).text) is not None and text.startswith("-"):
        if set(text[1:]) & {"v", "V"}:
            return _which(shell, node, arguments[1:], state, shows_name="V" not in text)
        arguments = arguments[1:]
        if text == "--":
            break
    if not arguments:
        return [state]
    declared = [word for word in node.words if not hasattr(word, "parts")]
    return run_named(shell, node, arguments, declared, state)


@builtin("type", "which")
def find_command(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Asks what a name is."""
    return _which(shell, node, [word for word in words[1:] if not (word.text or "").startswith("-")], state)


def _which(
    shell: Shell, node: SimpleCommand, words: list[Value], state: State, *, shows_name: bool = False
) -> list[State]:
    from relax_lint.shell.commands import BUILTINS

    name = state.resolve(words[0]).text if words else None
    if name is not None and (name in state.functions or name in BUILTINS) and len(words) == 1:
        if shows_name and state.output is not None:
            state.put(Known(name + "\n"))
        else:
            print_unknown(shell, node, state)
        return [state]
    return unknown_program(shell, node, state)


@builtin("exec")
def execute(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """A command in place of the shell; without one, redirections that stay."""
    arguments = words[1:]
    while arguments and (text := state.resolve(arguments[0]).text) is not None and text.startswith("-"):
        arguments = arguments[2:] if "a" in text else arguments[1:]
        if text == "--":
            break
    if not arguments:
        return [state]
    from relax_lint.shell.commands import run_program

    states = run_program(shell, node, arguments, state)
    for each in states:
        each.flow = Flow("exit")
        each.traps = {}
    return states
