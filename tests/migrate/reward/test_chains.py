"""Modules of verl that are reached through the packages above them, however those are imported."""

from __future__ import annotations

import pytest

from relax_lint.migrate.reward.request import CarriedReward, Function
from tests.migrate.reward.produced import Workshop, run

_SPELLINGS = {
    "verl": ("import verl", "verl.utils.reward_score.gsm8k"),
    "renamed": ("import verl as v", "v.utils.reward_score.gsm8k"),
    "package": ("import verl.utils.reward_score as rs", "rs.gsm8k"),
    "package by its dotted name": ("import verl.utils.reward_score", "verl.utils.reward_score.gsm8k"),
    "package above": ("import verl.utils as vu", "vu.reward_score.gsm8k"),
    "from": ("from verl.utils import reward_score", "reward_score.gsm8k"),
    "from verl": ("from verl import utils as u", "u.reward_score.gsm8k"),
    "the module": ("import verl.utils.reward_score.gsm8k", "verl.utils.reward_score.gsm8k"),
    "several": ("import os, verl.utils as vu, re", "vu.reward_score.gsm8k"),
    "on one line": ("import os; import verl; import re", "verl.utils.reward_score.gsm8k"),
    "a name of its own": ("import verl\n{indent}gsm8k = 1", "verl.utils.reward_score.gsm8k"),
}


def _carried(workshop: Workshop, text: str) -> CarriedReward:
    return workshop.carry("mine", function=Function(workshop.write("main.py", text), "compute_score"))


@pytest.mark.parametrize("inside", [False, True], ids=["at the top", "in a function"])
@pytest.mark.parametrize("spelling", _SPELLINGS)
def test_a_module_is_carried_however_it_is_reached(spelling: str, inside: bool, workshop: Workshop) -> None:
    statement, module = _SPELLINGS[spelling]
    head = "def compute_score(solution_str, ground_truth, **rest):\n    "
    statement = statement.replace("{indent}", "    " if inside else "")
    start = f"{head}{statement}\n    " if inside else f"{statement}\n\n\n{head}"
    carried = _carried(workshop, f"{start}return {module}.compute_score(solution_str, ground_truth)\n")
    assert not carried.problems, carried.problems
    assert not any("verl." in line for line in carried.files[0].text.splitlines() if "import" in line)
    samples = [workshop.sample("#### 72", "72", data_source="d"), workshop.sample("#### 7", "72", data_source="d")]
    assert [each["score"] for each in run(workshop.reward("mine"), samples)] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("statement", "expression", "line", "said"),
    [
        ("import verl", "verl.utils.nowhere.f(solution_str)", 1, "verl.utils"),
        ("import verl.utils.reward_score as rs", "rs.nowhere.f(solution_str)", 1, "verl.utils.reward_score.nowhere"),
        ("import verl.utils.reward_score as rs", "getattr(rs, 'gsm8k').f(1)", 1, "verl.utils.reward_score is used as"),
        ("import verl.utils.reward_score.gsm8k as g", "g.nowhere(1)", 1, "verl.utils.reward_score.gsm8k.nowhere"),
        ("import os\nimport verl", "verl.DataProto(solution_str)", 2, "verl."),
    ],
)
def test_what_is_not_there_is_said_with_its_place(
    statement: str, expression: str, line: int, said: str, workshop: Workshop
) -> None:
    head = "def compute_score(solution_str, ground_truth, **rest):\n    "
    carried = _carried(workshop, f"{statement}\n\n\n{head}return {expression}\n")
    assert not carried.files
    (problem,) = carried.problems
    assert (problem.path.name, problem.line) == ("main.py", line)
    assert said in problem.message
