"""Batch sizes, said exactly, and how prompts are drawn until a batch is full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.algorithms import ESTIMATOR
from relax_lint.migrate.batches import (
    FILTER,
    GENERATED,
    MINI,
    SAMPLES,
    TRAIN,
    Batches,
    batches,
    factors,
    filters,
    is_v1,
    prompts_key,
    samples_of_prompt,
    trainer_of,
)
from relax_lint.migrate.derived.reward import penalizes_length
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import REF, A, below, fates, is_on, shown, text, whole

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_ROLLOUT, _PER_PROMPT, _GLOBAL, _STEPS = (
    "--rollout-batch-size", "--n-samples-per-prompt", "--global-batch-size", "--num-steps-per-rollout",
)  # fmt: skip
_FILTER_PATH, _OVER_SAMPLING = "--dynamic-sampling-filter-path", "--over-sampling-batch-size"
_NONZERO_STD = "relax.engine.filters.dynamic_sampling_filters.check_reward_nonzero_std"
_EPOCHS = f"{A}.ppo_epochs"
_PASSES, _TOTAL = "trainer.total_epochs", "trainer.total_training_steps"
_OF_REWARD = ("reward", "score", "seq_reward", "seq_final_reward")
"""Metrics by which verl keeps a group that are the reward, or as good as."""


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of everything that says how large a batch is."""
    sizes, key = batches(settings, choices), prompts_key(settings)
    yield Passed(_ROLLOUT, (sizes.prompts_word,), "rollout", (key,))
    samples = (SAMPLES, *factors(settings))
    yield Passed(_PER_PROMPT, (sizes.per_prompt_word,), "rollout", samples)
    yield Passed(_GLOBAL, (sizes.batch_word,), "rollout", (key, *samples, *((MINI,) if sizes.steps else ())))
    if sizes.steps is not None:
        yield Passed(_STEPS, (str(sizes.steps),), "rollout", (MINI,))
    yield from _counted(settings, key)
    yield from _updates(settings, sizes, choices)
    yield from _drawn(settings, sizes)
    if trainer_of(settings) == "fully async":
        yield from _streamed(settings)
    for part in (A, REF):
        yield Fate(f"{part}.rollout_n", "derived", (_PER_PROMPT,), "the same number as rollout.n")


def _counted(settings: Settings, key: str) -> Iterator[Step]:
    flags = (_ROLLOUT, _GLOBAL)
    kind = trainer_of(settings)
    if kind == "fully async":
        yield from fates(settings, (TRAIN, GENERATED), "no effect", "this trainer of verl's counts by mini-batches")
    else:
        yield Fate(key, "derived", flags, "the prompts of a rollout, and with rollout.n the samples of an update")
        if key == GENERATED:
            yield from fates(
                settings, (TRAIN,), "no effect", f"{GENERATED} decides how many prompts a step of this trainer has"
            )
    yield from fates(settings, (SAMPLES,), "derived", flags=(_PER_PROMPT, _GLOBAL))
    reason = f"a fork repeats each prompt before {SAMPLES} counts: the samples of a prompt are the product"
    yield from fates(settings, factors(settings), "derived", reason, (_PER_PROMPT, _GLOBAL))
    if samples_of_prompt(settings) == 1:
        yield Todo(
            f"{SAMPLES}=1: one sample a prompt, so that {text(settings, ESTIMATOR) or 'grpo'} has no group to compare "
            f"it with; each counts by its bare score, as in verl. If groups were meant, raise {_PER_PROMPT}, and "
            f"{_GLOBAL} as much, and leave --disable-rewards-normalization out",
            (SAMPLES,),
        )


def _updates(settings: Settings, sizes: Batches, choices: Choices) -> Iterator[Step]:
    mini = whole(settings, MINI)
    if trainer_of(settings) == "fully async":
        reason = "with require_batches, the prompts of a step of the trainer"
        todo = _kept(sizes, asked=choices.keep_updates) if sizes.steps is None and sizes.verl_updates > 1 else ""
        yield Fate(MINI, "derived", (_ROLLOUT, _GLOBAL), reason, todo)
    elif sizes.steps is not None:
        yield from fates(settings, (MINI,), "derived", f"{sizes.steps} updates of a rollout", (_GLOBAL, _STEPS))
    elif sizes.verl_updates > 1:
        reason = (
            f"verl makes {sizes.verl_updates} updates of a rollout; Relax makes one of it, as the guide demands, so "
            "that training stays on-policy"
        )
        yield Fate(MINI, "dropped", (_GLOBAL,), reason, _kept(sizes, asked=choices.keep_updates))
    else:
        prompts = sizes.prompts or 0
        larger = mini is not None and bool(prompts) and mini > prompts and sizes.steps is None
        reason = "larger than a rollout, which verl itself refuses" if larger else "one update of each rollout"
        yield from fates(settings, (MINI,), "derived", reason, (_GLOBAL,))
    epochs = whole(settings, _EPOCHS)
    if epochs is not None and epochs > 1:
        reason = "Relax goes over each batch once; --num-iters-per-train-update only splits one"
        todo = f"{_EPOCHS}={epochs}: train longer, or take larger steps; Relax goes over each batch once"
        yield Fate(_EPOCHS, "unsupported", (), reason, todo)
        yield Todo(todo, (_EPOCHS,))
    else:
        yield from fates(settings, (_EPOCHS,), "same", "each batch once")


def _kept(sizes: Batches, *, asked: bool) -> str:
    """How the updates of a rollout are kept, where that is possible."""
    if not sizes.unkept:
        return f"--keep-updates keeps the {sizes.verl_updates} updates, if they are meant"
    return f"--keep-updates could not keep the {sizes.verl_updates} updates: {sizes.unkept}" if asked else ""


def _streamed(settings: Settings) -> Iterator[Step]:
    """verl's fully asynchronous trainer takes mini-batches as they come."""
    yield Fate("async_training.require_batches", "derived", (_ROLLOUT,), "the mini-batches of a step")
    key = "async_training.trigger_parameter_sync_step"
    yield Fate(key, "dropped", (), "Relax hands new weights to the rollout after each step")


def _drawn(settings: Settings, sizes: Batches) -> Iterator[Step]:
    """DAPO's dynamic sampling: prompts whose samples all score the same are replaced."""
    rest = tuple(key for key in below(settings, "algorithm.filter_groups") if key != FILTER)
    if prompts_key(settings) != GENERATED and trainer_of(settings) != "fully async" and not filters(settings):
        yield from fates(settings, (GENERATED,), "no effect", f"{TRAIN} decides how many prompts a step has")
    if trainer_of(settings) != "filtering":
        yield from fates(settings, (FILTER, *rest), "no effect", "this trainer of verl's does not read it")
        return
    if not is_on(settings, FILTER):
        yield from fates(settings, (FILTER,), "same", "no prompt is dropped")
        yield from fates(settings, rest, "no effect", "without filter_groups.enable nobody reads it")
        return
    yield Passed(_FILTER_PATH, (_NONZERO_STD,), "rollout", (FILTER,), "DAPO's dynamic sampling")
    yield Fate(FILTER, "mapped", (_FILTER_PATH,), "prompts whose samples all score the same are replaced by others")
    yield from _ends(settings, sizes)
    generated = whole(settings, GENERATED)
    at_a_time = generated is not None and sizes.prompts is not None and generated > sizes.prompts
    if at_a_time and not is_v1(settings):
        yield Passed(_OVER_SAMPLING, (str(generated),), "rollout", (GENERATED,))
        yield Fate(GENERATED, "mapped", (_OVER_SAMPLING,), "the prompts that are drawn at a time")
    else:
        reason = f"Relax draws the prompts of a rollout at a time, or more by {_OVER_SAMPLING}"
        yield from fates(settings, (GENERATED,), "dropped", reason)
    for key in rest:
        yield from _of_filter(settings, key)


def _ends(settings: Settings, sizes: Batches) -> Iterator[Step]:
    """An epoch of verl's filtering trainer is over when all prompts were drawn, those that it dropped, too."""
    if is_v1(settings):
        return
    total = whole(settings, _TOTAL)
    bounded = f", unless the {total} rollouts of {_TOTAL} are fewer" if total is not None and total > 0 else ""
    drawn = whole(settings, GENERATED) or whole(settings, TRAIN)
    if drawn is None or sizes.prompts is None:
        return
    yield Todo(
        f"pass --num-rollout with (rows × {shown(settings.value(_PASSES))} epochs / {drawn}), or less, to train as "
        f"long as verl: its epochs end when all prompts were drawn, {drawn} at a time, kept or dropped; those of Relax "
        f"are rows / {sizes.prompts} rollouts, which draw as many prompts as it takes{bounded}",
        (FILTER, _PASSES),
    )


def _of_filter(settings: Settings, key: str) -> Iterator[Step]:
    value = settings.value(key)
    if key.endswith(".metric"):
        reason = f"Relax compares the reward of the samples, verl {shown(value)}"
        if value in _OF_REWARD:
            yield Fate(key, "derived", (_FILTER_PATH,), reason)
        elif value == "acc" and not penalizes_length(settings):
            reason += ": the same where the reward depends on nothing else"
            yield Fate(key, "derived", (_FILTER_PATH,), reason)
        else:
            todo = (
                f"{key}={shown(value)}: let the reward return it, too, and write a function for {_FILTER_PATH} that "
                f"keeps a group where it differs; {_NONZERO_STD.rpartition('.')[2]} compares rewards, which differ by "
                "more"
            )
            yield Fate(key, "unsupported", (_FILTER_PATH,), reason, todo)
            yield Todo(todo, (key,))
    elif key.endswith(".max_num_gen_batches"):
        yield Fate(key, "dropped", (), "Relax draws until the batch is full, without a bound")
    else:
        yield Fate(key, "derived", (_FILTER_PATH,))
