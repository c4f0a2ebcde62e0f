"""Programs that hand a command to a container, another machine, a terminal or a queue: ``docker``, ``ssh``, ``tmux``,
``sbatch`` and their like. There, nothing is known of the environment but what the program sets in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.shell.commands import SHELLS, run_program, unknown_program
from relax_lint.shell.state import State, merge
from relax_lint.shell.values import Known, Sym, Value, Variable, join, known
from relax_lint.shell.wrappers import assignment, is_runnable

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell
    from relax_lint.shell.nodes import SimpleCommand

Texts = Sequence["str | None"]
Pairs = tuple[tuple[str, Value], ...]


@record
class _Job:
    """A command that runs elsewhere; no words for one that reads its commands from its input."""

    words: list[Value]
    environment: Pairs = ()
    same_directory: bool = False
    same_environment: bool = False


_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "docker-compose"})
_PODS = frozenset({"kubectl", "oc"})
_REMOTE = {"ssh": "BbcDEeFIiJLlmOopQRSWw", "pdsh": "wxlufMgtR", "clush": "wxgXlfMoO"}
"""Shells on other machines, with their options that take a value."""
_QUEUES = frozenset({"at", "batch", "qsub", "bsub", "msub"})
"""What runs its input as a script, later."""
_SWITCHES_OF_CONTAINERS = frozenset(
    {
        "--detach", "--interactive", "--tty", "--rm", "--privileged", "--init", "--no-healthcheck", "--publish-all",
        "--read-only", "--sig-proxy", "--oom-kill-disable", "--disable-content-trust", "--quiet", "--no-deps",
        "--no-TTY", "--build", "--use-aliases", "--service-ports", "--replace", "--tls-verify", "--latest",
    }
)  # fmt: skip
_VALUES_OF_CONTAINERS = "acehlmpuvwnf"
_TERMINAL_COMMANDS = {
    **dict.fromkeys(("new-session", "new"), "ceFfnstxy"),
    **dict.fromkeys(("new-window", "neww"), "ceFnt"),
    **dict.fromkeys(("split-window", "splitw"), "ceFlpt"),
    **dict.fromkeys(("respawn-pane", "respawnp", "respawn-window", "respawnw"), "cet"),
    **dict.fromkeys(("run-shell", "run"), "cdt"),
    **dict.fromkeys(("send-keys", "send"), "Nt"),
}
"""tmux's commands that run others, with their options that take a value."""
_KEYS = {"Enter": "\n", "KPEnter": "\n", "C-m": "\n", "C-M": "\n", "C-j": "\n", "Space": " ", "Tab": "\t"}
_OTHER_KEY = pattern(r"[CMS]-\S+|\^[A-Z]|Escape|BSpace|Up|Down|Left|Right|Home|End|DC|F\d+|[NP]Page")
_SHELL_SCRIPT = pattern(r"#!.*\b(?:ba|da|z|k)?sh\b")


def run_elsewhere(shell: Shell, node: SimpleCommand, name: str, words: list[Value], state: State) -> list[State]:
    """Every command that one of these programs is told to run."""
    return _run(shell, node, list(_jobs(name, words, [state.resolve(word).likely for word in words])), state)


def run_submitted(shell: Shell, node: SimpleCommand, name: str, words: list[Value], state: State) -> list[State]:
    """What a recorded program runs as a shell would: a script that ``sbatch`` reads, its ``--wrap``, a shell that
    ``ray job submit`` starts."""
    texts = [state.resolve(word).likely for word in words]
    jobs: list[_Job] = []
    if name == "sbatch":
        jobs.extend(_wrapped(words, state))
        script = state.resolve(state.stdin).shown if state.stdin is not None else ""
        if not jobs and _SHELL_SCRIPT.match(script):
            jobs.append(_Job([], same_directory=True, same_environment=True))
    elif name == "ray" and "--" in texts:
        at = texts.index("--") + 1
        if (texts[at] if at < len(texts) else None) in SHELLS:
            jobs.append(_Job(words[at:]))
    return _run(shell, node, jobs, state)


def _wrapped(words: list[Value], state: State) -> Iterator[_Job]:
    for at, word in enumerate(words):
        first = state.resolve(word).chunks[0]
        beginning = first.text if isinstance(first, Known) else ""
        command = None
        if beginning.startswith("--wrap="):
            command = Value((Known(beginning.removeprefix("--wrap=")), *state.resolve(word).chunks[1:]))
        elif beginning == "--wrap":
            command = next(iter(words[at + 1 :]), None)
        if command is not None:
            yield _Job(_shell_command(command), same_directory=True, same_environment=True)


def _run(shell: Shell, node: SimpleCommand, jobs: list[_Job], state: State) -> list[State]:
    states = [state]
    for job in jobs:
        if job.words or state.stdin is not None:
            states = merge([end for each in states for end in _run_job(shell, node, job, each)])
    return [end for each in states for end in unknown_program(shell, node, each)]


def _run_job(shell: Shell, node: SimpleCommand, job: _Job, state: State) -> list[State]:
    child = state.copy()
    child.functions, child.arguments = {}, ()
    if shell.environment_unknown and not job.same_environment:
        shell.recorder.course.asked_environment()
        child.frames = [shell.reading.initial_variables()]
    child.frames.append({name: Variable(value, None, frozenset("x")) for name, value in job.environment})
    if shell.environment_unknown and not job.same_directory:
        child.cwd = None
    return shell.after_subshell(state, run_program(shell, node, job.words or [known("bash")], child))


def _jobs(name: str, words: list[Value], texts: Texts) -> Iterator[_Job]:
    if name in _CONTAINERS:
        yield from _in_container(words, texts)
    elif name in _PODS:
        at = texts.index("--") + 1 if "--" in texts else _first_runnable(texts, 1)
        if at is not None and at < len(words):
            yield _Job(words[at:])
    elif name in _REMOTE:
        yield from _on_machine(words, texts, _REMOTE[name], has_host=name == "ssh")
    elif name == "tmux":
        yield from _in_terminal(words, texts)
    elif name == "screen" and "stuff" in texts:
        for typed in words[texts.index("stuff") + 1 :][:1]:
            chunks = (
                Known(chunk.text.replace("^M", "\n")) if isinstance(chunk, Known) else chunk for chunk in typed.chunks
            )
            yield _Job(_shell_command(Value(tuple(chunks))), same_directory=True)
    elif name == "screen" and (first := _first_runnable(texts, 1)) is not None:
        yield _Job(words[first:], same_directory=True, same_environment=True)
    elif name in _QUEUES:
        first = _first_runnable(texts, 1)
        yield _Job([] if first is None else words[first:], same_directory=True, same_environment=True)


def _in_container(words: list[Value], texts: Texts) -> Iterator[_Job]:
    """``docker exec NAME command``, ``docker run IMAGE command``."""
    at = next((at for at, text in enumerate(texts) if at and text in ("exec", "run")), len(words)) + 1
    environment: list[tuple[str, Value]] = []
    entry: list[Value] = []
    while at < len(words):
        text = texts[at] or words[at].shown
        if not text.startswith("-"):
            break
        after = _operand_at(text, at, _VALUES_OF_CONTAINERS, _takes_value_in_container)
        name = "--env" if re.match(r"-e\w", text) else text.partition("=")[0]
        given = words[at + 1] if after == at + 2 and at + 1 < len(words) else _glued(words[at])
        if name in ("-e", "--env") and "=" in given.shown:
            environment.append(assignment(given))
        if name == "--entrypoint":
            entry = [given]
        at = after
    command = words[at + 1 :]
    if at < len(words) and texts[at] is None and (first := _first_runnable(texts, at)) is not None:
        command = words[first:]
    if entry or command:
        yield _Job([*entry, *command], tuple(environment))


def _takes_value_in_container(option: str) -> bool:
    return option not in _SWITCHES_OF_CONTAINERS


def _glued(option: Value) -> Value:
    """The value in ``--option=value`` and ``-ovalue``."""
    first = option.chunks[0].text if isinstance(option.chunks[0], Known) else ""
    rest = first.partition("=")[2] if first.startswith("--") else first[2:]
    return Value((Known(rest), *option.chunks[1:]))


def _on_machine(words: list[Value], texts: Texts, with_value: str, *, has_host: bool) -> Iterator[_Job]:
    """``ssh HOST command``: the words with spaces between them, for a shell there; without any, what it reads."""
    at = _operands(texts, 1, with_value)
    if has_host:
        at = _operands(texts, at + 1, with_value)
    rest = words[at:]
    while len(rest) > 1 and _is_hidden(rest[0]):
        if not any(" " in word.shown for word in rest[1:]):
            yield _Job(rest)
            return
        rest = rest[1:]
    yield _Job(_shell_command(join(rest, " ")) if rest else [])


def _in_terminal(words: list[Value], texts: Texts) -> Iterator[_Job]:
    """``tmux new-session 'command'``, ``tmux send-keys 'command' Enter``, several with ``\\;`` between them."""
    at = _operands(texts, 1, "LSfcT")
    while at < len(words):
        end = next((end for end in range(at, len(words)) if (texts[end] or "").endswith(";")), len(words))
        last = [known((texts[end] or "")[:-1])] if end < len(words) and texts[end] != ";" else []
        yield from _of_terminal([*words[at:end], *last], [*texts[at:end], *(word.text for word in last)])
        at = end + 1


def _of_terminal(words: list[Value], texts: Texts) -> Iterator[_Job]:
    with_value = _TERMINAL_COMMANDS.get(texts[0] or "") if words else None
    if with_value is None:
        return
    at = _operands(texts, 1, with_value)
    same = not any(text is not None and text.startswith("-c") for text in texts[1:at])
    if (texts[0] or "").startswith("send"):
        literally = "-l" in texts[1:at]
        yield _Job(_shell_command(_typed(words[at:], texts[at:], literally=literally)), same_directory=same)
    elif len(words) - at == 1:
        yield _Job(_shell_command(words[at]), same_directory=same)
    elif at < len(words):
        yield _Job(words[at:], same_directory=same)


def _typed(words: list[Value], texts: Texts, *, literally: bool) -> Value:
    """What pressing some keys writes."""
    written = []
    for word, text in zip(words, texts, strict=True):
        if literally or text is None or not (text in _KEYS or _OTHER_KEY.fullmatch(text)):
            written.append(word)
        elif text in _KEYS:
            written.append(known(_KEYS[text]))
    return join(written, "")


def _operands(texts: Texts, at: int, with_value: str) -> int:
    """Behind the options from ``at`` on."""
    while at < len(texts):
        text = texts[at]
        if text is None or not text.startswith("-") or text == "-":
            break
        if text == "--":
            return at + 1
        at = _operand_at(text, at, with_value, lambda option: False)
    return at


def _operand_at(text: str, at: int, with_value: str, takes_value: Callable[[str], bool]) -> int:
    """Behind one option and its value."""
    if text.startswith("--"):
        return at + 1 + ("=" not in text and takes_value(text))
    for index, letter in enumerate(text[1:], 1):
        if letter in with_value:
            return at + 1 + (index == len(text) - 1)
    return at + 1


def _first_runnable(texts: Texts, start: int) -> int | None:
    return next((at for at in range(start, len(texts)) if is_runnable(texts[at])), None)


def _is_hidden(word: Value) -> bool:
    return all(isinstance(chunk, Sym) and chunk.default is None for chunk in word.chunks)


def _shell_command(command: Value) -> list[Value]:
    return [known("bash"), known("-c"), command]
