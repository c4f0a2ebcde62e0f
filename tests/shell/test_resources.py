"""GPUs as Relax counts them."""

from __future__ import annotations

import pytest

from relax_lint.project import Project
from relax_lint.shell.launch import Launch
from relax_lint.shell.queries import NotKnown, integer
from relax_lint.shell.resources import actor_gpus, data_parallel_size, resource

SCRIPT = "examples/demo/run_demo.sh"


def launch_of(flags: str) -> Launch:
    project = Project.from_files({SCRIPT: f"python3 relax/entrypoints/train.py {flags}\n"})
    source = project.launcher(project.root / SCRIPT)
    assert source is not None
    return source.launches[0]


def roles(**counts: int) -> str:
    pairs = ", ".join(f'"{role}": [1, {count}]' for role, count in counts.items())
    return f"--resource '{{{pairs}}}'"


def test_roles_and_their_gpus() -> None:
    assert resource(launch_of(roles(actor=4, rollout=2, advantages=0))) == {"actor": 4, "rollout": 2, "advantages": 0}
    assert resource(launch_of("--lr 1")) == {}


@pytest.mark.parametrize(
    "flags",
    ['--resource "$RESOURCE"', "--resource '{actor: 8}'", "--resource '[1]'", "--resource '{\"actor\": 8}'", '"$@"'],
)
def test_a_resource_that_cannot_be_told(flags: str) -> None:
    with pytest.raises(NotKnown):
        resource(launch_of(flags))


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
    assert actor_gpus(launch_of(flags)) == gpus


@pytest.mark.parametrize(
    ("flags", "ranks"),
    [
        ("", 8),
        ("--tensor-model-parallel-size 4", 2),
        ("--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --context-parallel-size 2", 1),
    ],
)
def test_data_parallel_ranks(flags: str, ranks: int) -> None:
    assert data_parallel_size(launch_of(f"{roles(actor=8, rollout=8)} {flags}")) == ranks


@pytest.mark.parametrize(
    "flags", ["--tensor-model-parallel-size 3", "--dynamic-context-parallel", '"${MODEL_ARGS[@]}"']
)
def test_a_layout_that_cannot_be_told(flags: str) -> None:
    with pytest.raises(NotKnown):
        data_parallel_size(launch_of(f"{roles(actor=8)} {flags}"))


def test_numbers_and_their_defaults() -> None:
    launch = launch_of("--n-samples-per-prompt 8 --n-samples-per-prompt=${N:-4} --rollout-batch-size $RBS")
    assert integer(launch, "--n-samples-per-prompt") == 4
    assert integer(launch, "--num-steps-per-rollout") is None
    assert integer(launch, "--micro-batch-size") == 1
    with pytest.raises(NotKnown) as unknown:
        integer(launch, "--rollout-batch-size")
    assert unknown.value.because == "${RBS}"
