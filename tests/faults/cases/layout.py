"""RLX801 to RLX803: the files of a recipe and their names."""

from __future__ import annotations

from tests.faults.cases.places import (
    ASYNC_LAUNCH,
    CONFIG,
    DESK_REWARD,
    DESK_RUN,
    ENV,
    REWARD,
    RM_PATH,
    ROLLOUT,
    RUN,
    without,
)
from tests.faults.clean import code as clean_code
from tests.faults.clean.launchers import launcher
from tests.faults.trees import Fault, Maker, remove, swap, write


def _init() -> list[Fault]:
    made = Maker("RLX801", "text", RUN, "warning", may=("RLX802",))
    made("recipe", "--custom-rm-path examples.arith.reward_arith.reward_func", remove("examples/arith/__init__.py"))
    made("examples", "--custom-rm-path examples.arith.reward_arith.reward_func", remove("examples/__init__.py"))
    made(
        "both",
        "--custom-rm-path examples.arith.reward_arith.reward_func",
        remove("examples/arith/__init__.py"),
        remove("examples/__init__.py"),
    )
    made(
        "nested-folder",
        "--custom-rm-path examples.arith.scoring.reward_sums.reward_func",
        write("examples/arith/scoring/reward_sums.py", clean_code.REWARD_SUMS),
        swap(RUN, RM_PATH, "--custom-rm-path examples.arith.scoring.reward_sums.reward_func"),
        may=("RLX803",),
    )
    turns = Maker("RLX801", "turns", DESK_RUN, "warning", may=("RLX802",))
    turns("multi-turn", "--custom-rm-path examples.desk.reward_desk.reward_func", remove("examples/desk/__init__.py"))
    turns(
        "environment-in-a-folder",
        "examples/desk/desk_config.yaml|rollout_interaction_env_path: examples.desk.envs.env_desk",
        write("examples/desk/envs/env_desk.py", clean_code.ENV_DESK),
        swap(CONFIG, "examples.desk.env_desk", "examples.desk.envs.env_desk"),
    )
    return [*made.made, *turns.made]


def _files() -> list[Fault]:
    made = Maker("RLX802", "text", RUN, "warning", may=("RLX201", "RLX408", "RLX409", "RLX801"))
    made("no-launcher", '"""Scores the last number of an answer."""', remove(RUN), path=REWARD)
    made(
        "reward-elsewhere",
        "--custom-rm-path team_rewards.sums.reward_func",
        remove(REWARD),
        write("examples/arith/tables.py", "TABLE = {}\n"),
        swap(RUN, RM_PATH, "--custom-rm-path team_rewards.sums.reward_func"),
    )
    made("no-reward", ASYNC_LAUNCH, remove(REWARD), without(RM_PATH), without("--reward-key score"))
    turns = Maker(
        "RLX802",
        "turns",
        DESK_RUN,
        "warning",
        may=("RLX201", "RLX213", "RLX307", "RLX304", "RLX306", "RLX507", "RLX605", "RLX301"),
    )
    config = "    --custom-config-path examples/desk/desk_config.yaml\n"
    turns(
        "no-launcher",
        'examples/desk/reward_desk.py|"""Scores the last number of an answer."""',
        remove(DESK_RUN),
        path=ENV,
        may=("RLX409",),
    )
    turns(
        "no-base-env",
        "examples/desk/env_desk.py|from examples.desk.base_env import BaseInteractionEnv",
        remove("examples/desk/base_env.py"),
    )
    turns(
        "no-environment",
        "--custom-generate-function-path examples.desk.rollout.generate",
        remove(ENV),
        remove(CONFIG),
        swap(DESK_RUN, config, ""),
    )
    turns(
        "no-reward",
        ASYNC_LAUNCH,
        remove(DESK_REWARD),
        swap(DESK_RUN, "    --custom-rm-path examples.desk.reward_desk.reward_func\n", ""),
        swap(DESK_RUN, "    --reward-key score\n", ""),
        may=("RLX408",),
    )
    return [*made.made, *turns.made]


def _names() -> list[Fault]:
    made = Maker("RLX803", "text", RUN, "advice", may=("RLX802",))
    made(
        "reward",
        '"""Scores the last number of an answer."""',
        remove(REWARD),
        write("examples/arith/scoring.py", clean_code.REWARD_SUMS),
        swap(RUN, RM_PATH, "--custom-rm-path examples.arith.scoring.reward_func"),
        path="examples/arith/scoring.py",
    )
    made(
        "reward-of-other",
        '"""Scores the last number of an answer."""',
        remove(REWARD),
        write("examples/arith/reward_sums.py", clean_code.REWARD_SUMS),
        swap(RUN, RM_PATH, "--custom-rm-path examples.arith.reward_sums.reward_func"),
        path="examples/arith/reward_sums.py",
    )
    made(
        "launcher",
        "#!/bin/bash",
        remove(RUN),
        write("examples/arith/train.sh", launcher("arith", "qwen3-8B", "Qwen3-8B", "jsonl")),
        path="examples/arith/train.sh",
    )
    turns = Maker("RLX803", "turns", ENV, "advice", may=("RLX802",))
    turns(
        "environment",
        '"""A desk with a calculator on it."""',
        remove(ENV),
        write("examples/desk/world.py", clean_code.ENV_DESK),
        swap(CONFIG, "examples.desk.env_desk", "examples.desk.world"),
        swap(ROLLOUT, '"examples.desk.env_desk"', '"examples.desk.world"'),
        path="examples/desk/world.py",
    )
    turns(
        "config",
        "max_turns: 5",
        remove(CONFIG),
        write("examples/desk/settings.yaml", clean_code.CONFIG_DESK),
        swap(DESK_RUN, "examples/desk/desk_config.yaml", "examples/desk/settings.yaml"),
        path="examples/desk/settings.yaml",
    )
    turns(
        "rollout",
        '"""Lets the model and its environment take turns."""',
        remove(ROLLOUT),
        write("examples/desk/turns.py", clean_code.ROLLOUT),
        swap(DESK_RUN, "examples.desk.rollout.generate", "examples.desk.turns.generate"),
        path="examples/desk/turns.py",
    )
    return [*made.made, *turns.made]


FAULTS = [*_init(), *_files(), *_names()]
