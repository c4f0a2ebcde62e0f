from __future__ import annotations

import inspect

import pytest

from tests.cases import for_each


def test_all_cases_that_fail_are_named_with_what_they_say() -> None:
    tried = []

    @for_each("number, other", [(1, 1), (2, 3), (4, 0), (5, 5)])
    def alike(number: int, other: int) -> None:
        tried.append(number)
        if other == 0:
            pytest.fail("nothing")
        assert number == other

    with pytest.raises(AssertionError) as failure:
        alike()
    assert tried == [1, 2, 4, 5]
    said = str(failure.value).splitlines()
    assert said[0] == "2 of 4 cases fail:"
    assert "number=2, other=3: AssertionError: assert 2 == 3" in said[1]
    assert [line for line in said if "number=4, other=0: Failed: nothing" in line]


def test_tables_on_top_of_each_other_are_tried_in_all_pairs_and_fixtures_come_through() -> None:
    tried = []

    @for_each("letter", "ab", ids=["A", "B"])
    @for_each("number", [1, 2], ids=str)
    def pair(letter: str, number: int, fixture: str) -> None:
        tried.append(f"{letter}{number}{fixture}")
        assert (letter, number) != ("b", 2)

    assert list(inspect.signature(pair).parameters) == ["fixture"]
    with pytest.raises(AssertionError, match=r"1 of 2 cases fail:\n1\. B: AssertionError: 1 of 2 cases fail:\n1\. 2: "):
        pair(fixture="x")
    assert tried == ["a1x", "a2x", "b1x", "b2x"]


def test_an_empty_table_is_an_error() -> None:
    with pytest.raises(AssertionError, match="no number to try"):
        for_each("number", [])
