"""What can be wrong with a function that generates samples, told from its syntax."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.flow.scopes import FUNCTIONS, own_nodes
from relax_lint.sample_stores import walk_all
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.flow.scopes import AnyFunction
    from relax_lint.sources.python import PythonSource

_GROWING = ("tokens", "response", "response_length")
_ADDING = frozenset({"extend", "append"})
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FROM_OUTSIDE = re.compile(r"\bobs_|\bobs\b|observation|\.step\(|tool|\benv\b|execut|feedback")
"""What tells that a turn brings text which the model did not write."""
_NEVER_SAMPLES = {
    ast.Tuple: "a tuple",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.Constant: "a constant",
    ast.JoinedStr: "a string",
    ast.Compare: "a truth value",
}


class Wrong(NamedTuple):
    """A ``return`` of something that is no sample for sure, and what that is."""

    node: ast.Return
    what: str


def wrong_returns(function: AnyFunction) -> Iterator[Wrong]:
    """The returns that say by themselves that they give no sample."""
    if isinstance(function, ast.Lambda):
        return
    for node in own_nodes(function):
        if isinstance(node, ast.Return):
            value = node.value
            if value is None or (isinstance(value, ast.Constant) and value.value is None):
                yield Wrong(node, "nothing")
            elif value.__class__ in _NEVER_SAMPLES:
                yield Wrong(node, _NEVER_SAMPLES[value.__class__])


def may_end_without_return(function: AnyFunction) -> bool:
    """Whether the end of a function may be reached, or something be returned that is not told by its name."""
    if isinstance(function, ast.Lambda):
        return False
    return not _ends(function.body) or any(
        isinstance(node.value, ast.Name) and _may_be_none(node.value.id, function)
        for node in own_nodes(function)
        if isinstance(node, ast.Return)
    )


def _may_be_none(name: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, (ast.Constant, ast.IfExp, ast.BoolOp))
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        for node in own_nodes(function)
    )


def _ends(body: list[ast.stmt]) -> bool:
    """Whether what follows a block is never reached from its end."""
    return any(_leaves(statement) for statement in body)


def _leaves(node: ast.stmt) -> bool:
    if isinstance(node, (ast.Return, ast.Raise)):
        return True
    if isinstance(node, ast.If):
        return _ends(node.body) and _ends(node.orelse)
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return _ends(node.body) and "suppress" not in ast.dump(node.items[0].context_expr)
    if isinstance(node, ast.While):
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return endless and not any(isinstance(part, ast.Break) for part in _of_loop(node))
    if isinstance(node, ast.Try):
        rescued = all(_ends(handler.body) for handler in node.handlers)
        return _ends(node.finalbody) or ((_ends(node.body) or _ends(node.orelse)) and rescued)
    if isinstance(node, ast.Match):
        last = node.cases[-1]
        all_taken = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        return all_taken and all(_ends(case.body) for case in node.cases)
    return False


def _of_loop(loop: ast.While) -> Iterator[ast.AST]:
    """The nodes of a loop, inner loops left out."""
    pending: list[ast.AST] = list(loop.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_LOOPS, *FUNCTIONS, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))


# ------------------------------------------------------------ loss masks


class Growth(NamedTuple):
    """A statement that makes the response longer."""

    source: PythonSource
    node: ast.AST
    what: str


def unmasked_growth(generate: AnyFunction, source: PythonSource, behind: Iterable[PythonSource]) -> Growth | None:
    """Where a response grows turn by turn by what others than the model have written, while no code marks any of it in
    ``loss_mask``."""
    sources = list(behind)
    if any(_masks(node) for other in sources if "mask" in other.text for node in walk_all(other)):
        return None
    if not _FROM_OUTSIDE.search(source.segment(generate)):
        return None
    called = _called_in_loops(source)
    for function in (generate, *source.nodes(ast.FunctionDef), *source.nodes(ast.AsyncFunctionDef)):
        in_loop = getattr(function, "name", "") in called
        for node, what in _growths(function):
            if in_loop or _is_in_loop(source, node, function):
                return Growth(source, node, what)
    return None


def _masks(node: ast.AST) -> bool:
    """Whether a statement says which tokens count."""
    if isinstance(node, ast.Assign):
        return any(_is_mask(target) for target in node.targets) and not _is_empty(node.value)
    if isinstance(node, ast.AnnAssign):
        return _is_mask(node.target) and node.value is not None and not _is_empty(node.value)
    if isinstance(node, ast.AugAssign):
        return _is_mask(node.target)
    if isinstance(node, ast.keyword):
        return node.arg is not None and "mask" in node.arg and not _is_empty(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in (*_ADDING, "insert") and _is_mask(node.func.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
        name = node.args[1] if len(node.args) > 1 else None
        return not isinstance(name, ast.Constant) or "mask" in str(name.value)
    return False


def _is_mask(node: ast.AST) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(map(_is_mask, node.elts))
    if isinstance(node, ast.Subscript):
        return _is_mask(node.value) or (isinstance(node.slice, ast.Constant) and "mask" in str(node.slice.value))
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return "mask" in name


def _is_empty(node: ast.expr) -> bool:
    """``[]``, ``None``, ``list()``, ``old or []``: what a mask begins with."""
    if isinstance(node, ast.BoolOp):
        return _is_empty(node.values[-1])
    if isinstance(node, ast.List):
        return not node.elts
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "list" and not node.args
    return isinstance(node, ast.Constant) and node.value is None


def _growths(function: AnyFunction) -> Iterator[tuple[ast.AST, str]]:
    """Statements that add to the response, or to a list that becomes part of it."""
    nodes = list(own_nodes(function))
    locals_of_it = {name for node in nodes for name in _flowing_into_response(node)}
    for node in nodes:
        target: ast.expr | None = None
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            target = node.target
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDING:
            target = node.func.value
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
