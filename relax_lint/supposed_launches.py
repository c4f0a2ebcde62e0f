"""The launches of a recipe; where not all of its launchers are looked at, those that texts suggest besides.

To work out what launchers pass is most of the work of a run. Whoever asks about a Python file alone first wants to know
whether anything may be found in it: so what scripts and configs name of its functions is taken to be launched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from relax_lint.diagnostics import Place
from relax_lint.generates import GENERATE
from relax_lint.launch_config import CONFIG
from relax_lint.rewards import FLAG, TYPE
from relax_lint.shell.launch import Launch, Word
from relax_lint.sources.text import SourceFile

if TYPE_CHECKING:
    import ast

    from relax_lint.project import Project, Recipe

_DOTTED = re.compile(r"\bexamples(?:\.\w+)+")
_ENVIRONMENT = b"rollout_interaction_env_path"
_OF_GENERATE = 3
"""Parameters of a function that generates samples; a reward has two."""


def is_partial(recipe: Recipe, project: Project) -> bool:
    """Whether some launchers of a recipe are left out for now."""
    return project.recipe_of(recipe.directory / "_") is not recipe


def launches_of(recipe: Recipe, project: Project) -> Iterator[Launch]:
    """Its launches, and what may be launched where some launchers are left out."""
    yield from recipe.launches
    if is_partial(recipe, project):
        yield from _supposed(recipe, project)


def _supposed(recipe: Recipe, project: Project) -> Iterator[Launch]:
    from relax_lint.flow.interpreter import interpreter_of
    from relax_lint.flow.names import dotted_name

    configs = [path for path in recipe.yaml if _ENVIRONMENT in (project.read(path) or b"")]
    named = [word for path in configs for word in (CONFIG, path.relative_to(project.root).as_posix())]
    answers = interpreter_of(project).answers
    mentioned = answers.setdefault("mentioned", _mentioned(project))
    for source in recipe.python:
        dotted = dotted_name(source.path, project.root)
        for name in sorted(cast("Mapping[str, set[str]]", mentioned).get(dotted, ())):
            node = _definition(source.tree, name)
            takes = _OF_GENERATE if node is None else len([*node.args.posonlyargs, *node.args.args])
            for flag in (FLAG,) if takes < _OF_GENERATE else (FLAG, GENERATE):
                scored = () if flag == FLAG else (TYPE, "math")
                yield _launch(project, flag, f"{dotted}.{name}", *scored, *named)


def _definition(tree: ast.Module | None, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    for node in tree.body if tree is not None else ():
        if getattr(node, "name", "") == name and hasattr(node, "args"):
            return cast("ast.FunctionDef", node)
    return None


def _mentioned(project: Project) -> dict[str, set[str]]:
    """The names that scripts and configs give behind a module path, by module."""
    texts = [project.reach.text(path) for path in project.reach.scripts]
    configs = (path for recipe in project.recipes for path in recipe.yaml)
    texts += [(project.read(path) or b"").decode("utf-8", "replace") for path in configs]
    found: dict[str, set[str]] = {}
    for text in texts:
        for dotted in _DOTTED.findall(text):
            module, _, name = dotted.rpartition(".")
            found.setdefault(module, set()).add(name)
    return found


def _launch(project: Project, *words: str) -> Launch:
    script = SourceFile(project.root / "run.sh", b"")
    argv = ("python3", "relax/entrypoints/train.py", *words)
    return Launch("relax", tuple(map(Word, argv)), Place(script, 0, 0), script.path)
