"""Ways out of functions, followed to where the value that comes out is really given."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.flow.shapes import Exit


def innermost(interpreter: Interpreter, way: Exit) -> Exit:
    """A way out, or that of the function that gives the value where it is ``return call(…)``, awaited or not."""
    while (inner := way.shape.origin) is not None and _hands_on(way.node) and interpreter.follows(inner.source):
        way = inner
    return way


def _hands_on(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Return) else node
    while isinstance(value, ast.Await):
        value = value.value
    return isinstance(value, ast.Call)
