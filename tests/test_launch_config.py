from __future__ import annotations

import pytest

from relax_lint.engine import lint
from relax_lint.launch_config import overridden_by_config, setting
from relax_lint.project import Project
from relax_lint.rewards import reward_uses
from relax_lint.rules import load_rules


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


REWARDS = {
    "examples/demo/reward_demo.py": "def reward_func(args, sample):\n    return 1.0\n",
    "examples/demo/env_demo.py": "",
}


def uses(launch: str, config: str) -> list[tuple[str, str | None]]:
    tree = {"examples/demo/run_demo.sh": f"{launch}\n", "examples/demo/demo.yaml": config, **REWARDS}
    project = Project.from_files(tree)
    found = reward_uses(project.recipes[0].launches[0], project)
    return [(use.dotted, use.hidden) for use in found]


IN_CONFIG = "custom_rm_path: examples.demo.reward_demo.reward_func\n"
ANOTHER = "--custom-rm-path examples.demo.other.reward_func"


@pytest.mark.parametrize("flags", ["", f" {ANOTHER}"])
@pytest.mark.parametrize("before", ["", "turns: 3\n", "\ufeff", "base: &base {a: 1}\n<<: *base\n"])
def test_the_reward_of_the_config_is_the_one_that_runs(flags: str, before: str) -> None:
    assert uses(f"{NAMED}{flags}", before + IN_CONFIG) == [("examples.demo.reward_demo.reward_func", None)]


@pytest.mark.parametrize("config", ["custom_rm_path:\n", "custom_rm_path: ''\n", "custom_rm_path: null\n"])
def test_a_config_can_take_the_reward_away(config: str) -> None:
    assert uses(f"{NAMED} {ANOTHER}", config) == []


@pytest.mark.parametrize(
    "config", ["custom_rm_path: [a, b]\n", "custom_rm_path: 3\n", "custom_rm_path: {{ name }}.reward_func\n"]
)
def test_a_reward_that_the_config_does_not_tell_is_not_judged(config: str) -> None:
    assert uses(NAMED, config) == [("", "--custom-config-path examples/demo/demo.yaml")]


def test_a_config_that_is_not_known_hides_the_reward_that_it_may_set() -> None:
    assert uses(f"{TRAIN} --custom-config-path $CONFIG {ANOTHER}", IN_CONFIG) == [("", "--custom-config-path")]
    assert uses(f"{TRAIN} --custom-config-path $CONFIG", IN_CONFIG) == [("", "--custom-config-path")]
    assert uses(f"{TRAIN} --custom-config-path $CONFIG", "judge:\n  custom_rm_path: a.b\n") == []


def test_a_reward_named_in_a_config_is_judged_by_every_rule() -> None:
    tree = {"examples/demo/run_demo.sh": f"{NAMED}\n", "examples/demo/demo.yaml": IN_CONFIG, **REWARDS}
    report = lint(Project.from_files(tree), load_rules())
    assert {"RLX202"} <= {found.code for found in report.diagnostics if found.path.name == "reward_demo.py"}
    tree["examples/demo/run_demo.sh"] = f"{TRAIN} --custom-config-path $CONFIG\n"
    report = lint(Project.from_files(tree), load_rules())
    assert {"RLX202", "RLX204", "RLX205"} <= {silence.code for silence in report.not_checked}


def test_where_a_missing_reward_is_set_is_named() -> None:
    config = "turns: 1\ncustom_rm_path: examples.demo.reward_demo.reward\n"
    tree = {"examples/demo/run_demo.sh": f"{NAMED}\n", "examples/demo/demo.yaml": config, **REWARDS}
    [found] = [item for item in lint(Project.from_files(tree), load_rules()).diagnostics if item.code == "RLX201"]
    assert [(site.path.name, site.line) for site in found.related] == [("demo.yaml", 2)]


@pytest.mark.parametrize(("config", "known"), [("256", "int"), ("0x10", ""), ("'256'", "str"), ("~", "null")])
def test_what_is_known_of_a_value(config: str, known: str) -> None:
    tree = {"examples/demo/run_demo.sh": f"{NAMED}\n", "examples/demo/demo.yaml": f"lr: 1\nglobal_batch_size: {config}"}
    project = Project.from_files(tree)
    found = setting(project.recipes[0].launches[0], project, "--global-batch-size")
    assert found is not None
    assert found.kind == known
    assert found.place is not None
    assert found.place.source.text[found.place.start : found.place.end] == config
