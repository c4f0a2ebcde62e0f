"""Which rules are wanted."""

from __future__ import annotations

import pytest

from relax_lint.selection import Layer, UnknownRule, refuse_unknown, selected
from tests.cases import for_each
from tests.toy_rules import by_code, word_rule

RULES = by_code(
    word_rule("RLX101", "a", name="first"),
    word_rule("RLX102", "b", name="second"),
    word_rule("RLX401", "c", name="third"),
    word_rule("RLX411", "d", name="fourth"),
)
ALL = {"RLX101", "RLX102", "RLX401", "RLX411"}


@for_each(
    ("layers", "expected"),
    [
        ((), ALL),
        ((Layer(),), ALL),
        ((Layer(select=("ALL",)),), ALL),
        ((Layer(select=("RLX",)),), ALL),
        ((Layer(select=("RLX1",)),), {"RLX101", "RLX102"}),
        ((Layer(select=("rlx101", "third")),), {"RLX101", "RLX401"}),
        ((Layer(select=()),), set()),
        ((Layer(ignore=("RLX1",)),), {"RLX401", "RLX411"}),
        ((Layer(ignore=("RLX1",), extend_select=("RLX101",)),), ALL - {"RLX102"}),
        ((Layer(select=("RLX101",), ignore=("RLX1",)),), {"RLX101"}),
        ((Layer(select=("RLX1",), ignore=("RLX101",)),), {"RLX102"}),
        ((Layer(select=("RLX1",), ignore=("RLX1",)),), set()),
        ((Layer(select=("RLX101",), ignore=("first",)),), set()),
        ((Layer(select=("ALL",), ignore=("ALL",), extend_select=("RLX4",)),), {"RLX401", "RLX411"}),
        ((Layer(select=("RLX1",)), Layer(extend_select=("RLX401",))), {"RLX101", "RLX102", "RLX401"}),
        ((Layer(select=("RLX1",), ignore=("RLX101",)), Layer(select=("RLX101", "RLX4"))), ALL - {"RLX102"}),
        ((Layer(ignore=("RLX401",)), Layer(extend_select=("RLX4",))), ALL),
        ((Layer(select=("RLX401",)), Layer(ignore=("RLX4",))), set()),
    ],
)
def test_layers_select(layers: tuple[Layer, ...], expected: set[str]) -> None:
    assert selected(layers, RULES) == expected


@pytest.mark.parametrize(
    ("selector", "hint"),
    [("RLX9", "`relax-lint rule --all`"), ("forth", "did you mean fourth?"), ("E501", "rule --all")]
    + [(code, "; `relax-lint rule --all`") for code in ("RLX9", "rlx9", "RLX99", "RLX999", "RL", "RX4")]
    + [(slip, "did you mean RLX411?") for slip in ("RXL411", "RL411", "RLX4l1")],
)
def test_what_fits_no_rule_is_refused_with_a_hint(selector: str, hint: str) -> None:
    with pytest.raises(UnknownRule) as refused:
        refuse_unknown(["RLX1", "ALL", "third", selector], RULES)
    assert selector in str(refused.value)
    assert hint in str(refused.value)
