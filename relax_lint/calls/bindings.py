"""Where the names of one function get what they hold, in whatever order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from relax_lint.flow.names import Import, imports_of
from relax_lint.flow.scopes import FUNCTIONS, AnyFunction, nodes_run, own_nodes
from relax_lint.records import record
from relax_lint.sources.python import PythonSource

_ASKS_WHETHER_ASYNC = re.compile(r"is_?async|is_?coroutine|asynchronous")
Manner = Literal["value", "element", "entered", "part", "container", "unknown"]
_NEVER_DEEPER = 20
_BIND_NOTHING = frozenset({ast.Name, ast.Constant, ast.Expr, ast.keyword, ast.Subscript, ast.If, ast.Compare})
"""The most frequent nodes that neither bind nor store anything."""


@record
class Origin:
    """How a value comes about: an expression, an item of another one, what a ``with`` gives, a part of a tuple, or a
    container of another one."""

    manner: Manner
    expression: ast.expr | None = None
    inner: Origin | None = None
    index: int = 0
    count: int = 0


Bound = Origin | Import | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
UNKNOWN_ORIGIN = Origin("unknown")


class Bindings:
    """What the code of a function, or the top level of a module, binds and stores; the calls and results in it.

    ``stores`` are values given to an attribute of something. ``fills`` are values put into what a name holds.
    ``own_loop`` are calls that make a coroutine for an event loop of its own.
    """

    def __init__(self, scope: AnyFunction | ast.Module, package: str) -> None:
        self.names: dict[str, list[Bound]] = {}
        self.fills: list[tuple[str, Origin]] = []
        self.stores: list[tuple[ast.expr, str, Origin]] = []
        self.calls: list[ast.Call] = []
        self.attributes: list[ast.Attribute] = []
        self.results: list[ast.expr] = [scope.body] if isinstance(scope, ast.Lambda) else []
        self.yields: list[ast.expr] = []
        self.outer: set[str] = set()
        self._package = package
        self._scope = scope
        for node in _nodes(scope):
            if node.__class__ not in _BIND_NOTHING:
                self._read(node)
        for name in self.outer:
            self.names.pop(name, None)
        self.own_loop = frozenset(self._given_to_loops())

    @cached_property
    def of_coroutines(self) -> frozenset[ast.Call]:
        """The calls that are awaited where a test tells which functions are coroutine functions: others are not called
        there, however many functions the same name holds."""
        nodes = list(_nodes(self._scope))
        tests = [node.test for node in nodes if isinstance(node, (ast.If, ast.IfExp))]
        if not any(_ASKS_WHETHER_ASYNC.search(ast.unparse(test)) for test in tests):
            return frozenset()
        awaited = (node.value for node in nodes if isinstance(node, ast.Await))
        return frozenset(call for call in awaited if isinstance(call, ast.Call))

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            self.calls.append(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING and node.args:
                self._put(node.func.value, Origin("value", node.args[-1]))
        elif isinstance(node, ast.Attribute):
            self.attributes.append(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, Origin("value", node.value))
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr, ast.AugAssign)):
            if node.value is not None:
                self._assign(node.target, Origin("value", node.value))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._assign(node.target, Origin("element", inner=Origin("value", node.iter)))
        elif isinstance(node, ast.withitem):
            if node.optional_vars is not None:
                self._assign(node.optional_vars, Origin("entered", inner=Origin("value", node.context_expr)))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for name, imported in imports_of(node, self._package):
                self._bind(name, imported)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._bind(node.name, node)
        elif isinstance(node, ast.Return):
            self.results += [node.value] if node.value is not None else []
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            self.yields += [node.value] if node.value is not None else []
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            self.outer.update(node.names)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            self._bind(node.name, UNKNOWN_ORIGIN)

    def _bind(self, name: str, bound: Bound) -> None:
        self.names.setdefault(name, []).append(bound)

    def _assign(self, target: ast.expr, origin: Origin, depth: int = 0) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, origin)
        elif isinstance(target, ast.Attribute):
            self.stores.append((target.value, target.attr, origin))
        elif isinstance(target, ast.Subscript):
            self._put(target.value, origin)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, UNKNOWN_ORIGIN)
        elif isinstance(target, (ast.Tuple, ast.List)) and depth < _NEVER_DEEPER:
            for index, item in enumerate(target.elts):
                self._assign(item, Origin("part", inner=origin, index=index, count=len(target.elts)), depth + 1)

    def _put(self, holder: ast.expr, origin: Origin) -> None:
        """Note that something is put into a container."""
        if isinstance(holder, ast.Name):
            self.fills.append((holder.id, Origin("container", inner=origin)))
        elif isinstance(holder, ast.Attribute):
            self.stores.append((holder.value, holder.attr, Origin("container", inner=origin)))

    def _given_to_loops(self) -> Iterator[ast.Call]:
        for call in self.calls:
            if not _runs_a_loop(call.func):
                continue
            for argument in call.args:
                bound = self.names.get(argument.id, ()) if isinstance(argument, ast.Name) else ()
                origins = [origin.expression for origin in bound if isinstance(origin, Origin)]
                yield from (made for made in (argument, *origins) if isinstance(made, ast.Call))


_FILLING = frozenset({"append", "add", "appendleft", "setdefault", "insert"})
_LOOPS = frozenset({"run_until_complete", "run_coroutine_threadsafe"})


def _runs_a_loop(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name == "run" and isinstance(function, ast.Attribute):
        return isinstance(function.value, ast.Name) and function.value.id in ("asyncio", "anyio", "uvloop")
    return name in _LOOPS


def _defaults(function: AnyFunction) -> Iterator[ast.AST]:
    """The defaults of a function's parameters, which are worked out where it is defined."""
    spec = function.args
    given = [ast.Expr(default) for default in (*spec.defaults, *spec.kw_defaults) if default is not None]
    return nodes_run(given)


def _nodes(scope: AnyFunction | ast.Module) -> Iterator[ast.AST]:
    if not isinstance(scope, ast.Module):
        for node in own_nodes(scope):
            yield node
            if isinstance(node, FUNCTIONS):
                yield from _defaults(node)
        return
    yield from nodes_run([statement for statement in scope.body if not is_main_guard(statement)])


def is_main_guard(statement: ast.stmt) -> bool:
    """Whether this is what runs only when the module is run as a program."""
    test = statement.test if isinstance(statement, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def globals_set(source: PythonSource) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The module's names that functions say they bind themselves, with those functions."""
    found: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for statement in source.nodes(ast.Global):
        scopes = (node for node in source.ancestors(statement) if isinstance(node, (*FUNCTIONS, ast.ClassDef)))
        function = next(scopes, None)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for name in statement.names:
                found.setdefault(name, []).append(function)
    return found
