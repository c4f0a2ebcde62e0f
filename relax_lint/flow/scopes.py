"""What a function's own code does with its names, found without following it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_lint.sources.python import children, walk

MUTATORS = frozenset(
    (
        *("append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault"),
        *("add", "discard", "sort", "reverse", "appendleft", "extendleft"),
    )
)
"""Methods that change what they are called on."""

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_nodes(function: AnyFunction) -> Iterator[ast.AST]:
    """The nodes of a function's body that run as part of it: nested functions and classes are left out."""
    pending: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(reversed(function.body))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            pending.extend(reversed(children(node)))


def is_generator(function: AnyFunction) -> bool:
    """Whether calling the function only makes a generator."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(function))


def parameters(function: AnyFunction) -> list[ast.arg]:
    """The parameters that can be given by position."""
    return [*function.args.posonlyargs, *function.args.args]


def unsteady_names(function: AnyFunction) -> frozenset[str]:
    """Names whose value other functions can change: ``global`` ones, and those that nested functions rebind."""
    found: set[str] = set()
    for node in _body_nodes(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
    return frozenset(found)


def shared_names(function: AnyFunction) -> frozenset[str]:
    """Names whose object a nested function changes in place."""
    nested = (node for node in _body_nodes(function) if isinstance(node, FUNCTIONS))
    return frozenset(name for inner in nested for part in walk(inner) for name in changed_by(part))


def once_bound_names(function: AnyFunction) -> frozenset[str]:
    """Names that the function binds in one place only, outside of loops: nested functions can rely on them."""
    counts: dict[str, int] = {}
    arguments = function.args
    for parameter in (*parameters(function), *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if parameter is not None:
            counts[parameter.arg] = 1
    for name in _bound_in(function):
        counts[name] = counts.get(name, 0) + 1
    return frozenset(name for name, count in counts.items() if count == 1)


def bound_names(function: AnyFunction) -> frozenset[str]:
    """Every name that is local to the function, parameters apart."""
    return frozenset(_bound_in(function))


def changed_by(node: ast.AST) -> Iterator[str]:
    """Names whose object this one node changes in place."""
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
        if isinstance(node.value, ast.Name):
            yield node.value.id
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        yield from (name.id for name in [node.func.value] if isinstance(name, ast.Name))


def may_change(function: AnyFunction, parameter: str) -> bool:
    """Whether a function may change what one of its parameters is given in place."""
    for node in _body_nodes(function):
        if parameter in changed_by(node):
            return True
        if isinstance(node, ast.Call) and any(_is_name(argument, parameter) for argument in _arguments(node)):
            return True
        if isinstance(node, (ast.Assign, ast.Return)) and node.value is not None and _is_name(node.value, parameter):
            return True
    return False


def _arguments(node: ast.Call) -> Iterator[ast.expr]:
    for argument in node.args:
        yield argument.value if isinstance(argument, ast.Starred) else argument
    for keyword in node.keywords:
        yield keyword.value


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _body_nodes(function: AnyFunction) -> Iterator[ast.AST]:
    for part in [function.body] if isinstance(function, ast.Lambda) else function.body:
        yield from walk(part)


def _bound_in(function: AnyFunction) -> Iterator[str]:
    for node in own_nodes(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            # Bound again on every pass: once more than it is written.
            for part in walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    yield part.id
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name


def leaves_function(node: ast.AST) -> bool:
    """Whether a statement can leave the function around it."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.Return, ast.Raise)):
            return True
        if not isinstance(part, (*FUNCTIONS, ast.ClassDef)):
            pending.extend(children(part))
    return False
