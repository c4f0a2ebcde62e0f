"""Modules that code imports by a text: ``importlib.import_module("…")`` and its like."""

from __future__ import annotations

import ast

from relax_lint.sources.python import PythonSource, literal_text

_FUNCTIONS = ("__import__", "import_module")


def imported_by(call: ast.Call, source: PythonSource) -> str | None:
    """The module that a call imports by its name, as far as it is written out; one that starts with dots is relative to
    a package that is not known."""
    if not _is_import_function(call.func, source):
        return None
    first = module_argument(call)
    text = beginning(first, source)
    if text is not None and text.startswith("."):
        package = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "package")]
        base = beginning(package[0], source) if package else None
        return text if base is None else base + text
    return text


def module_argument(call: ast.Call) -> ast.expr | None:
    """What says which module it is."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "name"]
    return call.args[0] if call.args else (named[0] if named else None)


def _is_import_function(function: ast.expr, source: PythonSource) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr in _FUNCTIONS
    if not isinstance(function, ast.Name):
        return False
    if function.id in _FUNCTIONS:
        return not any(node.name == function.id for node in source.nodes(ast.FunctionDef))
    return any(
        alias.name == "import_module" and alias.asname == function.id
        for statement in source.nodes(ast.ImportFrom)
        for alias in statement.names
    )


def beginning(node: ast.expr | None, source: PythonSource) -> str | None:
    """The text that a string begins with; a name is followed to the one place in the file that binds it."""
    for _ in range(20):
        if isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.JoinedStr) and node.values:
            node = node.values[0]
        elif isinstance(node, ast.FormattedValue):
            node = node.value
        elif isinstance(node, ast.Name):
            node = _bound_once(node.id, source)
    return literal_text(node)


def _bound_once(name: str, source: PythonSource) -> ast.expr | None:
    if any(parameter.arg == name for parameter in source.nodes(ast.arg)):
        return None
    bound = [node for node in source.nodes(ast.Name) if node.id == name and not isinstance(node.ctx, ast.Load)]
    holder = source.parent(bound[0]) if len(bound) == 1 else None
    return holder.value if isinstance(holder, (ast.Assign, ast.AnnAssign)) else None
