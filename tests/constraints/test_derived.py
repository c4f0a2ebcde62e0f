"""Values that Relax derives from the arguments, as it derives them."""

from __future__ import annotations

import pytest

from relax_lint.catalog.hidden import is_hidden
from tests.constraints.launches import facts_of


def roles(**counts: int) -> str:
    pairs = ", ".join(f'"{role}": [1, {count}]' for role, count in counts.items())
    return f"--resource '{{{pairs}}}'"


def test_roles_and_their_gpus() -> None:
    assert facts_of(roles(actor=4, rollout=2, advantages=0)).get("roles") == {"actor": 4, "rollout": 2, "advantages": 0}
    assert facts_of("--lr 1").get("roles") == {}


@pytest.mark.parametrize("flags", ['--resource "$RESOURCE"', "--resource '{actor: 8}'", '"$@"'])
def test_a_resource_that_cannot_be_told(flags: str) -> None:
    assert is_hidden(facts_of(flags).get("roles"))


@pytest.mark.parametrize(
    ("flags", "gpus"),
    [
        (roles(actor=8), 8),
        (roles(actor=16), 16),
        (roles(actor=12), 8),  # whole nodes of 8
        (roles(actor=12) + " --num-gpus-per-node 4", 12),
        (roles(actor=4), 4),
        ("--actor-num-nodes 2", 16),
        ("--actor-num-gpus-per-node 4 " + roles(actor=8), 4),
        ("--lr 1", 8),
    ],
)
def test_the_gpus_that_train(flags: str, gpus: int) -> None:
    assert facts_of(flags).get("actor_total") == gpus


@pytest.mark.parametrize(
    ("flags", "ranks"),
    [
        ("", 8),
        ("--tensor-model-parallel-size 4", 2),
        ("--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --context-parallel-size 2", 1),
    ],
)
def test_data_parallel_ranks(flags: str, ranks: int) -> None:
    assert facts_of(f"{roles(actor=8, rollout=8)} {flags}").get("data_parallel_size") == ranks


@pytest.mark.parametrize(
    "flags", ["--dynamic-context-parallel", '"${MODEL_ARGS[@]}"', "--tensor-model-parallel-size 0"]
)
def test_a_layout_that_cannot_be_told(flags: str) -> None:
    assert is_hidden(facts_of(f"{roles(actor=8)} {flags}").get("data_parallel_size"))


@pytest.mark.parametrize(
    ("flags", "parallel"),
    [
        ("--rollout-num-gpus-per-engine 8", 8),
        ("--rollout-num-gpus-per-engine 8 --sglang-pipeline-parallel-size 2", 4),
        ("--rollout-num-gpus-per-engine 8 --sglang-data-parallel-size 2 --sglang-enable-dp-attention", 4),
        ("--lr 1", 1),
    ],
)
def test_how_many_gpus_of_an_engine_share_a_layer(flags: str, parallel: int) -> None:
    assert facts_of(flags).get("engine_tensor_parallel") == parallel


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (
            "--rollout-batch-size 32 --n-samples-per-prompt 8",
            "--rollout-batch-size 32 × --n-samples-per-prompt 8 = 256",
        ),
        (
            "--global-batch-size 100 --n-samples-per-prompt 8",
            "--rollout-batch-size is derived as --global-batch-size 100 // --n-samples-per-prompt 8 = 12; × 8 = 96",
        ),
    ],
)
def test_the_samples_of_a_rollout_as_a_sum(flags: str, shown: str) -> None:
    assert facts_of(flags).get("samples_sum") == shown


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ("--global-batch-size 64", "--global-batch-size is 64"),
        (
            "--rollout-batch-size 8 --micro-batch-size 2",
            "--global-batch-size is absent and becomes --micro-batch-size 2 × 8 data-parallel ranks = 16",
        ),
    ],
)
def test_the_samples_of_an_update_as_a_sum(flags: str, shown: str) -> None:
    assert facts_of(flags).get("batch_sum") == shown


def test_a_judge_whose_model_is_only_partly_known_is_a_judge() -> None:
    roles_of = facts_of(f'{roles(actor=8, rollout=4, genrm=4)} --colocate --genrm-model-path "$MODELS/judge"')
    assert roles_of.get("wanted_roles") == ["actor", "rollout", "genrm"]
    assert is_hidden(facts_of('--colocate "$@"').get("wanted_roles"))
