"""One look at the code of a function or a module: what its expressions may hold, and where its calls lead."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from relax_lint.calls.bindings import Bound, Origin
from relax_lint.calls.containers import given_method, method_of_container
from relax_lint.calls.library import call_outside, decorated_by
from relax_lint.calls.members import class_of, member
from relax_lint.calls.values import (
    NOTHING,
    OF_LISTS,
    SAMPLES,
    UNKNOWN_ROOT,
    UNTOLD,
    File,
    Given,
    Kind,
    Object,
    Outside,
    Parents,
    Routine,
    Several,
    Value,
    Values,
    items,
    outside,
    part,
    several,
    together,
    unknown_part,
)
from relax_lint.flow.names import Import, Resolution
from relax_lint.flow.scopes import FUNCTIONS
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.calls.frames import Frame
    from relax_lint.calls.graph import Graph
    from relax_lint.sources.python import PythonSource

_DEEPEST = 60
_LONGEST_PATH = 4


@record
class Passed:
    """The arguments of a call; not ``complete`` when ``*`` or ``**`` may bring more."""

    positional: tuple[Values, ...] = ()
    keywords: tuple[tuple[str, Values], ...] = ()
    complete: bool = True

    def at(self, index: int, keyword: str = "") -> Values:
        """An argument by position or name; nothing where it is not given."""
        if index < len(self.positional):
            return self.positional[index]
        return dict(self.keywords).get(keyword, NOTHING)

    def after(self, count: int) -> Passed:
        """Without the first ones."""
        return Passed(self.positional[count:], self.keywords, self.complete)


class Look:
    """What the names of a frame hold now. ``reader`` is looked at again when more becomes known of what this reads."""

    def __init__(self, graph: Graph, frame: Frame, reader: Frame, others: dict[Frame, Look] | None = None) -> None:
        self.graph = graph
        self.frame = frame
        self.reader = reader
        self._others = {frame: self} if others is None else others
        self._known: dict[ast.AST, Values] = {}
        self._names: dict[str, Values] = {}
        self._depth = 0

    def at(self, frame: Frame) -> Look:
        """A look at another scope whose names this one sees."""
        if frame not in self._others:
            self._others[frame] = Look(self.graph, frame, self.reader, self._others)
        return self._others[frame]

    def at_module(self, source: PythonSource) -> Look:
        """A look at the top level of a module."""
        return self.at(self.graph.module(source))

    def follow(self) -> None:
        """Follow every call, and note what is stored and returned."""
        frame, bindings = self.frame, self.frame.bindings
        for call in bindings.calls:
            self.value(call)
        for node in bindings.attributes:
            self.value(node)
        for holder, name, origin in bindings.stores:
            self._store(self.value(holder), name, self.origin(origin))
        for name, origin in bindings.fills:
            if not self._is_local(name):
                self.graph.store(("item", *self._home(name)), self.origin(origin))
        if isinstance(frame.node, ast.Module):
            for bound in (one for found in bindings.names.values() for one in found):
                self.bound(bound)
            return
        results = together(self.value(result) for result in bindings.results)
        if bindings.yields:
            results = several([together(self.value(item) for item in bindings.yields)])
        self.graph.return_from(frame, results)

    def _store(self, holders: Values, name: str, values: Values) -> None:
        for holder in holders:
            if isinstance(holder, Object):
                self.graph.store(("attribute", holder.kind.node, name), values)
            elif isinstance(holder, Kind):
                self.graph.store(("attribute", holder.node, name), values)

    # ------------------------------------------------------------ names

    def _is_local(self, name: str) -> bool:
        if isinstance(self.frame.node, ast.Module):
            return False
        return name in self.frame.bindings.names or name in self.frame.given

    def _home(self, name: str) -> tuple[object, ...]:
        """The module, and the name there, that a name of this module leads to."""
        resolution = self.graph.readings.resolve(self.frame.source, name)
        if len(resolution.found) == 1:
            found = resolution.found[0]
            return found.source.path, found.binding.name
        return self.frame.source.path, name

    def name(self, name: str) -> Values:
        """What a name may hold."""
        if name not in self._names:
            self._names[name] = NOTHING  # what a name that is made of itself adds
            self._names[name] = self._name(name)
        return self._names[name]

    def _name(self, name: str) -> Values:
        frame = self.frame
        if isinstance(frame.node, ast.Module):
            return self._global(name)
        if not self._is_local(name):
            outer = frame.outer
            return self.at_module(frame.source).name(name) if outer is None else self.at(outer).name(name)
        found = [frame.given.get(name, NOTHING)]
        found += [self.bound(bound) for bound in frame.bindings.names.get(name, ())]
        found += [self.origin(origin) for filled, origin in frame.bindings.fills if filled == name]
        return together(found)

    def _global(self, name: str) -> Values:
        source = self.frame.source
        found = [self.resolved(self.graph.readings.resolve(source, name), name)]
        for function in self.graph.readings.setters(source).get(name, ()):
            look = self.at(self.graph.detached(source, function))
            found += [look.origin(origin) for origin in assigned(function, name)]
        return together((*found, self.graph.read(("item", *self._home(name)), self.reader)))

    def resolved(self, resolution: Resolution, name: str) -> Values:
        """What a name that leads somewhere holds."""
        if resolution.missing:
            return outside(name) if hasattr(builtins, name) else UNTOLD
        if resolution.external is not None:
            return outside(resolution.external)
        if resolution.module is not None:
            self.graph.touch(resolution.module)
            return frozenset({File(resolution.module)})
        found = []
        for item in resolution.found:
            look = self.at_module(item.source)
            node = item.binding.node
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.append(look.definition(node))
            elif item.binding.kind == "value" and isinstance(node, ast.expr):
                found.append(look.value(node))
            else:
                bound = look.frame.bindings.names.get(item.binding.name, ())
                found.append(together(look.bound(one) for one in bound if isinstance(one, Origin)) or UNTOLD)
        return together(found if resolution.complete else (*found, UNTOLD))

    def bound(self, bound: Bound) -> Values:
        """What a binding gives."""
        if isinstance(bound, Origin):
            return self.origin(bound)
        if isinstance(bound, Import):
            return self._imported(bound)
        return self.definition(bound)

    def _imported(self, imported: Import) -> Values:
        resolver = self.graph.resolver
        if imported.attribute is not None:
            return self.resolved(resolver.attribute(imported.module, imported.attribute), "")
        names = resolver.names
        if names.module(imported.module) is not None or names.is_package(imported.module):
            return self.resolved(Resolution(module=imported.module), "")
        return outside(imported.module)

    def definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Values:
        """A function or class after its decorators."""
        source = self.frame.source
        if isinstance(node, ast.ClassDef):
            return frozenset({Kind(source, node)})
        if node in self._known:
            return self._known[node]
        scope = None if isinstance(self.frame.node, ast.Module) else self.frame
        found: Values = frozenset({Routine(source, node, scope)})
        self._known[node] = found
        for decorator in reversed(node.decorator_list):
            found = together(self._decorated(one, found, decorator) for one in self.value(decorator))
        self._known[node] = found
        return found

    def _decorated(self, decorator: Value, function: Values, node: ast.expr) -> Values:
        if isinstance(decorator, Outside):
            return decorated_by(decorator.name, function)
        if decorator == Value():
            return decorated_by(ast.unparse(node.func if isinstance(node, ast.Call) else node), function)
        return self.apply(decorator, Passed((function,)), None)

    def origin(self, origin: Origin, depth: int = 0) -> Values:
        """What comes about in this way."""
        if origin.expression is not None:
            return self.value(origin.expression)
        if origin.inner is None or depth > _DEEPEST:
            return UNTOLD
        inner = self.origin(origin.inner, depth + 1)
        if origin.manner == "element":
            return items(inner)
        if origin.manner == "part":
            return part(inner, origin.index, origin.count)
        if origin.manner == "container":
            return several([inner])
        return together(self._entered(value) for value in inner)

    def _entered(self, value: Value) -> Values:
        if isinstance(value, Several):
            return value.any
        if isinstance(value, Object):
            entered = [
                self.apply(method, Passed(), None)
                for name in ("__enter__", "__aenter__")
                for method in member(self, value, name)
                if isinstance(method, Routine)
            ]
            return together(entered) or frozenset({value})
        return frozenset({value})

    # ------------------------------------------------------------ expressions

    def value(self, node: ast.expr) -> Values:
        """What an expression may give."""
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if node in self._known:
            return self._known[node]
        evaluator = _EVALUATORS.get(node.__class__)
        if evaluator is None or self._depth > _DEEPEST:
            return UNTOLD
        self._known[node] = NOTHING
        self._depth += 1
        try:
            found = evaluator(self, node)
        finally:
            self._depth -= 1
        self._known[node] = found
        return found

    def _attribute(self, node: ast.Attribute) -> Values:
        return together(self.attribute(value, node.attr) for value in self.value(node.value))

    def attribute(self, value: Value, name: str) -> Values:
        """``value.name``."""
        if value == SAMPLES and name not in OF_LISTS:
            return NOTHING
        if isinstance(value, Given):
            deep = len(value.path) >= _LONGEST_PATH or value.name == "samples"
            return UNTOLD if deep else frozenset({Given(value.name, (*value.path, name))})
        if isinstance(value, Outside) and not value.name.startswith(UNKNOWN_ROOT):
            return outside(f"{value.name}.{name}")
        if isinstance(value, File):
            return self.resolved(self.graph.resolver.attribute(value.name, name), "")
        if isinstance(value, (Kind, Object, Parents)):
            return member(self, value, name)
        return unknown_part(name)

    def _subscript(self, node: ast.Subscript) -> Values:
        index = node.slice
        if isinstance(index, ast.Slice):
            return self.value(node.value)
        self.value(index)
        key = index.value if isinstance(index, ast.Constant) else None
        return together(_item(value, key) for value in self.value(node.value))

    def _display(self, node: ast.List | ast.Tuple | ast.Set) -> Values:
        placed = not any(isinstance(item, ast.Starred) for item in node.elts)
        found = [
            items(self.value(item.value)) if isinstance(item, ast.Starred) else self.value(item) for item in node.elts
        ]
        return several(found, placed=placed)

    def _call(self, node: ast.Call) -> Values:
        function = node.func
        passed = self._passed(node)
        if isinstance(function, ast.Name) and function.id == "super":
            return self._parents()
        found = []
        if isinstance(function, ast.Attribute):
            for receiver in self.value(function.value):
                if isinstance(receiver, Several):
                    found.append(method_of_container(self, receiver, function.attr, passed))
                elif isinstance(receiver, Given) and receiver.path:
                    found.append(given_method(receiver, function.attr, node))
                else:
                    callees = self.attribute(receiver, function.attr)
                    found += [self.apply(callee, passed, node) for callee in callees]
        else:
            found += [self.apply(callee, passed, node) for callee in self.value(function)]
        return together(found)

    def _passed(self, node: ast.Call) -> Passed:
        positional: list[Values] = []
        complete = True
        for argument in node.args:
            if not isinstance(argument, ast.Starred):
                positional.append(self.value(argument))
                continue
            parts = self.value(argument.value)
            whole = next(iter(parts)) if len(parts) == 1 else None
            if isinstance(whole, Several) and whole.placed and complete:
                positional.extend(whole.parts)
            elif parts:
                positional.append(items(parts))
                complete = False
        keywords = tuple((keyword.arg, self.value(keyword.value)) for keyword in node.keywords if keyword.arg)
        for keyword in node.keywords:
            if keyword.arg is None and self.value(keyword.value):
                complete = False
        return Passed(tuple(positional), keywords, complete)

    def _parents(self) -> Values:
        frame: Frame | None = self.frame
        while frame is not None and class_of(frame) is None:
            frame = frame.outer
        cls = class_of(frame) if frame is not None else None
        if frame is None or cls is None:
            return UNTOLD
        spec = getattr(frame.node, "args", None)
        first = spec.args[0].arg if spec is not None and spec.args else ""
        selves = [value for value in self.at(frame).name(first) if isinstance(value, Object)]
        return frozenset(Parents(cls, one) for one in selves) or UNTOLD

    def apply(self, callee: Value, passed: Passed, node: ast.Call | None) -> Values:
        """What calling a value gives; where it leads is followed."""
        where = self.frame.where
        if node is not None and node in self.frame.bindings.own_loop:
            where = "elsewhere"
        if isinstance(callee, Routine):
            if not isinstance(callee.node, ast.AsyncFunctionDef) and node in self.frame.bindings.of_coroutines:
                return UNTOLD
            return self.graph.enter(self, callee, passed, where, node)
        if isinstance(callee, Kind):
            made = Object(callee)
            for name in ("__init__", "__post_init__"):
                for method in member(self, made, name):
                    if isinstance(method, Routine):
                        self.graph.enter(self, method, passed if name == "__init__" else Passed(), where, node)
            for name, values in passed.keywords:
                if not _has_init(callee):
                    self.graph.store(("attribute", callee.node, name), values)
            return frozenset({made})
        if isinstance(callee, Object):
            return together(
                self.apply(method, passed, node) for method in member(self, callee, "__call__") if method != callee
            )
        if isinstance(callee, Outside):
            return call_outside(self, callee.name, passed, node)
        return UNTOLD

    def start(self, callees: Values, passed: Passed, node: ast.Call | None) -> Values:
        """Call functions in a thread or process of their own."""
        found = []
        for callee in callees:
            if isinstance(callee, Object):
                found += [self.start(member(self, callee, "__call__"), passed, node)]
            elif isinstance(callee, Routine):
                found.append(self.graph.enter(self, callee, passed, "elsewhere", node))
        return together(found) or UNTOLD


def _has_init(kind: Kind) -> bool:
    return any(isinstance(part, FUNCTIONS) and getattr(part, "name", "") == "__init__" for part in kind.node.body)


def _item(value: Value, key: object) -> Values:
    if isinstance(value, Given) and value.path:
        named = f"[{key}]" if isinstance(key, str) else "[]"
        deep = len(value.path) >= _LONGEST_PATH
        return UNTOLD if deep else frozenset({Given(value.name, (*value.path, named))})
    if isinstance(value, Several) and value.placed and isinstance(key, int) and abs(key) < len(value.parts):
        return value.parts[key]
    if isinstance(value, Outside):
        return UNTOLD if value.name.startswith(UNKNOWN_ROOT) else outside(f"{value.name}[]")
    return items(frozenset({value}))


def assigned(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Iterator[Origin]:
    """What a function gives a name that is not its own."""
    from relax_lint.flow.scopes import own_nodes

    for node in own_nodes(function):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and value is not None:
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                yield Origin("value", value)


def _all_of(*names: str) -> Callable[[Look, ast.expr], Values]:
    """What an expression gives that is one of its parts."""

    def evaluate(look: Look, node: ast.expr) -> Values:
        found: list[Values] = []
        for name in names:
            inner = getattr(node, name)
            found += [look.value(one) for one in (inner if isinstance(inner, list) else [inner])]
        return together(found)

    return evaluate


def _holding(name: str) -> Callable[[Look, ast.expr], Values]:
    """A container of what a part of an expression gives."""

    def evaluate(look: Look, node: ast.expr) -> Values:
        inner = getattr(node, name)
        values = [look.value(one) for one in (inner if isinstance(inner, list) else [inner])]
        return several([together(values)])

    return evaluate


def _joined(look: Look, node: ast.expr) -> Values:
    """Containers put together; text and numbers made of others are none of them."""
    if not isinstance(node, ast.BinOp):
        return NOTHING
    found = look.value(node.left) | look.value(node.right)
    return frozenset(value for value in found if isinstance(value, Several))


def _nothing(look: Look, node: ast.expr) -> Values:
    return NOTHING


_EVALUATORS: dict[type[ast.AST], Callable[[Look, ast.expr], Values]] = {
    ast.Attribute: Look._attribute,  # type: ignore[dict-item]
    ast.Call: Look._call,  # type: ignore[dict-item]
    ast.Subscript: Look._subscript,  # type: ignore[dict-item]
    ast.List: Look._display,  # type: ignore[dict-item]
    ast.Tuple: Look._display,  # type: ignore[dict-item]
    ast.Set: Look._display,  # type: ignore[dict-item]
    ast.Dict: _holding("values"),
    ast.ListComp: _holding("elt"),
    ast.SetComp: _holding("elt"),
    ast.GeneratorExp: _holding("elt"),
    ast.DictComp: _holding("value"),
    ast.Await: _all_of("value"),
    ast.Starred: _all_of("value"),
    ast.NamedExpr: _all_of("value"),
    ast.BoolOp: _all_of("values"),
    ast.IfExp: _all_of("body", "orelse"),
    ast.BinOp: _joined,
    ast.Constant: _nothing,
    ast.JoinedStr: _nothing,
    ast.Compare: _nothing,
    ast.UnaryOp: _nothing,
    ast.Lambda: lambda look, node: frozenset({Routine(look.frame.source, node, _scope(look))}),  # type: ignore[arg-type]
}


def _scope(look: Look) -> Frame | None:
    return None if isinstance(look.frame.node, ast.Module) else look.frame
