"""Programs that run another command: ``nohup``, ``env``, ``nsys profile``, ``script -c`` and their like."""

from __future__ import annotations

import re

from relax_lint.patterns import pattern
from relax_lint.shell.split_string import Lookup, Refused, split
from relax_lint.shell.state import State
from relax_lint.shell.values import Known, Value, known

Wrapped = tuple[list[Value], list[tuple[str, Value | None]]]
"""The words of a command, and what is set for it alone; ``None`` takes a variable away."""

# Options that take the next word as their value.
_WITH_VALUE = {
    "env": {"-u", "-C", "-S", "--unset", "--chdir"},
    "timeout": {"-k", "-s", "--kill-after", "--signal"},
    "stdbuf": {"-i", "-o", "-e", "--input", "--output", "--error"},
    "setsid": set(),
    "nohup": set(),
    "nice": {"-n", "--adjustment"},
    "ionice": {"-c", "-n", "-p"},
    "chrt": set(),
    "taskset": set(),
    "sudo": {"-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "--user", "--group", "--chdir"},
    "flock": {"-w", "-E", "--timeout"},
    "time": {"-f", "-o", "--format", "--output"},
}  # fmt: skip
# Programs with so many options of their own that what they run is found by its name.
_SEARCHED = frozenset(
    {
        *(
            "nsys",
            "ncu",
            "numactl",
            "srun",
            "mpirun",
            "catchsegv",
            "strace",
            "ltrace",
            "perf",
            "py-spy",
            "valgrind",
            "gdb",
        ),
        *("nvprof", "rocprof", "compute-sanitizer", "unshare", "nsenter", "prlimit", "setpriv", "setarch", "cpulimit"),
        *("chroot", "gosu", "su-exec", "runuser", "tini", "dumb-init", "unbuffer", "systemd-run"),
        *("systemd-inhibit", "sshpass", "apptainer", "singularity", "enroot"),
    }
)
_RUNNABLE = pattern(
    r"(?:python[0-9.]*|ray|torchrun|accelerate|bash|sh|env|nohup|stdbuf|numactl|timeout|setsid|nice|ssh|docker|podman"
    r"|apptainer|singularity|enroot)\Z"
)
_ASSIGNMENT = pattern(r"([A-Za-z_][A-Za-z0-9_]*)=")
_LEADING_OPERANDS = {"timeout": 1, "chrt": 1, "taskset": 1, "flock": 1}
_SETTING = frozenset({"env", "sudo"})
_SPLIT_STRING = pattern(r"(?:-[iv0]*S|--s[a-z-]*(?:=|\Z))(?P<glued>.*)", re.DOTALL)
_TAKEN_AWAY = pattern(r"(?:-[iv0]*u|--u[a-z]*(?:=|\Z))(?P<glued>.*)", re.DOTALL)
# Programs that hand a string to a shell, and how.
_OF_STRINGS = frozenset({"flock", "script", "su", "runuser", "sg"})
_COMMAND_STRING = pattern(r"(?:-[A-Za-z]*c\Z|--command(?:=|\Z))(?P<glued>.*)", re.DOTALL)
_LOOKS_ONLY = frozenset(
    {
        *("pkill", "pgrep", "killall", "kill", "ps", "grep", "rg", "git", "ls", "cp", "mv", "rm", "ln", "scp", "rsync"),
        *("which", "whereis", "man", "diff", "pip", "pip3", "notify-send", "curl", "wget", "tar", "zip", "sed"),
    }
)
# Managers of environments, whose `run` runs a command in one.
_MANAGERS = frozenset({"uv", "conda", "mamba", "micromamba", "poetry", "pixi", "pdm", "pipenv", "rye", "hatch"})


def is_wrapper(name: str) -> bool:
    """Whether a program runs another."""
    return name in _WITH_VALUE or name in _SEARCHED or name in _MANAGERS or name in _OF_STRINGS


def is_runnable(text: str | None) -> bool:
    """Whether a word is a program that is searched for."""
    return text is not None and _RUNNABLE.match(text.rsplit("/", 1)[-1]) is not None


def training_in(name: str, words: list[Value], state: State) -> list[Value]:
    """What a program that nobody knows may start: the words from the first program on; none for those that only look
    for processes or texts, copy or show."""
    texts = [state.resolve(word).likely for word in words]
    first = next((at for at, text in enumerate(texts) if at and is_runnable(text)), len(words))
    return [] if name in _LOOKS_ONLY else words[first:]


def unwrap(name: str, words: list[Value], state: State, lookup: Lookup) -> Wrapped | None:
    """The words of the command that a wrapper runs, with what ``env`` sets; None when ``name`` is no wrapper.

    ``lookup`` gives the variables of the environment."""
    if not is_wrapper(name):
        return None
    texts = [state.resolve(word).likely for word in words]
    first = 1
    if name in _MANAGERS:
        if "run" not in texts:
            return None
        first = texts.index("run") + 1
    if name in _OF_STRINGS and (string := _command_string(words, texts)) is not None:
        return [known("sh"), known("-c"), string], []
    if name in _SEARCHED or name in _MANAGERS:
        for at in range(first, len(words)):
            text = texts[at]
            if is_runnable(text):
                return words[at:], []
        return [], []
    if name not in _WITH_VALUE:
        return None
    if name == "env":
        try:
            written = _split([state.resolve(word) for word in words], texts, lookup)
        except Refused:
            return [], []
        if written is not None:
            return unwrap(name, written, state, lookup)
    return _behind_options(name, words, texts)


def _behind_options(name: str, words: list[Value], texts: list[str | None]) -> Wrapped:
    """What stands behind a wrapper's options and operands."""
    at = 1
    options = True
    environment: list[tuple[str, Value | None]] = []
    operands = _LEADING_OPERANDS.get(name, 0)
    while at < len(words):
        text = texts[at]
        if name in _SETTING and _ASSIGNMENT.match(words[at].shown if text is None else text):
            environment.append(assignment(words[at]))
            options = False
            at += 1
        elif text is None or not options or not text.startswith("-") or (text == "-" and name != "env"):
            break
        elif text == "--":
            options = False
            at += 1
            if name not in _SETTING:
                break
        else:
            gone = _TAKEN_AWAY.match(text) if name == "env" else None
            unset = gone and (gone["glued"] or (texts[at + 1] if at + 1 < len(words) else None))
            if unset:
                environment.append((unset, None))
            at += 2 if text in _WITH_VALUE[name] else 1
    return words[at + operands :], environment


def _command_string(words: list[Value], texts: list[str | None]) -> Value | None:
    """The string that ``-c`` gives to a shell; ``None`` when a program is to run as it stands."""
    for at, text in enumerate(texts[1:], 1):
        if is_runnable(text):
            return None
        found = _COMMAND_STRING.match(text) if text is not None else None
        if found is not None:
            return known(found["glued"]) if found["glued"] else next(iter(words[at + 1 : at + 2]), None)
    return None


def _split(words: list[Value], texts: list[str | None], lookup: Lookup) -> list[Value] | None:
    """``env -S 'A=1 python3'`` with the string as words of its own; ``None`` when there is no string to split."""
    at = 1
    while at < len(words):
        first = words[at].chunks[0]
        beginning = first.text if isinstance(first, Known) else ""
        if not beginning.startswith("-") or beginning == "--":
            return None
        found = _SPLIT_STRING.match(beginning)
        if found is not None:
            glued = Value((Known(found["glued"]), *words[at].chunks[1:]))
            if glued.shown or beginning.endswith("="):
                return [*words[:at], *split(glued, lookup), *words[at + 1 :]]
            return [*words[:at], *split(words[at + 1], lookup), *words[at + 2 :]] if at + 1 < len(words) else None
        at += 2 if texts[at] in _WITH_VALUE["env"] else 1
    return None


def assignment(word: Value) -> tuple[str, Value]:
    """``NAME=value`` as a pair."""
    first = word.chunks[0]
    name, _, rest = (first.text if isinstance(first, Known) else "").partition("=")
    return name, Value((Known(rest), *word.chunks[1:]))
