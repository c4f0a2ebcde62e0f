"""Entries of the config YAML that a user names: none of them is set over something that has its name already."""

from __future__ import annotations

import argparse

import pytest

from relax_lint.catalog.args_attributes import READ_IF_SET, SET_BY_RELAX
from relax_lint.catalog.flags import embedded
from relax_lint.migrate.config_names import free_name
from relax_lint.project import Project
from tests.migrate.planned import planned, todos

_PROJECT = Project.from_files({})


def test_no_name_is_one_of_arguments_that_there_are() -> None:
    known = {*embedded().dests, *SET_BY_RELAX, *READ_IF_SET, *dir(argparse.Namespace()), "max_turns", "reward_timeout"}
    asked = {*known, *(each.removeprefix("reward_") for each in known)}
    given: set[str] = set()
    for name in sorted(asked):
        given.add(free_name(name, given, _PROJECT))
    assert not given & known
    assert len(given) == len(asked)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("weights", "weights"),
        ("lr", "reward_lr"),
        ("num_workers", "reward_kwargs_num_workers"),
        ("max_turns", "reward_max_turns"),
        ("__class__", "reward___class__"),
        ("seen", "reward_seen"),
    ],
)
def test_a_name_is_kept_where_it_is_free(name: str, expected: str) -> None:
    assert free_name(name, {"seen"}, _PROJECT) == expected


def test_what_a_reward_that_is_not_carried_over_is_told_has_such_names_too() -> None:
    given = ("num_workers=4", "lr=2", "a.b=1", "a_b=2")
    prefix = "custom_reward_function.reward_kwargs"
    buffer = ("reward_model.overlong_buffer.enable=True", "reward_model.overlong_buffer.len=9")
    made = planned("custom_reward_function.path=score.py", *(f"{prefix}.{each}" for each in given), *buffer)
    names = "reward_kwargs_num_workers, reward_lr, a_b, reward_a_b, overlong_buffer_enable, overlong_buffer_len"
    assert f"have the reward read {names} of args" in todos(made)
