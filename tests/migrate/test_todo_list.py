"""What is left to be done by hand is a list that one can work with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from relax_lint.migrate.todo_list import Line, numbers, todo_lines

SAVE = "trainer.default_local_dir"
NODES = "trainer.nnodes"


def listed(*launches: Mapping[str, Sequence[str]]) -> list[Line]:
    told: list[dict[str, Any]] = [
        {"todos": [{"text": text, "because": list(because)} for text, because in launch.items()]} for launch in launches
    ]
    return todo_lines(told)


def texts(*launches: Mapping[str, Sequence[str]]) -> list[str]:
    return [line.text for line in listed(*launches)]


def test_what_several_launches_ask_for_stands_once_with_their_numbers() -> None:
    (line,) = listed({"do it": ["a.b"]}, {}, {"do it": ["a.c"]}, {"do it": ["a.b"]})
    assert line == Line("do it", ("a.b", "a.c"), (1, 3, 4))


@pytest.mark.parametrize(
    ("values", "head"),
    [
        (["x"], f"{SAVE}=x"),
        (["x", "x"], f"{SAVE}=x"),
        (["ckpt/x", "ckpt/y"], f"{SAVE}=ckpt/{{x, y}}"),
        (["x" * 80, "y" * 80, "z" * 80], f"{SAVE}={'x' * 80} and 2 more"),
    ],
)
def test_the_same_of_several_values_is_one_line(values: list[str], head: str) -> None:
    assert texts(*({f"{SAVE}={value}: let nothing lie there": [SAVE]} for value in values)) == [
        f"{head}: let nothing lie there"
    ]


def test_the_same_of_several_settings_is_one_line_that_names_them_all() -> None:
    found = texts({"a.b=1: see what reads it": ["a.b"], "a.c=2: see what reads it": ["a.c"], "other: do": ["x"]})
    assert found == ["a.b=1, a.c=2: see what reads it", "other: do"]


def test_a_line_that_names_all_settings_stands_for_those_that_name_some() -> None:
    few, all_of_them = (
        "a.{b (line 1), c (line 2)}: carry it over",
        "a.{b (line 1), c (line 2), d (line 3)}: carry it over",
    )
    assert texts({few: ["a.b", "a.c"]}, {all_of_them: ["a.b", "a.c", "a.d"]}) == [all_of_them]


def test_sentences_that_differ_in_numbers_and_names_are_one() -> None:
    def machines(count: int) -> dict[str, list[str]]:
        return {f"{count} machines: start the launcher on each, with WORLD_SIZE={count}, NUM_GPUS=8 set": [NODES]}

    (one,) = texts(machines(2), machines(4), machines(2), machines(16))
    assert one == "{2,4,16} machines: start the launcher on each, with WORLD_SIZE={2,4,16}, NUM_GPUS=8 set"
    of_gpus = [
        f"{count} machines: start it on each, with NUM_GPUS={gpus} set by hand" for count, gpus in ((2, 8), (4, 8))
    ]
    of_gpus.append("4 machines: start it on each, with NUM_GPUS=16 set by hand")
    assert texts(*({text: [NODES]} for text in of_gpus)) == [
        "{2,4,4} machines: start it on each, with NUM_GPUS={8,8,16} set by hand"
    ]
    scripts = [f"run tools/process_x{name}.py before the first training" for name in ("", "_7b", "_32b")]
    (one,) = texts(*({script: ["data.train_files"]} for script in scripts))
    assert one == "run tools/process_x{,_7b,_32b}.py before the first training"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("write the tools that it names into step()", "write the loops that it names into step()"),
        ("keep all 4 updates", "drop all 8 updates"),
        ("do 1 thing", "do 2 other things"),
    ],
)
def test_sentences_that_say_something_else_stay_two(one: str, other: str) -> None:
    assert texts({one: ["a.b"]}, {other: ["a.b"]}) == [one, other]


def test_what_changes_scores_comes_first_and_where_files_lie_last() -> None:
    keys = [
        SAVE, "trainer.test_freq", "data.train_files", "max_turns", "actor_rollout_ref.agent.max_turns",
        "actor_rollout_ref.rollout.multi_turn.enable", "custom_reward_function.path", "actor_rollout_ref.rollout.n",
    ]  # fmt: skip
    told = {f"{key}: see to this, which is about number {at}": [key] for at, key in enumerate(keys)}
    order = [line.because[0] for line in listed(told)]
    assert [order[0], order[1], order[-1], order[-2], order[-3]] == [keys[7], keys[6], *keys[:3]]
    assert (
        listed({"x.py: left out of y.py, since nothing reaches it: z": ["reward"], "do it": [SAVE]})[0].text == "do it"
    )


def test_numbers_are_ranges() -> None:
    assert numbers((5, 1, 2, 3, 7, 8)) == "1-3, 5, 7-8"
