"""The clients that a reward makes: for how long they are kept, and whether anything ends the wait for an answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.clients import client_behind, is_client, sends
from relax_lint.sources.python import is_none, walk

if TYPE_CHECKING:
    from relax_lint.calls.reached import Reached, ReachedCode, ReachedFunction
    from relax_lint.sources.python import PythonSource

_CACHING = ("lru_cache", "cache", "cached", "singleton", "alru_cache", "cached_property")
_WAITING = ("wait_for", "timeout", "timeout_at", "fail_after", "move_on_after")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def client_made(code: ReachedCode, call: ast.Call) -> str | None:
    """The client that a call makes."""
    names = code.outside_names(call.func)
    return next(iter(names)) if names and all(map(is_client, names)) else None


def is_kept(function: ReachedFunction, call: ast.Call) -> bool:
    """Whether what a call makes outlives the sample, or what an object that it is made for is kept in does."""
    way = [(function.source, call), *function.way]
    return any(isinstance(node, ast.Call) and _outlives(source, node) for source, node in way)


def _outlives(source: PythonSource, call: ast.Call) -> bool:
    holder = next((item for item in source.ancestors(call) if isinstance(item, _FUNCTIONS)), None)
    if holder is None:
        return True
    if any(word in ast.unparse(decorator) for decorator in holder.decorator_list for word in _CACHING):
        return True
    declared: list[ast.Global | ast.Nonlocal] = [*source.nodes(ast.Global), *source.nodes(ast.Nonlocal)]
    outer = {name for node in declared if holder in source.ancestors(node) for name in node.names}
    guarded = any(isinstance(item, (ast.If, ast.Try, ast.IfExp, ast.BoolOp)) for item in source.ancestors(call))
    names = {ast.unparse(target) for target in _targets(source, call)}
    return any(
        name in outer or (guarded and any(part in name for part in ".["))
        for name in names | {other for name in names if name.isidentifier() for other in _passed_on(holder, name)}
    )


def _targets(source: PythonSource, call: ast.AST) -> list[ast.expr]:
    """What a value is assigned to, straight or after a condition chose it."""
    for holder in source.ancestors(call):
        if isinstance(holder, ast.Assign):
            return holder.targets
        if isinstance(holder, (ast.AnnAssign, ast.NamedExpr)):
            return [holder.target]
        if isinstance(holder, ast.Call) and getattr(holder.func, "attr", "") == "setdefault":
            return [holder.func]
        if not isinstance(holder, (ast.Await, ast.IfExp, ast.BoolOp)):
            break
    return []


def _passed_on(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Iterator[str]:
    """Where else a name's value is put."""
    for node in walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == name:
            yield from map(ast.unparse, node.targets)


def in_same_statement(source: PythonSource, call: ast.Call) -> set[ast.Call]:
    """The calls of one statement: what one of them does is said once."""
    statement = next((holder for holder in source.ancestors(call) if isinstance(holder, ast.stmt)), call)
    return {node for node in walk(statement) if isinstance(node, ast.Call)} | {call}


def never_bounded(result: Reached) -> Iterator[tuple[ReachedCode, ast.Call, str]]:
    """The calls that make a client that the reward then asks, and where nothing ends the wait for every answer."""
    sent = _sent(result)
    for code in (*result.on_import, *result.functions):
        for call in code.calls:
            made = client_made(code, call)
            if made is None or has_timeout(call):
                continue
            calls = sent.get(made, [])
            if calls and not all(_is_bounded(*one) for one in calls):
                yield code, call, made


def _sent(result: Reached) -> dict[str, list[tuple[ReachedFunction, ast.Call]]]:
    """The calls that ask a server while a sample is scored, by the client that they are made with."""
    found: dict[str, list[tuple[ReachedFunction, ast.Call]]] = {}
    for function in result.functions:
        for call in function.calls:
            for name in function.outside_names(call.func):
                client = client_behind(name)
                if client is not None and sends(name):
                    found.setdefault(client, []).append((function, call))
    return found


def has_timeout(call: ast.Call) -> bool:
    """Whether a client, or a call with one, says how long it waits; what ``**`` may say counts."""
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in ("http_client", "transport"):
            return True
        if keyword.arg.endswith("timeout"):
            return not is_none(keyword.value)
    return False


def _is_bounded(function: ReachedFunction, call: ast.Call) -> bool:
    """Whether something ends the wait for an answer."""
    if has_timeout(call) or "with_options" in ast.unparse(call.func):
        return True
    way = [(function.source, call), *function.way]
    for source, node in way:
        for holder in source.ancestors(node):
            called = [holder] if isinstance(holder, ast.Call) else []
            if isinstance(holder, (ast.With, ast.AsyncWith)):
                called = [item.context_expr for item in holder.items if isinstance(item.context_expr, ast.Call)]
            if any(ast.unparse(one.func).rpartition(".")[2] in _WAITING for one in called):
                return True
    return False
