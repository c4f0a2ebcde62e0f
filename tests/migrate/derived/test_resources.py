"""Which GPUs do what in both modes, and how the model lies on them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from relax_lint.migrate.choices import Choices, ModelShape
from relax_lint.migrate.planning import plan
from relax_lint.migrate.settings import Setting
from relax_lint.migrate.values import Template
from relax_lint.records import changed
from relax_lint.shell.launch import Unknown
from tests.cases import for_each
from tests.migrate.planned import MEGATRON, QWEN3_8B, QWEN3_30B, A, R, fate, flags, planned, settings_of, todos

KL = f"{A}.use_kl_loss=True"
LARGE = ("data.train_batch_size=256", f"{A}.ppo_mini_batch_size=256")


def roles(words: dict[str, str]) -> dict[str, int]:
    return {role: count for role, (_, count) in json.loads(words["--resource"]).items()}


def of_shape(shape: ModelShape, **more: Any) -> Choices:
    return Choices("demo", shape=shape, **more)


def test_8_gpus_are_laid_out_as_the_guide_does() -> None:
    keeps = Choices("demo", keep_updates=True, shape=QWEN3_8B)
    made = flags(
        planned(KL, f"{R}.tensor_model_parallel_size=2", f"{A}.ppo_mini_batch_size=16", choices=keeps), "async"
    )
    assert roles(made) == {"actor": 4, "rollout": 2, "reference": 1, "actor_fwd": 1, "advantages": 0}
    assert json.loads(made["--ref-actor-config"]) == {"tensor_model_parallel_size": 1, "sequence_parallel": False}
    assert {"--fully-async", "--use-health-check"} <= set(made)
    assert "--colocate" not in made


def test_16_gpus_are_laid_out_as_the_guide_does() -> None:
    keeps = Choices("demo", keep_updates=True, shape=QWEN3_8B)
    made = flags(
        planned(KL, *LARGE, "trainer.nnodes=2", f"{A}.ppo_mini_batch_size=64", f"{R}.tensor_model_parallel_size=4",
                choices=keeps),
        "async",
    )  # fmt: skip
    assert roles(made) == {"actor": 8, "rollout": 4, "reference": 2, "actor_fwd": 2, "advantages": 0}
    assert json.loads(made["--ref-actor-config"])["tensor_model_parallel_size"] == 2


def test_roles_that_nothing_asks_for_get_no_gpus() -> None:
    made = flags(planned(f"{R}.tensor_model_parallel_size=2"), "async")
    assert roles(made) == {"actor": 4, "rollout": 4, "advantages": 0}
    assert "--ref-actor-config" not in made


@pytest.mark.parametrize(("gpus", "needs"), [(1, "and there is 1"), (2, "1 + 1 + 1 = 3")])
def test_too_few_gpus_refuse_the_async_mode_and_say_how_many_would_do(gpus: int, needs: str) -> None:
    made = planned(KL, f"trainer.n_gpus_per_node={gpus}")
    (refused,) = made.refused
    assert refused.mode == "async"
    assert needs in refused.reason
    assert "--fully-async" not in flags(made, "async")
    assert roles(flags(made)) == {"actor": gpus, "rollout": gpus}


@for_each("gpus", [2, 3, 4, 6, 8, 12, 16, 24, 32, 64])
@for_each("kl", [True, False])
def test_every_split_fits_its_gpus(gpus: int, kl: bool) -> None:
    nodes, each = (1, gpus) if gpus <= 8 else (gpus // 4, 4)
    made = planned(
        *LARGE, f"trainer.nnodes={nodes}", f"trainer.n_gpus_per_node={each}", f"{A}.use_kl_loss={kl}",
        f"{R}.tensor_model_parallel_size=2",
    )  # fmt: skip
    if made.refused:
        assert gpus == 2
        return
    words = flags(made, "async")
    found = roles(words)
    assert sum(found.values()) <= gpus
    assert ("reference" in found) is kl
    assert found["rollout"] % int(words["--rollout-num-gpus-per-engine"]) == 0
    replica = 1
    for name in ("tensor", "pipeline"):
        replica *= int(words[f"--{name}-model-parallel-size"])
    assert found["actor"] % replica == 0
    assert 256 % (found["actor"] // replica) == 0
    assert found["actor"] <= each or found["actor"] % each == 0


def test_a_model_that_does_not_fit_half_of_the_gpus_refuses_the_async_mode() -> None:
    made = planned(choices=of_shape(ModelShape(64, 8, 80, parameters=72.7)))
    assert "for this model" in made.refused[0].reason


def test_parallel_sizes_of_megatron_stay() -> None:
    made = planned(
        *MEGATRON,
        f"{A}.megatron.tensor_model_parallel_size=2",
        f"{A}.megatron.pipeline_model_parallel_size=2",
        f"{A}.megatron.expert_model_parallel_size=4",
        f"{A}.megatron.expert_tensor_parallel_size=1",
        choices=of_shape(QWEN3_30B),
    )
    words = flags(made)
    sizes = ("tensor-model", "pipeline-model", "expert-model")
    assert [words[f"--{size}-parallel-size"] for size in sizes] == ["2", "2", "4"]
    assert "--sequence-parallel" in words
    assert fate(made, f"{A}.megatron.pipeline_model_parallel_size").kind == "mapped"


def test_each_mode_has_its_own_sizes_where_one_does_not_fit_both() -> None:
    made = planned(*MEGATRON, KL, f"{A}.megatron.tensor_model_parallel_size=8")
    assert flags(made)["--tensor-model-parallel-size"] == "8"
    assert flags(made, "async")["--tensor-model-parallel-size"] == "4"


@pytest.mark.parametrize(
    ("shape", "tensor"),
    [
        (ModelShape(14, 2, 24, parameters=0.5), "1"),
        (ModelShape(16, 2, 36, parameters=3.1), "2"),
        (QWEN3_8B, "4"),
        (ModelShape(40, 8, 48, parameters=14.8), "8"),
        (ModelShape(14, 2, 24, parameters=14.8), "2"),
    ],
)
def test_a_model_that_fsdp_shares_is_divided_by_its_size_and_heads(shape: ModelShape, tensor: str) -> None:
    assert flags(planned(choices=of_shape(shape)))["--tensor-model-parallel-size"] == tensor


def test_sequences_are_divided_as_by_ulysses() -> None:
    made = planned(f"{A}.ulysses_sequence_parallel_size=2")
    assert flags(made)["--context-parallel-size"] == "2"
    assert fate(made, f"{A}.ulysses_sequence_parallel_size").kind == "mapped"


@pytest.mark.parametrize("counts", ["", "fsdp_config."])
def test_of_two_spellings_of_ulysses_the_greater_counts(counts: str) -> None:
    one, other = (f"{A}.{part}ulysses_sequence_parallel_size" for part in ("", "fsdp_config."))
    greater, smaller = (other, one) if counts else (one, other)
    made = planned(f"{greater}=2")
    assert flags(made)["--context-parallel-size"] == "2"
    assert fate(made, greater).kind == "mapped"
    assert (fate(made, smaller).kind, fate(made, smaller).flags) == ("no effect", ())
    assert fate(made, smaller).reason == f"{greater}=2 counts"


def test_sequences_are_not_divided_where_each_sample_is_averaged() -> None:
    """Relax refuses context parallelism without a loss per token."""
    made = planned(f"{A}.ulysses_sequence_parallel_size=2", f"{A}.loss_agg_mode=seq-mean-token-mean")
    assert flags(made)["--context-parallel-size"] == "1"
    assert "instead of 2" in fate(made, f"{A}.ulysses_sequence_parallel_size").reason


def test_gpus_that_only_bash_counts() -> None:
    made = planned()
    nodes = Template((Unknown("${SLURM_JOB_NUM_NODES}", "SLURM_JOB_NUM_NODES"),))
    leaves = {**made.settings.leaves, "trainer.nnodes": Setting("trainer.nnodes", nodes, "command line")}
    made = plan(changed(made.settings, leaves=leaves), Choices("demo", shape=QWEN3_8B))
    assert "$((SLURM_JOB_NUM_NODES * 8))" in flags(made)["--resource"]
    assert roles(flags(made, "async"))["actor"] == 4
    assert "SLURM_JOB_NUM_NODES" in todos(made)


def test_layers_are_dealt_out_where_they_do_not_divide() -> None:
    transformer = f"{A}.megatron.override_transformer_config"
    made = planned(
        *MEGATRON, *LARGE,
        "trainer.nnodes=4",
        f"{A}.megatron.tensor_model_parallel_size=4",
        f"{A}.megatron.pipeline_model_parallel_size=8",
        f"{transformer}.account_for_loss_in_pipeline_split=True",
        f"{transformer}.account_for_embedding_in_pipeline_split=True",
        choices=of_shape(ModelShape(64, 4, 94, parameters=30)),
    )  # fmt: skip
    words = flags(made)
    assert words["--decoder-first-pipeline-num-layers"] == "11"
    assert words["--decoder-last-pipeline-num-layers"] == "11"


def test_routing_that_is_replayed_refuses_the_async_mode() -> None:
    made = planned(*MEGATRON, f"{A}.router_replay.mode=R3")
    assert "routing" in made.refused[0].reason
    assert "--fully-async" not in flags(made, "async")


def test_sizes_that_only_bash_knows_are_chosen_for_the_model() -> None:
    settings = settings_of(*MEGATRON)
    unknown = Template((Unknown("${TP}", "TP"),))
    keys = (f"{R}.tensor_model_parallel_size", f"{A}.megatron.tensor_model_parallel_size")
    leaves = {**settings.leaves, **{key: Setting(key, unknown, "command line") for key in keys}}
    made = plan(changed(settings, leaves=leaves), Choices("demo", shape=QWEN3_8B))
    assert flags(made)["--tensor-model-parallel-size"] == "4"
    assert flags(made)["--rollout-num-gpus-per-engine"] == "1"
    assert "only bash knows them" in todos(made)


@pytest.mark.parametrize(
    ("nodes", "trainer", "rollout_nodes", "rollout", "per_node", "used"),
    [
        (2, 6, 2, 2, None, 16),
        (1, 4, 1, 4, None, 8),
        (1, 2, 1, 2, "4", 4),
        (8, 8, 8, 8, None, 128),
        (1, 16, 1, 16, "16", 32),
    ],
)
def test_machines_that_trainer_and_rollout_share_are_counted_once(
    nodes: int, trainer: int, rollout_nodes: int, rollout: int, per_node: str | None, used: int
) -> None:
    made = planned(
        "data.train_batch_size=128", f"{A}.ppo_mini_batch_size=128",
        f"trainer.nnodes={nodes}", f"trainer.n_gpus_per_node={trainer}",
        f"rollout.nnodes={rollout_nodes}", f"rollout.n_gpus_per_node={rollout}",
        main="verl.experimental.one_step_off_policy.main_ppo",
    )  # fmt: skip
    assert flags(made).get("--num-gpus-per-node") == per_node
    assert roles(flags(made)) == {"actor": used, "rollout": used}
