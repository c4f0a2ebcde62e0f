"""Classes of the sources, as real classes whose methods are interpreted."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.reading.dataclass_fields import DOCS, OWN
from relax_lint.catalog.reading.values import Foreign, Function, Scope, Unknown

if TYPE_CHECKING:
    from relax_lint.catalog.reading.interpreter import Interpreter


def make_class(interpreter: Interpreter, node: ast.ClassDef, scope: Scope) -> type:
    """The class that a statement defines."""
    bases = tuple(dict.fromkeys(_base(interpreter, base, scope) for base in node.bases)) or (object,)

    def fill(namespace: dict[str, Any]) -> None:
        body = Scope(scope, namespace, is_class=True)
        annotated: dict[str, Any] = {}
        namespace[OWN] = annotated
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                annotated[statement.target.id] = _annotation(interpreter, statement.annotation, body)
            interpreter.execute([statement], body)

        namespace[DOCS] = dict(_texts(node.body))

    made = types.new_class(node.name, bases, {}, fill)
    for value in vars(made).values():
        function = getattr(value, "__func__", value)
        if isinstance(function, Function):
            function.owner = made
    return made


def _base(interpreter: Interpreter, node: ast.expr, scope: Scope) -> type:
    try:
        base = interpreter.evaluate(node, scope)
    except Exception:
        return Foreign
    return base if isinstance(base, type) else Foreign


def _annotation(interpreter: Interpreter, node: ast.expr, scope: Scope) -> Any:
    try:
        return interpreter.evaluate(node, scope)
    except Exception as problem:
        return Unknown(str(problem))


def _texts(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """The strings that stand under the annotated names of a class body."""
    for field, below in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            if isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
                yield field.target.id, below.value.value
