"""How many prompts and samples a step has: verl counts prompts, Relax counts samples in its global batch."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Literal

from relax_lint.migrate.mains import module_name
from relax_lint.migrate.mapping import entry_in, multipliers
from relax_lint.migrate.readings import A, R, arithmetic, counted, is_on, refusal, shown, whole
from relax_lint.migrate.values import Data, Template
from relax_lint.records import record
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

TRAIN, GENERATED, MINI, SAMPLES = (
    "data.train_batch_size", "data.gen_batch_size", f"{A}.ppo_mini_batch_size", f"{R}.n",
)  # fmt: skip
FILTER = "algorithm.filter_groups.enable"
_PLAIN_MAIN = ("verl.trainer.main_ppo", "main_ppo")
Trainer = Literal["plain", "filtering", "one step off", "fully async"]


@record
class Batches:
    """The sizes of a step in Relax; numbers that only bash knows are ``None``.

    ``prompts`` and ``samples`` are those of a rollout, ``batch`` the samples of an update, ``steps`` how many updates a
    rollout gives when that is said explicitly. ``verl_updates`` are those that verl makes of a rollout; ``unkept`` says
    why Relax could not make them, too, where it could not.
    """

    prompts: int | None
    per_prompt: int | None
    batch: int | None
    steps: int | None
    verl_updates: int
    unkept: str
    prompts_word: str | Template
    batch_word: str | Template
    per_prompt_word: str | Template
    text: str

    @property
    def prompts_of_update(self) -> int | None:
        """The prompts of one update, which the replicas of the model share evenly."""
        return None if self.prompts is None else self.prompts // (self.steps or 1)


def trainer_of(settings: Settings) -> Trainer:
    """Which of verl's ways of going over the data runs."""
    if "async_training.require_batches" in settings.leaves:
        return "fully async"
    if "rollout.n_gpus_per_node" in settings.leaves:
        return "one step off"
    reads_filter = is_v1(settings) or not _is_plain(settings)
    return "filtering" if FILTER in settings.leaves and reads_filter else "plain"


def is_v1(settings: Settings) -> bool:
    """Whether the trainer is the one that verl 0.9 brought, which draws prompts until a batch is full. Recipes bring
    trainers of their own, which are made of the older one."""
    return _is_plain(settings) and is_on(settings, "trainer.use_v1")


def _is_plain(settings: Settings) -> bool:
    return module_name(settings.main) in _PLAIN_MAIN


def filters(settings: Settings) -> bool:
    """Whether prompts are dropped whose samples are alike, and others drawn for them."""
    return trainer_of(settings) == "filtering" and is_on(settings, FILTER)


def prompts_key(settings: Settings) -> str:
    """The setting that says how many prompts a step of verl has."""
    if is_v1(settings) or filters(settings):
        return TRAIN
    generated = settings.value(GENERATED)
    return GENERATED if generated is not None and trainer_of(settings) != "fully async" else TRAIN


def batches(settings: Settings, choices: Choices) -> Batches:
    """The sizes of a step. Raises :class:`Refusal` when samples do not divide into prompts."""
    given = _prompts(settings)
    samples, mini = samples_of_prompt(settings), _mini(settings)
    if not isinstance(given, int) or not isinstance(samples, int):
        return _by_bash(settings, given, samples, choices)
    per_prompt = samples
    rows = given * _repeated(settings)
    updates = max(1, -(-rows // mini)) if mini else 1
    prompts = given
    if choices.unit == "samples":
        if given % per_prompt:
            raise refusal(
                settings,
                prompts_key(settings),
                f"--batch-unit samples takes {prompts_key(settings)} {given} for samples, but {given} is no multiple "
                f"of the {per_prompt} samples of a prompt (actor_rollout_ref.rollout.n): there are no whole prompts. "
                "Take --batch-unit prompts",
            )
        prompts = given // per_prompt
    unkept = _unkept(rows, mini, prompts, updates)
    keeps = choices.keep_updates and updates > 1 and not unkept
    batch = prompts * per_prompt // (updates if keeps else 1)
    text = _said(settings, choices, given, prompts, per_prompt, batch, mini, updates, keeps, unkept)
    text += _refused_by_verl(settings)
    steps = updates if keeps else None
    words = (str(prompts), str(batch), str(per_prompt))
    return Batches(prompts, per_prompt, batch, steps, updates, unkept, *words, text)


def factors(settings: Settings) -> tuple[str, ...]:
    """The settings of a fork that the samples of a prompt are multiplied by."""
    there = ((key, entry_in(settings, key)) for key in multipliers(SAMPLES) if key in settings.leaves)
    return tuple(key for key, entry in there if entry is not None and entry.multiplies == SAMPLES)


def samples_of_prompt(settings: Settings) -> Data:
    """How often a prompt is sampled; a word for bash where only that knows."""
    known, words = 1, []
    for key in (SAMPLES, *factors(settings)):
        number = counted(settings, key, "a prompt is sampled once or more")
        if number is not None:
            known *= number
        elif settings.value(key) is not None:
            words.append(settings.value(key))
    if whole(settings, SAMPLES) is None and settings.value(SAMPLES) is None:
        return None
    if not words:
        return known
    if known == 1 and len(words) == 1:
        return words[0]
    return _worked_out(" * ".join(map(arithmetic, (*words, known) if known != 1 else words)))


def _repeated(settings: Settings) -> int:
    """How often a fork repeats a prompt before verl samples it, which verl's mini-batches do not count."""
    return prod(whole(settings, key) or 1 for key in factors(settings))


def _unkept(given: int, mini: int | None, prompts: int, updates: int) -> str:
    """Why Relax, whose updates are all of one size, cannot make those that verl does; empty when it can."""
    rest = given % mini if mini else 0
    if updates > 1 and rest:
        return f"verl's last one has {rest} prompts, the others {mini}; those of Relax are all of one size"
    return f"{prompts} prompts do not divide into {updates} updates" if prompts % updates else ""


def _refused_by_verl(settings: Settings) -> str:
    """What verl checks before it starts, in words, where it would not start."""
    prompts, per_prompt = whole(settings, TRAIN), whole(settings, SAMPLES)
    per_node, nodes = whole(settings, "trainer.n_gpus_per_node"), whole(settings, "trainer.nnodes")
    if (
        trainer_of(settings) == "fully async"
        or settings.flavour == "megatron"
        or is_on(settings, f"{A}.use_dynamic_bsz")
    ):
        return ""
    if not prompts or not per_prompt or not per_node or not nodes or not prompts * per_prompt % (per_node * nodes):
        return ""
    return (
        f" verl itself refuses these sizes: {prompts * per_prompt} samples ({TRAIN} {prompts} × {per_prompt}) do not "
        f"divide among {per_node * nodes} GPUs."
    )


def _prompts(settings: Settings) -> Data:
    if trainer_of(settings) == "fully async":
        mini, required = whole(settings, MINI), whole(settings, "async_training.require_batches")
        return settings.value(MINI) if mini is None else mini * (required or 1)
    key = prompts_key(settings)
    number = counted(settings, key, "a step has one prompt or more")
    return settings.value(key) if number is None else number


def _mini(settings: Settings) -> int | None:
    return whole(settings, MINI)


def _by_bash(settings: Settings, prompts: Data, per_prompt: Data, choices: Choices) -> Batches:
    """Sizes that bash works out, from what the script or its user gives."""
    known = prompts if isinstance(prompts, int) else None
    left, right = arithmetic(prompts), arithmetic(per_prompt)
    if choices.unit == "samples":
        words: tuple[str | Template, str | Template] = (_worked_out(f"{left} / {right}"), _word(prompts))
    else:
        words = (_word(prompts), _worked_out(f"{left} * {right}"))
        if isinstance(per_prompt, (int, float)) and not isinstance(per_prompt, bool):
            per_prompt = int(per_prompt)
    text = (
        f"Only bash knows how many prompts a step has ({shown(prompts)}) or how often each is sampled "
        f"({shown(per_prompt)}). The launcher works the global batch out: prompts × samples of a prompt, "
        "so that each rollout is one update."
    )
    return Batches(
        known, per_prompt if isinstance(per_prompt, int) else None, None, None, 1, "", *words, _word(per_prompt), text
    )


def _word(value: Data) -> str | Template:
    return value if isinstance(value, Template) else shown(value)


def _worked_out(expression: str) -> Template:
    return Template((Unknown(f"$(({expression}))"),))


def _said(
    settings: Settings,
    choices: Choices,
    given: int,
    prompts: int,
    per_prompt: int,
    batch: int,
    mini: int | None,
    updates: int,
    keeps: bool,
    unkept: str,
) -> str:
    """The paragraph about batch sizes, with the numbers."""
    samples = prompts * per_prompt
    parts = " × ".join(f"{key} {shown(settings.value(key))}" for key in (SAMPLES, *factors(settings)))
    times = f"{per_prompt} times ({parts})" if factors(settings) else f"{per_prompt} times"
    verls = f"verl takes {given} prompts a step and samples each {times}, {given * per_prompt} samples. "
    if trainer_of(settings) == "fully async":
        verls = f"A step of verl's asynchronous trainer is require_batches × ppo_mini_batch_size prompts. {verls}"
    if choices.unit == "prompts":
        said = (
            f"{verls}Relax does the same (--batch-unit prompts): --rollout-batch-size {prompts} prompts × "
            f"--n-samples-per-prompt {per_prompt} = {samples} samples a rollout. "
        )
    else:
        said = (
            f"{verls}By --batch-unit samples the {given} are taken for samples: --rollout-batch-size {given} / "
            f"{per_prompt} = {prompts} prompts, {samples} samples a rollout. This is a step of another size, "
            f"1/{per_prompt} of verl's. "
        )
    if keeps:
        said += (
            f"verl makes {updates} updates of a step (ppo_mini_batch_size {mini}), and so does Relax (--keep-updates): "
            f"--num-steps-per-rollout {updates}, --global-batch-size {batch}. All but the first are off-policy."
        )
        return said
    said += f"--global-batch-size {batch} makes one update of it."
    if mini and mini > given:
        said += (
            f" ppo_mini_batch_size {mini} is larger than the {given} prompts of a step, which verl itself refuses; it "
            f"is taken for {given}."
        )
    elif updates > 1:
        said += (
            f" verl makes {updates} updates of a step (ppo_mini_batch_size {mini}), of which all but the first are "
            "off-policy; the guide wants one, so there are fewer updates, each of more samples, at the same learning "
            "rate, and no ratio that could be clipped."
        )
        if unkept:
            said += f" They could not be kept: {unkept}."
        elif choices.keep_updates:
            pass
        else:
            said += f" --keep-updates keeps them: --num-steps-per-rollout {updates}."
    return said
