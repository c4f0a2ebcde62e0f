"""What columns hold over all rows."""

from __future__ import annotations

from typing import Any

from relax_lint.data_profile import MOST_VALUES, Column, Profile


def profile(*rows: dict[str, Any]) -> Profile:
    made = Profile()
    for row in rows:
        made.add(row)
    return made


def column(*values: Any) -> Column:
    return profile(*({"c": value} for value in values)).columns["c"]


def test_texts() -> None:
    found = column("a", "bcd", None, "a")
    assert (found.kind, found.seen, found.nulls) == ("string", 4, 1)
    assert (found.lengths.least, found.lengths.greatest, round(found.lengths.mean, 2)) == (1, 3, 1.67)
    assert found.values == {"a": 2, "bcd": 1}


def test_numbers_have_their_values_for_sizes() -> None:
    found = column(3, -1, 2.5)
    assert found.kind == "int/float"
    assert (found.lengths.least, found.lengths.greatest) == (-1, 3)


def test_many_values_are_not_kept() -> None:
    assert column(*map(str, range(MOST_VALUES))).values is not None
    assert column(*map(str, range(MOST_VALUES + 1))).values is None
    assert column("x" * 1000).values is None


def test_parts_of_nested_values() -> None:
    found = profile(
        {"prompt": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None}], "extra": {"index": 1}},
        {"prompt": [], "extra": None},
    )
    names = [part.name for top in found.columns.values() for part in top.walk()]
    assert names == ["prompt", "prompt[]", "prompt[].role", "prompt[].content", "extra", "extra.index"]
    prompt, extra = found.columns.values()
    assert (prompt.lengths.least, prompt.lengths.greatest) == (0, 2)
    assert prompt.parts["[]"].parts["role"].values == {"user": 1, "assistant": 1}
    assert prompt.parts["[]"].parts["content"].nulls == 1
    assert extra.nulls == 1


def test_what_a_row_lacks_is_null() -> None:
    found = profile({"a": 1}, {"b": 2}, {"a": 3, "b": 4})
    assert [(name, one.seen, one.nulls) for name, one in found.columns.items()] == [("a", 3, 1), ("b", 3, 1)]


def test_the_example_is_the_first_that_says_something_and_is_short() -> None:
    assert column(None, "", "x" * 1000, "y").example == "x" * 200
    assert column(b"", b"z" * 1000).example == b"z" * 200


def test_depth_and_breadth_are_bounded() -> None:
    deep: Any = 1
    for _ in range(50):
        deep = {"a": deep}
    wide = {str(number): number for number in range(10_000)}
    assert sum(1 for _ in column(deep).walk()) == 4
    assert sum(1 for _ in column(wide).walk()) <= 201
