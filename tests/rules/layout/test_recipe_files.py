"""Which files a recipe of its kind lacks, told of whole trees."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.project import Project
from relax_lint.recipe_kinds import kind_of
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

RUN = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py"
GENERATE = "--custom-generate-function-path examples.demo.rollout.generate"
REWARD = "async def reward_func(args, sample, **kwargs):\n    return 0.0\n"


def judged(tree: dict[str, str], *codes: str) -> Report:
    settings = Settings(selection=(Layer(select=codes or ("RLX802",)),))
    return lint(Project.from_files(tree, settings), load_rules(), settings)


def said(tree: dict[str, str]) -> list[str]:
    return [found.message for found in judged(tree).diagnostics]


@for_each(
    ("flags", "kind"),
    [
        ("--rm-type math", "single-turn"),
        (f"--rm-type math {GENERATE}", "multi-turn"),
        ("--rm-type math --rollout-function-path relax.engine.rollout.sglang_rollout.generate_rollout", "single-turn"),
        ("--custom-generate-function-path relax.engine.rollout.tools.generate", "own"),
        (f"--loss-type sft {GENERATE}", "own"),
        (f"--use-agentic-rollout {GENERATE}", "own"),
        (f"--use-opd {GENERATE}", "own"),
        (f"--genrm-model-path /m {GENERATE}", "own"),
        ("--rm-type dapo-genrm", "own"),
        ("--rollout-function-path examples.demo.games.rollout", "own"),
        ("--debug-rollout-only", "own"),
        ('"$@"', "own"),
    ],
)
def test_the_kind_of_a_launch(flags: str, kind: str) -> None:
    project = Project.from_files({RUN: f"{TRAIN} {flags}\n"})
    assert [kind_of(launch) for launch in project.recipes[0].launches] == [kind]


def test_a_verl_launch_is_of_no_kind() -> None:
    project = Project.from_files({RUN: "python3 -m verl.trainer.main_ppo a.b=1\n"})
    assert [kind_of(launch) for launch in project.recipes[0].launches] == [None]


def test_a_recipe_is_told_once_of_all_that_it_lacks() -> None:
    tree = {
        "examples/demo/__init__.py": "",
        "examples/demo/rollout.py": "async def generate(args, sample, params):\n    return sample\n",
        "examples/demo/reward_demo.py": REWARD,
        RUN: f"{TRAIN} --rm-type math {GENERATE}\n",
        "examples/demo/run_demo_async.sh": f"{TRAIN} --rm-type math --fully-async {GENERATE}\n",
    }
    [message] = said(tree)
    assert message == (
        "a multi-turn recipe, and no env_demo.py with build_env, no base_env.py with BaseInteractionEnv, "
        "no demo_config.yaml with max_turns and rollout_interaction_env_path"
    )


def test_a_recipe_that_some_launch_makes_multi_turn() -> None:
    """The other launches of the same recipe may be of any kind."""
    tree = {
        "examples/demo/rollout.py": "async def generate(args, sample, params):\n    return sample\n",
        RUN: f'if [ "$1" = turns ]; then\n    {TRAIN} --rm-type math {GENERATE}\nelse\n    {TRAIN} --use-opd\nfi\n',
    }
    [found] = judged(tree).diagnostics
    assert (found.line, found.path.name) == (2, "run_demo.sh")


def test_an_environment_with_its_own_observations_needs_no_base() -> None:
    env = "class Env:\n    def format_observation(self, seen):\n        return seen\n\n\ndef build_env(sample, args):\n"
    tree = {
        "examples/demo/rollout.py": "async def generate(args, sample, params):\n    return sample\n",
        "examples/demo/env_demo.py": f"{env}    return Env()\n",
        RUN: f"{TRAIN} --rm-type math {GENERATE}\n",
    }
    assert said(tree) == []


def test_a_missing_package_file_is_told_once() -> None:
    tree = {
        "examples/__init__.py": "",
        "examples/demo/reward_demo.py": REWARD,
        RUN: f"{TRAIN} --custom-rm-path examples.demo.reward_demo.reward_func\n",
    }
    assert [found.code for found in judged(tree, "RLX801", "RLX802").diagnostics] == ["RLX801"]
    tree[RUN] = f"{TRAIN} --rm-type math\n"
    assert [found.code for found in judged(tree, "RLX801", "RLX802").diagnostics] == ["RLX802"]


def test_a_reward_that_is_not_known_is_recorded() -> None:
    report = judged({RUN: f'{TRAIN} --custom-rm-path "$REWARD"\n'})
    assert report.diagnostics == []
    assert [silence.because for silence in report.not_checked] == ["${REWARD}"]


@pytest.mark.parametrize("path", ["examples/demo/reward_demo.py", RUN])
def test_a_file_alone_is_told_the_same(path: str) -> None:
    tree = {
        "examples/demo/env_demo.py": "from .base_env import BaseInteractionEnv\n\n\ndef build_env(sample, args):\n"
        "    return BaseInteractionEnv()\n",
        "examples/demo/reward_demo.py": REWARD,
        RUN: f"{TRAIN} --rm-type math {GENERATE}\n",
    }
    project = Project.from_files(tree)
    settings = Settings(selection=(Layer(select=("RLX802",)),))
    whole = {(item.path, item.message) for item in lint(project, load_rules(), settings).diagnostics}
    alone = lint(Project.from_files(tree), load_rules(), settings, [project.root / path]).diagnostics
    assert {(item.path, item.message) for item in alone} == {
        item for item in whole if item[0].name == path.split("/")[-1]
    }
