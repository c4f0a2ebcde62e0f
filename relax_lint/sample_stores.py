"""What a recipe's code, taken as a whole, may store on samples; told from syntax alone, and never too little."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

_FILLING = frozenset({"extend", "append", "insert", "update", "setdefault"})
_BY_NAME = frozenset({"setattr", "__setattr__", "from_dict", "replace", "evolve"})
"""Functions that store under names which they are given, or make a copy with them."""


def sources_behind(source: PythonSource, project: Project, interpreter: Interpreter) -> list[PythonSource]:
    """A file of a recipe, all files of recipes that it imports, directly or not, and its own recipe's."""
    key = ("sources behind", source.path)
    if key not in interpreter.answers:
        recipe = project.recipe_of(source.path)
        interpreter.answers[key] = _behind([source, *(recipe.python if recipe is not None else ())], interpreter)
    return cast("list[PythonSource]", interpreter.answers[key])


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
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called not in _BY_NAME:
        return False
    if called in ("setattr", "__setattr__"):
        return not any(isinstance(argument, ast.Constant) for argument in call.args)
    if called == "replace":
        holder = getattr(call.func, "value", None)
        return holder is None or getattr(holder, "id", "") == "dataclasses"
    return True


def hands_samples_outside(sources: Iterable[PythonSource], interpreter: Interpreter) -> bool:
    """Whether a sample is handed to code that is not the recipe's, Relax's included; printing and copying is fine."""
    return any(
        _hands_sample(node) and _is_outside(node.func, source, interpreter)
        for source in sources
        for node in source.nodes(ast.Call)
    )


def _hands_sample(call: ast.Call) -> bool:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(_is_sample(part.value if isinstance(part, ast.Starred) else part) for part in given)


def _is_sample(node: ast.expr) -> bool:
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(map(_is_sample, node.elts))
    return isinstance(node, ast.Name) and "sample" in node.id.lower() and "param" not in node.id.lower()


def _is_outside(called: ast.expr, source: PythonSource, interpreter: Interpreter) -> bool:
    """Whether a name leads out of the recipes. What a variable of a function holds does not count: it is an object that
    the recipe has made."""
    from relax_lint.flow.scopes import NOT_CHANGING, is_logging
    from relax_lint.flow.shapes import Function, Library, alternatives

    top: ast.expr = called
    while isinstance(top, ast.Attribute):
        top = top.value
    if not isinstance(top, ast.Name):
        return False
    value = interpreter.named(source, top.id)
    for part in alternatives(value):
        if isinstance(part, Library):
            if isinstance(called, ast.Attribute) or part.name not in (*NOT_CHANGING, *_HARMLESS):
                name = ".".join((part.name, *_attributes(called)))
                return not (is_logging(name) or name in NOT_CHANGING or name in _HARMLESS)
        elif isinstance(part, Function) and not interpreter.follows(part.source):
            return True
    return False


def _attributes(node: ast.expr) -> list[str]:
    return [*_attributes(node.value), node.attr] if isinstance(node, ast.Attribute) else []


_HARMLESS = frozenset(
    (
        *("getattr", "setattr", "vars", "inspect.isawaitable"),
        *("asyncio.to_thread", "asyncio.create_task", "functools.partial"),
    )
)
