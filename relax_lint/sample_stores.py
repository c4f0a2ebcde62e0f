"""What a recipe's code, taken as a whole, may store on samples; told from syntax alone, and never too little."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relax_lint.sources.python import called_name, walk

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

_FILLING = frozenset({"extend", "append", "insert", "update", "setdefault"})
_BY_NAME = frozenset({"setattr", "__setattr__", "from_dict", "replace", "evolve"})
"""Functions that store under names which they are given, or make a copy with them."""


def sources_behind(source: PythonSource, project: Project, interpreter: Interpreter) -> list[PythonSource]:
    """A file of a recipe, all files of recipes that it imports, directly or not, and its own recipe's."""

    def answer() -> list[PythonSource]:
        recipe = project.recipe_of(source.path)
        return _behind([source, *(recipe.python if recipe is not None else ())], interpreter)

    return interpreter.answers.ask(("sources behind", source), answer)


def _behind(pending: list[PythonSource], interpreter: Interpreter) -> list[PythonSource]:
    found: dict[PythonSource, None] = {}
    while pending:
        here = pending.pop()
        if here in found or not interpreter.follows(here):
            continue
        found[here] = None
        pending += _imported(here, interpreter)
    return list(found)


def _imported(source: PythonSource, interpreter: Interpreter) -> Iterator[PythonSource]:
    from relax_lint.flow.names import imports_of

    names = interpreter.resolver.names
    own = names.of(source)
    statements: list[ast.Import | ast.ImportFrom] = [*source.nodes(ast.Import), *source.nodes(ast.ImportFrom)]
    for node in statements:
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for _, imported in imports_of(node, own.package):
            modules += [imported.module, f"{imported.module}.{imported.attribute}"]
        for module in (*modules, *own.stars):
            found = names.module(module)
            if found is not None:
                yield found


def may_store(sources: Iterable[PythonSource], name: str) -> bool:
    """Whether any of these files may store an attribute of this name on something."""
    return any(name in source.text and any(_stores(node, name) for node in walk_all(source)) for source in sources) or (
        any(_by_unknown_name(node) for source in sources for node in source.nodes(ast.Call))
    )


def walk_all(source: PythonSource) -> Iterator[ast.AST]:
    """All nodes of a file."""
    return walk(source.tree) if source.tree is not None else iter(())


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
