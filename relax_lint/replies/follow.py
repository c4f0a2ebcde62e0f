"""Follows a model's text from ``step`` through the functions that it is handed to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from relax_lint.class_bodies import last_name
from relax_lint.flow.classes import lineage
from relax_lint.flow.shapes import Class, Function, Instance, Library, Super, alternatives
from relax_lint.flow.signals import NoReturn, TooMuch
from relax_lint.replies.guards import Catch
from relax_lint.replies.statements import Walk
from relax_lint.replies.values import TEXT, Reply, Risk, either

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.flow.shapes import Shape
    from relax_lint.sources.python import PythonSource

DEEPEST = 8
MOST_CALLS = 400
_AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def unguarded(interpreter: Interpreter, cls: Class, step: Function) -> list[Risk]:
    """The places where a bad reply raises in ``step``, or in what it calls, and nothing catches it."""
    attributes: dict[str, Reply] = {}
    follower = Follower(interpreter, cls, attributes)
    follower.call(step.source, step.node, [None, TEXT], {}, ())
    if attributes:  # what one method keeps in an attribute, another may have read before
        follower = Follower(interpreter, cls, attributes)
        follower.call(step.source, step.node, [None, TEXT], {}, ())
    return list(follower.risks.values())


class Follower:
    """One walk from ``step`` through all that it calls; ``attributes`` is what the object keeps of replies."""

    def __init__(self, interpreter: Interpreter, cls: Class, attributes: dict[str, Reply]) -> None:
        self.interpreter = interpreter
        self.cls = cls
        self.owner = cls
        """The class whose objects ``self`` is one of, at present."""
        self.attributes = attributes
        self.risks: dict[ast.AST, Risk] = {}
        self._known: dict[object, Reply | None] = {}
        self._depth = 0

    def call(
        self,
        source: PythonSource,
        node: _AnyFunction,
        positional: list[Reply | None],
        keywords: dict[str, Reply | None],
        around: tuple[tuple[Catch, ...], ...],
        outer: dict[str, Reply | None] | None = None,
    ) -> Reply | None:
        """What a function of the recipe gives for what it is called with; its risks are kept."""
        given = _bound(node, positional, keywords)
        key = (node, tuple(given.items()), around)
        if key in self._known:
            return self._known[key]
        if self._depth >= DEEPEST or len(self._known) >= MOST_CALLS:
            return None
        self._known[key] = None  # what a function that calls itself sees
        self._depth += 1
        before, self.owner = self.owner, self._owner(source, node)
        try:
            walk = Walk(self, source, node, {**(outer or {}), **given}, around)
            self._known[key] = walk.run()
        finally:
            self._depth -= 1
            self.owner = before
        return self._known[key]

    def _owner(self, source: PythonSource, node: _AnyFunction) -> Class:
        """The class whose object ``self`` is in a function."""
        holder = source.parent(node)
        if not isinstance(holder, ast.ClassDef):
            return self.owner
        bases = (base for base in lineage(self.interpreter, self.owner) if isinstance(base, Class))
        return self.owner if any(base.node is holder for base in bases) else Class(source, holder)

    def risk(self, risk: Risk) -> None:
        """Keep a place that raises."""
        self.risks.setdefault(risk.node, risk)

    # ------------------------------------------------------------ what names are

    def function_of(self, source: PythonSource, function: ast.expr) -> tuple[Function, bool] | None:
        """The function of the recipe that a call runs, and whether its first argument is given already."""
        shape = self._shape(source, function)
        if isinstance(shape, Class):
            made = self.interpreter.method(Instance(shape), "__init__")
            shape = made if isinstance(made, Function) else None
        if isinstance(shape, Instance):
            shape = self.interpreter.method(shape, "__call__")
        if not isinstance(shape, Function) or not self.interpreter.follows(shape.source):
            return None
        return shape, bool(shape.bound)

    def name_of(self, source: PythonSource, function: ast.expr, imported: dict[str, str]) -> str:
        """The dotted name of a function from elsewhere; as it is written where that is not known. ``imported`` is what
        the function around it imports itself."""
        written = _written(function)
        first, dot, rest = written.partition(".")
        if first in imported:
            return f"{imported[first]}{dot}{rest}"
        shape = self._shape(source, function)
        return shape.name if isinstance(shape, Library) else written

    def _shape(self, source: PythonSource, node: ast.expr) -> Shape | None:
        interpreter = self.interpreter
        try:
            if isinstance(node, ast.Attribute):
                if _is_self(node.value):
                    return interpreter.method(Instance(self.owner), node.attr)
                if isinstance(node.value, ast.Call) and _written(node.value.func) == "super":
                    return self._of_super(source, node)
                if isinstance(node.value, ast.Attribute) and _is_self(node.value.value):
                    return self._of_part(source, node)
                if _written(node.value) in (self.owner.node.name, "cls"):
                    return interpreter.method(Instance(self.owner), node.attr)
            if not isinstance(node, (ast.Name, ast.Attribute)):
                return None
            found = alternatives(interpreter.in_module(source, node))
        except (NoReturn, TooMuch, RecursionError):
            return None
        return found[0] if len(found) == 1 else None

    def _of_super(self, source: PythonSource, node: ast.Attribute) -> Shape | None:
        holder = next((part for part in source.ancestors(node) if isinstance(part, ast.ClassDef)), None)
        if holder is None:
            return None
        return self.interpreter.super_method(Super(Instance(self.owner), holder), node.attr)

    def _of_part(self, source: PythonSource, node: ast.Attribute) -> Shape | None:
        """``self.parser.parse`` where ``self.parser`` is made in the class."""
        made = self.definition(source, node.value)
        if not isinstance(made, ast.Call) or not isinstance(made.func, (ast.Name, ast.Attribute)):
            return None
        cls = self.interpreter.in_module(source, made.func)
        return self.interpreter.method(Instance(cls), node.attr) if isinstance(cls, Class) else None

    def definitions(self, source: PythonSource, node: ast.expr) -> list[ast.expr]:
        """What a name of the module, or an attribute of the class, is assigned."""
        if isinstance(node, ast.Name):
            found = (each.binding.node for each in self.interpreter.resolver.resolve(source, node.id).found)
            return [each for each in found if isinstance(each, ast.expr)]
        if not isinstance(node, ast.Attribute):
            return []
        assigned: list[ast.expr] = []
        for part in ast.walk(self.owner.node):
            if not isinstance(part, (ast.Assign, ast.AnnAssign)) or part.value is None:
                continue
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            if any(last_name(target) == node.attr for target in targets):
                assigned.append(part.value)
        return assigned

    def definition(self, source: PythonSource, node: ast.expr) -> ast.expr | None:
        """What it is assigned, where there is one such place."""
        found = self.definitions(source, node)
        return found[0] if len(found) == 1 else None

    def pattern_of(self, source: PythonSource, node: ast.Call) -> str | None:
        """The regular expression of a search, when it is written out."""
        function = node.func
        compiled = isinstance(function, ast.Attribute) and self._compiled(source, function.value)
        expression = compiled or (node.args[0] if len(node.args) > 1 else None)
        if isinstance(expression, ast.Name):
            expression = self.definition(source, expression)
        known = isinstance(expression, ast.Constant) and isinstance(expression.value, str)
        return str(expression.value) if isinstance(expression, ast.Constant) and known else None

    def _compiled(self, source: PythonSource, node: ast.expr) -> ast.expr | None:
        """The pattern that a name was compiled from."""
        definition = node if isinstance(node, ast.Call) else self.definition(source, node)
        if isinstance(definition, ast.Call) and last_name(definition.func) == "compile" and definition.args:
            return definition.args[0]
        return None


def _bound(
    node: _AnyFunction, positional: list[Reply | None], keywords: dict[str, Reply | None]
) -> dict[str, Reply | None]:
    spec = node.args
    names = [part.arg for part in (*spec.posonlyargs, *spec.args)]
    given = dict(zip(names, positional, strict=False))
    given.update((name, value) for name, value in keywords.items() if name in names)
    given.update((part.arg, keywords.get(part.arg)) for part in spec.kwonlyargs)
    if spec.vararg is not None:
        rest = either(positional[len(names) :])
        given[spec.vararg.arg] = None if rest is None else Reply("made", fields=((0, rest),))
    return {name: given.get(name) for name in (*names, *given)}


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _written(node: ast.expr) -> str:
    """A dotted name as it is written; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return f"{_written(node.value)}.{node.attr}"
    if isinstance(node, ast.Call):
        return f"{_written(node.func)}()"
    return node.id if isinstance(node, ast.Name) else ""
