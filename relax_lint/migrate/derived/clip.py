"""How far the policy may move in one update."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.algorithms import loss_of, uses_rollout_logprobs
from relax_lint.migrate.batches import batches
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import A, carried, fates, shown

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_BOTH, _LOW, _HIGH, _DUAL = (f"{A}.clip_ratio{end}" for end in ("", "_low", "_high", "_c"))
_FLAGS = {_LOW: "--eps-clip", _HIGH: "--eps-clip-high"}


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of clipping."""
    estimator = loss_of(settings).estimator
    if estimator == "sapo":
        yield from fates(settings, (_BOTH, _LOW, _HIGH, _DUAL), "no effect", "sapo does not clip")
        return
    decides = []
    for key, flag in _FLAGS.items():
        # verl takes clip_ratio only where the bound of a side is null.
        source = key if settings.value(key) is not None else _BOTH
        if source not in settings.leaves:
            continue
        decides.append(source)
        yield Passed(flag, (carried(settings, source),), "algorithm", (source,))
        if source == key:
            yield Fate(key, "mapped", (flag,))
        else:
            yield from fates(settings, (key,), "no effect", "null: clip_ratio counts")
    if _BOTH in decides:
        flags = tuple(flag for key, flag in _FLAGS.items() if settings.value(key) is None)
        yield Fate(_BOTH, "mapped", flags)
    else:
        yield from fates(settings, (_BOTH,), "no effect", "clip_ratio_low and clip_ratio_high have values, which count")
    yield from _dual(settings, choices, estimator)


def _dual(settings: Settings, choices: Choices, estimator: str) -> Iterator[Step]:
    if _DUAL not in settings.leaves:
        return
    if estimator != "grpo":
        yield Fate(_DUAL, "no effect", (), f"{estimator} has no dual clip in verl either")
        return
    reason = "the loss of Relax has no dual clip (--eps-clip-c is parsed and never read)"
    if batches(settings, choices).steps is None:
        alone = (
            "with one update of a rollout the ratio is that of the trainer's probability to the server's, near 1"
            if uses_rollout_logprobs(settings)
            else "with one update of a rollout the ratio is 1 in sync mode, and nothing is clipped; in async mode the "
            "rollout's weights may be older than the trainer's, and a ratio may exceed it"
        )
        yield Fate(_DUAL, "unsupported", (), f"{reason}; {alone}")
        return
    todo = (
        f"{_DUAL}={shown(settings.value(_DUAL))}: {reason}. With several updates of a rollout a ratio may exceed it "
        "where the advantage is negative; watch the loss, or make one update"
    )
    yield Fate(_DUAL, "unsupported", (), reason, "make one update of a rollout (without --keep-updates)")
    yield Todo(todo, (_DUAL,))
