from __future__ import annotations

from functools import reduce

from relax_lint.shell.needs import MOST_ALTERNATIVES, Needs, common
from tests.cases import for_each


@for_each(
    ("ways", "needed"),
    [
        ([("a", "b"), ("a", "b")], ("a", "b")),
        ([("a", "b"), ("a",)], ("a",)),
        ([("a",), ("! a",)], ()),
        ([("x", "a"), ("x", "! a")], ("x",)),
        ([("a",), ("b",)], ("a or b",)),
        ([("! a",), ("a", "! b")], ("! a or ! b",)),
        ([("! a",), ("a", "! b"), ("a", "b")], ()),
        ([("a", "b"), ("a", "! b"), ("! a", "b"), ("! a", "! b")], ()),
        ([("x", "a", "b"), ("x", "c"), ("x", "! a")], ("x", "b or c or ! a")),
        ([("a", "b"), ("c",), ()], ()),
        ([("x", "a"), ("x", "! a", "b"), ("x", "! a", "! b", "c")], ("x", "a or b or c")),
    ],
)
def test_what_several_ways_need(ways: list[Needs], needed: Needs) -> None:
    assert reduce(common, ways) == needed


def test_too_many_ways_need_only_what_all_need() -> None:
    ways: list[Needs] = [("x", f"a{number}") for number in range(MOST_ALTERNATIVES + 1)]
    assert reduce(common, ways) == ("x",)
