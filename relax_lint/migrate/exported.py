"""The variables that a verl script gives its training: what it exports, and what stands in front of the launches."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.migrate.withheld import Secrets
from relax_lint.records import record
from relax_lint.shell.nodes import Assignment, For, Function, Parameter, SimpleCommand, Word
from relax_lint.shell.walk import commands_of, find, nodes_of

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource
    from relax_lint.sources.script import ScriptFile

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
_DROPPED_PATTERNS = tuple((re.compile(pattern), reason) for pattern, reason in _DROPPED)
_KNOWN = re.compile(
    r"(?:NCCL|GLOO|UCX|CUDA|TORCH|PYTORCH|TRITON|NVTE|TE|HF|HUGGINGFACE|TRANSFORMERS|TOKENIZERS|OMP|MKL|SGL|SGLANG|WANDB|"
    r"TENSORBOARD|SWANLAB|MLFLOW|CLEARML|FLASHINFER)_\w+"
)
"""What libraries read, whatever else the script does with it."""
_MOST_UNKNOWN = 50
"""Of exported variables that nobody knows, so many may be read by the user's own code; more come from elsewhere."""
_SECRET = "a secret has no place in a launcher: set it in your environment"
_OF_A_RUN = "it comes from the script's arguments or from a loop: set it when you start a run"
_OF_SOME = "the launches of the script have different ones: set it when you start a run"
_READ_HERE = "the script reads it itself, and what it makes of it is carried over: export it if your code reads it, too"
_OF_THE_JOB = "the entry point of Relax starts Ray: export what your code reads of it"

_DECLARES = frozenset({"declare", "typeset"})
_READ = re.compile(r"\$\{?(?P<name>[A-Za-z_]\w*)")
_PAIR = re.compile(r"[\"']?(?P<name>[A-Za-z_]\w*)=")
_ALL_EXPORTED = re.compile(r"(?:\A| )(?P<sign>[-+])(?:o allexport|[a-z]*a[a-z]*)(?: |\Z)")
_TAKES_A_NAME = frozenset(("-u", "-C", "--unset", "--chdir"))
_CONTAINERS = ("docker", "podman", "nerdctl")
_OF_A_JOB = ("--runtime-env", "--export=")


@record
class Left:
    """What is not carried over: its text, where it stands, and why."""

    text: str
    place: Place
    reason: str


@record
class Environment:
    """The variables of a script's training: ``exports`` are carried over (names with their statements), ``left`` are
    not. ``used`` are those that the script reads itself (with their statements); they are needed only where something
    carried over needs them. ``secrets`` are the names of those that only the user can set."""

    exports: tuple[tuple[str, str], ...]
    left: tuple[Left, ...]
    used: Mapping[str, tuple[str, Left]]
    secrets: tuple[str, ...]


@record
class _Given:
    """``NAME=value`` for other programs."""

    name: str
    statement: str
    place: Place
    node: Assignment | Word


def environment(launcher: LauncherSource, launches: Sequence[Launch], secrets: Secrets) -> Environment:
    """Go through the variables of a script."""
    sorting = _Sorting(launcher, secrets)
    for given in _exported(launcher):
        sorting.sort(given, "export ", sorting.is_read(given))
    sites = {launch.site: launch for launch in launches}
    found = [{given.name: given for given in _in_front(launch, launcher)} for launch in sites.values()]
    alike = Counter((name, given.statement) for each in found for name, given in each.items())
    for each in found:
        for name, given in each.items():
            if alike[name, given.statement] == len(found):
                sorting.sort(given, "", False)
            else:
                sorting.leave(given, "", sorting.why_dropped(given) or _OF_SOME)
    for launch in sites.values():
        sorting.left += _of_the_job(launch, secrets)
    return sorting.outcome()


class _Sorting:
    """What becomes of each."""

    def __init__(self, launcher: LauncherSource, secrets: Secrets) -> None:
        self.launcher, self.secrets = launcher, secrets
        self.exports: dict[str, str] = {}
        self.left: list[Left] = []
        self.used: dict[str, tuple[str, Left]] = {}
        self.withheld: dict[str, None] = {}
        self.read: Counter[str] = Counter(found["name"] for found in _READ.finditer(launcher.text))
        self.of_runs = {loop.name for loop in nodes_of(launcher, For)}

    def is_read(self, given: _Given) -> bool:
        """Whether the script reads a variable, other than to add to it."""
        own = [found for found in _READ.finditer(given.statement) if found["name"] == given.name]
        return self.read[given.name] > len(own)

    def sort(self, given: _Given, sign: str, is_read: bool) -> None:
        """Carry a variable over, or say why not."""
        reason = self.why_dropped(given)
        if reason:
            self.leave(given, sign, reason)
        elif is_read and not _KNOWN.fullmatch(given.name):
            self.used[given.name] = given.statement, self._as_left(given, sign, _READ_HERE)
        else:
            self.exports[given.name] = given.statement

    def leave(self, given: _Given, sign: str, reason: str) -> None:
        """Say that a variable is not carried over; the same of several launches once."""
        left = self._as_left(given, sign, reason)
        if all((each.text, each.reason) != (left.text, left.reason) for each in self.left):
            self.left.append(left)

    def why_dropped(self, given: _Given) -> str:
        """Why a variable is not carried over whatever reads it; empty when it is."""
        if self.secrets.given_away_by(given.name, given.statement):
            self.withheld[given.name] = None
            return _SECRET
        names = {parameter.name for parameter in find(given.node, Parameter)}
        if any(name in self.of_runs or name.isdecimal() or name in "@*" for name in names):
            return _OF_A_RUN
        return next((reason for pattern, reason in _DROPPED_PATTERNS if pattern.fullmatch(given.name)), "")

    def outcome(self) -> Environment:
        unknown = [name for name in self.exports if not _KNOWN.fullmatch(name)]
        if len(unknown) > _MOST_UNKNOWN:
            for name in unknown:
                del self.exports[name]
            self.left.append(_many(unknown, self.launcher))
        return Environment(tuple(self.exports.items()), tuple(self.left), self.used, tuple(self.withheld))

    def _as_left(self, given: _Given, sign: str, reason: str) -> Left:
        shown = f"{given.name}=…" if given.name in self.withheld else given.statement
        return Left(f"{sign}{' '.join(shown.split())}", given.place, reason)


def _many(names: Sequence[str], launcher: LauncherSource) -> Left:
    """One line for exported variables that are too many to be for the run."""
    found = re.search(rf"\b{names[0]}\b", launcher.text)
    start, end = found.span() if found else (0, 0)
    text = f"export of {len(names)} variables, {', '.join(names[:3])} and others"
    return Left(text, Place(launcher, start, end), "too many to be for this run: set those that your code reads")


# ---------------------------------------------------------------- where variables are given


def _exported(launcher: ScriptFile) -> Iterator[_Given]:
    """``export NAME=value``, ``declare -x NAME=value``, ``NAME=value`` with ``export NAME`` behind it, or between
    ``set -a`` and ``set +a``."""
    plain: dict[str, Assignment] = {}
    all_of_them = False
    functions = {function.name for function in nodes_of(launcher, Function)}
    for command in commands_of(launcher):
        if not command.words:
            plain |= {each.name: each for each in command.assignments if each.value is not None}
            if all_of_them:
                yield from (_assigned(each, launcher) for each in command.assignments)
            continue
        name = _first_word(command)
        if name == "set":
            found = _ALL_EXPORTED.search(" ".join(_options(command)))
            all_of_them = found["sign"] == "-" if found else all_of_them
        elif name in functions:
            yield from (_assigned(each, launcher) for each in command.assignments)
        elif name == "export" or (name in _DECLARES and _has_x(command)):
            for each in command.words[1:]:
                if isinstance(each, Assignment):
                    set_at = each if each.value is not None else plain.get(each.name)
                    if set_at is not None:
                        yield _assigned(set_at, launcher)


def _has_x(command: SimpleCommand) -> bool:
    return any(option.startswith("-") and "x" in option for option in _options(command))


def _options(command: SimpleCommand) -> list[str]:
    return [word.literal or "" for word in command.words[1:] if isinstance(word, Word)]


def _in_front(launch: Launch, launcher: LauncherSource) -> Iterator[_Given]:
    """What stands in front of a launch: ``NAME=value python3 …``, ``env NAME=value python3 …``, also in a text that is
    run (``bash -c "NAME=value python3 …"``)."""
    source = launch.site.source
    scripts: tuple[ScriptFile, ...] = (launcher, *launcher.evaluation.sourced)
    script = next((each for each in scripts if each is source), None)
    here = None
    if script is not None:
        here = next((each for each in commands_of(script) if each.start == launch.site.start), None)
        if here is not None:
            yield from (_assigned(each, script) for each in here.assignments)
            for word in (*_pairs_of_env(here), *_pairs_of_container(here)):
                yield _given(script.text[word.start : word.end], Place(script, word.start, word.end), word)
    inner = launch.command
    if inner is None or inner is here:
        return
    for assignment in inner.assignments:
        value = assignment.value
        if isinstance(value, Word) and value.literal is not None:
            yield _given(f"{assignment.name}={shlex.quote(value.literal)}", launch.site, assignment)
        else:
            yield _given(f"{assignment.name}=$(…)", launch.site, assignment)
    for word in _pairs_of_env(inner):
        if word.literal is not None:
            name, _, text = word.literal.partition("=")
            yield _given(f"{name}={shlex.quote(text)}", launch.site, word)


def _assigned(assignment: Assignment, source: ScriptFile) -> _Given:
    place = Place(source, assignment.start, assignment.end)
    return _Given(assignment.name, source.text[assignment.start : assignment.end], place, assignment)


def _given(statement: str, place: Place, node: Assignment | Word) -> _Given:
    found = _PAIR.match(statement)
    return _Given(found["name"] if found else "", statement, place, node)


def _pairs_of_env(command: SimpleCommand) -> Iterator[Word]:
    """The words ``NAME=value`` behind ``env``."""
    words = [word for word in command.words if isinstance(word, Word)]
    at = next((number for number, word in enumerate(words) if word.literal in ("env", "/usr/bin/env")), len(words))
    skipped = False
    for word in words[at + 1 :]:
        text = word.literal or ""
        if skipped or text.startswith("-"):
            skipped = not skipped and text in _TAKES_A_NAME
        elif any(_PAIR.match(getattr(part, "text", "")) for part in word.parts[:1]):
            yield word
        else:
            return


def _pairs_of_container(command: SimpleCommand) -> Iterator[Word]:
    """The words ``NAME=value`` of ``docker run -e NAME=value``."""
    if _first_word(command) not in _CONTAINERS:
        return
    words = [word for word in command.words if isinstance(word, Word)]
    for option, word in pairwise(words):
        if option.literal in ("-e", "--env") and any(_PAIR.match(getattr(part, "text", "")) for part in word.parts[:1]):
            yield word


def _of_the_job(launch: Launch, secrets: Secrets) -> Iterator[Left]:
    """What a job scheduler is to set: ``ray job submit --runtime-env=…``, ``srun --export=…``."""
    source = launch.site.source
    for word in launch.command.words if launch.command is not None else ():
        text = source.text[word.start : word.end]
        if text.startswith(_OF_A_JOB):
            shown = " ".join(secrets.hidden(text).split())
            yield Left(shown, Place(source, word.start, word.end), _OF_THE_JOB)


def _first_word(command: SimpleCommand) -> str:
    first = command.words[0]
    return (first.literal or "") if isinstance(first, Word) else ""
