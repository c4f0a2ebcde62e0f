"""Programs that run another command: ``nohup``, ``env``, ``timeout``, ``nsys profile`` and their like."""

from __future__ import annotations

import re

from relax_lint.shell.state import State
from relax_lint.shell.values import Known, Value

Wrapped = tuple[list[Value], list[tuple[str, Value]]]

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
_SEARCHED = frozenset({"nsys", "ncu", "numactl", "srun", "mpirun", "catchsegv", "strace", "perf", "py-spy"})
_RUNNABLE = re.compile(r"(?:python[0-9.]*|ray|torchrun|accelerate|bash|sh|env|nohup|stdbuf|numactl|timeout)\Z")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_LEADING_OPERANDS = {"timeout": 1, "chrt": 1, "taskset": 1, "flock": 1}
_SETTING = frozenset({"env", "sudo"})
# Managers of environments, whose `run` runs a command in one.
_MANAGERS = frozenset({"uv", "conda", "mamba", "micromamba", "poetry", "pixi", "pdm", "pipenv", "rye", "hatch"})


def unwrap(name: str, words: list[Value], state: State) -> Wrapped | None:
    """The words of the command that a wrapper runs, with what ``env`` sets; None when ``name`` is no wrapper."""
    texts = [state.resolve(word).likely for word in words]
    first = 1
    if name in _MANAGERS:
        if "run" not in texts:
            return None
        first = texts.index("run") + 1
    if name in _SEARCHED or name in _MANAGERS:
        for at in range(first, len(words)):
            text = texts[at]
            if text is not None and _RUNNABLE.match(text.rsplit("/", 1)[-1]):
                return words[at:], []
        return [], []
    if name not in _WITH_VALUE:
        return None
    at = 1
    environment: list[tuple[str, Value]] = []
    operands = _LEADING_OPERANDS.get(name, 0)
    while at < len(words):
        text = texts[at]
        if text is None:
            if name in _SETTING and _ASSIGNMENT.match(words[at].shown):
                environment.append(_assignment(words[at]))
                at += 1
                continue
            break
        if text == "--":
            at += 1
            break
        if name in _SETTING and _ASSIGNMENT.match(text):
            environment.append(_assignment(words[at]))
            at += 1
        elif text.startswith("-") and text != "-" and not environment:
            at += 2 if text in _WITH_VALUE[name] else 1
        else:
            break
    return words[at + operands :], environment


def _assignment(word: Value) -> tuple[str, Value]:
    """``NAME=value`` as a pair."""
    first = word.chunks[0]
    name, _, rest = (first.text if isinstance(first, Known) else "").partition("=")
    return name, Value((Known(rest), *word.chunks[1:]))
