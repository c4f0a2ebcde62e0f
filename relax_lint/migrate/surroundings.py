"""What a verl script does besides launching: variables that it exports, commands that it runs, and what of it the
launcher of Relax must keep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.records import record
from relax_lint.shell.nodes import Assignment, Function, SimpleCommand, Word
from relax_lint.shell.walk import commands_of, nodes_of

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource
    from relax_lint.sources.script import ScriptFile

_NAME = re.compile(r"\$\{?(?P<plain>[A-Za-z_]\w*)|\$\(\((?P<arithmetic>[^()]*)\)\)")
_CALLED = re.compile(r"(?:\$\(|`|[|;&]|\bdo\b|\bthen\b)\s*(\w[\w-]*)")
_CALL = "()"
_WORD = re.compile(r"[A-Za-z_]\w*")
_SECRET = re.compile(r"(?:\A|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)(?:_|\Z)")
_QUIET = frozenset(
    "set shopt shift echo printf test [ : true false exit return local declare typeset readonly export unset trap "
    "read let eval break continue getopts date tee".split()
)
"""Commands that do nothing a run would miss: they set up the shell, or say something."""

_DECLARES = frozenset({"export", "declare", "typeset", "readonly", "local"})

_SET_BY_ENTRYPOINT = "the entry point of Relax sets it"
_OF_VLLM = "it is for vLLM; Relax generates with SGLang"
_DROPPED: tuple[tuple[str, str], ...] = (
    (r"VLLM_\w+|VERL_\w+", _OF_VLLM),
    (r"SGL(?:ANG)?_\w*TP_MEMORY\w*", "verl's own SGLang worker reads it; Relax starts SGLang in another way"),
    (r"HYDRA_\w+", "Relax has no Hydra"),
    (r"RAY_\w+|ip_head|MASTER_(?:ADDR|PORT)", "the entry point of Relax starts Ray; what Ray needs is set there"),
    (r"CUDA_DEVICE_MAX_CONNECTIONS|PYTHONPATH|PYTHONUNBUFFERED", _SET_BY_ENTRYPOINT),
    (r"(?:CUDA|ASCEND_RT|HIP|ROCR)_VISIBLE_DEVICES", "it names the GPUs of one machine: set it when you start the run"),
    (
        r"HCCL_\w+|ASCEND_\w+|TASK_QUEUE_ENABLE|CPU_AFFINITY_CONF|PYTORCH_NPU_\w+|USE_OPTIMIZED_MODEL",
        "it is for Ascend NPUs, which have an entry point of their own in Relax, scripts/entrypoint/local-npu.sh",
    ),
    (
        r"PYTORCH_CUDA_ALLOC_CONF",
        "Relax hands memory between training and SGLang in its own way; set it if you need it",
    ),
    (r"LD_PRELOAD|LD_LIBRARY_PATH|PATH", "it is about one machine: set it there"),
    (r"WANDB_(?:EXP|PROJECT|NAME)", "the project and the run are named by flags"),
)
_MOST_UNKNOWN = 50
"""Of exported variables that nobody knows, so many may be read by the user's own code; more come from elsewhere."""
_KNOWN = re.compile(
    r"(?:NCCL|GLOO|UCX|CUDA|TORCH|PYTORCH|TRITON|NVTE|TE|HF|HUGGINGFACE|TRANSFORMERS|TOKENIZERS|OMP|MKL|SGL|SGLANG|WANDB|"
    r"TENSORBOARD|SWANLAB|MLFLOW|CLEARML|FLASHINFER)_\w+"
)
_DROPPED_PATTERNS = tuple((re.compile(pattern), reason) for pattern, reason in _DROPPED)


@record
class Left:
    """What is not carried over: its text, where it stands, and why."""

    text: str
    place: Place
    reason: str


@record
class Surroundings:
    """What a script does besides: ``exports`` are carried over (names with their statements), ``left`` is not."""

    exports: tuple[tuple[str, str], ...]
    left: tuple[Left, ...]


def surroundings(launcher: LauncherSource, launches: Sequence[Launch]) -> Surroundings:
    """Go through a script's own commands."""
    starts = {launch.site.start for launch in launches if launch.site.source is launcher}
    exports: dict[str, str] = {}
    left: list[Left] = []
    for command in commands_of(launcher):
        if command.start in starts:
            continue
        name = _name(command)
        if name == "export":
            for assignment in command.words[1:]:
                if isinstance(assignment, Assignment):
                    _sort(assignment, launcher, exports, left)
        elif name and name not in _QUIET and not _is_variable(command.words[0]):
            place = Place(launcher, command.start, command.end)
            left.append(Left(_line(launcher, place), place, _why_left(name)))
    unknown = [name for name in exports if not _KNOWN.fullmatch(name)]
    if len(unknown) > _MOST_UNKNOWN:
        for name in unknown:
            del exports[name]
        left.append(_many(unknown, launcher))
    return Surroundings(tuple(exports.items()), tuple(left))


def _many(names: Sequence[str], launcher: LauncherSource) -> Left:
    """One line for exported variables that are too many to be for the run."""
    found = re.search(rf"\b{names[0]}\b", launcher.text)
    start, end = found.span() if found else (0, 0)
    text = f"export of {len(names)} variables, {', '.join(names[:3])} and others"
    return Left(text, Place(launcher, start, end), "too many to be for this run: set those that your code reads")


def _sort(assignment: Assignment, source: ScriptFile, exports: dict[str, str], left: list[Left]) -> None:
    """Carry an exported variable over, or say why not. One that the script itself reads is its own."""
    place = Place(source, assignment.start, assignment.end)
    text = source.text[assignment.start : assignment.end]
    reason = _why_dropped(assignment, source)
    if reason is None:
        exports[assignment.name] = text
    elif reason:
        shown = f"{assignment.name}=…" if _SECRET.search(assignment.name) else text
        left.append(Left(f"export {' '.join(shown.split())}", place, reason))


def _why_dropped(assignment: Assignment, source: ScriptFile) -> str | None:
    """Why an exported variable is not carried over; nothing to say (``""``) of one that only the script reads."""
    name = assignment.name
    if assignment.value is None or _is_read(name, source):
        return ""
    if _SECRET.search(name):
        return "a secret has no place in a launcher: set it in your environment"
    return next((reason for pattern, reason in _DROPPED_PATTERNS if pattern.fullmatch(name)), None)


def _is_read(name: str, source: ScriptFile) -> bool:
    return re.search(rf"\$\{{?{name}\b", source.text) is not None


def _name(command: SimpleCommand) -> str:
    first = command.words[0] if command.words else None
    if not isinstance(first, Word):
        return ""
    return first.literal if first.literal is not None else "$"


def _is_variable(first: object) -> bool:
    """Whether a command's name is not written: nothing can be said of what it does, but it is said."""
    return isinstance(first, Assignment)


def _line(source: ScriptFile, place: Place) -> str:
    """A command in one line, shortened."""
    text = " ".join(source.text[place.start : place.end].replace("\\\n", " ").split())
    return text if len(text) <= 120 else f"{text[:117]}…"


_REASONS: tuple[tuple[str, str], ...] = (
    ("ray", "the entry point of Relax starts Ray"),
    ("pip pip3 conda uv apt apt-get", "installing is not part of a launcher"),
    ("wget curl huggingface-cli hf modelscope git", "download it once, before the run"),
    ("cd pushd popd", "the launcher is run from the root of the Relax checkout"),
    ("mkdir", "the launcher makes the directories that it writes to"),
    ("source .", "what it sets was read where the launch needs it"),
    ("ulimit", "a limit of the machine: set it before the run if you need it"),
)
_REASON_OF = {name: reason for names, reason in _REASONS for name in names.split()}


def _why_left(name: str) -> str:
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
