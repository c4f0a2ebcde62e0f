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
