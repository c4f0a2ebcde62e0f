"""Conditions of a launch in words: a choice between several is bracketed, so that it can be read in one way only."""

from __future__ import annotations

from collections.abc import Sequence

from relax_lint.shell.needs import Either

WIDEST = 100
"""How long a condition may be for people; where more is wanted, JSON has it whole."""


def whole(condition: str) -> str:
    """All of a condition."""
    return " or ".join(_alternatives(condition))


def short(condition: str) -> str:
    """A condition on one line of bounded length; what is left out is an ellipsis."""
    text = _one_line(whole(condition))
    if len(text) <= WIDEST:
        return text
    kept: list[str] = []
    for alternative in map(_one_line, _alternatives(condition)):
        if len(" or ".join([*kept, alternative, "…"])) > WIDEST:
            break
        kept.append(alternative)
    return " or ".join([*kept, "…"]) if kept else f"{text[: WIDEST - 1].rstrip()}…"


def joined(conditions: Sequence[str]) -> str:
    """Conditions that must all hold, shortened."""
    several = len(conditions) > 1
    return " and ".join(
        f"({short(condition)})" if several and isinstance(condition, Either) else short(condition)
        for condition in conditions
    )


def _alternatives(condition: str) -> list[str]:
    if not isinstance(condition, Either):
        return [condition]
    return [f"({' and '.join(needs)})" if len(needs) > 1 else needs[0] for needs in condition.alternatives]


def _one_line(text: str) -> str:
    return " ".join(text.split())
