"""Where launchers get the architecture of their models: files that set ``MODEL_ARGS``, as Relax's in scripts/models."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.recipe_kinds import trains
from relax_lint.shell.nodes import Assignment
from relax_lint.shell.queries import is_broken_off, is_part_of_another
from relax_lint.shell.walk import nodes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource
    from relax_lint.sources.script import ScriptFile

MODELS = Path("scripts/models")
OF_RELAX = tuple(
    f"{name}.sh"
    for name in """
    dotsocr2 glm4.7-30B-A3B glm5-744B-A40B kimi-k2.6 qwen3-0.6B qwen3-30B-A3B qwen3-32B qwen3-4B qwen3-8B
    qwen3-omni-30B-A3B qwen3-vl-2B qwen3-vl-30B-A3B qwen3-vl-4B qwen3-vl-8B qwen35-122B-A10B qwen35-27B
    qwen35-35B-A3B qwen35-397B-A17B qwen35-4B qwen35-9B qwen36-35B-A3B
    """.split()
)
"""The model files of Relax (July 2026)."""
REFUSED_WITHOUT_A_MODEL = frozenset({"mega-num-layers-missing", "mega-hidden-size-missing", "mega-heads-missing"})
"""The constraints that a launch without a model is refused by."""
_OF_A_MODEL = re.compile(r"MODEL_CONFIG_DIR|(?:\A|[\s/\"'])models/")
_TELLING = ("--num-layers", "--hidden-size")
"""Flags that no model goes without."""


def sourced_models(launcher: LauncherSource, project: Project) -> list[ScriptFile]:
    """The model files that a launcher sources."""
    return [source for source in launcher.evaluation.sourced if _holds_model(source, project)]


def unread_models(launcher: LauncherSource) -> list[Place]:
    """Where a launcher sources a model file that could not be found."""
    places = launcher.evaluation.unresolved_sources
    return [place for place in places if _OF_A_MODEL.search(place.source.text, place.start, place.end)]


def goes_without(launch: Launch, models: Sequence[ScriptFile]) -> bool:
    """Whether nothing of the model files is passed, as far as can be seen."""
    paths = {source.path for source in models}
    return not any(
        (word.place is not None and word.place.source.path in paths)
        or any(part in word.text for part in ("MODEL_ARGS", *_TELLING))
        for word in launch.argv
    )


def is_told_to_pass_one(launch: Launch, project: Project) -> bool:
    """Whether the rule about models says of a launch that it does not pass the model that is sourced for it."""
    launcher = project.launcher(launch.script)
    if launcher is None or not trains(launch) or project.recipe_of(launch.script) is None:
        return False
    models = sourced_models(launcher, project)
    return (
        bool(models)
        and goes_without(launch, models)
        and launch.hiding(_TELLING[0]) is None
        and not (is_broken_off(launch) or is_part_of_another(launcher, project))
    )


def _holds_model(source: ScriptFile, project: Project) -> bool:
    """Whether a sourced file is one of Relax's model files, or does the same."""
    roots = (project.root, project.relax_root or project.root)
    if any(source.path.parent == root / MODELS for root in roots):
        return True
    return "MODEL_ARGS" in source.text and any(one.name == "MODEL_ARGS" for one in nodes_of(source, Assignment))
