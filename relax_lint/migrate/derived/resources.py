"""Which GPUs do what, in both modes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.algorithms import uses_rollout_logprobs
from relax_lint.migrate.async_split import Split, forward_config, iterations
from relax_lint.migrate.batches import Batches, batches
from relax_lint.migrate.gpus import NODES, PER_NODE, ROLLOUT_NODES, ROLLOUT_PER_NODE, Gpus, gpus_of
from relax_lint.migrate.plan import Fate, ModeRefused, Passed, Step, Todo
from relax_lint.migrate.readings import R, below, fates, shown, whole
from relax_lint.migrate.values import Template, is_known
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_RESOURCE, _PER_NODE_FLAG, _ENGINE = "--resource", "--num-gpus-per-node", "--rollout-num-gpus-per-engine"
_STALENESS, _ITERATIONS, _REF_CONFIG = "--max-staleness", "--num-iters-per-train-update", "--ref-actor-config"
_USUAL_PER_NODE = 8
_ON_POLICY, _AHEAD = "0", "2"
"""Today's Relax counts rollouts ahead from 0; the guide wants 2 or 3 where generation runs ahead."""
_ENGINE_TENSOR, _ENGINE_PIPELINE, _ENGINE_DATA = (
    f"{R}.{name}_parallel_size" for name in ("tensor_model", "pipeline_model", "data")
)  # fmt: skip
_ENGINE_EXPERT = f"{R}.expert_parallel_size"
_ENGINE_EXPERTS = "--sglang-expert-parallel-size"
_REPLAY, _REPLAYED = "actor_rollout_ref.actor.router_replay.mode", ("R2", "R3")


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of GPUs."""
    gpus, sizes = gpus_of(settings, choices), batches(settings, choices)
    yield from _sync(settings, gpus)
    replay = settings.value(_REPLAY)
    if gpus.split is None:
        yield ModeRefused("async", gpus.refused)
    elif replay in _REPLAYED:
        reason = (
            f"asynchronous training records no routing that could be replayed ({_REPLAY}={replay}): take the sync mode"
        )
        yield ModeRefused("async", reason)
    else:
        yield from _async(settings, gpus.split, sizes)
    if gpus.per_node != _USUAL_PER_NODE:
        yield Passed(_PER_NODE_FLAG, (str(gpus.per_node),), "launch", (PER_NODE,))
    yield from _engines(settings, gpus)
    yield from _counted(settings, gpus)
    yield from _streaming(settings)


def _sync(settings: Settings, gpus: Gpus) -> Iterator[Step]:
    because = tuple(key for key in (PER_NODE, NODES, ROLLOUT_PER_NODE, ROLLOUT_NODES) if key in settings.leaves)
    yield Passed(_RESOURCE, (_shared(gpus),), "launch", because, modes="sync")
    yield Passed(_STALENESS, (_ON_POLICY,), "launch", (), "0 is on-policy", "sync")
    yield Passed("--num-data-storage-units", ("1",), "launch")
    yield Passed("--colocate", (), "launch", modes="sync")
    yield Passed("--use-health-check", (), "launch")


def _shared(gpus: Gpus) -> str | Template:
    if gpus.shown and gpus.used == gpus.total:
        count = Unknown(gpus.shown)
        return Template(('{"actor": [1, ', count, '], "rollout": [1, ', count, "]}"))
    return json.dumps({"actor": [1, gpus.used], "rollout": [1, gpus.used]})


def _async(settings: Settings, split: Split, sizes: Batches) -> Iterator[Step]:
    roles = {"actor": [1, split.actor], "rollout": [1, split.rollout]}
    if split.reference:
        roles["reference"] = [1, split.reference]
    if split.actor_fwd:
        roles["actor_fwd"] = [1, split.actor_fwd]
    roles["advantages"] = [1, 0]
    yield Passed(_RESOURCE, (json.dumps(roles),), "launch", (PER_NODE, NODES), modes="async")
    yield Passed(_STALENESS, (_AHEAD,), "launch", (), "", "async")
    yield Passed(_ITERATIONS, (str(iterations(split, sizes.batch, sizes.per_prompt)),), "launch", (), "", "async")
    if split.forward_roles:
        yield Passed(_REF_CONFIG, (json.dumps(forward_config(split)),), "launch", (), "", "async")
    yield Passed("--fully-async", (), "launch", modes="async")
    if not _weighted_anyhow(settings):
        because = ("algorithm.rollout_correction.bypass_mode",) if uses_rollout_logprobs(settings) else ()
        note = "responses are older than the policy here: their tokens are weighted"
        yield Passed("--use-tis", (), "algorithm", because, note, "async")


def _weighted_anyhow(settings: Settings) -> bool:
    weights = settings.value("algorithm.rollout_correction.rollout_is")
    return weights == "token" and not uses_rollout_logprobs(settings)


def _engines(settings: Settings, gpus: Gpus) -> Iterator[Step]:
    because = (_ENGINE_TENSOR, _ENGINE_PIPELINE)
    other = gpus.engine if gpus.split is None else gpus.split.engine
    if other == gpus.engine:
        yield Passed(_ENGINE, (str(gpus.engine),), "sglang", because)
    else:
        yield Passed(_ENGINE, (str(gpus.engine),), "sglang", because, modes="sync")
        yield Passed(_ENGINE, (str(other),), "sglang", because, "the rollout has fewer GPUs", "async")
    reason = "the GPUs of an engine" if gpus.engine == gpus.verl_engine else f"{gpus.engine}, which divides the GPUs"
    yield from fates(settings, (_ENGINE_TENSOR,), "mapped", reason, (_ENGINE,))
    pipeline, experts = whole(settings, _ENGINE_PIPELINE), whole(settings, _ENGINE_EXPERT)
    if pipeline is not None and pipeline > 1 and gpus.engine % pipeline == 0 and other % pipeline == 0:
        flag = "--sglang-pipeline-parallel-size"
        yield Passed(flag, (str(pipeline),), "sglang", (_ENGINE_PIPELINE,))
        yield Fate(_ENGINE_PIPELINE, "mapped", (flag, _ENGINE))
    else:
        yield from fates(settings, (_ENGINE_PIPELINE,), "same", "an engine has one stage")
    yield from fates(settings, (_ENGINE_DATA,), "derived", "Relax starts as many engines as the GPUs hold", (_ENGINE,))
    if experts is not None and experts > 1:
        yield from _experts_of_engine(min(experts, gpus.engine, other))
    else:
        yield from fates(settings, (_ENGINE_EXPERT,), "same", "experts are divided as the rest is")


def _experts_of_engine(size: int) -> Iterator[Step]:
    if size == 1:
        yield Fate(_ENGINE_EXPERT, "dropped", (), "an engine has one GPU, with all experts")
        return
    yield Passed(_ENGINE_EXPERTS, (str(size),), "sglang", (_ENGINE_EXPERT,))
    yield Fate(_ENGINE_EXPERT, "mapped", (_ENGINE_EXPERTS,), "no more than the GPUs of an engine")


def _counted(settings: Settings, gpus: Gpus) -> Iterator[Step]:
    keys = (PER_NODE, NODES, ROLLOUT_PER_NODE, ROLLOUT_NODES)
    numbers = f"{gpus.total} GPUs in all" if not gpus.shown else f"{gpus.shown} GPUs in all"
    yield from fates(settings, keys, "derived", numbers, (_RESOURCE,))
    copies = tuple(key for key in below(settings, f"{R}.nnodes", f"{R}.n_gpus_per_node"))
    yield from fates(settings, copies, "derived", "the same GPUs", (_RESOURCE,))
    unknown = [key for key in keys if not is_known(settings.value(key))]
    if unknown:
        names = ", ".join(f"{key}={shown(settings.value(key))}" for key in unknown)
        yield Todo(
            f"{names}: only bash knows how many GPUs there are. The async mode and the parallel sizes are made for "
            f"{gpus.total}; change them for more",
            tuple(unknown),
        )


def _streaming(settings: Settings) -> Iterator[Step]:
    """verl's own asynchronous trainers say how far generation may run ahead, in parts of a rollout."""
    for key in ("async_training.staleness_threshold", "async_flow.staleness"):
        yield Fate(key, "derived", (_STALENESS,), "Relax counts whole rollouts; the guide wants 2 or 3")
