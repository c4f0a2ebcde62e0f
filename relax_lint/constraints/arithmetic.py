"""Sums as messages show them: which flag gives which number, or what takes its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.constraints.facts import Facts

READS_OF_SAMPLES = ("rollout_groups", "n_samples_per_prompt", "rollout_batch_size", "global_batch_size")
READS_OF_BATCH = ("step_batch", "train_batch", "micro_batch_size", "data_parallel_size")


def samples_sum(facts: Facts) -> str:
    """How many samples a rollout has, and why."""
    each, total = facts["n_samples_per_prompt"], facts["rollout_samples"]
    factor = f"--n-samples-per-prompt {each}{_by_config(facts, 'n_samples_per_prompt')}"
    if facts["rollout_batch_size"] is None:
        batch = f"--global-batch-size {facts['global_batch_size']}"
        return f"--rollout-batch-size is derived as {batch} // {factor} = {facts['rollout_groups']}; × {each} = {total}"
    prompts = f"--rollout-batch-size {facts['rollout_groups']}{_by_config(facts, 'rollout_batch_size')}"
    return f"{prompts} × {factor} = {total}"


def batch_sum(facts: Facts) -> str:
    """How many samples an update has, and why."""
    batch = facts["train_batch"]
    if facts["step_batch"] is not None:
        return f"--global-batch-size is {batch}{_by_config(facts, 'global_batch_size')}"
    micro, ranks = facts["micro_batch_size"], facts["data_parallel_size"]
    return (
        f"--global-batch-size is absent and becomes --micro-batch-size {micro} × {ranks} data-parallel ranks = {batch}"
    )


def _by_config(facts: Facts, name: str) -> str:
    return f" (by --custom-config-path {facts.get('custom_config_path')})" if name in facts.overlay else ""
