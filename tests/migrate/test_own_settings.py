"""Settings and programs of the user's own verl: where they are declared and read is told, and what is not carried."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from relax_lint.migrate.carrying.sources import verl_sources
from relax_lint.migrate.choices import Choices
from relax_lint.migrate.direct import direct_steps
from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.own_settings import compact
from relax_lint.migrate.plan import Fate, Obstacle, Step, Todo
from relax_lint.migrate.planning import plan
from relax_lint.migrate.readers import is_own_main
from relax_lint.project import Project
from tests.cases import for_each
from tests.migrate.planned import GRPO, QWEN3_8B, R, planned

CONFIG = """\
algorithm: {adv_estimator: grpo}
actor_rollout_ref: {rollout: {n: 1, n_agent: 1, multi_turn: {enable: false}}}
retriever:
  url: null
  topk: 3
unread: 5
n: 4
max_turns: 10
"""
TRAINER = """\
def run(self, config):
    # config.unread, config.retriever.topk
    config.n
    turns = self.config.max_turns
    own = config.get("own_key")
    return config.retriever["topk"], config.retriever.url
"""
MAIN = 'import hydra\n\n@hydra.main(config_path="config", config_name="ppo_trainer")\ndef main(config): ...\n'
FORK = {
    "verl/trainer/main_ppo.py": MAIN,
    "verl/trainer/config/ppo_trainer.yaml": CONFIG,
    "verl/trainer/ppo/ray_trainer.py": TRAINER,
    "verl/tests/test_it.py": "config.unread\n",
}


def steps(words: str, main: str = "verl.trainer.main_ppo", files: Mapping[str, str] = FORK) -> list[Step]:
    project = Project.from_files({**files, "run.sh": f"set -x\npython3 -m {main} \\\n  {words}\n"})
    launcher = project.launcher(project.root / "run.sh")
    assert launcher is not None
    return list(direct_steps(effective_settings(launcher.launches[0], project), None, verl_sources(project)))


def fates(found: list[Step]) -> dict[str, Fate]:
    return {step.key: step for step in found if isinstance(step, Fate)}


def test_what_the_checkout_declares_and_reads_is_named_with_both_places() -> None:
    fate = fates(steps("max_turns=2 +own_key=1"))
    assert fate["max_turns"].kind == fate["retriever.topk"].kind == fate["own_key"].kind == "by hand"
    assert "declared at verl/trainer/config/ppo_trainer.yaml:8" in fate["max_turns"].reason
    assert "read at verl/trainer/ppo/ray_trainer.py:4" in fate["max_turns"].reason
    assert "ppo_trainer.yaml:5 and read at verl/trainer/ppo/ray_trainer.py:6" in fate["retriever.topk"].reason
    assert "own, read at verl/trainer/ppo/ray_trainer.py:5" in fate["own_key"].reason


def test_what_is_declared_is_never_unknown() -> None:
    fate = fates(steps("max_turns=2"))
    assert {each.kind for each in fate.values()} <= {"by hand", "same", "mapped", "derived", "dropped", "no effect"}
    assert "no code of it was seen to read it" in fate["unread"].reason
    assert (fate["retriever.url"].kind, fate["n"].kind) == ("same", "by hand")
    assert fates(steps("max_turns=0"))["max_turns"].kind == "by hand"


def test_what_nothing_at_hand_has_stays_unknown() -> None:
    assert fates(steps("+data.nobodys=2"))["data.nobodys"].kind == "unknown key"


def test_there_is_one_todo_for_each_file_that_reads_settings() -> None:
    texts = [step.text for step in steps("max_turns=2 retriever.url=http://x") if isinstance(step, Todo)]
    (read,) = [
        text for text in texts if text.endswith(": carry over what verl/trainer/ppo/ray_trainer.py does with them")
    ]
    assert "retriever.{url (line 6), topk (line 6)}" in read
    assert "max_turns (line 4)" in read
    assert any(text.startswith("unread: see whether anything reads it") for text in texts)


@pytest.mark.parametrize(
    ("words", "line", "told"),
    [
        (
            "max_turns=2",
            3,
            "the several turns of retriever.topk, max_turns (read at verl/trainer/ppo/ray_trainer.py:6)",
        ),
        (
            "+own_key=1 retriever.topk=0 max_turns=0",
            3,
            "what your own code does with retriever.topk, max_turns, own_key",
        ),
        ("+own_key=null", None, ""),
    ],
)
def test_what_the_launch_asks_its_code_for_is_an_obstacle(words: str, line: int | None, told: str) -> None:
    found = [step for step in steps(words) if isinstance(step, Obstacle) and told in step.message]
    if line is None:
        assert not any("own_key" in step.message for step in found)
    else:
        assert [step.line for step in found] == [line]


def test_a_trainer_of_the_users_own_is_an_obstacle_with_its_place() -> None:
    files = {**FORK, "mine/trainer/main_ppo.py": MAIN.replace('config_path="', 'config_path="../../verl/trainer/')}
    found = steps("algorithm.adv_estimator=grpo", "mine.trainer.main_ppo", files)
    (told,) = [step for step in found if isinstance(step, Obstacle) and "mine/trainer/main_ppo.py" in step.message]
    assert (told.path.name, told.line) == ("run.sh", 2)
    assert any(isinstance(step, Todo) and step.text.startswith("compare mine/trainer/main_ppo.py") for step in found)


@for_each(
    ("main", "own"),
    [
        ("verl.trainer.main_ppo", False),
        ("main_ppo", False),
        ("verl/trainer/main_ppo.py", False),
        ("recipe.dapo.main_dapo", False),
        ("dapo.main_dapo", False),
        ("main_dapo.py", False),
        ("recipe.fully_async_policy.fully_async_main", False),
        ("verl.trainer.main_ppo_format", True),
        ("verl_tool.trainer.main_ppo", True),
        ("train.py", True),
    ],
)
def test_whose_program_runs(main: str, own: bool) -> None:
    assert is_own_main(main) is own


def test_a_verl_that_is_known_has_no_settings_of_its_own() -> None:
    project = Project.from_files({"run.sh": f"python3 -m verl.trainer.main_ppo {' '.join(GRPO)}\n"})
    launcher = project.launcher(project.root / "run.sh")
    assert launcher is not None
    made = plan(effective_settings(launcher.launches[0], project), Choices("demo", shape=QWEN3_8B))
    assert not made.obstacles
    assert not any("of this verl's own" in fate.reason for fate in made.fates)


def test_keys_of_one_part_stand_together() -> None:
    assert compact({"a.b.c": " (1)", "x": "", "a.b.d": "", "e.f": ""}) == "a.b.{c (1), d}, x, e.f"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("loop=mine", "the agent loop mine, which is none of verl's own"),
        ("loop=tool_agent tools=gone.yaml", "the tools of gone.yaml, which is not here"),
        ("loop=tool_agent loops=agents.yaml", "the agent loop of agents.yaml, which is your own code"),
        ("loops=agents.yaml", "the agent loops of agents.yaml, which are your own code"),
        ("loop=tool_agent", ""),
    ],
)
def test_agents_that_are_not_carried_are_obstacles(words: str, told: str) -> None:
    names = {
        "loop": f"{R}.agent.default_agent_loop",
        "loops": f"{R}.agent.agent_loop_config_path",
        "tools": f"{R}.multi_turn.tool_config_path",
    }
    given = [f"{names[key]}={value}" for key, _, value in (word.partition("=") for word in words.split())]
    made = planned(*given)
    assert [each.message for each in made.obstacles] == ([told] if told else [])
