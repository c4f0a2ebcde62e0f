"""How the model is divided over the GPUs that train it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import batches
from relax_lint.migrate.derived import stages
from relax_lint.migrate.engines import STRATEGY, told_of_engine
from relax_lint.migrate.gpus import Gpus, gpus_of, unknown_sizes
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import REF, A, fates, text, whole

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_MEGATRON = f"{A}.megatron"
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
    yield from told_of_engine(settings)
    yield from _of_reference(settings)
    yield from stages.steps(settings, choices)
    unknown = unknown_sizes(settings)
    if unknown:
        yield Todo(
            f"{', '.join(unknown)}: only bash knows them; the sizes in the launcher are chosen for the model, see "
            "whether they are what you want",
            tuple(unknown),
        )
    if gpus.used != gpus.total:
        yield Todo(
            f"of {gpus.total} GPUs the sync mode takes {gpus.used}: over more, the prompts of an update cannot be "
            "shared evenly among the replicas of the model",
            ("trainer.n_gpus_per_node",),
        )


def _of_reference(settings: Settings) -> Iterator[Step]:
    """The reference lies as the actor does, and on GPUs of its own as ``--ref-actor-config`` says."""
    keys = [f"{REF}.megatron.{name}" for name in (*_SIZES, _VIRTUAL, _SEQUENCE)]
    keys += [f"{REF}.{name}" for name in (_ULYSSES, f"fsdp_config.{_ULYSSES}", "fsdp_config.fsdp_size")]
    for key in keys:
        yield Fate(key, "derived", (), "divided as the actor, or by --ref-actor-config on GPUs of its own")
    reason = "FSDP shares weights over these GPUs; Megatron divides the model"
    yield Fate(f"{A}.fsdp_config.fsdp_size", "derived", ("--tensor-model-parallel-size",), reason)


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
    yield from fates(settings, (key,), "derived", reason, flags)


def _virtual(settings: Settings, choices: Choices, gpus: Gpus) -> Iterator[Step]:
    key = f"{_MEGATRON}.{_VIRTUAL}"
    virtual = gpus.sync.virtual
    if not virtual or virtual < 2 or gpus.sync.pipeline < 2:
        given = whole(settings, key)
        yield from fates(settings, (key,), "dropped" if given else "same", "stages are not divided further")
        return
    in_async = gpus.split is not None and gpus.split.parallel.virtual == virtual
    keeps = batches(settings, choices).steps is not None
    modes = "both" if in_async and not keeps else "sync"
    yield Passed(_VIRTUAL_FLAG, (str(virtual),), "perf", (key,), modes=modes)  # type: ignore[arg-type]
    yield from fates(settings, (key,), "mapped", flags=(_VIRTUAL_FLAG,))


def _as_given(settings: Settings, gpus: Gpus) -> Iterator[Step]:
    base, sync = gpus.base, gpus.sync
    for name, field in _SIZES.items():
        key = f"{_MEGATRON}.{name}"
        wanted, got = getattr(base, field), getattr(sync, field)
        if wanted == got:
            yield Fate(key, "mapped", (_flag(name),), _async_reason(gpus, field))
        else:
            yield Fate(key, "derived", (_flag(name),), f"{got} instead of {wanted}: {_why(gpus)}")
    for key in (f"{A}.{_ULYSSES}", f"{A}.fsdp_config.{_ULYSSES}"):
        yield Fate(key, "no effect", (), "Megatron trains, by context_parallel_size")


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
    for name in _SIZES:
        yield Fate(f"{_MEGATRON}.{name}", "no effect", (), f"{text(settings, STRATEGY) or 'FSDP'} trains, not Megatron")
    context = gpus.sync.context
    said = {key: whole(settings, key) or 1 for key in (f"{A}.{_ULYSSES}", f"{A}.fsdp_config.{_ULYSSES}")}
    ulysses = max(said.values())
    flags = ("--context-parallel-size",)
    for key, value in said.items():
        if value != ulysses:
            counts = next(other for other in said if other != key)
            yield Fate(key, "no effect", (), f"{counts}={ulysses} counts")
        elif ulysses == 1:
            yield Fate(key, "same", (), "sequences are not divided")
        elif context == ulysses:
            yield Fate(key, "mapped", flags, "sequences are divided among as many GPUs")
        else:
            yield Fate(key, "derived", flags, f"{context} instead of {ulysses}: {_why_no_context(gpus)}")


def _why_no_context(gpus: Gpus) -> str:
    if gpus.base.context == 1:
        return "context parallelism in Relax wants every token to count the same, and to divide the GPUs"
    return _why(gpus)
