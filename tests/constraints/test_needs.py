"""What is left alone because of what a launch does not set could not hold."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from relax_lint.catalog.hidden import UNKNOWN, is_hidden
from relax_lint.constraints.expressions import Failed
from relax_lint.constraints.needs import asks_environment, needs
from relax_lint.constraints.tables import builtin
from tests.cases import for_each
from tests.constraints.launches import facts_of
from tests.constraints.test_tables import CASES

DEFAULTS: Mapping[str, object] = {
    "off": False,
    "on": True,
    "none": None,
    "zero": 0,
    "one": 1,
    "word": "a",
    "hidden": UNKNOWN,
}


def of(text: str) -> list[list[str]]:
    return [sorted(names) for names in needs(text, DEFAULTS.__getitem__, lambda name: frozenset({name}))]


@for_each(
    ("text", "wanted"),
    [
        ("off", [["off"]]),
        ("off and none is not None", [["off"], ["none"]]),
        ('given("--a", "--b") and on', [["--a", "--b"]]),
        ('word == "b" and one == 2 and zero > 0 and one != 1', [["word"], ["one"], ["zero"], ["one"]]),
        ('word == "a" and one == 1 and one > 0 and zero != 1', []),
        ("not off and on and none is None", []),
        ("hidden and hidden is not None", []),
        ("off or on", []),
        ("(off or on) and off", [["off"]]),
        ("off and on or on", []),
        ("off and on if on else on", []),
        ("one in (off, 2) and max(off, 1) > 2", []),
        ("word == 'x and off and y'", []),
        ('word == "x and off and y"', [["word"]]),
        (r'word in ("\" and off and \"", "b")', []),
        ("off and (on and off)", [["off"]]),
    ],
)
def test_what_a_condition_needs(text: str, wanted: list[list[str]]) -> None:
    assert of(text) == wanted


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ('env("A") == "1"', True),
        ('on and env("A") is None', True),
        ('env("A") == "1" or env("B") == "1"', True),
        ('(env("A") == "1" and on) or (env("B") == "1")', True),
        ('on or env("A") == "1"', False),
        ('on and (off or env("A") == "1")', False),
        ("on", False),
    ],
)
def test_who_must_know_the_environment(text: str, asks: bool) -> None:
    assert asks_environment(text) is asks


@for_each("flags", sorted({flags for flags, _ in CASES} | {""}))
def test_what_is_left_alone_is_false(flags: str) -> None:
    facts, table = facts_of(flags), builtin()
    looked_at = {constraint.id for constraint, _ in table.concerned(facts)}
    for constraint, condition in table.concerned(facts, everything=True):
        if constraint.id in looked_at or (constraint.modes and facts.get("mode") not in constraint.modes):
            continue
        try:
            truth = condition.truth(facts)
        except Failed:
            continue
        assert is_hidden(truth) or truth is False, constraint.id


def test_most_conditions_are_left_alone() -> None:
    table = builtin()
    assert len(list(table.concerned(facts_of("--lr 1e-6")))) < len(table.constraints) / 5
