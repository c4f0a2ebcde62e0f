"""What a reward makes of a judge's answer: the calls that fail where it is not as they expect it to be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from relax_lint.catalog.clients import client_behind

if TYPE_CHECKING:
    from relax_lint.calls.reached import ReachedFunction
    from relax_lint.sources.python import PythonSource

_PARSERS = frozenset({"float", "int", "json.loads", "ast.literal_eval", "orjson.loads", "eval", "decimal.Decimal"})
_MATCHES = frozenset({"re.search", "re.match", "re.fullmatch"})


def is_unguarded(function: ReachedFunction, call: ast.Call) -> bool:
    """Whether a call reads what a judge answered, and fails on what it cannot read."""
    read = _answer_in(function, call)
    if read is None:
        return False
    way = [(function.source, call), *function.way]
    return not any(_is_caught(source, node) for source, node in way) and not _is_tested(function.source, call, read)


def _answer_in(function: ReachedFunction, call: ast.Call) -> ast.expr | None:
    """The expression in a call that is a judge's answer, where the call may fail on it."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("group", "groups"):
        match = call.func.value
        if not (isinstance(match, ast.Call) and function.outside_names(match.func) & _MATCHES and len(match.args) > 1):
            return None
        return match.args[1] if _is_answer(function, match.args[1]) else None
    if not call.args or not function.outside_names(call.func) & _PARSERS:
        return None
    return call.args[0] if _is_answer(function, call.args[0]) else None


def _is_answer(function: ReachedFunction, node: ast.expr) -> bool:
    names = function.outside_names(node)
    texts = (".content", "[content]", ".text", "[]", ".output_text", ".strip()")
    return bool(names) and all(_is_of_answer(name) and any(text in name for text in texts) for name in names)


def _is_of_answer(name: str) -> bool:
    """Whether this is a part of what asking a server gave."""
    client = client_behind(name)
    return client is not None and "()" in name[len(client) + 2 :]


def _is_caught(source: PythonSource, node: ast.AST) -> bool:
    inner = node
    for holder in source.ancestors(node):
        if isinstance(holder, ast.Try) and inner in holder.body and holder.handlers:
            return True
        if isinstance(holder, (ast.With, ast.AsyncWith)) and "suppress" in ast.unparse(holder.items[0].context_expr):
            return True
        inner = holder
    return False


def _is_tested(source: PythonSource, call: ast.Call, read: ast.expr) -> bool:
    """Whether a condition around asks about the answer before."""
    names = {node.id for node in ast.walk(read) if isinstance(node, ast.Name)}
    for holder in source.ancestors(call):
        if isinstance(holder, (ast.If, ast.IfExp, ast.While)):
            tested = {node.id for node in ast.walk(holder.test) if isinstance(node, ast.Name)}
            if names & tested:
                return True
    return False
