"""`relax-lint migrate` of launchers for several machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.commands.test_migrate import SOURCE, VERL, checkout, write

__all__ = ["checkout"]
JOINS = "scripts/entrypoint/spmd-multinode.sh"
JOINING = (
    'NNODES="${WORLD_SIZE:-2}"\nif [ "$MASTER_ADDR" = "$POD_NAME" ]; then\n    ray start --num-gpus "${NUM_GPUS}"\nfi\n'
)


def migrated(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[str, str, str]:
    """The head of the launcher, the page, and what the command said."""
    assert main(["migrate", SOURCE, "--name", "math", *more]) == 0
    launcher = Path("examples/math/run_math.sh").read_text()
    return launcher.partition("set -eo")[0], Path("examples/math/MIGRATION.md").read_text(), capsys.readouterr().out


def with_entries(*names: str) -> None:
    Path("scripts/entrypoint").mkdir(parents=True)
    for name in names:
        Path("scripts/entrypoint", name).write_text(JOINING if "multi" in name else "")


def test_several_machines_are_joined_by_the_entry_point_of_the_checkout(capsys: pytest.CaptureFixture[str]) -> None:
    with_entries("local.sh", "ray-job.sh", "spmd-multinode.sh")
    write(VERL.replace("nnodes=1", "nnodes=3").replace("batch_size=32", "batch_size=48"))
    head, page, out = migrated(capsys)
    assert f"bash {JOINS} examples/math/run_math.sh [sync|async]\n" in head
    assert "On each of 3 machines" in head
    assert "with MASTER_ADDR, POD_NAME, WORLD_SIZE=3, NUM_GPUS=8 set as its head says" in head
    for told in (page, out):
        assert f"3 machines: start the launcher by {JOINS} on each" in told
        assert "or by scripts/entrypoint/ray-job.sh where a Ray cluster runs already" in told


def test_machines_that_only_bash_counts_are_several(capsys: pytest.CaptureFixture[str]) -> None:
    with_entries("local.sh", "run_multi_node.sh")
    write(VERL.replace("nnodes=1", "nnodes=$SLURM_JOB_NUM_NODES"))
    head, page, _ = migrated(capsys)
    assert "On each of several machines" in head
    assert "bash scripts/entrypoint/run_multi_node.sh examples/math/run_math.sh" in head
    assert "POD_NAME, WORLD_SIZE, NUM_GPUS=8 set" in page


def test_a_checkout_without_such_an_entry_point_needs_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    write(VERL.replace("nnodes=1", "nnodes=2"))
    head, page, _ = migrated(capsys)
    assert "On one of 2 machines that Ray has joined" in head
    assert "2 machines: join them in a Ray cluster first" in page


def test_one_machine_needs_nothing_of_the_kind(capsys: pytest.CaptureFixture[str]) -> None:
    with_entries("local.sh", "spmd-multinode.sh")
    head, page, _ = migrated(capsys)
    assert "From the checkout:  bash examples/math/run_math.sh [sync|async]" in head
    assert "machines" not in head + page
