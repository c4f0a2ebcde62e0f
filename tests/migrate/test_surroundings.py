"""What a verl script does besides launching."""

from __future__ import annotations

import pytest

from relax_lint.migrate.surroundings import Surroundings, needed_statements, surroundings, variables_in
from relax_lint.project import Project
from relax_lint.sources.launcher import LauncherSource
from tests.migrate.plans import VERL

TRAIN = "python3 -m verl.trainer.main_ppo a.b=1\n"


def script_of(text: str) -> LauncherSource:
    source = Project.from_files({"examples/math/train.sh": text}).launcher(VERL)
    assert source is not None
    return source


def around(text: str) -> Surroundings:
    source = script_of(text)
    return surroundings(source, source.launches)


def test_commands_are_named_with_their_lines() -> None:
    found = around(
        "set -x\npip install verl\nray stop --force\nif true; then\n    python3 prepare.py \\\n        --out /d\nfi\n"
        f"cd $ROOT\necho done\nmkdir -p logs\n{TRAIN}"
    )
    told = {left.text: left.place.source.position(left.place.start)[0] for left in found.left}
    assert told == {
        "pip install verl": 2,
        "ray stop --force": 3,
        "python3 prepare.py --out /d": 5,
        "cd $ROOT": 8,
        "mkdir -p logs": 10,
    }
    assert all(left.reason for left in found.left)


@pytest.mark.parametrize(
    "statement",
    ["NCCL_IB_HCA=mlx5", "HF_ENDPOINT=https://hf.example", "TOKENIZERS_PARALLELISM=true", 'JUDGE_URL="http://$HOST:1"'],
)
def test_variables_for_the_processes_are_carried_over(statement: str) -> None:
    found = around(f"export {statement}\n{TRAIN}")
    assert found.exports == ((statement.partition("=")[0], statement),)
    assert not found.left


def test_very_many_variables_are_told_in_one_line() -> None:
    many = "".join(f"export FILLER_{number}={number}\n" for number in range(500))
    found = around(f"export NCCL_IB_HCA=mlx5\n{many}{TRAIN}")
    assert found.exports == (("NCCL_IB_HCA", "NCCL_IB_HCA=mlx5"),)
    (left,) = found.left
    assert left.text == "export of 500 variables, FILLER_0, FILLER_1, FILLER_2 and others"
    assert left.place.source.position(left.place.start) == (2, 8)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("VLLM_USE_V1=1", "vLLM"),
        ("HYDRA_FULL_ERROR=1", "Hydra"),
        ("RAY_DEDUP_LOGS=0", "starts Ray"),
        ("CUDA_DEVICE_MAX_CONNECTIONS=1", "entry point"),
        ("CUDA_VISIBLE_DEVICES=0,1", "GPUs of one machine"),
        ("HCCL_CONNECT_TIMEOUT=3600", "Ascend"),
    ],
)
def test_variables_that_mean_nothing_to_relax_are_left_with_a_reason(statement: str, reason: str) -> None:
    found = around(f"export {statement}\n{TRAIN}")
    assert not found.exports
    assert found.left[0].text == f"export {statement}"
    assert reason in found.left[0].reason


def test_a_secret_is_never_copied() -> None:
    found = around(f"export WANDB_API_KEY=0123456789abcdef\n{TRAIN}")
    assert not found.exports
    assert "0123456789abcdef" not in found.left[0].text
    assert "secret" in found.left[0].reason


def test_what_only_the_script_reads_is_its_own() -> None:
    found = around("export NNODES=2\npython3 -m verl.trainer.main_ppo trainer.nnodes=$NNODES\n")
    assert not found.exports
    assert not found.left


def test_assignments_come_with_what_they_need() -> None:
    source = script_of("ROOT=/d\nexport MODEL=$ROOT/m\nOTHER=1\nNAME=$(basename $MODEL)\nX=1 true\n" + TRAIN)
    assert [name for name, _ in needed_statements(["$NAME", "$HOME/${X}"], source)] == ["ROOT", "MODEL", "NAME"]
    assert needed_statements(["$NAME"], source)[-1][1] == "NAME=$(basename $MODEL)"


def test_functions_come_along_when_they_are_called() -> None:
    source = script_of("FORMAT=%F\nfunction now() {\n    date +$FORMAT\n}\nother() { true; }\n" + TRAIN)
    found = needed_statements(["run-$(now)"], source)
    assert [name for name, _ in found] == ["FORMAT", "now"]
    assert found[1][1] == "function now() {\n    date +$FORMAT\n}"


def test_variables_are_found_wherever_bash_reads_them() -> None:
    assert list(variables_in('$A/${B:-x}/$((C * 2))/$(basename "$D")')) == ["A", "B", "C", "D"]
