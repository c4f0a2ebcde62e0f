"""Functions that are still to be written: whoever calls them gets NotImplementedError, whatever comes in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.flow.scopes import scope_of
from relax_lint.flow.shapes import Function
from relax_lint.sources.python import children

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.flow.interpreter import Interpreter

_MOST_CALLS = 8
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LATER = (
    *(*_FUNCTIONS, ast.ClassDef),
    *(ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""What is evaluated later, or on some ways only."""
_STRAIGHT = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
UNWRITTEN = "can only raise NotImplementedError: what scores is still to be written here"


def raised_always(function: Function, interpreter: Interpreter, depth: int = 0) -> Place | None:
    """The ``raise`` at which every call of a function ends, of its own or of one that it calls in any case."""
    node, source = function.node, function.source
    if isinstance(node, ast.Lambda) or depth > _MOST_CALLS or scope_of(node).generator:
        return None
    for statement in node.body:
        if isinstance(statement, ast.Raise):
            return source.place(statement) if _says_not_implemented(statement) else None
        if not isinstance(statement, _STRAIGHT):
            return None
        for call, awaited in _calls(statement):
            callee = _called(call, function, interpreter)
            if callee is not None and (awaited or not isinstance(callee.node, ast.AsyncFunctionDef)):
                found = raised_always(callee, interpreter, depth + 1)
                if found is not None:
                    return found
        if isinstance(statement, ast.Return):
            return None
    return None


def _says_not_implemented(statement: ast.Raise) -> bool:
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _calls(node: ast.AST, awaited: bool = False) -> Iterator[tuple[ast.Call, bool]]:
    """The calls that are made in any case, and whether they are waited for."""
    if isinstance(node, _LATER):
        return
    if isinstance(node, ast.Call):
        yield node, awaited
    for child in children(node):
        yield from _calls(child, isinstance(node, ast.Await))


def _called(call: ast.Call, function: Function, interpreter: Interpreter) -> Function | None:
    """The function of a module that is called by its name; methods may be overridden."""
    if not isinstance(call.func, ast.Name):
        return None
    given = {each.arg for each in ast.walk(function.node.args) if isinstance(each, ast.arg)}
    around = function.source.ancestors(function.node)
    if call.func.id in scope_of(function.node).bound | given or any(isinstance(each, _FUNCTIONS) for each in around):
        return None
    found = interpreter.named(function.source, call.func.id)
    return found if isinstance(found, Function) else None
