"""What a function's own code does with its names, found without following it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_lint.records import record
from relax_lint.sources.python import children, walk

MUTATORS = frozenset(
    (
        *("append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault"),
        *("add", "discard", "sort", "reverse", "appendleft", "extendleft"),
    )
)
"""Methods that change what they are called on."""
NOT_CHANGING = frozenset(
    (
        *("len", "print", "str", "repr", "float", "int", "bool", "sum", "min", "max", "sorted", "list", "tuple", "set"),
        *("dict", "isinstance", "type", "any", "all", "enumerate", "zip", "range", "reversed", "round", "abs", "id"),
        *("json.dumps", "copy.copy", "copy.deepcopy", "map", "filter", "iter", "hasattr", "callable", "format"),
        *("asyncio.gather", "numpy.mean", "numpy.array", "numpy.std", "torch.tensor", "math.fsum", "pprint.pprint"),
    )
)
"""Functions that leave their arguments as they are."""

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def own_nodes(function: AnyFunction) -> Iterator[ast.AST]:
    """The nodes of a function's body that run as part of it: nested functions and classes are left out."""
    pending: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(reversed(function.body))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            pending.extend(reversed(children(node)))


def parameters(function: AnyFunction) -> list[ast.arg]:
    """The parameters that can be given by position."""
    return [*function.args.posonlyargs, *function.args.args]


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
    """Whether a function may change what one of its parameters is given in place, or an item of it."""
    inside = {parameter}
    for node in _body_nodes(function):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and inside & _names(node.iter):
            inside |= _names(node.target)
    for node in _body_nodes(function):
        if not inside.isdisjoint(changed_by(node)):
            return True
        if (
            isinstance(node, (ast.Subscript, ast.Attribute))
            and isinstance(node.ctx, ast.Store)
            and _root(node) in inside
        ):
            return True
        if isinstance(node, ast.Call) and any(_is_name(argument, parameter) for argument in _arguments(node)):
            if not (isinstance(node.func, ast.Name) and node.func.id in NOT_CHANGING):
                return True
        if isinstance(node, (ast.Assign, ast.Return)) and node.value is not None and _is_name(node.value, parameter):
            return True
    return False


def _arguments(node: ast.Call) -> Iterator[ast.expr]:
    for argument in node.args:
        yield argument.value if isinstance(argument, ast.Starred) else argument
    for keyword in node.keywords:
        yield keyword.value


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in walk(node) if isinstance(part, ast.Name)}


def _root(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _body_nodes(function: AnyFunction) -> Iterator[ast.AST]:
    for part in [function.body] if isinstance(function, ast.Lambda) else function.body:
        yield from walk(part)


@record
class Scope:
    """The names of one function.

    ``bound`` are its local ones, parameters apart; ``steady`` those bound in one place only and outside of loops, so
    that nested functions can rely on them; ``unsteady`` those that other functions can bind; ``shared`` those whose
    object a nested function changes in place; ``generator`` says that calling it only makes a generator.
    """

    bound: frozenset[str]
    steady: frozenset[str]
    unsteady: frozenset[str]
    shared: frozenset[str]
    generator: bool = False


_BIND_NOTHING = (ast.Constant, ast.Attribute, ast.Call, ast.Expr, ast.operator, ast.cmpop, ast.Return, ast.If)
"""The most frequent nodes that have no say in a scope themselves."""
NO_SCOPE = Scope(frozenset(), frozenset(), frozenset(), frozenset())


def scope_of(function: AnyFunction) -> Scope:
    """Read a function's scope."""
    spec = function.args
    given = [*parameters(function), *spec.kwonlyargs, spec.vararg, spec.kwarg]
    counts = {parameter.arg: 1 for parameter in given if parameter is not None}
    bound: set[str] = set()
    unsteady: set[str] = set()
    shared: set[str] = set()
    generator = False
    for node in own_nodes(function):
        if isinstance(node, _BIND_NOTHING):
            continue
        if isinstance(node, FUNCTIONS):
            for part in walk(node):
                if isinstance(part, ast.Nonlocal):
                    unsteady.update(part.names)
                shared.update(changed_by(part))
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            unsteady.update(node.names)
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            generator = True
        for name in _bound_by(node):
            bound.add(name)
            counts[name] = counts.get(name, 0) + 1
    steady = frozenset(name for name, count in counts.items() if count == 1)
    return Scope(frozenset(bound), steady, frozenset(unsteady), frozenset(shared), generator)


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.ExceptHandler):
        if node.name:
            yield node.name
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        # Bound again on every pass: once more than it is written.
        yield from (part.id for part in walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name


def stored_in(node: ast.AST) -> frozenset[str]:
    """Names that a loop binds, or whose object it changes."""
    found: set[str] = set()
    for part in walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        else:
            found.update(changed_by(part))
    return frozenset(found)


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
