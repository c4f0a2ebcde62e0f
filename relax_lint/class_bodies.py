"""What class bodies bind, and how classes are named elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Class
    from relax_lint.sources.python import PythonSource

_ABSTRACT_METHODS = ("abstractmethod", "abc.abstractmethod")


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_named(node: ast.expr, name: str) -> bool:
    """Whether this is a name, or an attribute of one, that ends so."""
    return isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) == name


def is_taken(source: PythonSource, node: ast.expr) -> bool:
    """Whether a class that is named here can be called: not as a base, in an annotation, or for what is in it."""
    holder = source.parent(node)
    if isinstance(holder, ast.Call) and holder.func is not node:
        return last_name(holder.func) not in ("isinstance", "issubclass", "super", "cast")
    if isinstance(holder, ast.AnnAssign):
        return holder.value is node
    if isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    not_taken = (ast.ClassDef, ast.arg, ast.Attribute, ast.BinOp, ast.Subscript)
    return not isinstance(holder, not_taken) and isinstance(getattr(node, "ctx", None), ast.Load)


def names_as_base(source: PythonSource, name: str) -> bool:
    """Whether a class of a file derives from one of this name."""
    return any(is_named(base, name) for node in source.nodes(ast.ClassDef) for base in node.bases)


def bindings(node: ast.ClassDef, name: str) -> Iterator[ast.AST]:
    """What binds a name in a class body, blocks in it included."""
    pending: list[ast.AST] = list(node.body)
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if part.name == name:
                yield part
        elif isinstance(part, ast.Name):
            if part.id == name and isinstance(part.ctx, ast.Store):
                yield part
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            if any((alias.asname or alias.name) == name for alias in part.names):
                yield part
        elif not isinstance(part, ast.Lambda):
            pending.extend(ast.iter_child_nodes(part))


def binds_unseen(node: ast.ClassDef) -> bool:
    """Whether a class may have methods that its body does not name."""
    if any(True for _ in bindings(node, "__getattr__")):
        return True
    return any(
        isinstance(part, ast.Call) and last_name(part.func) in ("locals", "vars", "exec")
        for statement in node.body
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        for part in walk(statement)
    )


def is_set_outside(cls: Class, name: str) -> bool:
    """Whether the module puts a method into a class after it is made."""
    source, owner = cls.source, cls.node.name
    return any(
        isinstance(target, ast.Attribute) and target.attr == name and is_named(target.value, owner)
        for node in source.nodes(ast.Assign)
        for target in node.targets
    ) or any(
        is_named(call.func, "setattr") and call.args and is_named(call.args[0], owner)
        for call in source.nodes(ast.Call)
    )


def is_stub(node: ast.AST) -> bool:
    """Whether this is a method that only says that it is not there."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
        only_raises(node) or any(ast.unparse(item) in _ABSTRACT_METHODS for item in node.decorator_list)
    )


def is_nothing(source: PythonSource, node: ast.AST) -> bool:
    """Whether a name is bound to None, or to another constant."""
    holder = source.parent(node)
    return isinstance(holder, (ast.Assign, ast.AnnAssign)) and isinstance(holder.value, ast.Constant)


def only_annotates(source: PythonSource, node: ast.AST) -> bool:
    """Whether a name in a class body is annotated and bound to nothing."""
    holder = source.parent(node)
    return isinstance(holder, ast.AnnAssign) and holder.value is None


def only_raises(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether all that a method does is to raise NotImplementedError."""
    body = [part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or body[0].exc is None:
        return False
    raised = body[0].exc
    return last_name(raised.func if isinstance(raised, ast.Call) else raised) == "NotImplementedError"
