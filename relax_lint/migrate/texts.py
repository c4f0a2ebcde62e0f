"""Python files that stand beside a launcher because it names them."""

from __future__ import annotations

LOSS_REDUCER = '''"""How the loss of a batch is put together: each response's tokens are summed up, over SCALE."""

from __future__ import annotations

SCALE = {scale}


def get_pg_loss_reducer(total_lengths, response_lengths, loss_masks, calculate_per_token_loss):
    """What makes one number of the losses of all tokens, response after response."""

    def reduce(loss):
        parts = loss.split(list(response_lengths))
        return sum((part * mask).sum() / SCALE for part, mask in zip(parts, loss_masks))

    return reduce
'''
REJECTION = '''"""What {name} rejects: tokens and responses on which rollout and trainer disagree too much."""

from __future__ import annotations

import math

from relax.backends.megatron.cp_utils import all_gather_with_cp
from relax.backends.megatron.loss import vanilla_tis_function

LIMITS = (
    {limits}
)
"""What is measured, of each token or over a response, and its least and its greatest value."""


def reject(args, *, pg_loss, train_log_probs, rollout_log_probs, loss_masks, total_lengths, response_lengths, **others):
    """The loss, weighted only with --use-tis, and the masks of what is kept."""
    weighted, _, metrics = vanilla_tis_function(
        args,
        pg_loss=pg_loss,
        train_log_probs=train_log_probs,
        rollout_log_probs=rollout_log_probs,
        loss_masks=loss_masks,
    )
    masks = [
        mask * is_kept(all_gather_with_cp(trained - generated, total, length), mask)
        for trained, generated, mask, total, length in zip(
            train_log_probs, rollout_log_probs, loss_masks, total_lengths, response_lengths
        )
    ]
    return weighted if args.use_tis else pg_loss, masks, metrics


def is_kept(log_ratio, mask):
    """Which tokens of a response are within all limits."""
    kept = 1
    for kind, least, greatest in LIMITS:
        value = measured(kind, log_ratio.clamp(-20, 20), mask)
        kept = kept * (value >= least) * (value <= greatest)
    return kept


def measured(kind, log_ratio, mask):
    """A value for each token, or one for the response."""
    level, _, measure = kind.rpartition("_")
    if measure == "k1":
        values = -log_ratio
    elif measure == "k2":
        values = log_ratio * log_ratio / 2
    else:
        values = log_ratio.exp() - 1 - log_ratio
    if level == "token":
        return values
    if level == "seq_max":
        return (values * mask).max() if len(values) else values.sum()
    total = (values * mask).sum()
    return total / mask.sum().clamp(1) if level == "seq_mean" else total
'''
REWARD = '''"""The reward of {name}: to be carried over from verl's {origin}."""

from __future__ import annotations

from relax.utils.types import Sample


async def reward_func(args, sample: Sample, **kwargs):
    """Score one response: ``sample.response`` against ``sample.label``."""
    return {{"score": compute_score(sample.response, sample.label)}}


def compute_score(response: str, label: str) -> float:
    """Put the scoring of verl's {origin} here."""
    raise NotImplementedError("reward_{module}.py: carry the scoring of verl's {origin} over")
'''
ENVIRONMENT = '''"""The environment of {name}: what answers to a response, turn by turn."""

from __future__ import annotations

from {base} import BaseInteractionEnv


class Env(BaseInteractionEnv):
    """One conversation."""

    def __init__(self, sample, args):
        self.sample, self.args, self.turn = sample, args, 0

    def reset(self):
        """Before the first response."""
        self.turn = 0
        return {{"obs_str": ""}}, {{}}

    def step(self, response_text):
        """What a response brings: an observation, whether the conversation is over, and details."""
        self.turn += 1
        raise NotImplementedError("env_{name}.py: carry the tools or interactions of verl's run over")

    def close(self):
        """Nothing is held."""


def build_env(sample=None, args=None, **kwargs):
    """The environment of one sample."""
    return Env(sample, args)
'''
