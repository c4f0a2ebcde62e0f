"""Which estimator and which loss of Relax train what those of verl do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.migrate.readings import A, given, is_on, real, refusal, text
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.settings import Settings

ESTIMATOR = "algorithm.adv_estimator"
LOSS_MODE = f"{A}.policy_loss.loss_mode"
AGGREGATION = f"{A}.loss_agg_mode"
OF_ASYNC, COMPUTED_ANEW = "async_training.use_rollout_log_probs", "async_training.compute_prox_log_prob"
BYPASS = "algorithm.rollout_correction.bypass_mode"

_OF_RELAX = "grpo, gspo, sapo and cispo"
_GROUPED = ("grpo", "grpo_vectorized")
_LOSS_MODES = {"vanilla": "grpo", "gspo": "gspo", "sapo": "sapo", "cispo": "cispo"}
_NO_ESTIMATOR = {
    "gae": "PPO with a critic, which Relax no longer has: it refuses `ppo`, and no role trains a critic. Nearest is "
    "algorithm.adv_estimator=grpo with several samples a prompt (actor_rollout_ref.rollout.n), which needs no critic",
    "reinforce_plus_plus": "REINFORCE++, which the parser of Relax takes and its controller refuses in every mode. "
    "Nearest is algorithm.adv_estimator=grpo",
    "reinforce_plus_plus_baseline": "REINFORCE++ with a baseline, which the parser of Relax takes and its controller "
    "refuses in every mode. Nearest is algorithm.adv_estimator=grpo with norm_adv_by_std_in_grpo=False, the same "
    "baseline without whitening over the batch",
    "rloo": "RLOO, which Relax lacks. Nearest is algorithm.adv_estimator=grpo with norm_adv_by_std_in_grpo=False, "
    "which is (n-1)/n of it for n samples a prompt",
    "remax": "ReMax, whose greedy baseline Relax does not generate. Nearest is algorithm.adv_estimator=grpo",
    "opo": "OPO, whose baseline weighs rewards by length, which Relax lacks. Nearest is algorithm.adv_estimator=grpo "
    "with norm_adv_by_std_in_grpo=False",
    "gpg": "GPG, which Relax lacks. Nearest is algorithm.adv_estimator=grpo with norm_adv_by_std_in_grpo=False",
    "grpo_passk": "the pass@k variant of GRPO, which Relax lacks. Nearest is algorithm.adv_estimator=grpo",
    "gdpo": "GDPO, which normalizes each reward by itself, which Relax lacks. Nearest is algorithm.adv_estimator=grpo",
    "optimal_token_baseline": "the optimal token baseline, which Relax lacks. Nearest is algorithm.adv_estimator=grpo",
}
_SAME_AS = {"rloo_vectorized": "rloo", "tir_optimal_token_baseline": "optimal_token_baseline"}
_PER_TOKEN = ("token-mean",)
PER_SAMPLE = ("seq-mean-token-mean",)
_FIRST_TO_READ_IT = (0, 9)
"""The verl whose gspo goes by ``loss_agg_mode``; older ones always average each sample."""


@record
class Loss:
    """The loss of Relax that a launch of verl gets.

    ``per_token`` says that every token counts the same, ``scale`` that each sample's sum of tokens is divided by it;
    ``fixed`` that verl does not read ``loss_agg_mode`` with this loss.
    """

    estimator: str
    per_token: bool
    scale: float | None = None
    fixed: bool = False


def loss_of(settings: Settings) -> Loss:
    """The estimator and how the loss is put together. Raises :class:`Refusal` for what Relax lacks."""
    estimator = _estimator(settings)
    mode = text(settings, AGGREGATION) or "token-mean"
    if estimator == "sapo" or (estimator == "gspo" and _version(settings.version) < _FIRST_TO_READ_IT):
        return Loss(estimator, per_token=False, fixed=True)
    if mode in _PER_TOKEN:
        return Loss(estimator, per_token=True)
    if mode in PER_SAMPLE:
        return Loss(estimator, per_token=False)
    if mode == "seq-mean-token-sum":
        return Loss(estimator, per_token=False, scale=1.0)
    if mode == "seq-mean-token-sum-norm":
        length = real(settings, f"{A}.loss_scale_factor") or real(settings, "data.max_response_length") or 1
        return Loss(estimator, per_token=False, scale=float(length))
    raise refusal(
        settings,
        AGGREGATION,
        f"{AGGREGATION}={mode} is no way of putting a loss together that Relax has: it averages over all tokens "
        "(token-mean), or over each sample's first (seq-mean-token-mean)",
    )


def uses_bypass(settings: Settings) -> bool:
    """Whether the log-probabilities of the rollout stand for the old ones, whatever loss mode is named."""
    return is_on(settings, BYPASS)


def uses_rollout_logprobs(settings: Settings) -> bool:
    """Whether the rollout's log-probabilities stand for the old ones; verl's fully asynchronous trainer takes them
    unless it computes them anew."""
    of_async = is_on(settings, OF_ASYNC) and not is_on(settings, COMPUTED_ANEW)
    return uses_bypass(settings) or of_async


def _estimator(settings: Settings) -> str:
    named = text(settings, ESTIMATOR) or "gae"
    name = _SAME_AS.get(named, named)
    if name not in _GROUPED:
        known = _NO_ESTIMATOR.get(name)
        why = known or f"an estimator that Relax lacks. It runs {_OF_RELAX}, which all compare the samples of a prompt"
        default = "" if given(settings, ESTIMATOR) else " (verl's default)"
        raise refusal(settings, ESTIMATOR, f"{ESTIMATOR}={named}{default} is {why}")
    if uses_bypass(settings):
        _check_bypass(settings)
        return "grpo"
    mode = text(settings, LOSS_MODE) or "vanilla"
    if mode not in _LOSS_MODES:
        raise refusal(
            settings,
            LOSS_MODE,
            f"{LOSS_MODE}={mode} is a loss that Relax lacks: it has those of {_OF_RELAX}. Nearest is vanilla, or a "
            "loss function of your own with --loss-type custom_loss",
        )
    return _LOSS_MODES[mode]


def _check_bypass(settings: Settings) -> None:
    key = "algorithm.rollout_correction.loss_type"
    kind = text(settings, key) or "ppo_clip"
    if kind != "ppo_clip":
        raise refusal(
            settings,
            key,
            f"{key}={kind} with bypass_mode is a loss that Relax lacks: with the rollout's log-probabilities "
            "(--use-rollout-logprobs) it clips as PPO does. Nearest is loss_type=ppo_clip",
        )


def _version(text: str) -> tuple[int, ...]:
    """The first two numbers of a version; those of a checkout without one count as old."""
    numbers = [int(part) for part in text.lstrip("v").split(".")[:2] if part.isdigit()]
    return tuple(numbers) if len(numbers) == 2 else (0, 0)
