"""What may be typed next: ``|`` is where the cursor stands."""

from __future__ import annotations

import pytest

from relax_lint.lsp.completion import MOST, Choices, choices_at
from relax_lint.project import MEMORY_ROOT, Project

REWARD = """\
class Judge: ...
def helper(): ...
def _own(): ...
async def reward_func(args, sample, **kwargs): ...
"""


def offered(marked: str) -> tuple[Choices | None, str]:
    """What is offered, and the text without the mark."""
    at = marked.index("|")
    text = marked[:at] + marked[at + 1 :]
    files = {"examples/x/run_x.sh": text, "examples/x/reward_x.py": REWARD, "examples/x/config.yaml": "max_turns: 3\n"}
    return choices_at(MEMORY_ROOT / "examples/x/run_x.sh", text, at, Project.from_files(files)), text


def texts(marked: str) -> list[str]:
    found, _ = offered(marked)
    return [] if found is None else [choice.text for choice in found.choices]


@pytest.mark.parametrize(
    "marked",
    [
        "X_ARGS=(\n    --rollout-bat|\n)\n",
        "X_ARGS=(\n    --lr 1e-6\n    --rollout-bat|\n    --seed 1\n)\n",
        "X=(--lr 1 --rollout-bat|)\n",
        "python3 relax/entrypoints/train.py --lr 1 --rollout-bat|\n",
        'ray job submit -- python3 "relax/entrypoints/train.py" \\\n    --lr 1 \\\n    --rollout-bat|\n    --seed 1\n',
        "X_ARGS=(\n    --rollout-bat|ch\n)\n",
        "if true; then\nX_ARGS=(\n    --rollout-bat|\n)\nfi\n",
    ],
)
def test_flags_are_offered_where_a_launch_takes_them(marked: str) -> None:
    found, text = offered(marked)
    assert found is not None
    assert found.choices[0].text == "--rollout-batch-size"
    assert found.choices[0].detail == "relax: int"
    assert text[found.start : found.end] in ("--rollout-bat", "--rollout-batch")


@pytest.mark.parametrize(
    "marked",
    [
        "grep --rollout-bat| x\n",
        "NAMES=(a b|)\n",
        "echo relax/entrypoints/train.py\nls --rollout-bat|\n",
        "# --rollout-bat|\n",
        "X_ARGS=(--lr |)\n",
        "X_ARGS=(--num-rollout 3|)\n",
    ],
)
def test_nothing_is_offered_elsewhere(marked: str) -> None:
    assert texts(marked) == []


def test_what_is_there_already_is_not_offered_again() -> None:
    assert "--rollout-batch-size" not in texts("X_ARGS=(--rollout-batch-size 8 --rollout-bat|)\n")


def test_flags_that_hold_what_is_typed_come_after_those_that_begin_so() -> None:
    found = texts("X_ARGS=(--batch|)\n")
    begin = [name.startswith("--batch") for name in found]
    assert begin == sorted(begin, reverse=True)
    assert "--global-batch-size" in found


def test_too_many_flags_are_said_to_be_a_part() -> None:
    found, _ = offered("X_ARGS=(\n    --|\n)\n")
    assert found is not None
    assert len(found.choices) == MOST
    assert not found.complete


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("X_ARGS=(\n    --advantage-estimator |\n    --lr 1\n)\n", "cispo"),
        ("X_ARGS=(--advantage-estimator gr|)\n", "grpo"),
        ('X_ARGS=(--advantage-estimator "gr|")\n', "grpo"),
        ("X_ARGS=(--advantage-estimator=gr|)\n", "grpo"),
        ("X_ARGS=(--rm-type m|)\n", "math"),
        ("X_ARGS=(--custom-config-path |)\n", "examples/x/config.yaml"),
        ("python3 relax/entrypoints/train.py --advantage-estimator |", "grpo"),
    ],
)
def test_values_are_offered_behind_their_flag(marked: str, expected: str) -> None:
    found, text = offered(marked)
    assert found is not None
    assert expected in [choice.text for choice in found.choices]
    assert text[found.start : found.end] in ("", "gr", "m")


def test_values_that_no_mode_runs_are_not_offered() -> None:
    assert texts("X_ARGS=(--advantage-estimator |)\n") == ["grpo", "gspo", "sapo", "cispo"]


def test_functions_of_the_recipe_are_offered_by_their_module_path_the_usual_one_first() -> None:
    found, _ = offered("X_ARGS=(--custom-rm-path |)\n")
    assert found is not None
    ranked = sorted(found.choices, key=lambda choice: choice.rank)
    assert [choice.text.rpartition(".")[2] for choice in ranked] == ["reward_func", "Judge", "helper"]
    assert ranked[0].text == "examples.x.reward_x.reward_func"


def test_a_switch_is_followed_by_flags() -> None:
    assert "--colocate" in texts("X_ARGS=(--use-kl-loss --colo|)\n")
    assert texts("X_ARGS=(--use-kl-loss |)\n")[0].startswith("--")
