"""Settings that decide together with others, or whose default differs: a file for each group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from relax_lint.migrate.derived import (
    algorithm,
    batch,
    checkpoint,
    clip,
    data,
    dynamic_batch,
    epochs,
    intervals,
    kl,
    lengths,
    loggers,
    lr_schedule,
    model,
    multi_turn,
    offload,
    parallel,
    resources,
    reward,
    sampling,
    validation,
)

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.plan import Step
    from relax_lint.migrate.settings import Settings

Derived: TypeAlias = "Callable[[Settings, Choices], Iterator[Step]]"

DERIVED: Mapping[str, Derived] = {
    "model": model.steps,
    "checkpoint": checkpoint.steps,
    "data": data.steps,
    "lengths": lengths.steps,
    "sampling": sampling.steps,
    "epochs": epochs.steps,
    "batch": batch.steps,
    "reward": reward.steps,
    "multi_turn": multi_turn.steps,
    "intervals": intervals.steps,
    "validation": validation.steps,
    "algorithm": algorithm.steps,
    "kl": kl.steps,
    "clip": clip.steps,
    "lr_schedule": lr_schedule.steps,
    "offload": offload.steps,
    "parallel": parallel.steps,
    "dynamic_batch": dynamic_batch.steps,
    "resources": resources.steps,
    "loggers": loggers.steps,
}
"""By the names that the mapping uses, in the order in which flags are passed."""
