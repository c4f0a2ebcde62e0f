"""How the model is divided over the GPUs that train it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import batches
from relax_lint.migrate.gpus import Gpus, gpus_of
from relax_lint.migrate.parallelism import Parallel
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import REF, A, fates, whole

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_MEGATRON, _OF_REFERENCE = f"{A}.megatron", f"{REF}.megatron"
_SIZES = {
    "tensor_model_parallel_size": "tensor",
    "pipeline_model_parallel_size": "pipeline",
    "context_parallel_size": "context",
    "expert_model_parallel_size": "expert",
    "expert_tensor_parallel_size": "expert_tensor",
}
"""What Megatron calls them, in both."""
_VIRTUAL, _SEQUENCE = "virtual_pipeline_model_parallel_size", "sequence_parallel"
_VIRTUAL_FLAG, _SEQUENCE_FLAG = "--num-virtual-stages-per-pipeline-rank", "--sequence-parallel"
_ULYSSES = "ulysses_sequence_parallel_size"
_BY_FSDP = ("fsdp_size", _ULYSSES)


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of the parallel sizes."""
    gpus = gpus_of(settings, choices)
    for name, field in _SIZES.items():
        yield from _by_mode(_flag(name), gpus, field, (f"{_MEGATRON}.{name}",))
    yield from _sequence(settings, gpus)
    yield from _virtual(settings, choices, gpus)
    if settings.flavour == "megatron":
        yield from _as_given(settings, gpus)
    else:
        yield from _of_fsdp(settings, gpus)
    if gpus.used != gpus.total:
        yield Todo(
            f"of {gpus.total} GPUs the sync mode takes {gpus.used}: over more, the prompts of an update cannot be shared "
            "evenly among the replicas of the model",
            ("trainer.n_gpus_per_node",),
        )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _by_mode(flag: str, gpus: Gpus, field: str, because: tuple[str, ...]) -> Iterator[Step]:
    """One flag for both modes, or one for each."""
    sync = str(getattr(gpus.sync, field))
    other = sync if gpus.split is None else str(getattr(gpus.split.parallel, field))
    if sync == other:
        yield Passed(flag, (sync,), "perf", because)
    else:
        yield Passed(flag, (sync,), "perf", because, modes="sync")
        yield Passed(flag, (other,), "perf", because, "divides the actor's GPUs", "async")


def _sequence(settings: Settings, gpus: Gpus) -> Iterator[Step]:
    """With tensors divided, Megatron divides what lies between them, too; experts demand it."""
    sync = gpus.sync.tensor > 1
    other = sync if gpus.split is None else gpus.split.parallel.tensor > 1
    key = f"{_MEGATRON}.{_SEQUENCE}"
    if sync and other:
        yield Passed(_SEQUENCE_FLAG, (), "perf", (key,))
    elif sync or other:
        yield Passed(_SEQUENCE_FLAG, (), "perf", (key,), modes="sync" if sync else "async")
    reason = "on wherever tensors are divided: memory, not what is learned"
    flags = (_SEQUENCE_FLAG,) if sync or other else ()
    yield from fates(settings, (key, f"{_OF_REFERENCE}.{_SEQUENCE}"), "derived", reason, flags)


def _virtual(settings: Settings, choices: Choices, gpus: Gpus) -> Iterator[Step]:
    keys = (f"{_MEGATRON}.{_VIRTUAL}", f"{_OF_REFERENCE}.{_VIRTUAL}")
    virtual = gpus.sync.virtual
    if not virtual or virtual < 2 or gpus.sync.pipeline < 2:
        given = whole(settings, keys[0])
        yield from fates(settings, keys, "dropped" if given else "same", "stages are not divided further")
        return
    in_async = gpus.split is not None and gpus.split.parallel.virtual == virtual
    keeps = batches(settings, choices).steps is not None
    modes = "both" if in_async and not keeps else "sync"
    yield Passed(_VIRTUAL_FLAG, (str(virtual),), "perf", keys[:1], modes=modes)  # type: ignore[arg-type]
    yield from fates(settings, keys[:1], "mapped", flags=(_VIRTUAL_FLAG,))
    yield from fates(settings, keys[1:], "derived", "as the actor", (_VIRTUAL_FLAG,))


def _as_given(settings: Settings, gpus: Gpus) -> Iterator[Step]:
    base, sync = gpus.base, gpus.sync
    for name, field in _SIZES.items():
        key = f"{_MEGATRON}.{name}"
        wanted, got = getattr(base, field), getattr(sync, field)
        if wanted == got:
            yield Fate(key, "mapped", (_flag(name),), _async_reason(gpus, field))
        else:
            yield Fate(key, "derived", (_flag(name),), f"{got} instead of {wanted}: {_why(gpus)}")
        yield Fate(f"{_OF_REFERENCE}.{name}", "derived", (), "the reference is divided as the actor in sync mode")
    for key in (f"{part}.{name}" for part in (A, REF, f"{A}.fsdp_config", f"{REF}.fsdp_config") for name in _BY_FSDP):
        yield Fate(key, "no effect", (), "Megatron trains")


def _async_reason(gpus: Gpus, field: str) -> str:
    other = None if gpus.split is None else getattr(gpus.split.parallel, field)
    return (
        "" if other in (None, getattr(gpus.sync, field)) else f"{other} in async mode, where the actor has fewer GPUs"
    )


def _why(gpus: Gpus) -> str:
    if gpus.base.context > 1 and gpus.sync.context == 1:
        return "context parallelism in Relax wants every token to count the same (--calculate-per-token-loss)"
    return "so that the GPUs, and the prompts of an update among the replicas, divide evenly"


def _of_fsdp(settings: Settings, gpus: Gpus) -> Iterator[Step]:
    sizes: Parallel = gpus.sync
    flags = ("--tensor-model-parallel-size", "--pipeline-model-parallel-size")
    shared = f"FSDP shares weights over all GPUs, Megatron divides the model: TP {sizes.tensor}, PP {sizes.pipeline}"
    for prefix in (f"{A}.fsdp_config", f"{REF}.fsdp_config"):
        yield Fate(f"{prefix}.fsdp_size", "derived", flags, shared)
    ulysses = whole(settings, f"{A}.{_ULYSSES}") or 1
    if ulysses == 1:
        reason = "sequences are not divided"
        kind = "same"
    elif sizes.context == ulysses:
        reason, kind = "sequences are divided among as many GPUs", "mapped"
    else:
        reason, kind = f"{sizes.context} instead of {ulysses}: {_why_no_context(gpus)}", "derived"
    context = () if kind == "same" else ("--context-parallel-size",)
    yield Fate(f"{A}.{_ULYSSES}", kind, context, reason)  # type: ignore[arg-type]
    for key in (f"{A}.fsdp_config.{_ULYSSES}", f"{REF}.{_ULYSSES}", f"{REF}.fsdp_config.{_ULYSSES}"):
        yield Fate(key, "derived", context, "as the actor's")


def _why_no_context(gpus: Gpus) -> str:
    if gpus.base.context == 1:
        return "context parallelism in Relax wants every token to count the same, and to divide the GPUs"
    return _why(gpus)
