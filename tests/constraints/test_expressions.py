"""Conditions: what they can say, and three truth values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from relax_lint.catalog.hidden import Hidden, is_hidden
from relax_lint.constraints.expressions import Expression, ExpressionError, Failed, NotKnown, askers
from relax_lint.shell.launch import Word
from tests.cases import for_each
from tests.constraints.launches import facts_of

HIDDEN = Hidden([Word("$A")])
OTHER = Hidden([Word("$B")])


class Values:
    """The names of a test."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = {**askers(self), **values}

    def __getitem__(self, name: str) -> Any:
        value = self.values[name]
        if is_hidden(value):
            raise NotKnown(value)
        return value


NAMES = Values(
    {
        "t": True, "f": False, "u": HIDDEN, "v": OTHER, "none": None, "two": 2, "text": "abc", "roles": {"actor": 8},
        "given --x": True, "given --y": False, "given --z": HIDDEN, "env HOME": "/root",
    }
)  # fmt: skip


def shown(text: str) -> object:
    value = Expression(text).value(NAMES)
    return [word.text for word in value.words] if is_hidden(value) else value


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        ("t", "t", True, True),
        ("t", "f", False, True),
        ("f", "t", False, True),
        ("f", "f", False, False),
        ("t", "u", ["$A"], True),
        ("u", "t", ["$A"], True),
        ("f", "u", False, ["$A"]),
        ("u", "f", False, ["$A"]),
        ("u", "v", ["$A", "$B"], ["$A", "$B"]),
    ],
)
def test_and_and_or(left: str, right: str, both: object, either: object) -> None:
    assert shown(f"{left} and {right}") == both
    assert shown(f"{left} or {right}") == either


@for_each(
    ("text", "value"),
    [
        ("not t", False),
        ("not u", ["$A"]),
        ("u == 2", ["$A"]),
        ("u is None", ["$A"]),
        ("none is None", True),
        ("two + 3 * 2 // 4 - 1", 2),
        ("-two % 3", 1),
        ("7 / two", 3.5),
        ("1 < two <= 2", True),
        ("3 < two < u", False),
        ("1 < two < u", ["$A"]),
        ("two in (1, 2)", True),
        ('text not in ("x", "abc")', False),
        ('"actor" in roles and roles["actor"] == 8', True),
        ("1 if t else u", 1),
        ("1 if u else 1", 1),
        ("1 if u else 2", ["$A"]),
        ("v if u else 2", ["$A", "$B"]),
        ("(two, u)", ["$A"]),
        ('given("--x")', True),
        ('given("--y", "--x")', True),
        ('given("--y", "--z")', ["$A"]),
        ('given("--x", "--z")', True),
        ('env("HOME") == "/root"', True),
        ("len(text) + max(two, 1)", 5),
        ('startswith(text, "ab") and endswith(text, "c")', True),
        ('is_json("{}") and not is_json("{") and not is_json(none)', True),
        ('is_integer("5") and not is_integer(text)', True),
        ("is_number(two) and not is_number(t)", True),
        ("len(u) > 1", ["$A"]),
        ("\n t\n and f", False),
    ],
)
def test_values(text: str, value: object) -> None:
    assert shown(text) == value


def test_a_part_that_fails_behind_an_unknown_one_stays_unknown() -> None:
    assert shown("u and none < 3") == ["$A"]
    assert shown("none is not None and none < 3") is False


@pytest.mark.parametrize("text", ["none < 3", "two // 0", "text + two", 'roles["rollout"]', "int(text)", "len(two)"])
def test_values_that_do_not_fit_fail(text: str) -> None:
    with pytest.raises(Failed):
        Expression(text).value(NAMES)


@for_each(
    ("text", "offset", "part"),
    [
        ("lr > ", 5, "not a condition"),
        ("lr > 1 )", 7, "not a condition"),
        ("lr.real > 1", 0, "an attribute"),
        ("t and [x for x in y]", 6, "a comprehension"),
        ("lambda: 1", 0, "a lambda"),
        ("t and open('x')", 6, "no function open"),
        ("t and len", 6, "len is a function"),
        ("lr is 3", 6, "`is`"),
        ("two ** 9", 0, "cannot stand"),
        ("text[0:1]", 0, "a slice"),
        ("given(lr)", 0, 'given("--flag"'),
        ('given("lr")', 6, "a flag begins with --"),
        ('env("A", "B")', 0, 'env("NAME")'),
        ('"é" == "e" and lr.real', 15, "an attribute"),
        ("t and\n  lr.real", 8, "an attribute"),
        ("b'x' == 1", 0, "only text"),
        ("{}", 0, "a dict"),
        ("len(x=1)", 0, "only plain calls"),
        ("  lr.real", 2, "an attribute"),
    ],
)
def test_what_is_no_condition_is_refused_where_it_stands(text: str, offset: int, part: str) -> None:
    with pytest.raises(ExpressionError) as error:
        _ = Expression(text).tree
    assert error.value.offset == offset
    assert part in str(error.value)


@pytest.mark.parametrize("text", ["(" * 300 + ")" * 300, "not " * 5000 + "t", "x" * 5000, "\0"])
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        _ = Expression(text).tree


def test_names() -> None:
    names = Expression('lr > len(prompt_data) and given("--x") or env("HOME") is None').names
    assert names == {"lr", "prompt_data", "given --x", "env HOME"}


@for_each(
    ("condition", "flags", "expected"),
    [
        ("save is None", '--save "$DIR"', False),
        ("save is not None", "--save $DIR", True),
        ('save == ""', "--save $DIR/run", False),
        ("not save", "--save $DIR/run", False),
        ("bool(save)", '--save "$DIR/run"', True),
        ("save or load", "--save $DIR/run", True),
        ("save is None or load", "--save $DIR --load /c", True),
        ("1 if save else 0", "--save x$DIR", True),
        ("eval_prompt_data is None", "--eval-prompt-data a $DIR/b", False),
        ("len(eval_prompt_data) % 2 == 1", "--eval-prompt-data a $DIR/b", False),
        ("len(eval_prompt_data) == 2", '--eval-prompt-data a "$B"', True),
        ("num_rollout is None", "--num-rollout $N", False),
    ],
)
def test_a_hidden_value_is_there_and_partly_known_text_is_not_empty(condition: str, flags: str, expected: bool) -> None:
    assert Expression(condition).truth(facts_of(flags)) is expected


@pytest.mark.parametrize(
    ("condition", "flags"),
    [
        ("not save", '--save "$DIR"'),
        ('save == ""', "--save $DIR"),
        ("len(eval_prompt_data) == 2", "--eval-prompt-data a $B"),
        ("num_rollout == 0", "--num-rollout $N"),
        ("not num_rollout", "--num-rollout 1$N"),
    ],
)
def test_what_a_hidden_value_may_be_stays_open(condition: str, flags: str) -> None:
    assert is_hidden(Expression(condition).truth(facts_of(flags)))


@pytest.mark.parametrize(
    ("condition", "flags"),
    [
        ("bad_agent_env is None", '--agent-env A=1 "B=$HOME/x"'),
        ("bool(dead_config_keys)", "--ref-actor-config '{\"lr\": '$LR'}'"),
        ("len(unknown_media) == 0", "--multimodal-keys '{\"image\": \"'$COLUMN'\"}'"),
    ],
)
def test_what_is_known_of_an_argument_is_not_known_of_what_is_made_of_it(condition: str, flags: str) -> None:
    assert is_hidden(Expression(condition).truth(facts_of(flags)))
