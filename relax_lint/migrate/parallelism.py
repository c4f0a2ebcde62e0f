"""How a model is divided over the GPUs that train it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.records import changed, record

if TYPE_CHECKING:
    from relax_lint.migrate.choices import ModelShape

LARGEST_TENSOR = 8
BYTES_TRAINED, BYTES_LOADED = 6, 2
"""A trained weight is 2 bytes and its gradient 4, the optimizer lies in the host's memory; a loaded one is 2."""
ROOMS, TIGHT, LOADED = (16, 25, 40), 60, 60
"""Billions of bytes of a GPU for weights and gradients: what is aimed at first, and then; the most; the most where
nothing is trained."""


@record
class Parallel:
    """The sizes by which a model is divided."""

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    expert_tensor: int = 1
    virtual: int | None = None

    @property
    def gpus(self) -> int:
        """The GPUs of one replica."""
        return self.tensor * self.pipeline * self.context

    @property
    def of_experts(self) -> int:
        """The GPUs that hold all experts once."""
        return self.expert * self.expert_tensor * self.pipeline


@record
class Wanted:
    """What a division has to fit: the model, the prompts of an update, and whether context parallelism is possible."""

    shape: ModelShape | None
    prompts: int | None
    allows_context: bool

    def divides(self, parallel: Parallel, gpus: int) -> bool:
        """Whether it works on so many GPUs."""
        if gpus % parallel.gpus or gpus % parallel.of_experts:
            return False
        return self.prompts is None or self.prompts % (gpus // parallel.gpus) == 0

    def heads_allow(self, tensor: int) -> bool:
        """Whether the attention heads can be divided by so many."""
        shape = self.shape
        if shape is None or tensor == 1:
            return True
        groups = shape.query_groups
        return shape.heads % tensor == 0 and (groups % tensor == 0 or tensor % groups == 0)

    def layers_allow(self, pipeline: int) -> bool:
        """Whether the layers can be divided into so many stages."""
        return self.shape is None or self.shape.layers % pipeline == 0

    def weight(self, parallel: Parallel, bytes_each: int = BYTES_TRAINED) -> float:
        """Billions of bytes that one GPU holds."""
        if self.shape is None:
            return 0.0
        dense = (self.shape.parameters - self.shape.expert_parameters) / (parallel.tensor * parallel.pipeline)
        return bytes_each * (dense + self.shape.expert_parameters / parallel.of_experts)


def chosen(wanted: Wanted, gpus: int, context: int = 1) -> Parallel:
    """A division for a model that verl does not divide by tensors: the smallest that leaves room."""
    tensors = [
        with_experts(Parallel(tensor, context=context), wanted, gpus)
        for tensor in _doublings(1, min(LARGEST_TENSOR, gpus))
        if wanted.heads_allow(tensor) and gpus % (tensor * context) == 0
    ]
    for room in ROOMS:
        fits = next((one for one in tensors if wanted.weight(one) <= room), None)
        if fits is not None:
            return fits
    if context > 1:
        return chosen(wanted, gpus, context // 2)
    best = tensors[-1]
    for pipeline in _doublings(2, gpus):
        deeper = with_experts(changed(best, pipeline=pipeline), wanted, gpus)
        if wanted.layers_allow(pipeline) and gpus % deeper.gpus == 0:
            best = deeper
        if wanted.weight(best) <= ROOMS[-1]:
            break
    return best


def with_experts(parallel: Parallel, wanted: Wanted, gpus: int, most: int = LARGEST_TENSOR) -> Parallel:
    """The same with as many ways for the experts as fit, up to ``most``."""
    experts = wanted.shape.experts if wanted.shape is not None else 0
    if not experts:
        return changed(parallel, expert=1, expert_tensor=1)
    sizes = [size for size in _doublings(1, most) if experts % size == 0 and gpus % (size * parallel.pipeline) == 0]
    return changed(parallel, expert=max(sizes, default=1), expert_tensor=1)


def fitted(base: Parallel, wanted: Wanted, gpus: int, most_bytes: float = TIGHT) -> Parallel | None:
    """The division nearest to a given one that works on so many GPUs; ``None`` when there is none."""
    limit = max(most_bytes, wanted.weight(base))
    tried = (one for one in _near(base, wanted, gpus) if wanted.divides(one, gpus))
    return next((one for one in tried if wanted.weight(one) <= limit), None)


def _near(base: Parallel, wanted: Wanted, gpus: int) -> Iterator[Parallel]:
    """The given one first, then those with fewer replicas, then smaller ones."""
    if not wanted.allows_context and base.context > 1:
        base = changed(base, context=1)
    yield from _experts_lowered(base, gpus)
    for factor in _doublings(2, gpus):
        for one in _enlarged(base, factor, wanted):
            yield from _experts_lowered(one, gpus)
    for one in _shrunk(base, wanted):
        yield from _experts_lowered(one, gpus)


def _experts_lowered(parallel: Parallel, gpus: int) -> Iterator[Parallel]:
    yield parallel
    for size in (8, 4, 2, 1):
        if size < parallel.expert:
            yield changed(parallel, expert=size)


def _enlarged(base: Parallel, factor: int, wanted: Wanted) -> Iterator[Parallel]:
    tensor = base.tensor * factor
    if tensor <= LARGEST_TENSOR and wanted.heads_allow(tensor):
        yield changed(base, tensor=tensor)
    if wanted.allows_context:
        yield changed(base, context=base.context * factor)
    if wanted.layers_allow(base.pipeline * factor) and base.virtual is None:
        yield changed(base, pipeline=base.pipeline * factor)


def _shrunk(base: Parallel, wanted: Wanted) -> Iterator[Parallel]:
    for context in _halvings(base.context):
        for pipeline in _halvings(base.pipeline):
            for tensor in _halvings(base.tensor):
                if wanted.heads_allow(tensor) and wanted.layers_allow(pipeline):
                    virtual = base.virtual if pipeline == base.pipeline else None
                    yield changed(base, tensor=tensor, pipeline=pipeline, context=context, virtual=virtual)


def _doublings(first: int, most: int) -> Iterator[int]:
    while first <= most:
        yield first
        first *= 2


def _halvings(size: int) -> Iterator[int]:
    while size > 1:
        yield size
        size = size // 2 if size % 2 == 0 else 1
    yield 1
