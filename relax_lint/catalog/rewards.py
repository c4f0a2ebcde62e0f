"""What Relax (July 2026) does with rewards, as far as the reward rules ask."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relax_lint.patterns import pattern

if TYPE_CHECKING:
    from relax_lint.project import Project

BUILT_IN_DICTS: dict[str, tuple[str, ...]] = {
    "dapo": ("score", "acc", "pred"),
    "dapo-genrm": ("score", "acc", "pred", "judge_response", "format_error"),
}
"""Values of ``--rm-type`` whose reward is a dict, with the keys that are always there."""

BUILT_IN_SCALARS = frozenset(
    {"deepscaler", "geo3k", "openr1mm", "multiple_choice", "math", "mopd", "f1", "gpqa", "ifbench", "random"}
)
"""Values of ``--rm-type`` whose reward is a number."""

BOXED = "boxed_"
"""In front of an ``--rm-type``: the boxed answer is scored instead of the whole response."""

WITHOUT_REWARDS = ("--debug-train-only", "--load-debug-rollout-data")
"""Launches that take their samples, rewards included, from a file."""

OWN_TRAINING_VALUES = ("--custom-reward-post-process-path", "--custom-convert-samples-to-train-data-path")
"""Functions that take rewards as they come, so that training itself needs no key."""

_REWARDS_MODULE = "relax/engine/rewards/__init__.py"
_CUSTOM_CALL = pattern(r"rm_function\s*=\s*load_function\(")
_TOLERANT = pattern(r"\b(?:iscoroutinefunction|isawaitable|iscoroutine|to_thread|run_in_executor)\b")


def runs_sync_rewards(project: Project, *, batch: bool) -> bool:
    """Whether the Relax at hand runs a reward that is not async in a worker; the July 2026 one awaits every reward.

    Told from the code of the checkout: the function that loads the custom reward asks what it is before it awaits it.
    """
    root = project.relax_root
    source = project.python(root / _REWARDS_MODULE) if root is not None else None
    if source is None or source.tree is None:
        return False
    loading = [match.start() for match in _CUSTOM_CALL.finditer(source.text)]
    if not loading:
        return False
    at = loading[-1] if batch else loading[0]
    next_definition = re.compile(r"^(?:    )?(?:async )?def ", re.MULTILINE).search(source.text, at)
    end = next_definition.start() if next_definition else len(source.text)
    return bool(_TOLERANT.search(source.text, at, end))
