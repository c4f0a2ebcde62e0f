"""How many tokens a GPU takes at once. It changes speed and memory, and nothing of what is learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.derived.lengths import prompt_length, response_length
from relax_lint.migrate.gpus import gpus_of
from relax_lint.migrate.plan import Fate, Passed, Step
from relax_lint.migrate.readings import REF, A, R, below, is_on, whole

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_DYNAMIC, _BUDGET = f"{A}.use_dynamic_bsz", f"{A}.ppo_max_token_len_per_gpu"
_MICRO, _MICRO_OF_ALL = f"{A}.ppo_micro_batch_size_per_gpu", f"{A}.ppo_micro_batch_size"
_FORWARD = (f"{R}.log_prob", f"{REF}.log_prob")
_USE, _TOKENS, _FORWARD_TOKENS, _SIZE = (
    "--use-dynamic-batch-size", "--max-tokens-per-gpu", "--log-probs-max-tokens-per-gpu", "--micro-batch-size",
)  # fmt: skip
_GUIDES = 9216
"""The guide's budget, which is meant for models of 9 billion parameters."""


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of budgets and micro-batches."""
    gpus = gpus_of(settings, choices)
    longest = prompt_length(settings) + response_length(settings)
    dynamic = is_on(settings, _DYNAMIC)
    budget = whole(settings, _BUDGET) if dynamic else None
    micro = whole(settings, _MICRO)
    if budget is None:
        budget = max(longest, min(_GUIDES, (micro or 1) * longest))
    verls_context = gpus.base.context
    parallels = [gpus.sync] if gpus.split is None else [gpus.sync, gpus.split.parallel]
    least = max(-(-longest // parallel.context) for parallel in parallels)
    tokens = max(budget * verls_context // max(verls_context, *(parallel.context for parallel in parallels)), least)
    key = _BUDGET if dynamic else _MICRO
    note = "" if dynamic else "samples are packed up to this; a matter of memory, not of what is learned"
    yield Passed(_USE, (), "perf", (_DYNAMIC,))
    yield Passed(_TOKENS, (str(tokens),), "perf", (key,), note)
    yield Passed(_SIZE, ("1",), "perf", (key,))
    yield from _fates_of_actor(settings, dynamic, tokens)
    yield from _forward(settings, dynamic, tokens, least)


def _fates_of_actor(settings: Settings, dynamic: bool, tokens: int) -> Iterator[Step]:
    if dynamic:
        yield Fate(_DYNAMIC, "mapped", (_USE,))
        yield Fate(_BUDGET, "mapped", (_TOKENS,))
        for key in (_MICRO, _MICRO_OF_ALL):
            yield Fate(key, "no effect", (), "verl goes by tokens with use_dynamic_bsz")
        return
    reason = f"Relax packs up to {tokens} tokens instead of counting samples: speed and memory, not what is learned"
    yield Fate(_DYNAMIC, "derived", (_USE, _TOKENS), reason)
    yield Fate(_BUDGET, "no effect", (), "verl reads it with use_dynamic_bsz only")
    yield Fate(_MICRO, "derived", (_USE, _TOKENS), reason)
    yield Fate(_MICRO_OF_ALL, "dropped", (), reason)


def _forward(settings: Settings, dynamic: bool, tokens: int, least: int) -> Iterator[Step]:
    """The budgets of passes that only compute log-probabilities: Relax has one for all of them."""
    budgets = {}
    for prefix in _FORWARD:
        key = f"{prefix}_max_token_len_per_gpu"
        number = whole(settings, key)
        if number is not None and is_on(settings, f"{prefix}_use_dynamic_bsz", dynamic):
            budgets[key] = number
    smallest = max(min(budgets.values(), default=tokens), least)
    passes = bool(budgets) and smallest != tokens
    if passes:
        yield Passed(_FORWARD_TOKENS, (str(smallest),), "perf", tuple(budgets))
    for key in (key for key in below(settings, R, REF) if key.startswith(_FORWARD)):
        if key in budgets:
            flag = _FORWARD_TOKENS if passes else _TOKENS
            yield Fate(key, "derived", (flag,), "one budget for all passes that train nothing")
        elif key.endswith("use_dynamic_bsz"):
            yield Fate(key, "derived", (_USE,), "Relax packs samples everywhere")
        else:
            yield Fate(key, "dropped", (), "Relax packs samples up to its budget of tokens")
