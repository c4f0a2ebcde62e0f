"""Where code relies on a function being no coroutine: what keeps `async` from being written in front of its `def`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from relax_lint.diagnostics import Place
from relax_lint.flow.scopes import parameters, scope_of
from relax_lint.records import record
from relax_lint.sources.python import PythonSource, called_name

if TYPE_CHECKING:
    from relax_lint.project import Project

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_FUNCTIONS = (*_DEFINITIONS, ast.Lambda)
_Kind = Literal["function", "method", "class", "maker"]
_PARTIAL = "partial"


@record
class _Name:
    """A name under which the function can be reached: itself, its class, or what ``makes`` it when it is called or
    decorates; ``inside`` the function that the name is local to."""

    text: str
    kind: _Kind
    source: PythonSource
    inside: ast.AST | None = None


def plain_use(function: ast.FunctionDef, source: PythonSource, project: Project) -> Place | None:
    """A place that takes what the function gives, or hands the function on, and so needs it to stay as it is; whatever
    merely gives it another name, which is looked for in turn, is none."""
    pending = list(_names_of(function, source))
    known = set(pending)
    while pending:
        name = pending.pop()
        for found, mention in _mentions(name, project):
            further = _further(name, found, mention)
            if further is None:
                return found.place(mention)
            pending += [each for each in further if each not in known]
            known.update(further)
    return None


def _names_of(function: ast.FunctionDef | ast.AsyncFunctionDef, source: PythonSource) -> Iterator[_Name]:
    """How a function can be reached."""
    holders = [node for node in source.ancestors(function) if isinstance(node, (*_FUNCTIONS, ast.ClassDef))]
    holder = holders[0] if holders else None
    outer = next((node for node in holders if isinstance(node, _FUNCTIONS)), None)
    if not isinstance(holder, ast.ClassDef):
        yield _Name(function.name, "function", source, outer)
    elif function.name == "__call__":
        yield _Name(holder.name, "class", source, outer)
    else:
        yield _Name(function.name, "method", source)
    if isinstance(outer, _DEFINITIONS):
        for name in _names_of(outer, source):
            yield _Name(name.text, "maker", name.source, name.inside)


def _mentions(name: _Name, project: Project) -> Iterator[tuple[PythonSource, ast.AST]]:
    """Where a name is used."""
    for source in [name.source] if name.inside is not None else _sources(name, project):
        if name.text not in source.text:
            continue
        for node in source.nodes(ast.Name) if name.kind != "method" else ():
            if node.id == name.text and isinstance(node.ctx, ast.Load) and _is_meant(name, source, node):
                yield source, node
        modules = _modules(source)
        for attribute in source.nodes(ast.Attribute):
            if attribute.attr == name.text and isinstance(attribute.ctx, ast.Load):
                if name.kind == "method" or (name.inside is None and _root(attribute) in modules):
                    yield source, attribute
        for call in source.nodes(ast.Call):
            if called_name(call) == "getattr" and any(
                isinstance(given, ast.Constant) and given.value == name.text for given in call.args
            ):
                yield source, call
        for imported in source.nodes(ast.ImportFrom):
            yield from ((source, alias) for alias in imported.names if alias.name == name.text and alias.asname)


def _sources(name: _Name, project: Project) -> Iterator[PythonSource]:
    """The files of the recipe, and those of others that name the module."""
    own = project.recipe_of(name.source.path)
    for recipe in project.recipes:
        for source in recipe.python:
            if (own is not None and recipe.directory == own.directory) or name.source.path.stem in source.text:
                yield source


def _is_meant(name: _Name, source: PythonSource, node: ast.Name) -> bool:
    """Whether a name is not that of something local to a function, or is, where the one that is looked for is."""
    for holder in source.ancestors(node):
        if holder is name.inside:
            return True
        if isinstance(holder, _FUNCTIONS) and name.text in _locals(holder):
            return False
    return name.inside is None


def _locals(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterable[str]:
    spec = function.args
    given = [*parameters(function), *spec.kwonlyargs, *filter(None, (spec.vararg, spec.kwarg))]
    return {*scope_of(function).bound, *(parameter.arg for parameter in given)}


def _modules(source: PythonSource) -> set[str]:
    """The names that imports bind."""
    aliases = [alias for node in source.nodes(ast.Import) for alias in node.names]
    aliases += [alias for node in source.nodes(ast.ImportFrom) for alias in node.names]
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


def _root(attribute: ast.Attribute) -> str:
    value: ast.expr = attribute
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def _further(name: _Name, source: PythonSource, mention: ast.AST) -> list[_Name] | None:
    """The names that what is mentioned gets there; ``None`` where it is used as it is."""
    if isinstance(mention, ast.alias):
        return [_Name(mention.asname or name.text, name.kind, source)]
    holder = source.parent(mention)
    called = isinstance(holder, ast.Call) and holder.func is mention and name.kind in ("class", "maker")
    if called and isinstance(holder, ast.Call):
        mention, holder = holder, source.parent(holder)
    if isinstance(holder, ast.Call) and called_name(holder) == _PARTIAL and mention in holder.args[:1]:
        mention, holder = holder, source.parent(holder)
    if name.kind == "maker" and isinstance(holder, _DEFINITIONS) and mention in holder.decorator_list:
        return list(_names_of(holder, source))
    if name.kind == "class" and called and isinstance(holder, ast.Attribute) and holder.attr != "__call__":
        return []  # another of its methods
    if isinstance(holder, ast.Return) and name.inside is not None and _function_of(source, holder) is name.inside:
        return []  # what that makes is looked for
    if not isinstance(holder, (ast.Assign, ast.AnnAssign)) or holder.value is not mention:
        return None
    targets = holder.targets if isinstance(holder, ast.Assign) else [holder.target]
    inside = _function_of(source, holder)
    kind: _Kind = "function" if called or name.kind == "method" else name.kind
    if isinstance(source.parent(holder), ast.ClassDef):
        kind = "method"
    names = [_Name(target.id, kind, source, inside) for target in targets if isinstance(target, ast.Name)]
    return names if len(names) == len(targets) else None


def _function_of(source: PythonSource, node: ast.AST) -> ast.AST | None:
    return next((holder for holder in source.ancestors(node) if isinstance(holder, _FUNCTIONS)), None)
