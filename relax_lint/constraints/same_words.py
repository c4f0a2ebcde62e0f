"""What the constraints say of a launch, told of another with the same words, which stand somewhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.constraints.engine import Judgement
from relax_lint.records import changed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lint.shell.launch import Argument, Launch, Word


def words_of(launch: Launch) -> tuple[object, ...]:
    """All of a launch that the constraints look at: equal ones are judged alike."""
    return launch.kind, launch.script, tuple(map(_without_place, launch.argv))


def _without_place(word: Word) -> tuple[object, ...]:
    return word.text, word.unknowns, word.defaults, word.default_texts, word.spans, word.assumed


def told_of(judgement: Judgement, before: Launch, now: Launch) -> Judgement | None:
    """What was said of a launch, of one with the same words; ``None`` where it speaks of words that neither passes."""
    here: dict[int, Word] = dict(zip(map(id, before.argv), now.argv, strict=True))

    def words(there: Iterable[Word]) -> tuple[Word, ...]:
        return tuple(here[id(word)] for word in there)

    def arguments(there: Iterable[Argument]) -> tuple[Argument, ...]:
        return tuple(changed(one, values=words(one.values), word=here[id(one.word)]) for one in there)

    try:
        return Judgement(
            [changed(one, arguments=arguments(one.arguments)) for one in judgement.violations],
            [changed(one, words=words(one.words)) for one in judgement.undecided],
            judgement.refused,
        )
    except KeyError:
        return None
