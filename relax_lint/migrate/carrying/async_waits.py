"""Calls in coroutines that keep the event loop waiting, made to wait beside it: ``time.sleep`` on the loop, what asks
others in a thread."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.blocking import MENTIONS, SLEEP, advice_against
from relax_lint.migrate.carrying.code import Code
from relax_lint.migrate.carrying.module_names import ModuleNames
from relax_lint.migrate.carrying.module_top import after_imports, without_unused
from relax_lint.sources.python import PythonSource, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef, ast.JoinedStr)
_BARE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return, ast.keyword, ast.withitem, ast.NamedExpr, ast.List, ast.Dict)
"""Where ``await call`` needs no brackets, as in arguments of a call."""


def with_waits(code: Code) -> Code:
    """The module whose coroutines keep no event loop waiting."""
    if "async def" not in code.text or MENTIONS.search(code.text) is None:
        return code
    source = PythonSource(code.origin.path, code.text.encode("utf-8", "surrogateescape"))
    if source.tree is None:
        return code
    edits = dict(_edits(source, ModuleNames(source.tree)))
    if not edits:
        return code
    made = code.text
    for (start, end), new in sorted(edits.items(), reverse=True):
        made = made[:start] + new + made[end:]
    try:
        text = after_imports(without_unused(made, code.text), ["import asyncio"], "")
    except SyntaxError:
        return code
    return Code(code.origin, text, code.original or code.text)


def coroutine_of(source: PythonSource, node: ast.AST) -> ast.AsyncFunctionDef | None:
    """The coroutine in whose own body something stands, where it can be awaited."""
    holder = next((each for each in source.ancestors(node) if isinstance(each, _SCOPES)), None)
    if not isinstance(holder, ast.AsyncFunctionDef):
        return None
    return holder if source.place(node).start >= source.place(holder.body[0]).start else None


def _edits(source: PythonSource, names: ModuleNames) -> Iterator[tuple[tuple[int, int], str]]:
    assert source.tree is not None
    if not names.may_import("asyncio"):
        return
    waiting = _waiting(source.tree, names)
    for call in walk(source.tree):
        if not isinstance(call, ast.Call) or coroutine_of(source, call) is None:
            continue
        parent = source.parent(call)
        if isinstance(parent, ast.Await):
            continue
        name = names.dotted(call.func)
        if name == SLEEP:
            if len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred):
                yield from _awaited(source, call)
                place = source.place(call.func)
                yield (place.start, place.end), "asyncio.sleep"
        elif _blocks(name) or (isinstance(call.func, ast.Name) and call.func.id in waiting):
            yield from _in_thread(source, call)


def _blocks(name: str) -> bool:
    return advice_against(name) is not None


def _waiting(tree: ast.Module, names: ModuleNames) -> set[str]:
    """The functions of a module that wait, or call one that does, and leave the module's own values alone."""
    top: Mapping[str, ast.FunctionDef] = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    found = {name for name, each in top.items() if any(_waits(call, names) for call in _calls(each))}
    before = -1
    while before != len(found):
        before = len(found)
        for name, each in top.items():
            if any(isinstance(call.func, ast.Name) and call.func.id in found for call in _calls(each)):
                found.add(name)
    return {name for name in found if names.is_once(name) and not _is_special(top[name])}


def _is_special(function: ast.FunctionDef) -> bool:
    """Whether a function cannot be handed to a thread as it is."""
    parts = (ast.Global, ast.Yield, ast.YieldFrom)
    return bool(function.decorator_list) or any(isinstance(each, parts) for each in walk(function))


def _calls(function: ast.FunctionDef) -> Iterator[ast.Call]:
    return (each for each in walk(function) if isinstance(each, ast.Call))


def _waits(call: ast.Call, names: ModuleNames) -> bool:
    return _blocks(names.dotted(call.func))


def _awaited(source: PythonSource, call: ast.Call, before: str = "") -> Iterator[tuple[tuple[int, int], str]]:
    place, parent = source.place(call), source.parent(call)
    bare = isinstance(parent, _BARE) or (isinstance(parent, ast.Call) and parent.func is not call)
    yield (place.start, place.start), f"{'' if bare else '('}await {before}"
    if not bare:
        yield (place.end, place.end), ")"


def _in_thread(source: PythonSource, call: ast.Call) -> Iterator[tuple[tuple[int, int], str]]:
    """The call made by a thread: its function becomes the first of the arguments."""
    end = source.place(call.func).end
    bracket = source.text.find("(", end)
    only = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if source.text[end:bracket].strip() or isinstance(only, ast.GeneratorExp):
        return
    yield from _awaited(source, call, "asyncio.to_thread(")
    yield (end, bracket + 1), ", " if call.args or call.keywords else ""
