"""What is kept with a thing is worked out once, and goes away with it."""

from __future__ import annotations

import gc
import weakref
from itertools import count

from relax_lint.attached import attached


class Thing:
    """Something to ask about."""


def test_an_answer_is_worked_out_once_for_each_thing_and_question() -> None:
    times = count()

    @attached
    def number(thing: Thing, name: str = "") -> int:
        return next(times)

    one, other = Thing(), Thing()
    assert [number(one), number(one), number(other), number(one, "x"), number(one, "x")] == [0, 0, 1, 2, 2]


def test_nothing_is_held_by_what_is_known_of_it() -> None:
    @attached
    def itself(thing: Thing) -> list[Thing]:
        return [thing]

    one = Thing()
    assert itself(one) == [one]
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None
