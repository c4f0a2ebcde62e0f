"""What a recipe's code, taken as a whole, may store on samples; told from syntax alone, and never too little."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from relax_lint.sources.python import called_name

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

_FILLING = frozenset({"extend", "append", "insert", "update", "setdefault"})
_BY_NAME = frozenset({"setattr", "__setattr__", "from_dict", "replace", "evolve"})
"""Functions that store under names which they are given, or make a copy with them."""


def files_behind(path: Path, interpreter: Interpreter) -> tuple[Path, ...]:
    """A Python file of a recipe, all files of recipes that it imports, directly or not, and its own recipe's."""
    project = interpreter.project

    def answer() -> tuple[Path, ...]:
        recipe = project.recipe_of(path)
        own = () if recipe is None else (other for other in recipe.files if other.suffix == ".py")
        pending = [path, *own]
        found: dict[Path, None] = {}
        while pending:
            here = pending.pop()
            if here not in found and interpreter.follows_file(here):
                found[here] = None
                pending += project.once_firmly(("imports", here), partial(_imported, here, interpreter))
        return tuple(found)

    return project.once_firmly(("files behind", path), answer)


def sources_behind(path: Path, interpreter: Interpreter) -> list[PythonSource]:
    """The same, as the project has them now."""
    found = map(interpreter.project.python, files_behind(path, interpreter))
    return [source for source in found if source is not None]


def _imported(path: Path, interpreter: Interpreter) -> tuple[Path, ...]:
    from relax_lint.flow.names import imports_of

    source = interpreter.project.python(path)
    if source is None:
        return ()
    names = interpreter.resolver.names
    own = names.of(source)
    found: dict[Path, None] = {}
    statements: list[ast.Import | ast.ImportFrom] = [*source.nodes(ast.Import), *source.nodes(ast.ImportFrom)]
    for node in statements:
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for _, imported in imports_of(node, own.package):
            modules += [imported.module, f"{imported.module}.{imported.attribute}"]
        holders = map(names.module, (*modules, *own.stars))
        found.update((holder.path, None) for holder in holders if holder is not None)
    return tuple(found)


def may_store(path: Path, name: str, interpreter: Interpreter) -> bool:
    """Whether a file, or one behind it, may store an attribute of this name on something."""
    project = interpreter.project
    return any(
        project.once_firmly(("stores", here, name), partial(_may_store, here, name, project))
        for here in files_behind(path, interpreter)
    )


def _may_store(path: Path, name: str, project: Project) -> bool:
    source = project.python(path)
    if source is None:
        return False
    kinds: tuple[type[ast.AST], ...] = (ast.Attribute, ast.keyword, ast.Constant, ast.Call)
    if name in source.text and any(_stores(node, name) for node in source.nodes(*kinds)):
        return True
    return any(map(_by_unknown_name, source.nodes(ast.Call)))


def _stores(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == name:
        return isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.keyword):
        return node.arg == name
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value == name
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
        return isinstance(node.func.value, ast.Attribute) and node.func.value.attr == name
    return False


def _by_unknown_name(call: ast.Call) -> bool:
    """``setattr(sample, name, …)`` and the like, where the name is not written out."""
    called = called_name(call)
    if called not in _BY_NAME:
        return False
    if called in ("setattr", "__setattr__"):
        return not any(isinstance(argument, ast.Constant) for argument in call.args)
    if called == "replace":
        holder = getattr(call.func, "value", None)
        return holder is None or getattr(holder, "id", "") == "dataclasses"
    return True
