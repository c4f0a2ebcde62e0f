"""Edits that have a coroutine wait without keeping the event loop from everything else."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Fix
from relax_lint.sources.python import PythonSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lint.blocking_uses import Kind
    from relax_lint.calls.reached import ReachedFunction

_OPENING = re.compile(r"\s*\(\s*")
_CLOSING = re.compile(r"[\s,]*\)\Z")
_NEEDS_NO_PARENTHESES = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return, ast.keyword)


def import_asyncio(source: PythonSource) -> list[Edit] | None:
    """What makes ``asyncio`` known in a module, which may be nothing; ``None`` where the name is another's."""
    return add_import(source, "asyncio")


def add_import(source: PythonSource, module: str) -> list[Edit] | None:
    """Import a module at the top of a file, unless that is done already."""
    if source.tree is None:
        return None
    statements = source.tree.body
    if any(isinstance(node, ast.Import) and _imports(node, module) for node in statements):
        return []
    if re.search(rf"\b{module}\b\s*(?:=[^=]|:)|\b(?:def|class|as|import)\s+{module}\b", source.text):
        return None
    place = next(
        (node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom)) and _is_late(node)), None
    )
    if place is None:
        return None
    start = source.place(place).start
    if start and source.text[start - 1] not in "\r\n\ufeff":
        return None
    return [Edit(source.path, start, start, f"import {module}\n")]


def _imports(node: ast.Import, module: str) -> bool:
    return any(alias.name == module and alias.asname is None for alias in node.names)


def _is_late(node: ast.Import | ast.ImportFrom) -> bool:
    return not (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def unblocked(function: ReachedFunction, call: ast.Call, kind: Kind) -> Fix | None:
    """Have a coroutine wait for what a call in its own code keeps the event loop waiting for."""
    if not isinstance(function.node, ast.AsyncFunctionDef):
        return None
    make: Callable[[PythonSource, ast.Call], list[Edit] | None]
    if kind == "sleep":
        make, title, reason = sleep_on_the_loop, "await asyncio.sleep", None
    elif kind == "other":
        make, title, reason = call_in_thread, "call it in a thread", "other samples run while it waits"
    else:
        make, title, reason = await_coroutine, "await the coroutine", "other samples run while it waits"
    edits = make(function.source, call)
    return None if edits is None else Fix(title, lambda: edits, safe=reason is None, reason=reason)


def sleep_on_the_loop(source: PythonSource, call: ast.Call) -> list[Edit] | None:
    """Await asyncio's sleep in place of a statement that sleeps."""
    imports = import_asyncio(source)
    if imports is None or not isinstance(source.parent(call), ast.Expr) or len(call.args) != 1 or call.keywords:
        return None
    return [*imports, Edit.at(source.place(call.func), "await asyncio.sleep")]


def call_in_thread(source: PythonSource, call: ast.Call) -> list[Edit] | None:
    """Have a call run in a thread, and await it."""
    imports, place = import_asyncio(source), source.place(call)
    opening = _OPENING.match(source.text, source.place(call.func).end)
    if imports is None or opening is None or _is_in_generator(source, call):
        return None
    before, after = _parentheses(source, call)
    separator = ", " if call.args or call.keywords else ""
    return [
        *imports,
        Edit(source.path, place.start, place.start, f"{before}await asyncio.to_thread("),
        Edit(source.path, opening.start(), opening.end(), separator),
        *([Edit(source.path, place.end, place.end, after)] if after else []),
    ]


def await_coroutine(source: PythonSource, call: ast.Call) -> list[Edit] | None:
    """Await what a call would have run on an event loop of its own."""
    if len(call.args) != 1 or call.keywords or _is_in_generator(source, call):
        return None
    argument, place = call.args[0], source.place(call)
    if not isinstance(argument, (ast.Call, ast.Name, ast.Attribute)):
        return None
    before, after = _parentheses(source, call)
    inner = source.place(argument)
    if not _CLOSING.match(source.text[inner.end : place.end]):
        return None
    return [
        Edit(source.path, place.start, inner.start, f"{before}await "),
        Edit(source.path, inner.end, place.end, after),
    ]


def _parentheses(source: PythonSource, call: ast.Call) -> tuple[str, str]:
    return ("", "") if isinstance(source.parent(call), _NEEDS_NO_PARENTHESES) else ("(", ")")


def _is_in_generator(source: PythonSource, node: ast.AST) -> bool:
    """Whether a node runs later than the function that it is written in, or where nothing can be awaited."""
    for holder in source.ancestors(node):
        if isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        if isinstance(holder, (ast.GeneratorExp, ast.Lambda, ast.ClassDef)):
            return True
    return True
