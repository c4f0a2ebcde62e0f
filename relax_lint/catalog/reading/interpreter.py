"""Follows functions of the sources, statement by statement, as far as building parsers asks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import MethodType
from typing import Any

from relax_lint.catalog.reading import library
from relax_lint.catalog.reading.expressions import Expressions
from relax_lint.catalog.reading.modules import Sources
from relax_lint.catalog.reading.statements import Statements
from relax_lint.catalog.reading.values import (
    REGISTER,
    Deferred,
    Exceeded,
    Fact,
    Function,
    Module,
    Scope,
    Unknown,
    Unreadable,
)

MOST_STEPS = 300_000
"""Reading Relax and all that it takes flags from is a quarter of that."""
DEEPEST_CALL = 60


class Frame:
    """A call that is being followed."""

    def __init__(self, module: str, function: Function | None = None, called_as: str = "", line: int = 0) -> None:
        self.module = module
        self.function = function
        self.called_as = called_as
        self.line = line
        self.doubtful: list[Any] = []


class Interpreter:
    """Computes with sources. What it cannot tell becomes :class:`Unknown`; statements it cannot follow are passed over.

    ``modules`` stand in for modules of the sources; ``facts`` are the results of functions whose sources do not tell
    them, by dotted name; ``absent`` are packages that are not installed where Relax runs. ``possible`` gathers patterns
    of the flags that may be registered without being known.
    """

    def __init__(
        self,
        sources: Sources,
        modules: Mapping[str, Mapping[str, Any]] | None = None,
        facts: Mapping[str, Any] | None = None,
        absent: frozenset[str] = frozenset(),
    ) -> None:
        self.sources = sources
        self.frames: list[Frame] = []
        self.doubts: list[str] = []
        self.possible: list[str] = []
        self.reads_environment = False
        self._stand_ins = modules or {}
        self._facts = facts or {}
        self._modules: dict[str, Module] = {}
        self._expressions = Expressions(self)
        self._statements = Statements(self, absent)
        self._generators: dict[ast.FunctionDef, bool] = {}
        self._builtins: dict[str, Callable[..., Any]] = {
            "getattr": self._getattr,
            "hasattr": self._hasattr,
            "setattr": self.set_attribute,
            "vars": self._vars,
        }
        self._steps = 0

    # ------------------------------------------------------------ for callers

    def module(self, name: str) -> Module:
        """A module, its top level followed when it is asked for the first time."""
        if name not in self._modules:
            stand_in = self._stand_ins.get(name) or library.native_module(name)
            tree = None if stand_in is not None else self.sources.tree(name)
            scope = Scope(None, dict(stand_in)) if stand_in is not None else None if tree is None else Scope(None)
            self._modules[name] = Module(name, scope)
            if tree is not None and scope is not None:
                scope.names["__name__"] = name
                with self.acting_as(name), self._statements.of_module():
                    self.execute(tree.body, scope)
        return self._modules[name]

    def member(self, module: Module, name: str) -> Any:
        """A name of a module, or a module inside a package."""
        self.reads_environment |= module.name == "os" and name in ("environ", "getenv")
        if module.scope is not None and name in module.scope.names:
            return self._settled(module.scope, name)
        inner = f"{module.name}.{name}"
        if self.sources.tree(inner) is not None or inner in self._stand_ins:
            return self.module(inner)
        return self._fact_of(inner) or Unknown(f"{inner} is not to be read")

    @contextmanager
    def acting_as(self, module: str) -> Iterator[None]:
        """What happens inside is the doing of a module."""
        with self._frame(Frame(module)):
            yield

    def register(self, module: str, container: Any, names: Iterable[str], given: Mapping[str, Any]) -> None:
        """Register a flag as a module that is not read would."""
        with self.acting_as(module):
            self._call = (REGISTER, 0)
            container.add_argument(*names, **given)

    def registering(self) -> tuple[str, int]:
        """The module whose code registers now; functions put in the place of ``add_argument`` only pass on."""
        for frame in reversed(self.frames):
            if frame.called_as != REGISTER:
                return frame.module, frame.line
        return "", 0

    def step(self) -> None:
        """Count one more step."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Exceeded("the sources are not followed so far")

    def fact(self, function: Any) -> Callable[..., Any] | None:
        """What is known of a function that the sources do not tell."""
        method = function if isinstance(function, MethodType) else None
        plain = function if method is None else method.__func__
        if not isinstance(plain, Function):
            return function if isinstance(function, Fact) else None
        fact = self._fact_of(f"{plain.module}.{plain.name}")
        return fact if fact is None or method is None else partial(fact, method.__self__)

    def _fact_of(self, name: str) -> Fact | None:
        return Fact(self._facts[name]) if name in self._facts else None

    # ------------------------------------------------------------ names

    def lookup(self, name: str, scope: Scope) -> Any:
        """The value of a name."""
        holder = scope.find(name)
        if holder is not None:
            return self._settled(holder, name)
        if name in library.BUILTINS:
            return library.BUILTINS[name]
        if name in self._builtins:
            return self._builtins[name]
        raise NameError(name)

    def _settled(self, scope: Scope, name: str) -> Any:
        value = scope.names[name]
        if isinstance(value, Deferred):
            scope.names[name] = value = self.imported(value.module, value.name)
        return value

    def imported(self, module: str, name: str) -> Any:
        """What ``from module import name`` gives."""
        return self.member(self.module(module), name)

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Bind a target."""
        if isinstance(target, ast.Name):
            scope.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, Unknown):
                parts: list[Any] = [value] * len(target.elts)
            else:
                parts = list(value)
                if any(isinstance(part, ast.Starred) for part in target.elts) or len(parts) != len(target.elts):
                    raise Unreadable(f"an assignment at line {target.lineno}")
            for part, item in zip(target.elts, parts, strict=True):
                self.assign(part, item, scope)
        elif isinstance(target, ast.Attribute):
            holder = self.evaluate(target.value, scope)
            self.set_attribute(holder, target.attr, value)
        elif isinstance(target, ast.Subscript):
            holder = self.evaluate(target.value, scope)
            if isinstance(holder, (dict, list)):
                holder[self.evaluate(target.slice, scope)] = value
        else:
            raise Unreadable(f"an assignment at line {target.lineno}")

    # ------------------------------------------------------------ functions

    def evaluate(self, node: ast.expr, scope: Scope) -> Any:
        """The value of an expression."""
        self.step()
        return self._expressions.evaluate(node, scope)

    def tried(self, node: ast.expr, scope: Scope) -> Any:
        """The value of an expression; unknown when it cannot be followed."""
        try:
            return self.evaluate(node, scope)
        except Exception as problem:
            return Unknown(f"line {node.lineno}: {problem}")

    def execute(self, body: list[ast.stmt], scope: Scope) -> None:
        """Follow statements."""
        self._statements.execute(body, scope)

    def function(self, node: ast.FunctionDef | ast.Lambda, scope: Scope, name: str) -> Function:
        """A function of the sources, its defaults computed."""
        wanted = node.args
        positional = [parameter.arg for parameter in (*wanted.posonlyargs, *wanted.args)]
        pairs = list(zip(reversed(positional), reversed(wanted.defaults), strict=False))
        pairs += [
            (parameter.arg, default)
            for parameter, default in zip(wanted.kwonlyargs, wanted.kw_defaults, strict=True)
            if default is not None
        ]
        defaults = {parameter: self.tried(default, scope) for parameter, default in pairs}
        closure = scope.outer if scope.is_class and scope.outer is not None else scope
        return Function(
            node, closure, scope.outermost.names.get("__name__", ""), name, defaults, self._followed, self.lookup
        )

    def called(self, node: ast.Call, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """The result of a call."""
        called_as = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        self._call = (called_as, node.lineno)
        return function(*arguments, **named)

    def superior(self, scope: Scope) -> Any:
        """What ``super()`` gives."""
        function = self.frames[-1].function
        if function is None or function.owner is None or not function.node.args.args:
            raise Unreadable("super() outside a method")
        return super(function.owner, self.lookup(function.node.args.args[0].arg, scope))

    def _followed(self, function: Function, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if len(self.frames) > DEEPEST_CALL:
            raise Unreadable("calls too deep")
        scope = Scope(function.scope, function.bound(arguments, named))
        called_as, line = self._call
        with self._frame(Frame(function.module, function, called_as, line)) as frame:
            if isinstance(function.node, ast.Lambda):
                return self.evaluate(function.node.body, scope)
            if self._is_generator(function.node):
                return Unknown(f"{function.name} is a generator")
            result = self._statements.result(function.node.body, scope)
            if any(other is not result and other != result for other in frame.doubtful):
                return Unknown(f"{function.name} depends on what is not known")
            return result

    def _is_generator(self, node: ast.FunctionDef) -> bool:
        if node not in self._generators:
            self._generators[node] = _yields(node)
        return self._generators[node]

    @contextmanager
    def _frame(self, frame: Frame) -> Iterator[Frame]:
        self.frames.append(frame)
        try:
            yield frame
        finally:
            self.frames.pop()

    _call: tuple[str, int] = ("", 0)

    # ------------------------------------------------------------ builtins that look at attributes

    def _getattr(self, holder: Any, name: str, *default: Any) -> Any:
        try:
            return self.member(holder, name) if isinstance(holder, Module) else library.attribute(holder, name)
        except AttributeError:
            if default:
                return default[0]
            raise

    def _hasattr(self, holder: Any, name: str) -> Any:
        if isinstance(holder, Unknown):
            return holder
        return self._getattr(holder, name, None) is not None

    def set_attribute(self, holder: Any, name: str, value: Any) -> None:
        """Give an attribute its value, where that reaches nothing of Python's own."""
        if isinstance(holder, Unknown):
            return
        if isinstance(holder, Module):
            if holder.scope is not None:
                holder.scope.names[name] = value
            return
        if name.startswith("__") or (isinstance(holder, type) and holder.__module__ in ("builtins", "enum", "typing")):
            raise Unreadable(f"setting {name}")
        setattr(holder, name, value)

    def _vars(self, holder: Any) -> Any:
        return holder if isinstance(holder, Unknown) else library.attribute(holder, "__dict__")


def _yields(node: ast.FunctionDef) -> bool:
    nested = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        current = waiting.pop()
        if isinstance(current, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(current, nested):
            waiting += ast.iter_child_nodes(current)
    return False
