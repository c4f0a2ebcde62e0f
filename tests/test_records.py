"""Records and nodes take and keep their fields as dataclasses do."""

from __future__ import annotations

import inspect

import pytest

from relax_lint.records import changed, field, node, record


@record
class Point:
    x: int
    y: int = 2
    seen: bool = field(default=False, kw_only=True, compare=False)


@record
class Named(Point):
    name: str = "a"


@node
class Counter:
    counts: int
    label: str = ""


def test_fields_are_given_by_position_or_by_name_and_have_defaults() -> None:
    assert Point(1) == Point(1, 2) == Point(x=1, y=2)
    assert repr(Named(1, name="b")) == "Named(x=1, y=2, seen=False, name='b')"
    assert str(inspect.signature(Named)) == "(x, y=2, name='a', *, seen=False)"


def test_fields_of_one_number_do_not_get_into_each_other() -> None:
    counter = Counter(3, "of")
    assert (counter.counts, counter.label) == (3, "of")
    counter.counts += 1
    assert (counter.counts, Counter(3).counts) == (4, 3)
    assert not hasattr(counter, "x")


def test_what_does_not_count_is_left_out_of_comparisons() -> None:
    assert Point(1, seen=True) == Point(1)
    assert hash(Point(1, seen=True)) == hash(Point(1))
    assert changed(Point(1, seen=True), y=5).seen


@pytest.mark.parametrize("arguments", [(), (1, 2, True)])
def test_arguments_that_do_not_fit_are_refused_by_name(arguments: tuple[int, ...]) -> None:
    with pytest.raises(TypeError, match=r"'x'|positional arguments"):
        Point(*arguments)


def test_a_default_in_front_of_a_field_without_one_is_refused() -> None:
    with pytest.raises(TypeError, match="without a default"):

        @record
        class Wrong:
            first: int = 1
            second: str  # type: ignore[misc]
