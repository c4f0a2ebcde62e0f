"""Reward managers that are not verl's own: what stands in for one says so, and where the manager is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.migrate.reward.originals import originals
from tests.migrate.reward.produced import Workshop
from tests.migrate.reward.test_recipes import Migration, migration

__all__ = ["migration"]
_MANAGER = """\
from verl.workers.reward_manager import register


def score_of(text):
    return len(text)


@register("mine")
class MyManager:
    def __call__(self, data, return_dict=False):
        return [score_of(each) for each in data]
"""
_FOUND = "MyManager of {}:9, which calls score_of (line 4), is not carried over"


def _told(migration: Migration, overrides: str) -> tuple[dict[str, Any], str]:
    """What is told of a run whose manager is not known, and the text of its reward."""
    told = migration.run(f"data.train_files=/data/gsm8k/train.parquet data.val_files=null {overrides}")
    (problem,) = [each for each in told["problems"] if "manager" in each["message"]]
    return problem, migration.text("reward_demo.py")


@pytest.mark.parametrize("setting", ["reward_model.reward_manager=mine", "reward.reward_manager.name=mine"])
def test_a_substitute_says_what_it_stands_for_and_where_that_is(setting: str, migration: Migration) -> None:
    (migration.user / "managers.py").write_text(_MANAGER)
    problem, text = _told(migration, setting)
    assert problem["message"] == (
        f"the reward manager mine, {_FOUND.format('user/managers.py')}: reward_demo.py is a substitute, which scores "
        "as verl's naive manager would"
    )
    assert (Path(problem["path"]).name, problem["line"]) == ("managers.py", 9)
    said = " ".join(line.removeprefix("# ") for line in text.splitlines() if line.startswith("#"))
    assert said.startswith("A SUBSTITUTE. The run scored by the reward manager mine, MyManager of user/managers.py:9,")
    assert '"""A substitute for the reward of demo: compute_score of verl.utils.reward_score.gsm8k."""' in text
    page = migration.text("MIGRATION.md")
    assert "reward_demo.py is a substitute" in page
    assert "verl's reward manager mine" not in page + text
    assert migration.found() == []


def test_a_manager_of_a_file_of_ones_own_is_found_there(migration: Migration) -> None:
    (migration.user / "own.py").write_text(_MANAGER.replace("MyManager", "Other") + "\n\nclass MyManager:\n    pass\n")
    source = "+reward_manager.source=importlib +reward_manager.name=MyManager +reward_manager.module.path=own.py"
    problem, text = _told(migration, source)
    assert problem["message"].startswith("the reward manager MyManager of user/own.py:14, is not carried over")
    assert text.startswith("# A SUBSTITUTE. ")


def test_a_manager_that_is_not_found_is_said_where_it_is_named(migration: Migration) -> None:
    (migration.user / "score.py").write_text("def compute_score(solution_str, ground_truth, **rest):\n    return 1\n")
    problem, text = _told(migration, "custom_reward_function.path=score.py reward_model.reward_manager=nobody")
    assert problem["message"].startswith("the reward manager nobody, whose code is not found, is not carried over")
    assert Path(problem["path"]).name == "run.sh"
    assert text.startswith("# A SUBSTITUTE. ")


def test_verls_own_managers_have_no_substitute(migration: Migration) -> None:
    told = migration.run(
        "data.train_files=/data/gsm8k/train.parquet data.val_files=null reward_model.reward_manager=naive"
    )
    assert told["problems"] == []
    assert "SUBSTITUTE" not in migration.text("reward_demo.py").upper()


@pytest.fixture
def fork(tmp_path: Path) -> Iterator[Workshop]:
    """A verl that scores in its main."""
    main = _MANAGER.replace("MyManager", "RewardManager").replace('@register("mine")\n', "")
    verl = tmp_path / "fork"
    for name, text in {
        "__init__.py": "",
        "utils/__init__.py": "",
        "utils/reward_score/__init__.py": "",
        "trainer/__init__.py": "",
        "trainer/main_ppo.py": main,
        "trainer/config/ppo_trainer.yaml": (originals() / "verl/trainer/config/ppo_trainer.yaml").read_text(),
    }.items():
        path = verl / "verl" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = Workshop(tmp_path, verl)
    yield made
    made.close()


def test_a_fork_that_scores_elsewhere_is_said_to_do_so_there(fork: Workshop) -> None:
    (problem,) = fork.carry("mine", main="verl.trainer.main_ppo").problems
    assert (problem.path.name, problem.line) == ("main_ppo.py", 8)
    assert problem.message.startswith(
        "there is no function default_compute_score in verl/utils/reward_score/__init__.py: this run scores by "
        "RewardManager of verl/trainer/main_ppo.py:8, which calls score_of (line 4)"
    )


def test_the_scoring_of_early_versions_is_found_by_the_name_it_had(fork: Workshop) -> None:
    scoring = (
        "def _default_compute_score(data_source, solution_str, ground_truth, extra_info=None):\n"
        "    if data_source == 'a':\n        return 0.25\n    raise NotImplementedError\n"
    )
    (fork.verl / "verl/utils/reward_score/__init__.py").write_text(scoring)
    carried = fork.carry("mine", sources=("a",))
    assert not carried.problems
    sample = fork.sample("r", "l", data_source="a")
    assert fork.module("mine").compute_score("a", sample.response, "l") == {"score": 0.25}
