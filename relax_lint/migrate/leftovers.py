"""What a setting of verl's that was left in a launch of Relax becomes there, beside the flags that the launch has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from relax_lint.migrate.data_files import files_of, named
from relax_lint.migrate.direct import as_flags
from relax_lint.migrate.mapping import PASS, entry, same
from relax_lint.migrate.values import Data, Template, is_known
from relax_lint.migrate.written import word
from relax_lint.records import record
from relax_lint.shell.queries import way_of

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue
    from relax_lint.shell.launch import Launch

A, R = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
PROMPTS, MINI, SAMPLES = "data.train_batch_size", f"{A}.ppo_mini_batch_size", f"{R}.n"
_LOGGERS, _RUN = "trainer.logger", "trainer.experiment_name"
PER_NODE, NODES = "trainer.n_gpus_per_node", "trainer.nnodes"
_ROLLOUT, _GLOBAL, _PER_PROMPT = "--rollout-batch-size", "--global-batch-size", "--n-samples-per-prompt"
_RESOURCE, _EVAL_DATA, _SAVE = "--resource", "--eval-prompt-data", "--save"
_ESTIMATOR, _CRITIC = "--advantage-estimator", "critic."
ESTIMATOR, LOSS_MODE = "algorithm.adv_estimator", f"{A}.policy_loss.loss_mode"
_LOSSES = ("gspo", "sapo", "cispo")
_CLIP = f"{A}.clip_ratio"
_CLIPS = {"_low": "--eps-clip", "_high": "--eps-clip-high"}
_TENSORBOARD, _WANDB = "--use-tensorboard", "--use-wandb"
FLAG = re.compile(r"--[a-z][\w-]*")
_EXPANSION = re.compile(r"\$(?:\w+|\{\w+(?::?-\w+)?\})")
_PER_TOKEN = "--calculate-per-token-loss"

_SAID_BY: Mapping[str, tuple[str, ...]] = {
    "--num-epoch": ("--num-rollout",),
    "--num-rollout": ("--num-epoch",),
    "--lr-warmup-iters": ("--lr-warmup-fraction",),
    "--lr-warmup-fraction": ("--lr-warmup-iters",),
    _EVAL_DATA: ("--eval-config",),
    "--tb-project-name": ("--wandb-project",),
    "--tb-experiment-name": ("--wandb-group",),
}
"""What says the same as a flag does: a launch that has one of these needs no other."""
_READ_WITH: Mapping[str, tuple[str, str]] = {
    f"{A}.kl_loss_coef": (f"{A}.use_kl_loss", "--use-kl-loss"),
    f"{A}.kl_loss_type": (f"{A}.use_kl_loss", "--use-kl-loss"),
    "algorithm.kl_penalty": ("algorithm.use_kl_in_reward", "--kl-coef"),
    **{
        f"algorithm.kl_ctrl.{name}": ("algorithm.use_kl_in_reward", "--kl-coef")
        for name in ("kl_coef", "type", "horizon", "target_kl")
    },
}
"""Settings that verl reads only with another one, which is off by default, and the flag that says that one."""
_IN_ANOTHER_LOGGER = {"--tb-project-name": "--wandb-project", "--tb-experiment-name": "--wandb-group"}


@record
class Left:
    """A setting as it was left: its value, and how bash spells that; ``written`` is empty when it has no spelling that
    can be kept. ``deleted`` says that the word takes the setting away (``~key``)."""

    key: str
    value: Data
    written: str = ""
    deleted: bool = False


def becomes(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> list[str] | str:
    """The flags, each with its values as bash spells them, or else what to tell the author.

    Relax reads no word of the other kind, so what the launch says by flags counts already: nothing is written then.
    ``others`` are all settings that were left in the launch, by key.
    """
    if left.deleted or not_read(left, launch, others):
        return []
    answer = meant(left, launch, others, catalogue)
    if isinstance(answer, str):
        return answer
    missing = [item for item in answer if not _is_said(item.partition(" ")[0], launch)]
    return [_for_its_logger(item, launch, others) for item in missing]


def meant(left: Left, launch: Launch, others: Mapping[str, Left], catalogue: Catalogue) -> list[str] | str:
    """The flags that say what a setting says, whether they are there or not."""
    own = _OWN.get(left.key)
    answer = None if own is None else own(left, launch, others)
    return _by_mapping(left, launch, catalogue) if answer is None else answer


def not_read(left: Left, launch: Launch, others: Mapping[str, Left]) -> str:
    """Why verl reads a setting as little as Relax does: another one, of the launch or by default, turns it off."""
    if left.key.startswith(_CRITIC) and launch.value(_ESTIMATOR) != "ppo":
        return f"only {_ESTIMATOR} ppo has a critic"
    if left.key == _CLIP and not any(_is_null(others, f"{_CLIP}{side}") for side in _CLIPS):
        return "verl takes clip_ratio_low and clip_ratio_high, which are 0.2 where nothing else is said"
    switch, flag = _READ_WITH.get(left.key, ("", ""))
    if switch and not launch.has(flag):
        value = others[switch].value if switch in others else False
        if is_known(value) and not value:
            return f"verl reads it with {switch}=True only"
    found = entry(left.key)
    for part in () if found is None or len(found.when) != 1 else found.when[0]:
        if part.key in others and is_known(value := others[part.key].value):
            if any(same(value, other) for other in part.values) == part.negated:
                return f"verl does not read it with {part.key}={others[part.key].value}"
    return ""


def alike(flag: str) -> tuple[str, ...]:
    """A flag and those that say the same: a launch that has one of them needs no other."""
    return (flag, *_SAID_BY.get(flag, ()))


def _is_said(flag: str, launch: Launch) -> bool:
    return any(launch.has(name) for name in alike(flag))


def _for_its_logger(item: str, launch: Launch, others: Mapping[str, Left]) -> str:
    """The names of project and run are flags of the logger that they are for."""
    flag, _, rest = item.partition(" ")
    uses_wandb = launch.has(_WANDB) or "wandb" in _wanted_loggers(others.get(_LOGGERS))
    if flag in _IN_ANOTHER_LOGGER and uses_wandb and not launch.has(_TENSORBOARD):
        return f"{_IN_ANOTHER_LOGGER[flag]} {rest}"
    return item


def _by_mapping(left: Left, launch: Launch, catalogue: Catalogue) -> list[str] | str:
    """What the mapping says of the setting alone; with what only goes into several flags, whether they are there."""
    found = entry(left.key)
    if found is not None and found.modes not in ("both", way_of(launch)):
        return []
    passes = found is not None and len(found.flags) == 1 and found.flags[0][1] == PASS
    if found is not None and passes and left.written and not isinstance(left.value, (bool, type(None))):
        flag = found.flags[0][0]
        if is_known(left.value) and not isinstance(left.value, (list, dict)):
            checked = as_flags(left.key, left.value, catalogue)
            if isinstance(checked, str):
                return checked
        return [f"{flag} {left.written}"]
    if found is not None and found.kind == "no effect" and found.key.endswith(".*"):
        return f"{found.reason}; what it is here is not known"
    if not is_known(left.value) and found is not None and found.flags:
        return f"only bash knows its value, which {found.flags[0][0]} takes in another form"
    answer = as_flags(left.key, left.value, catalogue)
    if not isinstance(answer, str):
        return [" ".join((flag, *map(word, values))) for flag, values in answer]
    if found is not None and found.kind == "derived" and not found.flags:
        if left.value is False or left.value is None:
            return []
        if any(launch.has(flag) for flag in FLAG.findall(found.advice)):
            return []
    return answer


# ---------------------------------------------------------------- settings that several flags say


def _prompts(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Prompts of a step: those of a rollout, and all their samples are one update."""
    if not left.written:
        return None
    if launch.has(_ROLLOUT):
        return []
    samples = _samples(launch, others)
    if not samples:
        return f"{_ROLLOUT} is the same number, and {_GLOBAL} that times {_PER_PROMPT}, which is not known"
    return [f"{_ROLLOUT} {left.written}", f"{_GLOBAL} {_product(left, samples)}"]


def _mini(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Prompts of an update: all of a rollout, which the prompts of a step say."""
    if launch.has(_GLOBAL) or PROMPTS in others:
        return []
    prompts, samples = launch.value(_ROLLOUT), _samples(launch, others)
    if prompts is not None and samples and left.written and prompts == _number(left):
        return [f"{_GLOBAL} {_product(left, samples)}"]
    return None


def _samples(launch: Launch, others: Mapping[str, Left]) -> str:
    """The responses to a prompt as bash spells their number; empty when that is not known."""
    given = launch.last(_PER_PROMPT)
    if given is None:
        return others[SAMPLES].written.strip("\"'") if SAMPLES in others else "1"
    value = given.value
    place = given.values[0].place if len(given.values) == 1 and not given.inline else None
    written = "" if place is None else place.source.text[place.start : place.end].strip("\"'")
    if value is not None and value.isdigit() and not given.values[0].defaults:
        return value
    return written if _EXPANSION.fullmatch(written) else ""


def _product(left: Left, samples: str) -> str:
    if left.written.isdigit() and samples.isdigit():
        return str(int(left.written) * int(samples))
    plain = left.written.strip("\"'")
    return left.written if samples == "1" else f"$(({plain} * {samples}))"


def _number(left: Left | None) -> str:
    value = None if left is None else left.value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _gpus(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """All GPUs for both roles that take turns on them."""
    if launch.has(_RESOURCE):
        return []
    per_node, nodes = (_number(others[key]) if key in others else "" for key in (PER_NODE, NODES))
    if launch.mode != "colocate" or not per_node or (NODES in others and not nodes):
        return None
    if left.key == NODES:
        return []
    count = int(per_node) * int(nodes or "1")
    return [f'{_RESOURCE} \'{{"actor": [1, {count}], "rollout": [1, {count}]}}\'']


def _evaluation_files(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Each file with a name before it."""
    if _is_said(_EVAL_DATA, launch):
        return []
    files = files_of(left.value)
    if len(files) == 1 and left.written and not isinstance(left.value, list):
        return [f"{_EVAL_DATA} {files[0].name} {left.written}"]
    paths = left.value if isinstance(left.value, list) else []
    if not files or len(files) != len(paths):
        return None
    names = [name for name, _ in named(files)]
    pairs = [
        f"{name} {word(path)}" for name, path in zip(names, paths, strict=True) if isinstance(path, (str, Template))
    ]
    return [" ".join((_EVAL_DATA, *pairs))]


def _aggregation(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    if left.value == "token-mean":
        return [_PER_TOKEN]
    return [] if left.value == "seq-mean-token-mean" else None


def _estimator(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Where the loss is an estimator in Relax, that is the one."""
    loss = others.get(LOSS_MODE)
    return [] if left.value == "grpo" and loss is not None and loss.value in _LOSSES else None


def _loss_mode(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """A loss that is an estimator in Relax."""
    flag, value = _ESTIMATOR, left.value
    if value == "vanilla" or (isinstance(value, str) and launch.value(flag) == value):
        return []
    if value in _LOSSES and not launch.has(flag):
        return [f"{flag} {value}"]
    return f"{value} is a value of {flag} in Relax, or there is none" if isinstance(value, str) else None


def _clip(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Each bound has its own setting; this one is for those that are null."""
    if not left.written:
        return None
    return [f"{flag} {left.written}" for side, flag in _CLIPS.items() if _is_null(others, f"{_CLIP}{side}")]


def _clip_low(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Relax takes the lower bound for the upper one, too, where that is not given; verl has a default for it."""
    if left.value is None:
        return []
    if not left.written or f"{_CLIP}_high" in others:
        return None
    return [f"{_CLIPS['_low']} {left.written}", f"{_CLIPS['_high']} 0.2"]


def _clip_high(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    return [] if left.value is None else None


def _is_null(others: Mapping[str, Left], key: str) -> bool:
    return key in others and not others[key].deleted and others[key].value is None


def _once(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    return [] if left.value == 1 else None


def _saves(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """An interval of saving wants a directory to save to."""
    saves = isinstance(left.value, Template) or (isinstance(left.value, int) and left.value > 0)
    if not saves:
        return []
    if launch.has(_SAVE) or "trainer.default_local_dir" in others:
        return None
    return [f'{_SAVE} "${{SAVE_DIR:-checkpoints}}/{launch.script.parent.name}"', f"--save-interval {left.written}"]


def _evaluates(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """An interval of evaluation wants data."""
    if _is_said(_EVAL_DATA, launch) or "data.val_files" in others:
        return None
    return [] if isinstance(left.value, int) and left.value <= 0 else f"--eval-interval needs {_EVAL_DATA}"


def _save_directory(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Relax refuses a directory without an interval."""
    interval = others.get("trainer.save_freq")
    saves = launch.has("--save-interval") or (interval is not None and interval.value not in (-1, 0, None))
    return None if saves or launch.has(_SAVE) else []


def _resumes(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Where nothing is saved, there is nothing to go on from."""
    saves = launch.has(_SAVE) or "trainer.default_local_dir" in others
    return [] if left.value == "disable" or (left.value == "auto" and not saves) else None


def _unread(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """verl itself does not read it."""
    return []


def _loggers(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    wanted = _wanted_loggers(left)
    if all(name == "console" for name in wanted):
        return []
    if "wandb" in wanted:
        is_named = launch.has("--wandb-group") or _RUN in others
        return [_WANDB] if is_named else f"{_WANDB} needs --wandb-group, the name of the run"
    return [_TENSORBOARD] if "tensorboard" in wanted else None


def _wanted_loggers(left: Left | None) -> list[Data]:
    if left is None:
        return []
    return left.value if isinstance(left.value, list) else [left.value]


def _run_name(left: Left, launch: Launch, others: Mapping[str, Left]) -> list[str] | str | None:
    """Without a logger there is nothing to name."""
    wanted = _wanted_loggers(others.get(_LOGGERS))
    named = launch.has(_TENSORBOARD) or launch.has(_WANDB) or "wandb" in wanted or "tensorboard" in wanted
    return None if named else []


_Own: TypeAlias = "Callable[[Left, Launch, Mapping[str, Left]], list[str] | str | None]"
_OWN: Mapping[str, _Own] = {
    PROMPTS: _prompts,
    MINI: _mini,
    PER_NODE: _gpus,
    NODES: _gpus,
    "data.val_files": _evaluation_files,
    f"{A}.loss_agg_mode": _aggregation,
    ESTIMATOR: _estimator,
    LOSS_MODE: _loss_mode,
    f"{A}.ppo_epochs": _once,
    _CLIP: _clip,
    f"{_CLIP}_low": _clip_low,
    f"{_CLIP}_high": _clip_high,
    "trainer.save_freq": _saves,
    "trainer.test_freq": _evaluates,
    "trainer.default_local_dir": _save_directory,
    "trainer.resume_mode": _resumes,
    f"{R}.do_sample": _unread,
    f"{R}.val_kwargs.do_sample": _unread,
    _LOGGERS: _loggers,
    "trainer.project_name": _run_name,
    _RUN: _run_name,
}


# ---------------------------------------------------------------- values


_INTEGER = re.compile(r"[+-]?\d+(?:_\d+)*")
_REAL = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_CONSTANTS: Mapping[str, Data] = {"null": None, "true": True, "false": False}


def plain_value(text: str) -> Data:
    """A value as Hydra reads it, without its grammar for mappings and functions: those are not told from text."""
    text = text.strip()
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _REAL.fullmatch(text):
        return float(text)
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        inside = quoted[1] if quoted[1] is not None else quoted[2]
        return re.sub(r"\\(['\"])", r"\1", inside)
    if text.startswith("[") and text.endswith("]"):
        return [plain_value(part) for part in _parts(text[1:-1])]
    return text


def _parts(text: str) -> Sequence[str]:
    """What commas divide outside of quotes and brackets."""
    return [part for part in _divided(text) if part.strip()]


def _divided(text: str) -> Iterator[str]:
    depth, quote, start = 0, "", 0
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]
