"""What is shown of the word under the pointer."""

from __future__ import annotations

import pytest

from relax_lint.lsp.hover import Help, help_at
from relax_lint.project import MEMORY_ROOT, Project

RELAX = """\
#!/bin/bash
N=8
ARGS=(
    --n-samples-per-prompt ${N}
    --advantage-estimator grpo
    --lr-warmup 3  # relax-lint: ignore[RLX501, reward-missing] tried
)
python3 relax/entrypoints/train.py "${ARGS[@]}" --rollout-batch-size=32 data.train_batch_size=4
grep --color x
"""
VERL = """\
python3 -m verl.trainer.main_ppo \\
    data.train_batch_size=128 \\
    +actor_rollout_ref.actor.use_kl_loss=True \\
    trainer.balance_batch=True
"""
CONFIG = """\
defaults: [ppo_trainer, _self_]
actor_rollout_ref:
  rollout:
    n: 8
"""


def shown(name: str, text: str, piece: str) -> Help | None:
    project = Project.from_files({f"examples/x/{name}": text})
    source = project.source(MEMORY_ROOT / "examples/x" / name)
    assert source is not None
    return help_at(source, text.index(piece) + 1, project)


@pytest.mark.parametrize(
    ("piece", "told"),
    [
        ("--n-samples", ["**`--n-samples-per-prompt`**", "- takes: int", "- owner: relax", "- in verl:"]),
        ("${N}", ["**`--n-samples-per-prompt`**", "`--n-samples-per-prompt 8` in the launch at line 8"]),
        ("--adv", ["- choices: `grpo`, `gspo`", "`algorithm.adv_estimator`"]),
        ("grpo", ["**`--advantage-estimator`**"]),
        ("--lr-warmup", ["no flag --lr-warmup"]),
        ("--rollout-batch-size=", ["**`--rollout-batch-size`**", "data.train_batch_size"]),
        ("data.train", ["**`data.train_batch_size`** of verl", "--rollout-batch-size"]),
        ("RLX501", ["**RLX501 unknown-flag** (error)"]),
        ("reward-missing", ["**RLX201 reward-missing** (error)"]),
    ],
)
def test_words_of_a_launcher_are_explained(piece: str, told: list[str]) -> None:
    found = shown("run_x.sh", RELAX, piece)
    assert found is not None
    assert [part for part in told if part not in found.text] == []
    assert piece.strip("$") in RELAX[found.start : found.end]


@pytest.mark.parametrize("piece", ["grep", "--color", "bin/bash", "python3", "tried"])
def test_nothing_is_said_of_other_words(piece: str) -> None:
    assert shown("run_x.sh", RELAX, piece) is None


@pytest.mark.parametrize(
    ("piece", "told"),
    [
        ("data.train", "together with other settings"),
        ("+actor", "in Relax: `--use-kl-loss`"),
        ("trainer.balance", "`trainer.balance_batch`** of verl"),
    ],
)
def test_settings_of_verl_say_where_they_go(piece: str, told: str) -> None:
    found = shown("run_verl.sh", VERL, piece)
    assert found is not None
    assert told in found.text


def test_a_setting_in_a_configuration_of_verl_says_where_it_goes() -> None:
    found = shown("trainer.yaml", CONFIG, "n: 8")
    assert found is not None
    assert found.text.startswith("**`actor_rollout_ref.rollout.n`** of verl")
    assert CONFIG[found.start : found.end] == "n"
    assert shown("plain.yaml", "a:\n  n: 8\n", "n: 8") is None


def test_a_rule_named_in_a_comment_of_python_is_explained() -> None:
    found = shown("reward_x.py", "def f(): pass  # noqa: RLX202\n", "RLX202")
    assert found is not None
    assert found.text.startswith("**RLX202 reward-not-async**")
    assert shown("reward_x.py", "x = 'RLX202'\n", "RLX202") is None
