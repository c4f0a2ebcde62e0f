"""What findings about launchers say: the numbers, and what to do."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer

TRAIN = "python3 relax/entrypoints/train.py"
ASYNC = (
    f"{TRAIN} --fully-async --rollout-batch-size 8 --n-samples-per-prompt 8 --global-batch-size 64 --resource "
    """'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "advantages": [1, 0]}' """
)


def said(launch: str, code: str) -> list[str]:
    settings = Settings(selection=(Layer(select=(code,)),))
    project = Project.from_files({"examples/demo/run_demo.sh": f"{launch}\n"}, settings)
    return [found.message for found in lint(project, load_rules(), settings).diagnostics]


@pytest.mark.parametrize(
    ("sizes", "product"),
    [
        (  # the experts' size is the actor's tensor parallelism, which the config does not change
            """--tensor-model-parallel-size 2 --ref-actor-config '{"tensor_model_parallel_size": 1}'""",
            "reference (expert_tensor_parallel_size 2 on 1 GPU)",
        ),
        (
            "--ref-actor-config '{\"tensor_model_parallel_size\": 2}'",
            "reference (tensor_model_parallel_size 2 on 1 GPU)",
        ),
        (
            "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --num-layers 4 --ref-actor-config '{}'",
            "reference (tensor_model_parallel_size 2 × pipeline_model_parallel_size 2 on 1 GPU)",
        ),
    ],
)
def test_the_sizes_that_do_not_fit_a_role_are_named(sizes: str, product: str) -> None:
    [message] = said(ASYNC + sizes, "RLX416")
    assert product in message
    assert "--ref-actor-config" in message


def test_what_to_do_about_coefficients() -> None:
    [message] = said(f"{TRAIN} --colocate --kl-loss-coef 0.001", "RLX417")
    assert "ignored" in message
    assert "add the switch" in message
    [message] = said(f"{TRAIN} --colocate --kl-loss-coef 0.001 --kl-coef 0.1 --ref-load /m/Q", "RLX417")
    assert "--kl-coef 0.1 and --kl-loss-coef 0.001" in message
    assert "drop --kl-coef" in message


def test_a_single_word_for_evaluation_wants_a_name() -> None:
    [message] = said(f"{TRAIN} --colocate --eval-prompt-data /d/test.parquet --eval-interval 5", "RLX508")
    assert "no effect" not in message
    assert "write a name" in message


@pytest.mark.parametrize(
    ("named", "there", "hint"),
    [
        ("process_gsm8k.py", "process_aime.py", "write it there"),
        ("process_demo.py", "process_demos.py", "did you mean process_demos.py?"),
        ("process_open_r1.py", "process_openr1.py", "did you mean process_openr1.py?"),
        ("process_gsm8k.py", "process_math.py", "write it there"),
    ],
)
def test_only_a_script_of_a_like_subject_is_meant(named: str, there: str, hint: str) -> None:
    settings = Settings(selection=(Layer(select=("RLX409",)),))
    launcher = f"# python3 scripts/tools/{named}\n{TRAIN} --prompt-data /d/a.parquet\n"
    project = Project.from_files({"examples/demo/run_demo.sh": launcher, f"scripts/tools/{there}": ""}, settings)
    [found] = lint(project, load_rules(), settings).diagnostics
    assert found.message.endswith(hint)


def test_a_staleness_that_nobody_gave_is_missing() -> None:
    [message] = said(ASYNC + "--num-iters-per-train-update 4", "RLX414")
    assert message.startswith("--max-staleness missing")
    [message] = said(ASYNC + "--num-iters-per-train-update 4 --max-staleness 0", "RLX414")
    assert message.startswith("--max-staleness 0 in")


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        ('--colocate "${A[*]}"', "--seed, --lr are ignored"),
        ('"${A[*]}"', "--seed, --lr are ignored"),
        ('--eval-prompt-data a b "${A[*]}"', "--seed, --lr are taken for a value of --eval-prompt-data"),
    ],
)
def test_what_becomes_of_an_array_in_one_word(words: str, lost: str) -> None:
    [message] = said(f"A=(--seed 1 --lr 2)\n{TRAIN} {words}", "RLX421")
    assert lost in message
