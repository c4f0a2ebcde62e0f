"""The constraints, one module for each stage of a launch."""

from __future__ import annotations

from functools import cache

from relax_lint.constraints.engine import Table
from relax_lint.constraints.schema import Constraint


@cache
def builtin() -> Table:
    """All constraints of Relax, Megatron and SGLang, in the order in which a launch meets them."""
    from relax_lint.constraints.tables.distillation import DISTILLATION
    from relax_lint.constraints.tables.megatron import CONTEXT_PARALLEL, PIPELINE, SIZES
    from relax_lint.constraints.tables.megatron_training import MODEL, SCHEDULE
    from relax_lint.constraints.tables.placement import BATCHES, EXCLUSIONS, PLACEMENT
    from relax_lint.constraints.tables.relax import AGENTIC, ALGORITHM, CHECKPOINTS, EVALUATION
    from relax_lint.constraints.tables.resource import RESOURCE
    from relax_lint.constraints.tables.sglang import ENGINES

    relax = (*EVALUATION, *AGENTIC, *DISTILLATION, *CHECKPOINTS, *ALGORITHM, *PLACEMENT, *BATCHES, *EXCLUSIONS)
    megatron = (*CONTEXT_PARALLEL, *SIZES, *PIPELINE, *SCHEDULE, *MODEL)
    constraints: tuple[Constraint, ...] = (*RESOURCE, *relax, *megatron, *ENGINES)
    return Table(constraints)
