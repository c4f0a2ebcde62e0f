"""What a verl script does besides launching: commands that it runs, and what of it the launcher of Relax must keep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.migrate.exported import Left
from relax_lint.shell.nodes import Assignment, Function, SimpleCommand, Word
from relax_lint.shell.walk import commands_of, nodes_of

if TYPE_CHECKING:
    from relax_lint.migrate.withheld import Secrets
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource
    from relax_lint.sources.script import ScriptFile

_NAME = re.compile(r"\$\{?(?P<plain>[A-Za-z_]\w*)|\$\(\((?P<arithmetic>[^()]*)\)\)")
_CALLED = re.compile(r"(?:\$\(|`|[|;&]|\bdo\b|\bthen\b)\s*(\w[\w-]*)")
_CALL = "()"
_WORD = re.compile(r"[A-Za-z_]\w*")
_OVERRIDE = re.compile(r"[+~]{0,2}\w+(?:\.\w+)+=")
"""What was meant for Hydra."""
_QUIET = frozenset(
    "set shopt shift echo printf test [ : true false exit return local declare typeset readonly export unset trap "
    "read let eval break continue getopts date tee".split()
)
"""Commands that do nothing a run would miss: they set up the shell, or say something."""

_DECLARES = frozenset({"export", "declare", "typeset", "readonly", "local"})


def surroundings(launcher: LauncherSource, launches: Sequence[Launch], secrets: Secrets) -> list[Left]:
    """The commands of a script that nothing in the launcher of Relax does."""
    starts = {launch.site.start for launch in launches if launch.site.source is launcher}
    functions = {function.name for function in nodes_of(launcher, Function)}
    unread = {place.start for place in launcher.evaluation.unresolved_sources if place.source is launcher}
    left: list[Left] = []
    for command in commands_of(launcher):
        name = _name(command)
        if name in functions or (command.start in starts and name not in _WRAPPERS):
            continue
        if name and name not in _QUIET and not _is_variable(command.words[0]):
            place = Place(launcher, command.start, command.end)
            why = _UNREAD if name in ("source", ".") and command.start in unread else _why_left(name)
            left.append(Left(_line(launcher, place, secrets), place, why))
    return left


def _name(command: SimpleCommand) -> str:
    first = command.words[0] if command.words else None
    if not isinstance(first, Word):
        return ""
    return first.literal if first.literal is not None else "$"


def _is_variable(first: object) -> bool:
    """Whether a command's name is not written: nothing can be said of what it does, but it is said."""
    return isinstance(first, Assignment)


def _line(source: ScriptFile, place: Place, secrets: Secrets) -> str:
    """A command in one line, shortened."""
    text = secrets.hidden(" ".join(source.text[place.start : place.end].replace("\\\n", " ").split()))
    return text if len(text) <= 120 else f"{text[:117]}…"


_WRAPPERS = "docker podman nerdctl apptainer singularity enroot kubectl ssh srun sbatch bsub qsub mpirun".split()
"""Programs that start a training somewhere else."""
_REASONS: tuple[tuple[str, str], ...] = (
    ("ray", "the entry point of Relax starts Ray"),
    ("pip pip3 conda uv apt apt-get", "installing is not part of a launcher"),
    ("wget curl huggingface-cli hf modelscope git", "download it once, before the run"),
    ("cd pushd popd", "the launcher is run from the root of the Relax checkout"),
    ("mkdir", "the launcher makes the directories that it writes to"),
    ("source .", "what it sets was read where the launch needs it"),
    ("wait", "the launcher waits for each run"),
    ("mapfile readarray", "what it reads is not in the launcher: set the variables that its head names"),
    (" ".join(_WRAPPERS), "what stands around the training: start the launcher inside the same, with what it is given"),
    ("ulimit", "a limit of the machine: set it before the run if you need it"),
)
_UNREAD = "the file was not there to be read: source it before the run if that needs what it sets"
_REASON_OF = {name: reason for names, reason in _REASONS for name in names.split()}


def _why_left(name: str) -> str:
    if _OVERRIDE.match(name):
        return "a comment or a line without a \\ at its end cuts it off: to bash it is a command, verl never had it"
    return _REASON_OF.get(name.rpartition("/")[2], "do it yourself where it is needed")


def needed_statements(texts: Iterable[str], source: ScriptFile) -> list[tuple[str, str]]:
    """The assignments and functions of a script that some pieces of bash need, in their order, each once and with those
    that they need in turn, by name; of a variable that is set several times, the first."""
    defined = _defined(source)
    wanted: dict[str, str] = {}
    pending = [name for text in texts for name in _names_in(text)]
    while pending:
        name = pending.pop()
        if name in defined and name not in wanted:
            start, end = defined[name]
            wanted[name] = source.text[start:end]
            pending += _names_in(wanted[name].partition("=")[2] if name.isidentifier() else wanted[name])
    ordered = sorted(wanted, key=lambda name: defined[name])
    return [(name.removesuffix(_CALL), wanted[name]) for name in ordered]


def _defined(source: ScriptFile) -> dict[str, tuple[int, int]]:
    """Where variables are set and functions defined; the names of the latter end in ``()``."""
    found: dict[str, tuple[int, int]] = {}
    for command in commands_of(source):
        for assignment in (*command.assignments, *(command.words[1:] if _name(command) in _DECLARES else ())):
            if isinstance(assignment, Assignment) and assignment.value is not None and _alone(command):
                found.setdefault(assignment.name, (assignment.start, assignment.end))
    for function in nodes_of(source, Function):
        found[function.name + _CALL] = (function.start, function.end)
    return found


def _names_in(text: str) -> list[str]:
    """What a piece of bash reads and calls."""
    called = [f"{name}{_CALL}" for name in _CALLED.findall(text)] if "$(" in text or "`" in text else []
    return [*variables_in(text), *called]


def _alone(command: SimpleCommand) -> bool:
    """Whether assignments are for the shell, not for one command."""
    return not command.words or _name(command) in _DECLARES


def variables_in(text: str) -> Iterator[str]:
    """The variables that a piece of bash reads."""
    for match in _NAME.finditer(text):
        if match["plain"]:
            yield match["plain"]
        else:
            yield from _WORD.findall(match["arithmetic"])
