"""Whether what a function returns may be awaited by code that calls it, as far as names tell."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from relax_lint.class_bodies import is_named

if TYPE_CHECKING:
    from relax_lint.sources.python import PythonSource

_FARTHEST = 3
"""How many functions that hand it on are looked behind."""
_ASKING = frozenset({"isawaitable", "iscoroutine", "ensure_future", "create_task", "wait_for", "gather", "run"})


def may_be_awaited(name: str, sources: Iterable[PythonSource], farthest: int = _FARTHEST) -> bool:
    """Whether a call of ``name`` is awaited or handed to something else, at once, by a name for it, or behind a
    function that returns it."""
    sources = list(sources)
    for source in sources:
        for call in source.nodes(ast.Call) if f"{name}(" in source.text else ():
            if is_named(call.func, name) and _is_awaited(call, source, sources, farthest):
                return True
    return False


def _is_awaited(call: ast.Call, source: PythonSource, sources: list[PythonSource], farthest: int) -> bool:
    outer = source.parent(call)
    if isinstance(outer, ast.Return):
        holders = (part for part in source.ancestors(call) if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)))
        holder = next(holders, None)
        return holder is None or farthest == 0 or may_be_awaited(holder.name, sources, farthest - 1)
    if isinstance(outer, (ast.Attribute, ast.Expr)):
        return False
    if not isinstance(outer, (ast.Assign, ast.AnnAssign)):
        return True
    targets = outer.targets if isinstance(outer, ast.Assign) else [outer.target]
    return not all(isinstance(one, ast.Name) for one in targets) or any(
        _is_awaited_by_name(one.id, source) for one in targets if isinstance(one, ast.Name)
    )


def _is_awaited_by_name(name: str, source: PythonSource) -> bool:
    if any(isinstance(part.value, ast.Name) and part.value.id == name for part in source.nodes(ast.Await)):
        return True
    return any(
        any(is_named(call.func, asking) for asking in _ASKING)
        for call in source.nodes(ast.Call)
        if any(isinstance(part, ast.Name) and part.id == name for part in call.args)
    )
