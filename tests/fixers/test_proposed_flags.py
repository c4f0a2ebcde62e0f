"""A flag that a launch has under another name is not added to it by a fix."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from relax_lint.engine import lint
from relax_lint.fixing import fix
from relax_lint.project import Project
from relax_lint.rules import load_rules

RECIPE = Path(__file__).parents[1] / "recipes" / "good_gsm8k"
LAUNCHER = RECIPE / "examples" / "gsm8k" / "run_gsm8k.sh"
GOOD = LAUNCHER.read_text(encoding="utf-8")
RULES = load_rules()


def misspelt(old: str, new: str) -> Project:
    assert old in GOOD
    return Project(RECIPE).with_changes({LAUNCHER: GOOD.replace(old, new).encode()})


def after(project: Project, *, unsafe: bool) -> str:
    data = fix(project, RULES, targets=[LAUNCHER], unsafe=unsafe).project.read(LAUNCHER)
    assert data is not None
    return data.decode()


def count(flag: str, text: str) -> int:
    return len(re.findall(rf"{flag}(?![\w-])", text))


SLIPS = {
    "another end": ("--rollout-batch-size 32", "--rollout-batch 16"),
    "a letter too many": ("--use-tis", "--use-tiss"),
    "one of three optimizer flags": ("--use-precision-aware-optimizer", "--use-precision-aware-optimiser"),
    "the key of the reward": ("--reward-key score", "--rewards-key score"),
    "a flag of one mode": ("--ref-actor-config", "--ref-actor-configs"),
    "verl's name": ("--num-rollout", "--num-rollouts"),
    "a switch of a mode": ("--colocate", "--collocate"),
}


@pytest.mark.parametrize(("old", "new"), SLIPS.values(), ids=SLIPS)
def test_a_safe_fix_adds_no_flag_beside_its_misspelt_name(old: str, new: str) -> None:
    project = misspelt(old, new)
    assert "RLX501" in {found.code for found in lint(project, RULES, targets=[LAUNCHER]).standing}
    flag = old.partition(" ")[0]
    assert count(flag, after(project, unsafe=False)) == count(flag, GOOD) - GOOD.count(old)


@pytest.mark.parametrize(("old", "new"), SLIPS.values(), ids=SLIPS)
def test_a_misspelt_flag_is_there_once_after_all_fixes(old: str, new: str) -> None:
    text = after(misspelt(old, new), unsafe=True)
    flag = old.partition(" ")[0]
    assert count(new.partition(" ")[0], text) == 0
    assert count(flag, text) == count(flag, GOOD)


def test_the_finding_stays_without_its_fix() -> None:
    project = misspelt("--use-precision-aware-optimizer", "--use-precision-aware-optimiser")
    report = lint(project, RULES, targets=[LAUNCHER])
    found = [one.fix for one in report.standing if one.code == "RLX406"]
    assert found
    assert found == [None] * len(found)
