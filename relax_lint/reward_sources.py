"""Where a launch that registers no reward function may get its rewards from all the same."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from relax_lint.constraints.reporting import judged
from relax_lint.generates import AGENTIC, GenerateUse, generate_uses
from relax_lint.named_configs import CUSTOM, named_config
from relax_lint.records import record
from relax_lint.shell.queries import NotKnown

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Exit, Function
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

METADATA = "--metadata-key"
UNREGISTERED = frozenset({"reward-source-missing", "reward-source-unclear"})
"""The constraints that a launch without a reward function violates."""
_IN_METADATA = "rm_type"
_NO_REWARD_WANTED = frozenset({"status=ABORTED", "status=?"})
"""Samples that are aborted are generated again and get no reward."""

Gives = Literal["a reward", "none", "unknown"]


@record
class Ending:
    """A way out of a generate function, and whether the sample has a reward then."""

    way: Exit
    gives: Gives


def is_unregistered(launch: Launch, project: Project) -> bool:
    """Whether a launch certainly has neither ``--custom-rm-path`` nor ``--rm-type``."""
    return any(one.constraint.id in UNREGISTERED for one in judged(launch, project).violations("RLX408"))


def scores_groups(launch: Launch, project: Project) -> bool:
    """Whether whole groups are scored, over whatever reward a sample has already."""
    return judged(launch, project).facts.overlaid().get("group_rm") is True


def may_be_in_metadata(launch: Launch, project: Project) -> bool:
    """Whether rows may name their reward in their metadata: the data does, or where that is not here, the launch says
    which column that is, or code of the recipe mentions the key."""
    recipe = project.recipe_of(launch.script)
    if recipe is not None and any(_IN_METADATA in source.text for source in recipe.python):
        return True
    rows = _metadata_rows(launch, project)
    if rows:
        return all(isinstance(row, dict) and row.get(_IN_METADATA) for row in rows)
    return launch.may_have(METADATA)


def _metadata_rows(launch: Launch, project: Project) -> list[object]:
    """The metadata of some rows that are trained on, where these are here."""
    from relax_lint.datasets import datasets_of

    use = next((use for use in datasets_of(launch, project) if use.role == "train" and use.columns), None)
    key = None if use is None else use.keys.metadata
    if use is None or not isinstance(key, str):
        return []
    if key in use.columns:
        return [row.get(key) for row in use.sample(key)]
    return [None] if use.sample(*list(use.columns)[:1]) else []


def hidden_config(launch: Launch, project: Project) -> str | None:
    """The config of a launch, where nobody knows what that sets."""
    try:
        named = named_config(launch, project, CUSTOM)
    except NotKnown as hidden:
        return hidden.because
    return None if named is None or named.source is not None else named.text


def generate_of(launch: Launch, project: Project) -> GenerateUse | None:
    """The generate function of a launch that trains."""
    return next((use for use in generate_uses(launch, project) if not use.evaluates), None)


def is_agentic(launch: Launch) -> bool:
    """Whether an agent of one's own plays the episodes, and may say what they are worth."""
    return launch.has(AGENTIC)


def endings(use: GenerateUse) -> list[Ending] | None:
    """The ways out of the function that generates samples; ``None`` when they are too many to be followed, or it is not
    known which function that is."""
    if not use.functions:
        return None
    found: list[Ending] = []
    for function in use.functions:
        here = _endings(use, function)
        if here is None:
            return None
        found += here
    return found


def never_rewards(use: GenerateUse) -> bool:
    """Whether nothing in or behind the function ever stores a reward."""
    return bool(use.functions) and not may_be_stored(use, "reward")


def may_be_stored(use: GenerateUse, name: str) -> bool:
    """Whether a sample may get an attribute by anything that the function leads to."""
    from relax_lint.calls.entries import Entry
    from relax_lint.recipe_readings import hands_samples_outside
    from relax_lint.sample_stores import may_store

    def answer() -> bool:
        if use.module is None or any(may_store(one.source.path, name, use.interpreter) for one in use.functions):
            return True
        return hands_samples_outside(Entry("generate", use.module, use.name), use.project)

    return use.once(("may be stored", use.dotted, name), answer)


def _endings(use: GenerateUse, function: Function) -> list[Ending] | None:
    def answer() -> list[Ending] | None:
        exits = use.interpreter.outcomes_with_stores(function, use.arguments(function))
        return None if exits is None else [Ending(way, _gives(way, use)) for way in exits]

    return use.once(("endings", function), answer)


def _gives(way: Exit, use: GenerateUse) -> Gives:
    from relax_lint.flow.stores import OUTSIDE, UNSEEN

    if "reward" in way.stored or way.stored & _NO_REWARD_WANTED or _is_of_aborted(way):
        return "a reward"
    if OUTSIDE in way.stored:
        return "unknown"
    return "unknown" if UNSEEN in way.stored and may_be_stored(use, "reward") else "none"


def _is_of_aborted(way: Exit) -> bool:
    """Whether a way is for samples that are aborted, or have a reward already, as a condition around it says."""
    for holder in way.source.ancestors(way.node):
        if isinstance(holder, (ast.If, ast.Match)):
            test = way.source.segment(holder.test if isinstance(holder, ast.If) else holder.subject)
            if "abort" in test.lower() or "reward" in test or "status" in test:
                return True
    return False
