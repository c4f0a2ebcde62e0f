"""Functions that plainly give a dict on every way out: it is written where they return, or where what they call does.

Nothing has to be followed through such a function to know what it gives.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from relax_lint.flow.scopes import own_nodes

if TYPE_CHECKING:
    from relax_lint.flow.names import Resolver
    from relax_lint.flow.scopes import AnyFunction
    from relax_lint.sources.python import PythonSource

_DEEPEST = 4
_NUMBERS = frozenset({"float", "int", "bool", "len"})


def always_gives(
    key: str, function: AnyFunction, source: PythonSource, resolver: Resolver, depth: int = 0, *, number: bool = False
) -> bool:
    """Whether a function gives a dict with a key whenever it gives anything; with a number under it, if asked for."""
    if isinstance(function, ast.Lambda) or function.decorator_list or depth > _DEEPEST or not _ends(function.body):
        return False
    nodes = list(own_nodes(function))
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes):
        return False
    has = _has_number if number else _has
    given = [node.value for node in nodes if isinstance(node, ast.Return)]
    called = [_called(value, isinstance(function, ast.AsyncFunctionDef)) for value in given if not has(value, key)]
    own = {parameter.arg for parameter in ast.walk(function.args) if isinstance(parameter, ast.arg)}
    if called:
        own |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        own |= {name for node in nodes for name in _bound_by(node)}
    for name, awaited, module in called:
        if name in own or not name or (module and (module in own or not _is_asyncio(module, source, resolver))):
            return False
        resolution = resolver.resolve(source, name)
        definition = resolution.found[0].binding.node if len(resolution.found) == 1 and resolution.complete else None
        wanted = ast.AsyncFunctionDef if awaited else ast.FunctionDef
        if not isinstance(definition, wanted) or resolution.external or resolution.module:
            return False
        if not always_gives(key, definition, resolution.found[0].source, resolver, depth + 1, number=number):
            return False
    return True


def _ends(body: list[ast.stmt]) -> bool:
    """Whether the end of some statements is never reached."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))


def _has(value: ast.expr | None, key: str) -> bool:
    """Whether an expression is a dict that is written with a key."""
    return isinstance(value, ast.Dict) and any(isinstance(one, ast.Constant) and one.value == key for one in value.keys)


def _has_number(value: ast.expr | None, key: str) -> bool:
    """Whether an expression is a dict that is written with a key and what is plainly a number."""
    if not isinstance(value, ast.Dict) or None in value.keys:
        return False
    pairs = zip(value.keys, value.values, strict=True)
    given = [part for one, part in pairs if isinstance(one, ast.Constant) and one.value == key]
    return bool(given) and _is_number(given[-1])


def _is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_number(value.body) and _is_number(value.orelse)
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _NUMBERS
    return isinstance(value, ast.Compare) or (isinstance(value, ast.Constant) and isinstance(value.value, (int, float)))


def _called(value: ast.expr | None, in_coroutine: bool) -> tuple[str, bool, str]:
    """The function whose result is handed on, whether it is async, and the module by which it is run in a thread."""
    awaits = isinstance(value, ast.Await)
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call) or (awaits and not in_coroutine):
        return "", False, ""
    function, module = call.func, ""
    if awaits and isinstance(function, ast.Attribute) and function.attr == "to_thread" and call.args:
        module = function.value.id if isinstance(function.value, ast.Name) else "?"
        function = call.args[0]
    return (function.id if isinstance(function, ast.Name) else ""), awaits and not module, module


def _bound_by(node: ast.AST) -> list[str]:
    """The names that a statement binds, where these are no expressions."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
        return [node.name] if node.name else []
    if isinstance(node, (ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return list(node.names) if isinstance(node, (ast.Global, ast.Nonlocal)) else []


def _is_asyncio(name: str, source: PythonSource, resolver: Resolver) -> bool:
    return resolver.resolve(source, name).external == "asyncio"
