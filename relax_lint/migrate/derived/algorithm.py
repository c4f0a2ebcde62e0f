"""The advantage estimator, the loss, and how the loss of a batch is put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.algorithms import (
    AGGREGATION,
    BYPASS,
    COMPUTED_ANEW,
    ESTIMATOR,
    LOSS_MODE,
    OF_ASYNC,
    PER_SAMPLE,
    Loss,
    loss_of,
    uses_bypass,
    uses_rollout_logprobs,
)
from relax_lint.migrate.batches import SAMPLES, samples_of_prompt
from relax_lint.migrate.plan import Fate, FateKind, Passed, RecipeFile, Step, Todo
from relax_lint.migrate.readings import A, below, fates, is_on, real, shown, text
from relax_lint.migrate.rejection import FUNCTION, REJECTION_KEY, THRESHOLD, function_text, limits_of
from relax_lint.migrate.texts import LOSS_REDUCER

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_ESTIMATOR, _PER_TOKEN, _REDUCER = (
    "--advantage-estimator", "--calculate-per-token-loss", "--custom-pg-loss-reducer-function-path",
)  # fmt: skip
_NO_STD, _RAW = "--disable-grpo-std-normalization", "--disable-rewards-normalization"
_TIS, _TIS_CLIP, _ROLLOUT_LOGPROBS = "--use-tis", "--tis-clip", "--use-rollout-logprobs"
_TIS_FUNCTION, _MISMATCH = "--custom-tis-function-path", "--get-mismatch-metrics"
_TAUS = {f"{A}.tau_pos": "--sapo-tau-pos", f"{A}.tau_neg": "--sapo-tau-neg"}
_STD = "algorithm.norm_adv_by_std_in_grpo"
_SCALE = f"{A}.loss_scale_factor"
_CORRECTION = "algorithm.rollout_correction"
_NEEDS = {"rollout_is_batch_normalize": "rollout_is", "rollout_token_veto_threshold": "rollout_token_veto_threshold"}
"""What has to be on for a setting to count; for the others it is the rejection."""
_GIVES_ADVANTAGES = {"cispo": "verl caps the weight of tokens with negative advantage, too; Relax does not"}


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of the algorithm. Raises :class:`Refusal` for what Relax lacks."""
    loss = loss_of(settings)
    yield Passed(_ESTIMATOR, (loss.estimator,), "algorithm", (ESTIMATOR, LOSS_MODE))
    yield from _named(settings, loss)
    yield from _normalized(settings)
    yield from _put_together(settings, choices, loss)
    yield from _taus(settings, loss)
    yield from _corrected(settings)
    yield from _rejected(settings, choices)
    yield from fates(settings, ("algorithm.gamma", "algorithm.lam"), "no effect", "GRPO does not discount")
    yield from fates(
        settings, tuple(below(settings, "algorithm.use_pf_ppo", "algorithm.pf_ppo")), "no effect", "only gae reads it"
    )


def _named(settings: Settings, loss: Loss) -> Iterator[Step]:
    yield from fates(settings, (ESTIMATOR,), "mapped", flags=(_ESTIMATOR,))
    if uses_bypass(settings):
        yield from fates(settings, (LOSS_MODE,), "no effect", "bypass_mode puts its own loss in the place of this one")
    else:
        reason = "the loss is named by the estimator in Relax"
        note = _GIVES_ADVANTAGES.get(loss.estimator, "")
        yield from fates(settings, (LOSS_MODE,), "derived", f"{reason}; {note}" if note else reason, (_ESTIMATOR,))
        if note:
            yield Todo(
                f"{loss.estimator}: {note}. Compare the first steps if prompts have many bad samples.", (LOSS_MODE,)
            )
    rest = tuple(key for key in below(settings, f"{A}.policy_loss") if key != LOSS_MODE)
    yield from fates(settings, rest, "no effect", "only other loss modes read it")


def _normalized(settings: Settings) -> Iterator[Step]:
    """Within a group the mean is taken off, and the standard deviation divided by."""
    by_std = is_on(settings, _STD, default=True)
    if samples_of_prompt(settings) == 1:
        note = "with one sample a prompt verl takes the score itself; Relax would take the mean off and leave 0"
        yield Passed(_RAW, (), "algorithm", (SAMPLES,), note)
        yield from fates(settings, (_STD,), "no effect", "one sample a prompt has no deviation")
    elif not by_std:
        yield Passed(_NO_STD, (), "algorithm", (_STD,))
        yield from fates(settings, (_STD,), "mapped", flags=(_NO_STD,))
    else:
        yield from fates(settings, (_STD,), "same", "Relax divides by the deviation, too")


def _put_together(settings: Settings, choices: Choices, loss: Loss) -> Iterator[Step]:
    mode = text(settings, AGGREGATION) or "token-mean"
    if loss.fixed:
        reason = f"verl averages each sample first with {loss.estimator}, whatever this says, and so does Relax"
        if mode not in PER_SAMPLE and (is_on(settings, f"{A}.use_kl_loss") or real(settings, f"{A}.entropy_coeff")):
            reason = f"{reason}; KL and entropy, which verl puts together by it, are averaged over each sample, too"
            yield from fates(settings, (AGGREGATION,), "unsupported", reason)
        else:
            yield from fates(settings, (AGGREGATION,), "no effect", reason)
        yield from fates(settings, (_SCALE,), "no effect", "nothing is scaled")
        return
    if loss.per_token:
        yield Passed(_PER_TOKEN, (), "algorithm", (AGGREGATION,), "every token counts the same, as verl's token-mean")
        yield from fates(settings, (AGGREGATION,), "mapped", flags=(_PER_TOKEN,))
    elif loss.scale is None:
        yield from fates(settings, (AGGREGATION,), "same", "Relax averages each sample first, too")
    else:
        path = f"{choices.module(f'loss_{choices.name}')}.get_pg_loss_reducer"
        yield RecipeFile(f"loss_{choices.name}.py", LOSS_REDUCER.format(scale=f"{loss.scale:g}"), (AGGREGATION,))
        yield Passed(_REDUCER, (path,), "algorithm", (AGGREGATION,), mode)
        reason = "the policy's loss; entropy and KL are averaged over each sample"
        yield from fates(settings, (AGGREGATION,), "derived", reason, (_REDUCER,))
    if loss.scale is not None and mode == "seq-mean-token-sum-norm":
        yield from fates(settings, (_SCALE,), "derived", f"{loss.scale:g}, in loss_{choices.name}.py", (_REDUCER,))
    else:
        yield from fates(settings, (_SCALE,), "no effect", "only seq-mean-token-sum-norm reads it")


def _taus(settings: Settings, loss: Loss) -> Iterator[Step]:
    for key, flag in _TAUS.items():
        if key not in settings.leaves:
            continue
        if loss.estimator == "sapo":
            yield Passed(flag, (shown(settings.value(key)),), "algorithm", (key,))
            yield Fate(key, "mapped", (flag,))
        else:
            yield Fate(key, "no effect", (), "only sapo reads it")


def _corrected(settings: Settings) -> Iterator[Step]:
    """The difference between the engine that generates and the one that trains."""
    weights, threshold = f"{_CORRECTION}.rollout_is", f"{_CORRECTION}.rollout_is_threshold"
    elsewhere = (weights, threshold, BYPASS, *((REJECTION_KEY, THRESHOLD) if limits_of(settings) else ()))
    others = tuple(key for key in below(settings, _CORRECTION) if key not in elsewhere)
    kind = settings.value(weights)
    if uses_rollout_logprobs(settings):
        source = BYPASS if uses_bypass(settings) else OF_ASYNC
        note = "the rollout's log-probabilities stand for the old ones, as in verl"
        yield Passed(_ROLLOUT_LOGPROBS, (), "algorithm", (source,), note, "sync")
        reason = (
            "in async mode Relax has the trainer's log-probabilities for the old ones, and weights by the ratio to the "
            "rollout's up to --tis-clip (2), where verl clips that ratio"
        )
        yield Fate(source, "derived", (_ROLLOUT_LOGPROBS, _TIS), reason)
        yield from fates(settings, (weights, threshold), "no effect", "there is nothing that would have to be weighted")
    else:
        yield from _weighted(settings, weights, threshold, kind)
    taken = uses_rollout_logprobs(settings)
    reason = "those of the rollout are taken" if taken else "Relax computes the old log-probabilities itself, too"
    for key in (BYPASS, OF_ASYNC, COMPUTED_ANEW):
        yield Fate(key, "no effect" if taken else "same", (), reason)
    for key in others:
        yield from _of_correction(settings, key)


def _weighted(settings: Settings, weights: str, threshold: str, kind: object) -> Iterator[Step]:
    if kind == "token":
        bound = real(settings, threshold)
        yield Passed(_TIS, (), "algorithm", (weights,))
        yield Passed(_TIS_CLIP, (f"{2.0 if bound is None else bound:g}",), "algorithm", (threshold,))
        yield Fate(weights, "mapped", (_TIS,))
        yield from fates(settings, (threshold,), "mapped", flags=(_TIS_CLIP,))
        return
    yield from fates(settings, (threshold,), "no effect", "nothing is weighted by tokens")
    if kind is None:
        yield from fates(settings, (weights,), "same", "Relax weights nothing without --use-tis")
        return
    reason = "--use-tis weights tokens; weights of whole sequences need a function of your own"
    todo = f"{weights}={kind}: write a function for --custom-tis-function-path, and pass --use-tis"
    yield Fate(weights, "unsupported", (), reason, todo)
    yield Todo(todo, (weights,))


def _rejected(settings: Settings, choices: Choices) -> Iterator[Step]:
    """What is left out for its ratio, by a function of the recipe."""
    limits = limits_of(settings)
    if not limits:
        return
    name = f"tis_{choices.name}"
    keys = (REJECTION_KEY, THRESHOLD)
    yield RecipeFile(f"{name}.py", function_text(choices.name, limits), keys)
    yield Passed(_TIS_FUNCTION, (f"{choices.module(name)}.{FUNCTION}",), "algorithm", keys, "what is not trained on")
    if settings.value(f"{_CORRECTION}.rollout_is") != "token" or uses_rollout_logprobs(settings):
        yield Passed(_MISMATCH, (), "algorithm", keys, "has that function called without weighting anything", "sync")
    reason = f"{name}.py masks the same"
    if loss_of(settings).per_token:
        reason += "; the number of tokens that the loss is divided by is that before, and in verl that after"
    if uses_bypass(settings):
        reason += "; it takes the policy's probabilities before the step, verl those of each update"
    yield from fates(settings, keys, "derived", reason, (_TIS_FUNCTION,))


def _of_correction(settings: Settings, key: str) -> Iterator[Step]:
    value = settings.value(key)
    if key.endswith("loss_type"):
        kind: FateKind = "derived" if uses_bypass(settings) else "no effect"
        yield Fate(key, kind, (), "it clips, as PPO does" if uses_bypass(settings) else "only bypass_mode reads it")
    elif value in (None, False):
        yield Fate(key, "same", (), "nothing is rejected, masked or normalized")
    elif settings.value(f"{_CORRECTION}.{_NEEDS.get(key.rpartition('.')[2], 'rollout_rs')}") is None:
        yield Fate(key, "no effect", (), "verl reads it only with a weighting or rejection that is switched on")
    else:
        called = "" if settings.value(f"{_CORRECTION}.rollout_is") == "token" else ", which only --use-tis has called"
        todo = f"{key}={shown(value)}: write a function for --custom-tis-function-path{called}"
        yield Fate(key, "unsupported", (), "Relax rejects and normalizes nothing by itself", todo)
        yield Todo(todo, (key,))
