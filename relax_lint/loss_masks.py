"""Whether a function that generates samples turn by turn says which tokens the model has not written."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.flow.scopes import own_nodes
from relax_lint.patterns import pattern
from relax_lint.sources.python import is_none, walk

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.flow.scopes import AnyFunction
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

_MASK = "loss_mask"
_GROWING = ("tokens", "response", "response_length")
_ADDING = frozenset({"extend", "append"})
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_MASKING: tuple[type[ast.AST], ...] = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.keyword, ast.Call, ast.Dict)
_FROM_OUTSIDE = pattern(r"\bobs_|\bobs\b|observation|\.step\(|tool|\benv\b|execut|feedback")
"""What tells that a turn brings text which the model did not write."""


class Growth(NamedTuple):
    """A statement that makes the response longer."""

    source: PythonSource
    node: ast.AST
    what: str


def unmasked_growth(
    generate: AnyFunction, source: PythonSource, behind: Iterable[Path], project: Project
) -> Growth | None:
    """Where a response grows turn by turn by what others than the model have written, and no code marks it so: none at
    all, or none in the same turn, where other code of that turn marks what it adds. ``behind`` are the files in which
    such code may be."""
    if not _FROM_OUTSIDE.search(source.segment(generate)):
        return None
    growths = [Growth(source, node, what) for node, what in _turn_by_turn(generate, source)]
    if not growths:
        return None
    others = (path for path in behind if path != source.path)
    if any(project.once_firmly(("masks", path), partial(_holds_masking, path, project)) for path in others):
        return None
    own = list(_masking(source))
    if not own:
        return growths[0]
    if not all(map(_adds, own)):
        return None  # a mask of the whole response
    return next((growth for growth in growths if _is_left_out(growth)), None)


def _turn_by_turn(generate: AnyFunction, source: PythonSource) -> Iterator[tuple[ast.AST, str]]:
    """What makes the response grow in a loop, or in a function that is called in one."""
    called = _called_in_loops(source)
    functions: list[AnyFunction] = [*source.nodes(ast.FunctionDef), *source.nodes(ast.AsyncFunctionDef)]
    for function in (generate, *(other for other in functions if other is not generate)):
        in_loop = getattr(function, "name", "") in called
        for node, what in _growths(function):
            if in_loop or _is_in_loop(source, node, function):
                yield node, what


def _adds(node: ast.AST) -> bool:
    """Whether a statement adds to a mask, in place of making one."""
    if isinstance(node, ast.Assign):
        return any(_is_mask(part) for part in walk(node.value))
    return isinstance(node, (ast.AugAssign, ast.Call))


def _is_left_out(growth: Growth) -> bool:
    """Whether on the way to a statement within its turn more is added to the response than to the mask."""
    statements = list(_on_the_way(growth))
    calls = [part for part in statements if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)]
    if any(_names_function(growth.source, call.value) for call in calls):
        return False  # a helper may add to both
    grown = sum(1 for part in statements for node, what in _growths_of(part, {growth.what}) if what == growth.what)
    masked = [node for part in statements for node in _parts_of_statement(part) if _masks(node)]
    return bool(masked) and grown > sum(map(_weight, masked))


def _on_the_way(growth: Growth) -> Iterator[ast.stmt]:
    """The plain statements of the blocks around a statement, out to its loop."""
    below: ast.AST = growth.node
    for holder in growth.source.ancestors(growth.node):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, None)
            if isinstance(block, list) and below in block:
                yield from (part for part in block if isinstance(part, (ast.Assign, ast.AugAssign, ast.Expr)))
        if isinstance(holder, (*_LOOPS, ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        below = holder


def _parts_of_statement(statement: ast.stmt) -> Iterator[ast.AST]:
    yield statement
    if isinstance(statement, ast.Expr):
        yield statement.value


def _names_function(source: PythonSource, call: ast.expr) -> bool:
    """Whether a statement calls a function of the same file, or hands the sample to one."""
    if not isinstance(call, ast.Call):
        return False
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    return any(function.name == name for function in source.nodes(ast.FunctionDef))


def _weight(node: ast.AST) -> int:
    """How many additions one statement makes to a mask: ``[1] * a + [0] * b`` are two."""
    value = node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "value", None)
    return 1 + sum(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add) for part in walk(value or node))


def _holds_masking(path: Path, project: Project) -> bool:
    source = project.python(path)
    return source is not None and any(_masking(source))


def _masking(source: PythonSource) -> Iterator[ast.AST]:
    """The statements of a file that say which tokens count."""
    return (node for node in source.nodes(*_MASKING) if _is_masking(source, node)) if _MASK in source.text else iter(())


def _is_masking(source: PythonSource, node: ast.AST) -> bool:
    """Whether a statement says which tokens count; what is done to samples of an older policy does not."""
    return _masks(node) and not any(
        isinstance(holder, ast.If) and "partial_rollout" in source.segment(holder.test)
        for holder in source.ancestors(node)
    )


def _masks(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return any(_is_mask(target) for target in node.targets) and not _is_empty(node.value)
    if isinstance(node, ast.AnnAssign):
        return _is_mask(node.target) and node.value is not None and not _is_empty(node.value)
    if isinstance(node, ast.AugAssign):
        return _is_mask(node.target)
    if isinstance(node, ast.keyword):
        return node.arg == _MASK and not _is_empty(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in (*_ADDING, "insert") and _is_mask(node.func.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
        name = node.args[1] if len(node.args) > 1 else None
        return not isinstance(name, ast.Constant) or _MASK in str(name.value)
    if isinstance(node, ast.Dict):
        return any(isinstance(key, ast.Constant) and key.value == _MASK for key in node.keys)
    return False


def _is_mask(node: ast.AST) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(map(_is_mask, node.elts))
    if isinstance(node, ast.Subscript):
        return _is_mask(node.value) or (isinstance(node.slice, ast.Constant) and _MASK in str(node.slice.value))
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return _MASK in name


def _is_empty(node: ast.expr) -> bool:
    """``[]``, ``None``, ``list()``, ``old or []``: what a mask begins with."""
    if isinstance(node, ast.BoolOp):
        return _is_empty(node.values[-1])
    if isinstance(node, ast.List):
        return not node.elts
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "list" and not node.args
    return is_none(node)


def _growths(function: AnyFunction) -> Iterator[tuple[ast.AST, str]]:
    """Statements that add to the response, or to a list that becomes part of it."""
    nodes = list(own_nodes(function))
    locals_of_it = {name for node in nodes for name in _flowing_into_response(node)}
    for node in nodes:
        if isinstance(node, ast.stmt):
            yield from _growths_of(node, locals_of_it)


def _growths_of(node: ast.stmt, locals_of_it: set[str]) -> Iterator[tuple[ast.AST, str]]:
    target: ast.expr | None = None
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        target = node.target
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        target = node.value.func.value if node.value.func.attr in _ADDING else None
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.BinOp):
        known = ast.dump(node.targets[0]).replace("Store()", "Load()")
        target = node.targets[0] if any(ast.dump(part) == known for part in walk(node.value)) else None
    if isinstance(target, ast.Attribute) and target.attr in _GROWING:
        yield node, target.attr
    elif isinstance(target, ast.Name) and target.id in locals_of_it:
        yield node, target.id


def _flowing_into_response(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Attribute) and target.attr in _GROWING for target in node.targets
    ):
        yield from (part.id for part in walk(node.value) if isinstance(part, ast.Name))


def _called_in_loops(source: PythonSource) -> set[str]:
    """The functions of a file that something in it calls in a loop."""
    found: set[str] = set()
    for call in source.nodes(ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name and any(isinstance(holder, _LOOPS) for holder in source.ancestors(call)):
            found.add(name)
    return found


def _is_in_loop(source: PythonSource, node: ast.AST, function: AnyFunction) -> bool:
    for holder in source.ancestors(node):
        if holder is function:
            return False
        if isinstance(holder, _LOOPS):
            return True
    return False
