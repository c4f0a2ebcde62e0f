"""Values that argparse does not take, said better than argparse says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.constraints.facts import Facts

REPORTED_BY_THEIR_OWN_RULES = {
    "--resource": "RLX412",
    "--ref-actor-config": "RLX411",
    "--kl-loss-type": "RLX417",
}
"""Flags whose badly spelt value a rule of their own reports, and which."""


def is_about_spelling(option: str, dest: str, condition: str) -> bool:
    """Whether a constraint is that the parsers take each value of a flag."""
    return option in REPORTED_BY_THEIR_OWN_RULES and condition == f"{dest}_fault is not None"


def fault_of(facts: Facts, option: str) -> str | None:
    """Why the parsers stop at a flag; ``None`` when they take it."""
    for problem in facts.namespace.problems:
        if problem.option == option:
            return problem.message
    return None


def json_fault_of(facts: Facts, option: str) -> str | None:
    """The same for a flag that takes a JSON object: bash often takes one apart first."""
    message = fault_of(facts, option)
    if message is None:
        return None
    argument = facts.namespace.refused(option)
    values = () if argument is None else argument.own_values
    if len(values) > 1 and values[0].text.startswith("{"):
        return f"takes one JSON object, which bash splits into {len(values)} words here: quote it"
    return f"takes one JSON object: {message}"
