"""Whether what is said of a recipe's environments may be about a file, told by texts and imports alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

_BASE = b"BaseInteractionEnv"
DEFAULT = b"DEFAULT_ENV_MODULE"
_KEY = b"rollout_interaction_env_path"
_PLAIN = re.compile(rb"^" + _KEY + rb"[ \t]*:[ \t]+([\"']?)([\w./-]+)\1[ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
_ASSIGNED = re.compile(rb"\b" + DEFAULT + rb"\s*(?::[^=\n]*)?=(?!=)")
_PLAINLY_ASSIGNED = re.compile(
    rb"\b" + DEFAULT + rb"\s*(?::[^=\n]*)?=\s*([\"'])([\w./-]*)\1[ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE
)
_CLASS = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?|[\r\n])[ \t\f]*class\b")


def holds_wanted(recipe: Recipe) -> bool:
    """Whether findings are wanted of a file that an environment is written in, or takes something from."""
    if recipe.wanted is None:
        return True
    read, reached = recipe.project.read, recipe.project.imports.reached
    return any(
        recipe.wants_of(source.path) and any(_BASE in (read(path) or b"") for path in reached(source.path))
        for source in recipe.python
        if _CLASS.search(source.data)
    )


def names_wanted(recipe: Recipe) -> bool:
    """Whether a config or a rollout of a recipe may name an environment's module of which findings are wanted."""
    if recipe.wanted is None:
        return True
    project = recipe.project
    named: set[str] = set()
    for path in recipe.yaml:
        in_config = named_in_text(project.read(path) or b"")
        if in_config is None:
            return True
        named |= in_config
    for source in (source for source in recipe.python if DEFAULT in source.data):
        plain = _PLAINLY_ASSIGNED.findall(source.data)
        if len(_ASSIGNED.findall(source.data)) > len(plain):
            return True
        named |= {text.decode() for _, text in plain}
    found = (module_of_environment(one, project, project.root) for one in named)
    return any(source is not None and recipe.wants_of(source.path) for source in found)


def named_in_text(config: bytes) -> set[str] | None:
    """The module that a config names for the environment, if any, by its text alone; ``None`` where that is not plain,
    a place in the file that does not count among them."""
    plain = _PLAIN.findall(config)
    return {text.decode() for _, text in plain} if len(plain) == config.count(_KEY) else None


def module_of_environment(named: str, project: Project, start: Path) -> PythonSource | None:
    """The file of an environment's module, which may be named as one."""
    if named.endswith(".py"):
        return project.python(project.root / named)
    return project.module(named, start) if named else None
