"""Whether a value is one image and no list of them, by what the code around says of it: how it is annotated, what is
asked of it, what makes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.sources.python import is_none, walk

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Site
    from relax_lint.sources.python import PythonSource

_OF_IMAGES = frozenset({"crop", "rotate", "thumbnail", "convert", "getpixel", "paste", "width", "height"})
"""Attributes that images have, and neither lists nor arrays."""
_GIVING_IMAGES = frozenset({"crop", "rotate", "convert"})
_IN_ANNOTATIONS = frozenset({"Image", "PIL", "Optional", "Union", "typing"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEEPEST = 3

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def is_image(key: Site) -> bool:
    """Whether the value of a dictionary's key is certainly one image."""
    value = _value_of(key)
    return value is not None and _is_image(key.source, value)


def _is_image(source: PythonSource, value: ast.expr, depth: int = 0) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_image(source, value.body, depth) and _is_image(source, value.orelse, depth)
    if not isinstance(value, (ast.Name, ast.Attribute)) or depth > _DEEPEST:
        return False
    function = _around(source, value, _FUNCTIONS)
    scope = function if isinstance(value, ast.Name) else _around(source, value, (ast.ClassDef,))
    if scope is None:
        return False
    written = ast.unparse(value)
    made: list[ast.expr] = []
    for node in walk(scope):
        if isinstance(node, ast.Attribute) and node.attr in _OF_IMAGES and _is(node.value, written):
            return True
        if isinstance(node, ast.AnnAssign) and _is(node.target, written) and _says_image(node.annotation):
            return True
        if isinstance(node, ast.Assign) and any(_is(part, written) for part in node.targets):
            made.append(node.value)
    if isinstance(value, ast.Name) and isinstance(function, _FUNCTIONS) and not made:
        return _is_image_parameter(source, function, value.id, depth)
    return bool(made) and all(_gives_image(source, node) for node in made)


def _is_image_parameter(source: PythonSource, function: Definition, name: str, depth: int) -> bool:
    spec = function.args
    parameter = next((part for part in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if part.arg == name), None)
    if parameter is None:
        return False
    if parameter.annotation is not None:
        return _says_image(parameter.annotation)
    given = [part for part in _given(source, function, name) if not is_none(part)]
    return bool(given) and all(_is_image(source, part, depth + 1) for part in given)


def _given(source: PythonSource, function: Definition, name: str) -> Iterator[ast.expr]:
    """What the other methods of a class give a parameter of one."""
    names = [part.arg for part in (*function.args.posonlyargs, *function.args.args)][1:]
    owner = _around(source, function, (ast.ClassDef,))
    for call in walk(owner) if owner is not None else ():
        if isinstance(call, ast.Call) and _is(call.func, f"self.{function.name}"):
            yield from (value for part, value in zip(names, call.args, strict=False) if part == name)
            yield from (word.value for word in call.keywords if word.arg == name)


def _says_image(annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return False
    names = {part.id for part in walk(annotation) if isinstance(part, ast.Name)}
    names |= {part.attr for part in walk(annotation) if isinstance(part, ast.Attribute)}
    return "Image" in names and names <= _IN_ANNOTATIONS


def _gives_image(source: PythonSource, node: ast.expr) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    holder = node.func.value
    return node.func.attr in _GIVING_IMAGES and not (isinstance(holder, ast.Name) and _is_imported(source, holder.id))


def _is_imported(source: PythonSource, name: str) -> bool:
    imports: list[ast.Import | ast.ImportFrom] = [*source.nodes(ast.Import), *source.nodes(ast.ImportFrom)]
    return any((alias.asname or alias.name) == name for part in imports for alias in part.names)


def _around(source: PythonSource, node: ast.AST, kinds: tuple[type[ast.AST], ...]) -> ast.AST | None:
    return next((holder for holder in source.ancestors(node) if isinstance(holder, kinds)), None)


def _is(node: ast.expr, written: str) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == written


def _value_of(key: Site) -> ast.expr | None:
    """The expression that a key is given."""
    node, holder = key.node, key.source.parent(key.node)
    if isinstance(node, ast.keyword):
        return node.value
    if isinstance(holder, ast.Dict):
        return next((value for part, value in zip(holder.keys, holder.values, strict=True) if part is node), None)
    assignment = None if holder is None else key.source.parent(holder)
    return assignment.value if isinstance(holder, ast.Subscript) and isinstance(assignment, ast.Assign) else None
