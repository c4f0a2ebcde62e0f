"""What kind of recipe a launch is of, as the guide's decision tree tells them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from relax_lint.catalog.relax_defaults import DEBUG_FLAGS

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch

Kind = Literal["single-turn", "multi-turn", "own"]

GENERATE = "--custom-generate-function-path"
_OF_THEIR_OWN = ("--use-agentic-rollout", "--use-opd", "--genrm-model-path", *DEBUG_FLAGS)
_ROLLOUT, _TYPE = "--rollout-function-path", "--rm-type"


def trains(launch: Launch) -> bool:
    """Whether it is a training by reinforcement learning, not one of its parts alone."""
    return launch.kind == "relax" and launch.mode != "sft" and not any(launch.has(flag) for flag in DEBUG_FLAGS)


def kind_of(launch: Launch) -> Kind | None:
    """The kind; ``own`` for agentic, genrm, distillation and SFT launches and for own rollout functions, which need
    other files than the tree says; ``None`` where it is no launch of Relax."""
    if launch.kind != "relax":
        return None
    if launch.mode == "sft" or any(launch.may_have(flag) for flag in _OF_THEIR_OWN):
        return "own"
    rollout = launch.last(_ROLLOUT)
    if rollout is not None and not (rollout.value or "").startswith("relax."):
        return "own"
    if "genrm" in (launch.value(_TYPE) or ""):
        return "own"
    generate = launch.last(GENERATE)
    if generate is None:
        return "own" if launch.may_have(GENERATE) else "single-turn"
    return "own" if (generate.value or "").startswith("relax.") else "multi-turn"
