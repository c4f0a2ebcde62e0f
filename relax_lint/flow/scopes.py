"""What a function's own code does with its names, found without following it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from relax_lint.records import record
from relax_lint.sources.python import children, walk

MUTATORS = frozenset(
    (
        *("append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault"),
        *("add", "discard", "sort", "reverse", "appendleft", "extendleft", "move_to_end", "subtract", "rotate"),
        *("__setitem__", "__delitem__", "__ior__", "__iadd__", "__imul__", "__init__"),
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

_LOGGERS = frozenset({"logging", "logging.getLogger()", "loguru.logger"})
_LOGGING = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log", "success"})

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_OF_THEIR_OWN = frozenset({*FUNCTIONS, ast.ClassDef, ast.Name, ast.Constant})
"""Nodes that hold what does not run with them, or nothing."""


def is_logging(name: str) -> bool:
    """Whether this writes to a log, which gives nothing back and changes nothing."""
    logger, _, method = name.rpartition(".")
    return method in _LOGGING and logger in _LOGGERS


@lru_cache(maxsize=4096)
def own_nodes(function: AnyFunction) -> tuple[ast.AST, ...]:
    """The nodes of a function's body that run as part of it: nested functions and classes are left out."""
    return tuple(nodes_run([function.body] if isinstance(function, ast.Lambda) else function.body))


def nodes_run(statements: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The same of some statements."""
    pending = list(reversed(statements))
    while pending:
        node = pending.pop()
        yield node
        if node.__class__ not in _OF_THEIR_OWN:
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


def may_change(function: AnyFunction, parameter: str, *, items: bool) -> bool:
    """Whether a function may change what one of its parameters is given in place, or, of a list or dictionary that
    holds others (``items``), what is in it."""
    inside = {parameter}
    nodes = list(_body_nodes(function))
    for node in nodes:
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and inside & _names(node.iter):
            inside |= _names(node.target)
    passed_on = inside if items else {parameter}
    read = set(map(id, only_read(nodes)))
    for node in nodes:
        if not inside.isdisjoint(changed_by(node)):
            return True
        if (
            isinstance(node, (ast.Subscript, ast.Attribute))
            and isinstance(node.ctx, ast.Store)
            and _root(node) in inside
        ):
            return True
        if isinstance(node, ast.Name) and node.id in passed_on and isinstance(node.ctx, ast.Load):
            if id(node) not in read:
                return True
    return False


def only_read(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Expressions that stand where what they give is looked into, and neither changed nor known elsewhere later."""
    for node in nodes:
        if isinstance(node, ast.Subscript):
            yield from (node.value, node.slice)
        elif isinstance(node, ast.Attribute):
            if node.attr not in MUTATORS:
                yield node.value
        elif isinstance(node, ast.Call):
            yield node.func
            if _dotted(node.func) in NOT_CHANGING:
                yield from _arguments(node)
        elif isinstance(node, ast.Dict):
            yield from (value for key, value in zip(node.keys, node.values, strict=True) if key is None)
        elif isinstance(node, (ast.BinOp, ast.Compare)):
            yield from children(node)
        elif isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            yield from _tested(node.test)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            yield node.iter
            if isinstance(node, ast.comprehension):
                yield from (part for test in node.ifs for part in _tested(test))
        elif isinstance(node, (ast.FormattedValue, ast.UnaryOp)):
            yield from children(node)


def _tested(test: ast.expr) -> Iterator[ast.AST]:
    yield test
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _tested(value)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


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
    object a nested function changes in place, ``handed`` those that it passes on; ``scattered`` are lists filled item
    by item in an order that is not told; ``generator`` says that calling it only makes a generator.
    """

    bound: frozenset[str]
    steady: frozenset[str]
    unsteady: frozenset[str]
    shared: frozenset[str]
    handed: frozenset[str]
    scattered: frozenset[str]
    generator: bool = False


_BIND_NOTHING = (ast.Constant, ast.Attribute, ast.Call, ast.Expr, ast.operator, ast.cmpop, ast.Return, ast.If)
"""The most frequent nodes that have no say in a scope themselves."""
_EMPTY: frozenset[str] = frozenset()
NO_SCOPE = Scope(_EMPTY, _EMPTY, _EMPTY, _EMPTY, _EMPTY, _EMPTY)


def scope_of(function: AnyFunction) -> Scope:
    """Read a function's scope."""
    spec = function.args
    given = [*parameters(function), *spec.kwonlyargs, spec.vararg, spec.kwarg]
    counts = {parameter.arg: 1 for parameter in given if parameter is not None}
    bound: set[str] = set()
    unsteady: set[str] = set()
    shared: set[str] = set()
    handed: set[str] = set()
    filling: list[str] = []
    unordered: set[str] = set()
    generator = False
    for node in own_nodes(function):
        if isinstance(node, _BIND_NOTHING):
            continue
        if isinstance(node, FUNCTIONS):
            for part in walk(node):
                if isinstance(part, ast.Nonlocal):
                    unsteady.update(part.names)
                shared.update(changed_by(part))
            handed.update(_handed_on(node))
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            unsteady.update(node.names)
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            generator = True
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            fills = dict(_fills(node))
            filling.extend(fills)
            unordered.update(name for name, counted in fills.items() if not counted)
        for name in _bound_by(node):
            bound.add(name)
            counts[name] = counts.get(name, 0) + 1
    steady = frozenset(name for name, count in counts.items() if count == 1)
    unordered.update(name for name in filling if filling.count(name) > 1)
    return Scope(
        frozenset(bound),
        steady,
        frozenset(unsteady),
        frozenset(shared),
        frozenset(handed),
        frozenset(unordered),
        generator,
    )


def _handed_on(function: AnyFunction) -> Iterator[str]:
    """Names from around a nested function that it does more with than read what is in them."""
    spec = function.args
    own = {parameter.arg for parameter in (*parameters(function), *spec.kwonlyargs)}
    nodes = list(_body_nodes(function))
    read = set(map(id, only_read(nodes)))
    read.update(id(node.value) for node in nodes if isinstance(node, ast.Return))
    for node in nodes:
        if isinstance(node, ast.Name) and node.id not in own and id(node) not in read:
            if isinstance(node.ctx, ast.Load):
                yield node.id


def _fills(loop: ast.For | ast.AsyncFor | ast.While) -> Iterator[tuple[str, bool]]:
    """Lists whose items a loop assigns itself, and whether every index is the loop's own counter."""
    counter = None if isinstance(loop, ast.While) else _counter(loop)
    found: dict[str, bool] = {}
    pending: list[ast.AST] = list(loop.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            counted = counter is not None and _is_name(node.slice, counter)
            found[node.value.id] = found.get(node.value.id, True) and counted
        if isinstance(node, ast.AugAssign):
            pending.append(node.value)
        elif not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.For, ast.AsyncFor, ast.While)):
            pending.extend(children(node))
    yield from found.items()


def _counter(loop: ast.For | ast.AsyncFor) -> str | None:
    """The variable of ``for i, item in enumerate(…)`` or ``for i in range(…)`` that counts."""
    if not isinstance(loop.iter, ast.Call) or not isinstance(loop.iter.func, ast.Name):
        return None
    target = loop.target
    if loop.iter.func.id == "enumerate" and isinstance(target, (ast.Tuple, ast.List)) and target.elts:
        target = target.elts[0]
    elif loop.iter.func.id != "range":
        return None
    return target.id if isinstance(target, ast.Name) else None


def filled_in(loop: ast.AST) -> Iterator[str]:
    """Names of lists and dictionaries whose items a loop assigns."""
    for part in walk(loop):
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store) and isinstance(part.value, ast.Name):
            yield part.value.id


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


def target_names(node: ast.AST) -> frozenset[str]:
    """The names that an expression binds."""
    return frozenset(part.id for part in walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))


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
