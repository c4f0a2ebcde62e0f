"""Models that a verl script makes between its launches, of checkpoints that an earlier one has saved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relax_lint.migrate.derived.checkpoint import PLACE
from relax_lint.migrate.derived.intervals import saves
from relax_lint.migrate.model_match import MODEL_PATH
from relax_lint.migrate.plan import Plan, Todo
from relax_lint.migrate.readings import given, shown
from relax_lint.records import changed

if TYPE_CHECKING:
    from relax_lint.migrate.exported import Left
    from relax_lint.migrate.settings import Settings

_MERGER = re.compile(r"\bmodel_merger\b")
_HOW = "make it of a checkpoint of Relax's (--save-hf of the run that saves it writes models of this form)"


def told_of_models(plans: Sequence[Plan], left: Sequence[Left]) -> list[Plan]:
    """The plans of launches one after another, with what the user has to do for models that nobody makes any more."""
    mergers = [each for each in left if _MERGER.search(_written(each))]
    told: list[Plan] = []
    earlier: list[Settings] = []
    for made in plans:
        path = shown(made.settings.value(MODEL_PATH))
        by = next((each for each in mergers if _names(each, path)), None)
        if by is not None:
            mergers = [each for each in mergers if each is not by]
            told.append(_with(made, f"the script makes it by `{by.text}`, which is not carried over"))
        elif any(_is_below(path, one) for one in earlier):
            told.append(_with(made, "it lies where an earlier run saves its checkpoints, and nothing puts it there"))
        else:
            told.append(made)
        earlier.append(made.settings)
    others = [Todo(f"`{each.text}` makes a model of a checkpoint of verl's: {_HOW}") for each in mergers]
    return [changed(made, todos=[*made.todos, *others]) for made in told] if others else told


def _with(made: Plan, reason: str) -> Plan:
    path = shown(made.settings.value(MODEL_PATH))
    todo = Todo(f"{MODEL_PATH}={path}: {reason}; {_HOW} before this run starts", (MODEL_PATH,))
    return changed(made, todos=[*made.todos, todo])


def _written(left: Left) -> str:
    return left.place.source.text[left.place.start : left.place.end]


def _names(left: Left, path: str) -> bool:
    return re.search(rf"(?<![\w/.-]){re.escape(path)}/?(?![\w/.-])", _written(left)) is not None


def _is_below(path: str, settings: Settings) -> bool:
    place = shown(settings.value(PLACE)).rstrip("/")
    return saves(settings) and given(settings, PLACE) and path.startswith(f"{place}/")
