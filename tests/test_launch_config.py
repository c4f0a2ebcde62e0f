from __future__ import annotations

import pytest

from relax_lint.launch_config import overridden_by_config
from relax_lint.project import Project


def overridden(launch: str, config: str, flag: str = "--reward-key") -> str | None:
    project = Project.from_files(
        {"examples/demo/run_demo.sh": f"{launch}\n", "examples/demo/demo.yaml": config, "examples/demo/env_demo.py": ""}
    )
    (recipe,) = project.recipes
    return overridden_by_config(recipe.launches[0], project, flag)


TRAIN = "python3 relax/entrypoints/train.py"
NAMED = f"{TRAIN} --custom-config-path examples/demo/demo.yaml"


@pytest.mark.parametrize("config", ["reward_key: score\n", "a: 1\n'reward_key' : acc\n", '"reward_key": x\r\n'])
def test_a_key_of_the_named_file_is_set_over_the_flag(config: str) -> None:
    assert overridden(NAMED, config) == "--custom-config-path examples/demo/demo.yaml"


@pytest.mark.parametrize("config", ["", "# reward_key: score\n", "judge:\n  reward_key: score\n", "reward_keys: [a]\n"])
def test_other_keys_set_nothing(config: str) -> None:
    assert overridden(NAMED, config) is None


def test_a_file_that_is_not_known_may_be_any_of_the_recipe() -> None:
    assert (
        overridden(f"{TRAIN} --custom-config-path $CONFIG", "group_rm: true\n", "--group-rm") == "--custom-config-path"
    )
    assert overridden(f"{TRAIN} --custom-config-path $CONFIG", "turns: 3\n", "--group-rm") is None


def test_a_launch_without_a_config_has_nothing_set() -> None:
    assert overridden(TRAIN, "reward_key: score\n") is None
    assert overridden(f"{TRAIN} --custom-config-path examples/demo/none.yaml", "reward_key: score\n") is None
