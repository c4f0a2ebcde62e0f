"""Edits of calls that make clients: one more argument, or the whole call at the top of the module."""

from __future__ import annotations

import ast
import re

from relax_lint.diagnostics import Edit
from relax_lint.sources.python import PythonSource

_CLOSES = re.compile(
    r"\.(?:a?close|disconnect|__a?exit__|(?:push|enter)_(?:async_)?(?:exit|context|callback))\b|closing\("
)
"""What may close a client, maybe in another function that it is handed to."""
_END = re.compile(r"[\s,]*\)\Z")


def add_argument(source: PythonSource, call: ast.Call, argument: str) -> Edit | None:
    """Give a call one more argument, behind those that it has."""
    place = source.place(call)
    end = _END.search(source.text[place.start : place.end])
    if end is None:
        return None
    written = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not written:
        return Edit(source.path, place.start + end.start(), place.end, f"{argument})")
    at = max(source.place(node).end for node in written)
    if not _END.match(source.text[at : place.end]):
        return None  # a comment, or brackets around the last one
    return Edit(source.path, at, at, f", {argument}")


def add_timeout(source: PythonSource, call: ast.Call, timeout: str) -> Edit | None:
    """Give a call its timeout, unless it says itself how long it waits."""
    return None if any(given.arg == "timeout" for given in call.keywords) else add_argument(source, call, timeout)


def move_to_module(source: PythonSource, call: ast.Call, argument: str | None) -> list[Edit] | None:
    """Make what ``name = call`` makes at the top of the module, as ``_name``, with one more argument if there is one;
    ``None`` where the call needs anything of the function, or its own place, or where what it makes is closed."""
    statement = source.parent(call)
    holder = next((item for item in source.ancestors(call) if isinstance(source.parent(item), ast.Module)), None)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or source.tree is None or holder is None:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    if _CLOSES.search(source.text) or any(_ends(node, target.id) for node in ast.walk(holder)):
        return None
    name = f"_{target.id.lstrip('_')}"
    known = set(_imported_before(source.tree, holder))
    used = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    if re.search(rf"\b{name}\b", source.text) or not used <= known or any(map(_needs_its_place, ast.walk(call))):
        return None
    place, start = source.place(call), source.place(holder).start
    if holder.decorator_list:
        start = source.text.rindex("@", 0, source.place(holder.decorator_list[0]).start + 1)
    text = source.text[place.start : place.end]
    if "\n" in text:
        return None
    if argument is not None:
        added = add_argument(source, call, argument)
        if added is None:
            return None
        text = text[: added.start - place.start] + added.text + text[added.end - place.start :]
    before = len(source.text[:start].rstrip())
    return [
        Edit(source.path, before, start, f"\n\n{name} = {text}\n\n\n"),
        Edit.at(place, name),
    ]


def _ends(node: ast.AST, name: str) -> bool:
    """Whether a statement closes at its end what a name holds: ``async with client:``."""
    if not isinstance(node, (ast.With, ast.AsyncWith)):
        return False
    given = [part for item in node.items for part in ast.walk(item.context_expr)]
    return any(isinstance(part, ast.Name) and part.id == name for part in given)


def _imported_before(tree: ast.Module, holder: ast.stmt) -> list[str]:
    """The names that imports at the top of the module bind before a statement."""
    found: list[str] = []
    for node in tree.body[: tree.body.index(holder)]:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found += [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return found


def _needs_its_place(node: ast.AST) -> bool:
    return isinstance(node, (ast.Await, ast.Lambda, ast.NamedExpr, ast.Yield))
