"""Conditions of a launch in words: a choice between several is bracketed, so that it can be read in one way only."""

from __future__ import annotations

from collections.abc import Sequence

from relax_lint.shell.needs import Either

WIDEST = 100
"""How long a condition may be for people; where more is wanted, JSON has it whole."""


def whole(condition: str) -> str:
    """All of a condition."""
    return " or ".join(_alternatives(condition))


def short(condition: str, widest: int = WIDEST) -> str:
    """A condition on one line of bounded length; what is left out is an ellipsis."""
    text = one_line(whole(condition))
    if len(text) <= widest:
        return text
    kept: list[str] = []
    for alternative in map(one_line, _alternatives(condition)):
        if len(" or ".join([*kept, alternative, "…"])) > widest:
            break
        kept.append(alternative)
    return " or ".join([*kept, "…"]) if kept else f"{text[: widest - 1].rstrip()}…"


def joined(conditions: Sequence[str]) -> str:
    """Conditions that must all hold, shortened: the more there are, the shorter each."""
    if len(conditions) == 1:
        return short(conditions[0])
    parts = [(condition, short(condition, max(40, WIDEST // 2))) for condition in conditions]
    return " and ".join(f"({part})" if isinstance(condition, Either) else part for condition, part in parts)


def _alternatives(condition: str) -> list[str]:
    if not isinstance(condition, Either):
        return [condition]
    return [f"({' and '.join(needs)})" if len(needs) > 1 else needs[0] for needs in condition.alternatives]


def one_line(text: str) -> str:
    """A text with its ends of lines as blanks."""
    return " ".join(text.split())
