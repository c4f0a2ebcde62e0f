"""verl's words for a reward function of the user's, where Relax can import that function."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.migrate.leftovers import Left
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

_FLAG = "--custom-rm-path"
_GROUPS = ("custom_reward_function", "reward.custom_reward_function")
_USUAL_NAME = "compute_score"


def registered(left: Left, launch: Launch, others: Mapping[str, Left], project: Project) -> list[str] | None:
    """The flag in the place of the file's path, nothing in that of the function's name; ``None`` for other settings,
    and where there is no such function."""
    group, _, part = left.key.rpartition(".")
    if group not in _GROUPS or part not in ("path", "name") or launch.has(_FLAG):
        return None
    path, name = (others[key].value if key in others else None for key in (f"{group}.path", f"{group}.name"))
    dotted = _module(path, project) if isinstance(path, str) else None
    function = _USUAL_NAME if name is None else name
    if dotted is None or not isinstance(function, str) or not _defines(dotted, function, project):
        return None
    return [f"{_FLAG} {dotted}.{function}"] if part == "path" else []


def _module(path: str, project: Project) -> str | None:
    """The module path of a file, from the root of the project, where launchers are started."""
    try:
        relative = (project.root / path).relative_to(project.root)
    except ValueError:
        return None
    parts = relative.with_suffix("").parts
    return ".".join(parts) if Path(path).suffix == ".py" and all(part.isidentifier() for part in parts) else None


def _defines(dotted: str, function: str, project: Project) -> bool:
    source = project.module(dotted)
    if source is None or source.tree is None:
        return False
    return any(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function for node in source.tree.body
    )
