"""The constraints, one module for each stage of a launch."""

from __future__ import annotations

from functools import cache

from relax_lint.constraints.engine import Table


@cache
def builtin() -> Table:
    """All constraints of Relax, Megatron and SGLang, in the order in which a launch meets them."""
    from relax_lint.constraints.tables import (
        algorithm,
        distillation,
        elsewhere,
        guide,
        megatron,
        megatron_training,
        placement,
        relax,
        resource,
        rollout,
        sglang,
        start,
        training,
        transformer,
        void,
    )

    return Table(
        (
            *resource.RESOURCE,
            *relax.EVALUATION,
            *relax.AGENTIC,
            *distillation.DISTILLATION,
            *relax.CHECKPOINTS,
            *algorithm.ALGORITHM,
            *placement.PLACEMENT,
            *placement.BATCHES,
            *placement.EXCLUSIONS,
            *megatron.CONTEXT_PARALLEL,
            *megatron.SIZES,
            *megatron.PIPELINE,
            *megatron_training.SCHEDULE,
            *megatron_training.MODEL,
            *sglang.ENGINES,
            *start.CONTROLLER,
            *start.TEACHERS,
            *start.ENGINE_COUNTS,
            *training.BATCH_PLAN,
            *training.SCHEDULE,
            *training.WEIGHTS,
            *training.FORWARD_ROLES,
            *transformer.MODEL,
            *rollout.REWARDS,
            *rollout.GENERATION,
            *void.BATCHING,
            *void.ALGORITHM,
            *void.DATA,
            *void.CHECKPOINTS,
            *void.SUPERVISED,
            *elsewhere.ELSEWHERE,
            *guide.OPTIMIZER,
            *guide.BATCHES,
            *guide.ROLES,
            *guide.STALENESS,
            *guide.ITERATIONS,
            *guide.PENALTY,
        )
    )
