"""Several launches of one script: what they share, and what tells each from the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from relax_lint.migrate.values import Template
from relax_lint.migrate.written import plain_name
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.plan import Passed, Plan

_NAMES = ("--tb-experiment-name", "--wandb-group", "--clearml-task-name", "--save", "--load")
"""Flags that follow from what a run is called; others name it better."""


@record
class Run:
    """One launch: its name among the others, its plan, and the arguments that not all have."""

    name: str
    plan: Plan
    own: tuple[Passed, ...]


def common_to(plans: Sequence[Plan]) -> list[Passed]:
    """The arguments that all launches have, as the first has them."""
    others = [set(map(_meaning, plan.passed)) for plan in plans[1:]]
    return [passed for passed in plans[0].passed if all(_meaning(passed) in other for other in others)]


def named_runs(plans: Sequence[Plan]) -> list[Run]:
    """The launches with what is their own."""
    common = set(map(_meaning, common_to(plans)))
    own = [tuple(passed for passed in plan.passed if _meaning(passed) not in common) for plan in plans]
    names = [_name(passed) for passed in own]
    if not all(names) or len(set(names)) < len(names):
        names = [f"run{number}" for number in range(1, len(plans) + 1)]
    return [Run(name, plan, passed) for name, plan, passed in zip(names, plans, own, strict=True)]


def _meaning(passed: Passed) -> tuple[object, ...]:
    return passed.flag, passed.values, passed.modes


def _name(own: Iterable[Passed]) -> str:
    """A name of what differs: ``lr-1e-6-seed-2``; empty when that says nothing."""
    telling = [passed for passed in own if passed.flag not in _NAMES and passed.modes == "both"]
    pieces = [f"{passed.flag[2:]}-{'-'.join(map(_shown, passed.values))}" for passed in telling]
    return plain_name("-".join(pieces)) if len(pieces) <= 2 else ""


def _shown(value: str | Template) -> str:
    return value if isinstance(value, str) else value.quoted
