"""The choices of flags of which something comes: parsers take some that no mode of Relax runs."""

from __future__ import annotations

from collections.abc import Iterable

_RUN_BY_NO_MODE = {
    "--advantage-estimator": frozenset({"ppo", "reinforce_plus_plus", "reinforce_plus_plus_baseline"}),
}


def choices_that_run(option: str, choices: Iterable[object]) -> list[str]:
    """The choices of a flag, as they are written, without those that RLX505 refuses in every mode."""
    never = _RUN_BY_NO_MODE.get(option, frozenset())
    return [text for text in map(str, choices) if text not in never]
