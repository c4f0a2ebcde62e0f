"""The YAML file that a launch names: Relax makes attributes of args of its keys, over what the flags have set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

CONFIG = "--custom-config-path"


def overridden_by_config(launch: Launch, project: Project, flag: str) -> str | None:
    """The config file, as the launch names it, when it sets what a flag sets; where the launch does not say plainly
    which file it is, any YAML file of the recipe may be."""
    argument = launch.last(CONFIG)
    if argument is None:
        return None
    key = re.compile(rb"^[\"']?" + flag.removeprefix("--").replace("-", "_").encode() + rb"[\"']?[ \t]*:", re.MULTILINE)
    if any(key.search(project.read(path) or b"") for path in _files(argument.value, launch, project)):
        return f"{CONFIG} {argument.value or ''}".strip()
    return None


def _files(named: str | None, launch: Launch, project: Project) -> list[Path]:
    if named is not None:
        return [project.root / named]
    recipe = project.recipe_of(launch.script)
    return [] if recipe is None else recipe.yaml
