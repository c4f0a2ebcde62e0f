"""Constraints that teams write."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from relax_lint.constraints.schema import SchemaError, from_table
from tests.cases import for_each

TABLE = {"id": "team-lr", "when": "lr > 1e-5", "message": "our learning rates are small"}


def test_a_table_becomes_a_constraint() -> None:
    made = from_table({**TABLE, "modes": ["async"], "flags": ["--lr"], "kind": "no-effect", "severity": "A"})
    assert (made.id, made.modes, made.flags, made.code, made.severity) == (
        "team-lr",
        ("async",),
        ("--lr",),
        "RLX508",
        "A",
    )
    assert from_table(TABLE).code == "RLX505"


@for_each(
    ("changed", "key", "part"),
    [
        ({"id": None}, "id", "missing"),
        ({"when": None}, "when", "missing"),
        ({"when": "lr >"}, "when", "not a condition"),
        ({"when": 5}, "when", "is a text"),
        ({"message": " "}, "message", "is empty"),
        ({"message": "a\x1b[31m"}, "message", "cannot be printed"),
        ({"id": "a\nb]"}, "id", "letters"),
        ({"when": ""}, "when", "is empty"),
        ({"fix": "remove it"}, "fix", "drop --flag"),
        ({"kind": "error"}, "kind", "one of refusal"),
        ({"severity": "X"}, "severity", "one of E, W, A"),
        ({"modes": ["rl"]}, "modes", "no mode rl"),
        ({"modes": "async"}, "modes", "list"),
        ({"flags": [1]}, "flags", "list"),
        ({"whem": "lr"}, "whem", "no such key"),
        ({"stage": "start"}, "stage", "no such key"),
    ],
)
def test_what_is_none_is_refused_by_key(changed: Mapping[str, object], key: str, part: str) -> None:
    table = {name: value for name, value in {**TABLE, **changed}.items() if value is not None}
    with pytest.raises(SchemaError) as error:
        from_table(table)
    assert error.value.key == key
    assert part in error.value.message


def test_the_place_in_the_condition_is_told() -> None:
    with pytest.raises(SchemaError) as error:
        from_table({**TABLE, "when": "lr > 1 and x.y"})
    assert error.value.offset == 11
