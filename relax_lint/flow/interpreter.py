"""Follows functions through the recipe's own code: what each can return, for what it is called with."""

from __future__ import annotations

import ast
import builtins
import weakref
from typing import TYPE_CHECKING

from relax_lint.attached import attached
from relax_lint.flow.body import Body
from relax_lint.flow.classes import default_of, fields_of, find_method, is_plain, lineage
from relax_lint.flow.facts import Facts
from relax_lint.flow.library import EXECUTOR_METHODS, IDENTITY_DECORATORS, call_library
from relax_lint.flow.methods import call_method, made_tuple
from relax_lint.flow.names import Found, Import, Resolution, Resolver
from relax_lint.flow.scopes import parameters
from relax_lint.flow.shapes import (
    UNKNOWN,
    UNKNOWN_LENGTH,
    Arguments,
    Awaitable,
    Class,
    Dictionary,
    Entry,
    Exit,
    Function,
    Instance,
    Library,
    Method,
    Module,
    Sequence,
    Shape,
    Super,
    Thing,
    TupleClass,
    alternatives,
    changed_unseen,
    each,
    union,
)
from relax_lint.flow.signals import NoReturn, TooMuch
from relax_lint.flow.stores import UNSEEN
from relax_lint.kept import Kept
from relax_lint.records import changed as replace

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

DEEPEST_CALL = 8
MOST_NAMES = 300
"""Local names of a function that nobody wrote by hand; what it returns is not followed."""
MOST_STEPS = 12_000
"""Statements and expressions followed for one question; beyond, nothing is said."""

_ASYNC = (ast.AsyncFunctionDef,)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Interpreter:
    """Answers what functions of one project return. Answers are kept; nothing is run."""

    def __init__(self, project: Project) -> None:
        # Held weakly: the interpreters are kept by project, and must not keep it.
        self.project: Project = weakref.proxy(project)
        self.resolver = Resolver(self.project)
        self.facts = Facts()
        self.steps = 0
        self.most_steps = MOST_STEPS
        self.notes_stores = False
        self._depth = 0
        self._known = Kept()
        self._running: set[object] = set()
        self._values = Kept()
        self._followed: dict[Path, bool] = {}
        self.misfits = Kept()
        """Where values were found to be taken apart wrongly, by what they are taken apart into."""
        self.answers = Kept()
        """What callers have worked out from this and want to ask again."""

    def step(self) -> None:
        """Count a statement or an expression that is followed."""
        self.steps += 1
        if self.steps > self.most_steps:
            raise TooMuch

    @staticmethod
    def changed(shape: Shape) -> Shape:
        """A value after code that is not followed may have changed it."""
        return changed_unseen(shape)

    # ------------------------------------------------------------ questions

    def outcomes(self, callee: Shape, arguments: Arguments, most_steps: int = MOST_STEPS) -> tuple[Exit, ...] | None:
        """The ways out of a function of the repository, or ``None`` when they cannot all be told."""
        if not isinstance(callee, Function) or self._makes_generator(callee):
            return None
        self.steps, self.most_steps = 0, most_steps
        try:
            return self._exits(callee, arguments)
        except (TooMuch, RecursionError):
            return None
        finally:
            self.most_steps = MOST_STEPS

    def outcomes_with_stores(
        self, callee: Shape, arguments: Arguments, most_steps: int = MOST_STEPS
    ) -> tuple[Exit, ...] | None:
        """The same, each with the attributes that may have been stored on the way."""
        self.notes_stores = True
        try:
            return self.outcomes(callee, arguments, most_steps)
        finally:
            self.notes_stores = False

    def stored_by(self, callee: Function, arguments: Arguments) -> frozenset[str]:
        """The attributes that a call may store."""
        exits = None if self._makes_generator(callee) else self._exits(callee, arguments)
        if exits is None:
            return frozenset((UNSEEN,))
        return frozenset().union(*(way.stored for way in exits))

    def result(self, callee: Shape, arguments: Arguments) -> Shape:
        """What calling a value gives, a coroutine where it gives one."""
        self.steps = 0
        try:
            return self.call(callee, arguments)
        except (TooMuch, RecursionError, NoReturn):
            return UNKNOWN

    def named(self, source: PythonSource, name: str) -> Shape:
        """The value of a module's top-level name."""
        try:
            return self.module_value(source, name)
        except (TooMuch, RecursionError, NoReturn):
            return UNKNOWN

    # ------------------------------------------------------------ names

    def follows(self, source: PythonSource) -> bool:
        """Whether functions of a file are followed: those of recipes are, those of Relax itself are not."""
        return self.follows_file(source.path)

    def follows_file(self, path: Path) -> bool:
        """The same of a file by its name."""
        if path not in self._followed:
            self._followed[path] = self.project.root / "examples" in path.parents
        return self._followed[path]

    def module_value(self, source: PythonSource, name: str) -> Shape:
        """The value of a module's top-level name once the module is imported."""

        def answer() -> Shape:
            return self.resolved(self.resolver.resolve(source, name), name)

        needs_itself: Shape = UNKNOWN
        return self._values.ask_within((source, name), needs_itself, answer)

    def resolved(self, resolution: Resolution, name: str) -> Shape:
        """The value that a resolution leads to."""
        if resolution.missing:
            return Library(name) if hasattr(builtins, name) else UNKNOWN
        if resolution.external is not None:
            return Library(resolution.external)
        if resolution.module is not None:
            return Module(resolution.module)
        if not resolution.complete:
            return UNKNOWN
        return union(map(self._found_value, resolution.found))

    def attribute_of_module(self, module: str, name: str) -> Shape:
        """``module.name`` for a module of the repository."""
        return self.resolved(self.resolver.attribute(module, name), "")

    def _found_value(self, found: Found) -> Shape:
        source, node, name = found.source, found.binding.node, found.binding.name
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return self.decorated(Function(source, node), node, source)
        if isinstance(node, ast.ClassDef):
            return Class(source, node) if not node.decorator_list or is_plain(node) else UNKNOWN
        if found.binding.kind != "value" or not isinstance(node, ast.expr):
            return UNKNOWN
        value = self.in_module(
            source, node, {} if found.earlier is None else {name: self.resolved(found.earlier, name)}
        )
        in_place = any(isinstance(part, (Dictionary, Sequence)) for part in alternatives(value))
        if self.resolver.names.may_differ(source, name, in_place=in_place):
            return each(value, changed_unseen)
        return value

    def in_module(self, source: PythonSource, expression: ast.expr, names: dict[str, Shape] | None = None) -> Shape:
        """The value of an expression at a module's top level, where some names are not yet what they become."""
        body = Body(self, source, None)
        try:
            return body.expressions.evaluate(expression, body.start(names or {}))
        except NoReturn:
            return UNKNOWN

    def decorated(self, function: Shape, node: ast.FunctionDef | ast.AsyncFunctionDef, source: PythonSource) -> Shape:
        """A function after its decorators."""
        for decorator in reversed(node.decorator_list):
            function = self.decorate(self.in_module(source, decorator), function)
        return function

    def decorate(self, decorator: Shape, function: Shape) -> Shape:
        """A function after one decorator."""
        if isinstance(decorator, Library) and decorator.name in IDENTITY_DECORATORS:
            return function
        return self.call(decorator, Arguments((function,)))

    def imported(self, imported: Import) -> Shape:
        """What an import statement binds."""
        if imported.attribute is not None:
            return self.attribute_of_module(imported.module, imported.attribute)
        names = self.resolver.names
        if names.module(imported.module) is not None or names.is_package(imported.module):
            return Module(imported.module)
        return Library(imported.module)

    # ------------------------------------------------------------ calls

    def call(self, callee: Shape, arguments: Arguments) -> Shape:
        """What calling a value gives. :class:`NoReturn` when it never comes back."""
        results, returns = [], False
        for target in alternatives(callee):
            try:
                results.append(self._call_one(target, arguments))
                returns = True
            except NoReturn:
                continue
        if not returns:
            raise NoReturn
        return union(results)

    def _call_one(self, callee: Shape, arguments: Arguments) -> Shape:
        if isinstance(callee, Function):
            return self._call_function(callee, arguments)
        if isinstance(callee, Library):
            return call_library(self, callee.name, arguments)
        if isinstance(callee, Method):
            if callee.name in EXECUTOR_METHODS:
                return call_library(self, f".{callee.name}", arguments)
            if isinstance(callee.receiver, Instance) and callee.name in ("model_dump", "dict"):
                return self._dumped(callee.receiver, arguments)
            return call_method(callee, arguments)[0]
        if isinstance(callee, Class):
            return self._instantiate(callee, arguments)
        if isinstance(callee, TupleClass):
            fields = callee.fields
            defaults = dict(zip(reversed(fields), reversed(callee.defaults), strict=False))
            return made_tuple([(name, defaults.get(name)) for name in fields], arguments)
        if isinstance(callee, Instance):
            method = self.method(callee, "__call__")
            return UNKNOWN if method is None else self.call(method, arguments)
        return UNKNOWN

    def _call_function(self, callee: Function, arguments: Arguments) -> Shape:
        node = callee.node
        if self._makes_generator(callee):
            what = "an async generator" if isinstance(node, _ASYNC) else "a generator"
            return Thing(what)
        if not self.follows(callee.source):
            return Awaitable(UNKNOWN) if isinstance(node, _ASYNC) else UNKNOWN
        exits = self._exits(callee, arguments)
        if exits is None:
            result: Shape = UNKNOWN
        elif not exits:
            if not isinstance(node, _ASYNC):
                raise NoReturn
            result = UNKNOWN
        else:
            result = union(
                shape if shape == UNKNOWN else replace(shape, origin=way) for way in exits for shape in [way.shape]
            )
        return Awaitable(result) if isinstance(node, _ASYNC) else result

    def _makes_generator(self, callee: Function) -> bool:
        return not isinstance(callee.node, ast.Lambda) and self.facts.scope(callee.node).generator

    def _exits(self, callee: Function, arguments: Arguments) -> tuple[Exit, ...] | None:
        """The ways out of a function; a coroutine's when it is awaited."""
        variables = self.bind(callee, arguments)
        if variables is None or len(self.facts.scope(callee.node).bound) > MOST_NAMES:
            return None
        key = (callee.node, callee.closure, tuple(variables.items()), self.notes_stores)
        if key not in self._known and (key in self._running or self._depth >= DEEPEST_CALL):
            return None

        def follow() -> tuple[Exit, ...]:
            self._running.add(key)
            self._depth += 1
            try:
                return tuple(Body(self, callee.source, callee).run(variables))
            finally:
                self._depth -= 1
                self._running.discard(key)

        return self._known.ask(key, follow)

    def bind(self, callee: Function, arguments: Arguments) -> dict[str, Shape] | None:
        """The parameters of a call, or ``None`` when the function cannot be called so."""
        spec = callee.node.args
        names = [parameter.arg for parameter in parameters(callee.node)]
        positional = (*callee.bound, *arguments.positional)
        variables: dict[str, Shape] = dict(zip(names, positional, strict=False))
        rest = positional[len(names) :]
        if rest and spec.vararg is None:
            return None
        by_keyword = {*names[len(spec.posonlyargs) :], *(parameter.arg for parameter in spec.kwonlyargs)}
        extra: list[Entry] = []
        for name, shape in {**dict(callee.keywords), **dict(arguments.keywords)}.items():
            if name in by_keyword and name not in variables:
                variables[name] = shape
            elif spec.kwarg is not None:
                extra.append(Entry(name, shape))
            else:
                return None
        defaults = dict(zip(reversed(names), reversed(spec.defaults), strict=False))
        defaults.update(
            (parameter.arg, default)
            for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
            if default is not None
        )
        for name in (*names, *(parameter.arg for parameter in spec.kwonlyargs)):
            if name in variables:
                continue
            if not arguments.complete:
                variables[name] = UNKNOWN
            elif name in defaults:
                variables[name] = self._default(callee, defaults[name])
            else:
                return None
        if spec.vararg is not None:
            known = arguments.complete
            variables[spec.vararg.arg] = (
                Sequence.of(rest, "tuple") if known else Sequence(UNKNOWN, UNKNOWN_LENGTH, kind="tuple")
            )
        if spec.kwarg is not None:
            variables[spec.kwarg.arg] = Dictionary(tuple(extra), open=not arguments.complete)
        return variables

    def _default(self, callee: Function, expression: ast.expr) -> Shape:
        if callee.closure is not None and not isinstance(expression, ast.Constant):
            return UNKNOWN
        value = self.in_module(callee.source, expression)
        # One object for all calls: what an earlier call did to it is not known.
        return each(value, lambda part: changed_unseen(part) if isinstance(part, (Dictionary, Sequence)) else part)

    # ------------------------------------------------------------ classes

    def method(self, instance: Instance, name: str) -> Shape | None:
        """A bound method; ``None`` when it cannot be told what it is."""
        return self._class_member(instance.cls, name, instance)

    def super_method(self, holder: Super, name: str) -> Shape | None:
        """A method as ``super()`` gives it."""
        return self._class_member(holder.instance.cls, name, holder.instance, holder.behind)

    def super_of(self, function: Function | None) -> Shape:
        """What ``super()`` is in a function."""
        instance = function.bound[0] if function is not None and function.bound else None
        if function is None or not isinstance(instance, Instance):
            return UNKNOWN
        for current in lineage(self, instance.cls):
            if isinstance(current, Class) and function.node in current.node.body:
                return Super(instance, current.node)
        return UNKNOWN

    def class_attribute(self, cls: Class, name: str) -> Shape:
        """``Class.name``: a function, unbound or bound to the class."""
        return self._class_member(cls, name, None) or UNKNOWN

    def _class_member(
        self, cls: Class, name: str, instance: Instance | None, behind: ast.ClassDef | None = None
    ) -> Shape | None:
        found = find_method(self, cls, name, behind)
        if found is not None and isinstance(found[1], ast.Assign):
            return self._aliased(found[0], found[1].value, instance)
        if found is None or not isinstance(found[1], _DEFINITIONS):
            return None
        source, node = found[0], found[1]
        decorators = [part.id if isinstance(part, ast.Name) else "" for part in node.decorator_list]
        if decorators == ["staticmethod"]:
            return Function(source, node)
        if decorators == ["classmethod"]:
            return Function(source, node, bound=(cls,))
        function: Shape = Function(source, node)
        if decorators:
            function = self.decorated(function, node, source)
        if not isinstance(function, Function):
            return None
        return function if instance is None else replace(function, bound=(instance, *function.bound))

    def _aliased(self, source: PythonSource, value: ast.expr, instance: Instance | None) -> Shape | None:
        """A method that a class body takes from another of its functions, or from one of the module."""
        holder = next((part for part in source.around(value) if isinstance(part, ast.ClassDef)), None)
        if not isinstance(value, ast.Name) or holder is None:
            return None
        own = [part for part in holder.body if isinstance(part, _DEFINITIONS) and part.name == value.id]
        function = self._plain(source, own[-1]) if own else self.module_value(source, value.id)
        if not isinstance(function, Function):
            return None
        return function if instance is None else replace(function, bound=(instance, *function.bound))

    @staticmethod
    def _plain(source: PythonSource, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Shape:
        return UNKNOWN if node.decorator_list else Function(source, node)

    def _instantiate(self, cls: Class, arguments: Arguments) -> Shape:
        kind = fields_of(self, cls)
        if kind.is_dictionary:
            return Dictionary(tuple(Entry(*item) for item in arguments.keywords), open=not arguments.complete)
        if kind.is_tuple:
            return made_tuple([(name, default_of(self, cls, name)) for name in kind.fields], arguments)
        return Instance(cls) if kind.known else UNKNOWN

    def _dumped(self, instance: Instance, arguments: Arguments) -> Shape:
        """What ``model_dump`` of a pydantic model gives: one key a field, where the class says nothing else."""
        make = fields_of(self, instance.cls)
        if not make.is_model:
            return UNKNOWN
        plain = make.only_fields and arguments == Arguments()
        return Dictionary(tuple(Entry(name, UNKNOWN, plain) for name in make.fields), open=not plain)


@attached
def interpreter_of(project: Project) -> Interpreter:
    """The interpreter of a project, which keeps its answers as long as the project lives."""
    return Interpreter(project)
