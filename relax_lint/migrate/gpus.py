"""Which GPUs train and which generate, in both modes, and how the model lies on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.migrate.algorithms import loss_of
from relax_lint.migrate.async_split import Split, Splitter
from relax_lint.migrate.batches import Batches, batches, trainer_of
from relax_lint.migrate.parallelism import (
    BYTES_LOADED,
    LARGEST_TENSOR,
    LOADED,
    Parallel,
    Wanted,
    chosen,
    fitted,
    with_experts,
)
from relax_lint.migrate.readings import A, R, arithmetic, counted, is_on, refusal, shown, whole
from relax_lint.migrate.values import Template
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

NODES, PER_NODE = "trainer.nnodes", "trainer.n_gpus_per_node"
ROLLOUT_NODES, ROLLOUT_PER_NODE = "rollout.nnodes", "rollout.n_gpus_per_node"
_USUAL_PER_NODE = 8
_MOST = 32_768
"""More GPUs than any training has: such a number is a slip, and to look for how a model lies on them takes long."""
_MEGATRON = f"{A}.megatron"
_TENSOR = f"{_MEGATRON}.tensor_model_parallel_size"


@record
class Gpus:
    """The GPUs of a recipe.

    ``total`` are those it counts with, ``shown`` the shell expression for a number that only bash knows, ``used`` those
    that the colocated mode takes; ``base`` is the division that verl's settings ask for, ``sync`` the one that fits.
    """

    total: int
    used: int
    per_node: int
    shown: str
    engine: int
    verl_engine: int
    base: Parallel
    sync: Parallel
    split: Split | None
    refused: str


def gpus_of(settings: Settings, choices: Choices) -> Gpus:
    """The GPUs of a recipe and how the model is divided over them."""
    trainers = _count(settings, PER_NODE, _USUAL_PER_NODE) * _count(settings, NODES, 1)
    rollout, per_node = _of_rollout(settings), _per_node(settings)
    total = trainers + rollout
    if total > _MOST:
        key = _most_of(settings)
        reason = f"{key}={shown(settings.value(key))} makes {total} GPUs, and no training has so many"
        raise refusal(settings, key, reason)
    wanted = wanted_of(settings, choices)
    base = _base(settings, wanted, trainers)
    used, sync = _colocated(base, wanted, total, per_node)
    verl_engine = _verls_engine(settings, wanted)
    engine = _engine(verl_engine, used)
    roles = (("reference",) if uses_kl(settings) else ()) + (("actor_fwd",) if batches(settings, choices).steps else ())
    found = Splitter(wanted, per_node, base, engine, roles, trainers if rollout else 0).split(total)
    refused = found if isinstance(found, str) else ""
    return Gpus(
        total,
        used,
        per_node,
        _shown(settings),
        engine,
        verl_engine,
        base,
        sync,
        None if isinstance(found, str) else found,
        refused,
    )


def uses_kl(settings: Settings) -> bool:
    """Whether a reference is loaded."""
    return is_on(settings, f"{A}.use_kl_loss")


def wanted_of(settings: Settings, choices: Choices) -> Wanted:
    """What a division has to fit."""
    sizes: Batches = batches(settings, choices)
    loss = loss_of(settings)
    return Wanted(choices.shape, sizes.prompts_of_update, loss.per_token)


def _count(settings: Settings, key: str, default: int) -> int:
    reason = "a training has one machine or more, and each one GPU or more"
    number = counted(settings, key, reason)
    if key in settings.leaves and settings.value(key) is None:
        raise refusal(settings, key, f"{key}=null: {reason}")
    return default if number is None else number


def _most_of(settings: Settings) -> str:
    """The setting that has the largest part in the number of GPUs."""
    return max((PER_NODE, NODES, ROLLOUT_PER_NODE, ROLLOUT_NODES), key=lambda key: whole(settings, key) or 0)


def _of_rollout(settings: Settings) -> int:
    """The GPUs that only generate, in verl's trainers that keep them apart."""
    if trainer_of(settings) not in ("one step off", "fully async"):
        return 0
    return _count(settings, ROLLOUT_NODES, 1) * _count(settings, ROLLOUT_PER_NODE, _USUAL_PER_NODE)


def _per_node(settings: Settings) -> int:
    """The GPUs of a machine. verl's trainers that keep GPUs for the rollout count its part of a machine and the
    trainer's apart, where both lie on the same machines."""
    trainer = _count(settings, PER_NODE, _USUAL_PER_NODE)
    if not _of_rollout(settings):
        return trainer
    rollout = _count(settings, ROLLOUT_PER_NODE, _USUAL_PER_NODE)
    same = _count(settings, NODES, 1) == _count(settings, ROLLOUT_NODES, 1)
    if same and trainer + rollout <= _USUAL_PER_NODE:
        return trainer + rollout
    return max(trainer, rollout)


def _verls_engine(settings: Settings, wanted: Wanted) -> int:
    """The GPUs of an engine; where only bash knows them, the fewest that hold the model."""
    sizes_of_engine = (f"{R}.{kind}_model_parallel_size" for kind in ("tensor", "pipeline"))
    tensor, pipeline = (counted(settings, key, "an engine has one GPU or more") for key in sizes_of_engine)
    if tensor is None:
        sizes = (1, 2, 4, LARGEST_TENSOR)
        fits = (size for size in sizes if wanted.weight(Parallel(size, expert=size), BYTES_LOADED) <= LOADED)
        tensor = next(fits, LARGEST_TENSOR)
    return tensor * (pipeline or 1)


def unknown_sizes(settings: Settings) -> list[str]:
    """The sizes of verl's division that only bash knows."""
    kinds = ("tensor_model", "pipeline_model", "context", "expert_model", "expert_tensor")
    keys = [f"{_MEGATRON}.{kind}_parallel_size" for kind in kinds]
    keys += [f"{R}.tensor_model_parallel_size", f"{A}.ulysses_sequence_parallel_size"]
    return [key for key in keys if isinstance(settings.value(key), Template)]


def _shown(settings: Settings) -> str:
    """The number of GPUs as an expression of bash; empty when it is known."""
    keys = [PER_NODE, NODES]
    if trainer_of(settings) in ("one step off", "fully async"):
        keys += [ROLLOUT_PER_NODE, ROLLOUT_NODES]
    if not any(isinstance(settings.value(key), Template) for key in keys):
        return ""
    words = {key: arithmetic(settings.value(key)) for key in keys}
    product = f"{words[NODES]} * {words[PER_NODE]}"
    if ROLLOUT_NODES in words:
        product += f" + {words[ROLLOUT_NODES]} * {words[ROLLOUT_PER_NODE]}"
    return f"$(({product}))"


def _base(settings: Settings, wanted: Wanted, gpus: int) -> Parallel:
    """The division that verl's settings ask for."""
    if settings.flavour == "megatron" and _TENSOR in settings.leaves and _TENSOR not in unknown_sizes(settings):
        tensor = whole(settings, f"{_MEGATRON}.tensor_model_parallel_size") or 1
        dense = wanted.shape is not None and not wanted.shape.experts
        return Parallel(
            tensor,
            whole(settings, f"{_MEGATRON}.pipeline_model_parallel_size") or 1,
            whole(settings, f"{_MEGATRON}.context_parallel_size") or 1,
            1 if dense else whole(settings, f"{_MEGATRON}.expert_model_parallel_size") or 1,
            # Megatron's own: the experts are divided as the rest is.
            1 if dense else whole(settings, f"{_MEGATRON}.expert_tensor_parallel_size") or tensor,
            whole(settings, f"{_MEGATRON}.virtual_pipeline_model_parallel_size"),
        )
    ulysses = max(
        whole(settings, f"{A}.ulysses_sequence_parallel_size") or 1,
        whole(settings, f"{A}.fsdp_config.ulysses_sequence_parallel_size") or 1,
    )
    context = ulysses if wanted.allows_context and gpus % ulysses == 0 else 1
    return chosen(wanted, gpus, context)


def _colocated(base: Parallel, wanted: Wanted, total: int, per_node: int) -> tuple[int, Parallel]:
    """The most GPUs on which the model can be divided, and how."""
    for gpus in range(total, 0, -1):
        if gpus > per_node and gpus % per_node:
            continue
        found = fitted(base, wanted, gpus)
        if found is not None:
            return gpus, found
    return total, with_experts(Parallel(), wanted, total)


def _engine(size: int, gpus: int) -> int:
    """The GPUs of an engine: verl's, or the most below that divide the rollout's."""
    return next(smaller for smaller in range(min(size, gpus), 0, -1) if gpus % smaller == 0)
