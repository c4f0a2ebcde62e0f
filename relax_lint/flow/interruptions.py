"""Which statements an exception can come from, as far as handlers are written for it."""

from __future__ import annotations

import ast

_QUIET_STATEMENTS = (
    *(ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    ast.Match,
)
_QUIET_CALLS = frozenset(
    {
        "len",
        "range",
        "enumerate",
        "isinstance",
        "bool",
        "str",
        "repr",
        "print",
        "zip",
        "id",
        "type",
        "dict",
        "list",
        "tuple",
        "set",
        "sorted",
    }
)
_QUIET_METHODS = frozenset(
    {"append", "extend", "update", "setdefault", "get", "add", "discard", "items", "keys", "values", "copy", "clear"}
)
_QUIET_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.BitOr)


def can_raise(node: ast.stmt) -> bool:
    """Whether a statement can raise before it has its effect. Blocks can where their head does: the statements in
    them are asked one by one."""
    if isinstance(node, _QUIET_STATEMENTS) or hasattr(node, "handlers"):
        return False
    if isinstance(node, (ast.If, ast.While)):
        return not _is_quiet(node.test)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return not _is_quiet(node.iter)
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        quiet = node.value is None or _is_quiet(node.value)
        divides = isinstance(node, ast.AugAssign) and not isinstance(node.op, _QUIET_OPERATORS)
        return divides or not (quiet and all(map(_is_quiet_target, targets)))
    if isinstance(node, (ast.Return, ast.Expr)):
        return node.value is not None and not _is_quiet(node.value)
    return True


def _is_quiet_target(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and _is_quiet(node.slice)
    return isinstance(node, ast.Name)


def _is_quiet(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return _is_quiet(node.value)
    if isinstance(node, (ast.Constant, ast.Name)):
        return True
    if isinstance(node, ast.Dict):
        return all(key is not None and _is_quiet(key) for key in node.keys) and all(map(_is_quiet, node.values))
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(map(_is_quiet, node.elts))
    if isinstance(node, ast.UnaryOp):
        return _is_quiet(node.operand)
    if isinstance(node, ast.BoolOp):
        return all(map(_is_quiet, node.values))
    if isinstance(node, ast.IfExp):
        return all(map(_is_quiet, (node.test, node.body, node.orelse)))
    if isinstance(node, ast.Compare):
        return all(map(_is_quiet, (node.left, *node.comparators)))
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _QUIET_OPERATORS) and _is_quiet(node.left) and _is_quiet(node.right)
    return isinstance(node, ast.Call) and _is_quiet_call(node)


def _is_quiet_call(node: ast.Call) -> bool:
    if node.keywords or not all(map(_is_quiet, node.args)):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in _QUIET_CALLS
    if not isinstance(node.func, ast.Attribute) or not _is_quiet(node.func.value):
        return False
    return node.func.attr in _QUIET_METHODS or (node.func.attr == "pop" and len(node.args) == 2)


def caught_by(handlers: list[ast.ExceptHandler]) -> frozenset[str]:
    """The names of the exceptions that handlers catch; ``*`` when they catch all."""
    names: set[str] = set()
    for handler in handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for kind in kinds:
            name = kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "*")
            names.add("*" if name in ("Exception", "BaseException") else name)
    return frozenset(names)
