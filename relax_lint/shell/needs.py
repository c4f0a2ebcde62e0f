"""What has to hold for a way through a script: conditions in order, the last perhaps a choice between several."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

Needs = tuple[str, ...]

MOST_ALTERNATIVES = 6


class Either(str):
    """One of several lists of conditions, spelled out."""

    alternatives: tuple[Needs, ...]

    @classmethod
    def of(cls, alternatives: tuple[Needs, ...]) -> Either:
        """The choice between these."""
        made = cls(" or ".join(" and ".join(needs) for needs in alternatives))
        made.alternatives = alternatives
        return made


def common(left: Needs, right: Needs) -> Needs:
    """What is needed to come one way or the other: what both need, and what either needs besides."""
    if left == right:
        return left
    shared = tuple(item for item in left if item in right)
    rests = [tuple(item for item in needs if item not in shared) for needs in (left, right)]
    if not all(rests):
        return shared
    alternatives = _simplified([*_spread(rests[0]), *_spread(rests[1])])
    if not alternatives or len(alternatives) > MOST_ALTERNATIVES:
        return shared
    return shared + (alternatives[0] if len(alternatives) == 1 else (Either.of(alternatives),))


def _spread(needs: Needs) -> Iterable[Needs]:
    """The lists of plain conditions that a list with choices in it stands for."""
    choices = [item.alternatives if isinstance(item, Either) else ((item,),) for item in needs]
    return (tuple(item for part in parts for item in part) for parts in product(*choices))


def _simplified(alternatives: list[Needs]) -> tuple[Needs, ...]:
    """Fewer lists that say the same; none when there is nothing to need."""
    found = list(dict.fromkeys(alternatives))
    while True:
        merged = _without_one_question(found)
        if merged is None:
            kept = [needs for needs in found if not any(set(other) < set(needs) for other in found)]
            return () if () in kept else tuple(kept)
        found = list(dict.fromkeys(merged))


def _without_one_question(found: list[Needs]) -> list[Needs] | None:
    """The lists with two made one that differ in the answer to one question, or without what another answers alone:
    ``a or ! a and b`` is ``a or b``. ``None`` when nothing can be left out."""
    for index, needs in enumerate(found):
        for at, item in enumerate(needs):
            without = (*needs[:at], *needs[at + 1 :])
            opposite = _opposite(item)
            for other in found[index + 1 :]:
                if opposite in other and set(other) - {opposite} == set(without):
                    return [without, *(each for each in found if each is not needs and each is not other)]
    asked = {_opposite(needs[0]) for needs in found if len(needs) == 1}
    told = [tuple(item for item in needs if item not in asked) if len(needs) > 1 else needs for needs in found]
    return told if told != found else None


def _opposite(condition: str) -> str:
    return condition[2:] if condition.startswith("! ") else f"! {condition}"
