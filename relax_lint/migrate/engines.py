"""Whether the configuration is that of the engine that trains: each has settings that the others have not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Refusal, Step, Todo
from relax_lint.migrate.readings import REF, A, below, text
from relax_lint.migrate.settings import NOT_THERE

if TYPE_CHECKING:
    from relax_lint.migrate.settings import Settings

STRATEGY = f"{A}.strategy"
_PARTS = {
    "fsdp": "fsdp_config",
    "fsdp2": "fsdp_config",
    "megatron": "megatron",
    "veomni": "veomni",
    "torchtitan": "torchtitan",
}
"""Where the settings of a strategy are, below the actor's."""
_CHOICE = "model_engine"


def refuse_other_engines(settings: Settings) -> None:
    """Raise a refusal for settings of an engine of which the configuration has nothing: Hydra refuses them, and how
    the model was meant to be divided is not known then."""
    if all(setting.problem != NOT_THERE for setting in settings.leaves.values()):
        return
    for part in dict.fromkeys(_PARTS.values()):
        for whose in (A, REF):
            there = [settings.leaves[key] for key in below(settings, f"{whose}.{part}")]
            refused = next((setting for setting in there if setting.problem == NOT_THERE), None)
            if refused is not None and all(setting.origin == "command line" for setting in there):
                raise Refusal(
                    f"Hydra refuses {refused.given}: there is no {whose}.{part} in this configuration of verl "
                    f"{settings.version}, which is another engine's: {_chosen_by(part, settings)}",
                    refused.key,
                    refused.place,
                )


def told_of_engine(settings: Settings) -> Iterator[Step]:
    """What is to be known where the strategy is one that verl cannot start with this configuration."""
    strategy = text(settings, STRATEGY)
    if strategy is None or any(below(settings, f"{A}.{_PARTS.get(strategy, '')}")):
        return
    part = _PARTS.get(strategy)
    if part is None:
        yield Todo(f"{STRATEGY}={strategy}: verl has no such strategy, see what was meant", (STRATEGY,))
    else:
        yield Todo(
            f"{STRATEGY}={strategy}: verl fails for want of {A}.{part} ({_chosen_by(part, settings)}); how the model "
            "is divided is chosen for its size",
            (STRATEGY,),
        )


def _chosen_by(part: str, settings: Settings) -> str:
    if _CHOICE in settings.leaves:
        return f"{_CHOICE}={'dp' if part == 'fsdp_config' else part} chooses the one that has it"
    name = {"fsdp_config": "ppo_trainer", "megatron": "ppo_megatron_trainer"}.get(part)
    return f"--config-name={name} has it" if name else "another verl has one"
