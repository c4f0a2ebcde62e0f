"""The variables that a verl script gives its training."""

from __future__ import annotations

import pytest

from relax_lint.migrate.exported import Environment, environment
from relax_lint.migrate.withheld import Secrets
from relax_lint.project import Project
from tests.migrate.plans import VERL

TRAIN = "python3 -m verl.trainer.main_ppo a.b=1\n"


def given_by(text: str) -> Environment:
    source = Project.from_files({"examples/math/train.sh": text}).launcher(VERL)
    assert source is not None
    return environment(source, source.launches, Secrets.of(source))


def told(found: Environment) -> dict[str, str]:
    return {left.text: left.reason for left in found.left}


@pytest.mark.parametrize(
    "statement",
    ["NCCL_IB_HCA=mlx5", "HF_ENDPOINT=https://hf.example", "TOKENIZERS_PARALLELISM=true", 'JUDGE_URL="http://$HOST:1"'],
)
def test_variables_for_the_processes_are_carried_over(statement: str) -> None:
    found = given_by(f"export {statement}\n{TRAIN}")
    assert found.exports == ((statement.partition("=")[0], statement),)
    assert not found.left


def test_variables_of_a_container_are_those_of_the_training() -> None:
    options = "-e WANDB_API_KEY=abc1234 -v /d:/d --env NCCL_IB_HCA=mlx5 -e HOME"
    found = given_by(f'docker run {options} verl bash -lc "{TRAIN.strip()}"\n')
    assert found.exports == (("NCCL_IB_HCA", "NCCL_IB_HCA=mlx5"),)
    assert found.secrets == ("WANDB_API_KEY",)


def test_very_many_variables_are_told_in_one_line() -> None:
    many = "".join(f"export FILLER_{number}={number}\n" for number in range(500))
    found = given_by(f"export NCCL_IB_HCA=mlx5\n{many}{TRAIN}")
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
    found = given_by(f"export {statement}\n{TRAIN}")
    assert not found.exports
    assert found.left[0].text == f"export {statement}"
    assert reason in found.left[0].reason


def test_a_secret_is_never_copied() -> None:
    found = given_by(f"export WANDB_API_KEY=0123456789abcdef\n{TRAIN}")
    assert not found.exports
    assert "0123456789abcdef" not in found.left[0].text
    assert "secret" in found.left[0].reason


@pytest.mark.parametrize("export", ["export NNODES=2", "NNODES=2\nexport NNODES", "declare -x NNODES=2"])
def test_what_a_setting_is_made_of_is_named(export: str) -> None:
    found = given_by(f"{export}\npython3 -m verl.trainer.main_ppo trainer.nnodes=$NNODES\n")
    assert not found.exports
    statement, left = found.used["NNODES"]
    assert (statement, left.text) == ("NNODES=2", "export NNODES=2")
    assert "if your code reads it" in left.reason


@pytest.mark.parametrize("option", ["a", "o allexport", "ae"])
def test_everything_may_be_exported(option: str) -> None:
    found = given_by(f"A=1\nset -{option}\nB=2\nset +{option}\nC=3\n{TRAIN}")
    assert found.exports == (("B", "B=2"),)


def test_a_variable_that_only_adds_to_itself_is_not_read() -> None:
    found = given_by(f"export MYVAR=${{MYVAR:-1}}\n{TRAIN}")
    assert found.exports == (("MYVAR", "MYVAR=${MYVAR:-1}"),)


def test_what_libraries_read_is_exported_whatever_else_reads_it() -> None:
    found = given_by(f"export HF_HOME=/d\necho $HF_HOME\n{TRAIN}")
    assert found.exports == (("HF_HOME", "HF_HOME=/d"),)


def test_what_stands_in_front_of_a_launch_is_exported() -> None:
    before = 'NCCL_DEBUG=INFO MYVAR="a b" CUDA_VISIBLE_DEVICES=0,1 WANDB_API_KEY=abc nohup env -u X API_URL=http://x'
    found = given_by(f"{before} {TRAIN}")
    assert dict(found.exports) == {
        "NCCL_DEBUG": "NCCL_DEBUG=INFO",
        "MYVAR": 'MYVAR="a b"',
        "API_URL": "API_URL=http://x",
    }
    assert list(told(found)) == ["CUDA_VISIBLE_DEVICES=0,1", "WANDB_API_KEY=…"]
    assert found.secrets == ("WANDB_API_KEY",)


@pytest.mark.parametrize(
    "script",
    [
        "bash -c 'MYVAR=7 python3 -m verl.trainer.main_ppo a.b=1'\n",
        "MYVAR=7 bash -c 'python3 -m verl.trainer.main_ppo a.b=1'\n",
        "CMD='MYVAR=7 python3 -m verl.trainer.main_ppo a.b=1'\neval $CMD\n",
        "run() {\n    python3 -m verl.trainer.main_ppo a.b=1\n}\nMYVAR=7 run\n",
    ],
)
def test_what_stands_in_front_is_found_in_texts_and_functions_that_are_run(script: str) -> None:
    assert given_by(script).exports == (("MYVAR", "MYVAR=7"),)


def test_launches_that_differ_leave_it_to_the_user() -> None:
    found = given_by(f"A=1 B=1 {TRAIN}A=1 B=2 python3 -m verl.trainer.main_ppo a.b=2\n")
    assert found.exports == (("A", "A=1"),)
    assert list(told(found)) == ["B=1", "B=2"]


@pytest.mark.parametrize("value", ["$1", "${2:-3}", "$seed", '"$@"'])
def test_what_differs_from_run_to_run_is_not_fixed(value: str) -> None:
    for script in (f"export SEED={value}\n{TRAIN}", f"SEED={value} {TRAIN}"):
        found = given_by(f"for seed in 1 2; do\n{script}done\n")
        assert not found.exports
        assert "when you start a run" in found.left[0].reason


def test_words_of_other_languages_are_no_arguments() -> None:
    found = given_by("export N=$(ls | awk '{print $1}')\n" + TRAIN)
    assert [name for name, _ in found.exports] == ["N"]


def test_the_environment_of_a_job_is_named() -> None:
    found = given_by(f"ray job submit --runtime-env=verl/env.yaml -- {TRAIN}")
    assert "starts Ray" in told(found)["--runtime-env=verl/env.yaml"]


@pytest.mark.parametrize(
    "statement", ["OPENAI_API_KEY=EMPTY", "HF_TOKEN=$(cat ~/.token)", "MAX_TOKEN=5", "IMAGE_KEY=images"]
)
def test_what_is_called_like_a_secret_and_is_none_is_carried_over(statement: str) -> None:
    assert given_by(f"export {statement}\n{TRAIN}").exports == ((statement.partition("=")[0], statement),)


def test_an_address_with_a_password_is_a_secret() -> None:
    found = given_by(f"export DB_URL=postgres://me:hunter2@db/x\n{TRAIN}")
    assert not found.exports
    assert list(told(found)) == ["export DB_URL=…"]
    assert found.secrets == ("DB_URL",)
