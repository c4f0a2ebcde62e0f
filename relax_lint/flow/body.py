"""Follows the statements of one function call along every way that what is known leaves open."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relax_lint.flow.conditions import branches, is_condition
from relax_lint.flow.effects import hand_out, note_defaults, spoil_leaked
from relax_lint.flow.expressions import Expressions
from relax_lint.flow.interruptions import can_raise, caught_by
from relax_lint.flow.loops import After, follow_for, follow_while
from relax_lint.flow.matches import follow_match
from relax_lint.flow.names import imports_of, package_around
from relax_lint.flow.parts import held_in, with_unknown_parts
from relax_lint.flow.scopes import NO_SCOPE
from relax_lint.flow.shapes import (
    NONE,
    SAMPLES_LENGTH,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Class,
    Closure,
    Constant,
    Dictionary,
    Exit,
    Function,
    Leak,
    Length,
    Library,
    Misfit,
    Sequence,
    Shape,
    Site,
    Truthy,
    Union,
    Unknown,
    alternatives,
    union,
)
from relax_lint.flow.signals import NoReturn
from relax_lint.flow.state import State, distinct
from relax_lint.flow.stores import UNSEEN, note_status, note_target
from relax_lint.records import changed as replace
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.sources.python import PythonSource

_SUPPRESS = Library("contextlib.suppress()")


@record
class Way:
    """An exit on the way out, with the state that ``finally`` blocks still see."""

    node: ast.AST
    shape: Shape
    state: State


class Body:
    """One call of one function; without a function, a module's top level."""

    def __init__(self, interpreter: Interpreter, source: PythonSource, function: Function | None) -> None:
        self.interpreter = interpreter
        self.source = source
        self.function = function
        self.ways: list[Way] = []
        self._interruptions: list[list[State]] = []
        self._caught: list[frozenset[str]] = []
        self.scope = interpreter.facts.scope(function.node) if function is not None else NO_SCOPE
        self.expressions = Expressions(self)

    def start(self, variables: dict[str, Shape]) -> State:
        """The state at the beginning."""
        state = State({})
        state.stored = frozenset() if self.interpreter.notes_stores else None
        for name, shape in variables.items():
            self.bind(state, name, shape)
        return state

    def run(self, variables: dict[str, Shape]) -> Iterator[Exit]:
        """The ways out of the function."""
        assert self.function is not None
        node = self.function.node
        state = self.start(variables)
        if isinstance(node, ast.Lambda):
            yield from self._exits_of(node.body, self.expressions.evaluate(node.body, state), state)
            return
        after = self.block(node.body, [state])
        for way in self.ways:
            yield from self._exits_of(way.node, way.shape, way.state)
        for doubtful, stored in {(state.doubtful, _stored(state)) for state in after.on}:
            yield Exit(self.source, node, node, UNKNOWN if doubtful else NONE, stored)

    def _exits_of(self, node: ast.AST, shape: Shape, state: State) -> Iterator[Exit]:
        assert self.function is not None
        for part in alternatives(UNKNOWN if state.doubtful else shape):
            if state.counted and isinstance(part, Sequence) and part.length.kind == "exact":
                part = UNKNOWN
            yield Exit(self.source, self.function.node, node, part, _stored(state))

    # ------------------------------------------------------------ variables

    def bind(self, state: State, name: str, shape: Shape) -> None:
        """Bind a local variable."""
        if isinstance(shape, (Dictionary, Sequence)):
            if name in self.scope.unsteady:
                hand_out(state, shape, "anywhere")
            seen = self._with_others(name, shape)
            if seen is not shape:
                state.swap(shape, seen)
                shape = seen
        state.set(name, shape if name not in self.scope.unsteady else UNKNOWN)

    def _with_others(self, name: str, shape: Dictionary | Sequence) -> Shape:
        """A list or dictionary under a name that nested functions or scattered assignments use too."""
        if name in self.scope.shared:
            return self.interpreter.changed(shape)
        if name in self.scope.handed and (isinstance(shape, Dictionary) or shape.length.kind == "exact"):
            return self.interpreter.changed(shape)
        if name in self.scope.scattered and isinstance(shape, Sequence) and not isinstance(shape.element, Unknown):
            return replace(shape, element=UNKNOWN, items=None)
        return shape

    def lookup(self, state: State, name: str) -> Shape:
        """The value of a name where it is read."""
        if name in state.variables:
            return state.variables[name]
        if name in self.scope.bound or name in self.scope.unsteady:
            return UNKNOWN
        closure = self.function.closure if self.function is not None else None
        if closure is not None:
            held = closure.lookup(name)
            if held is not None:
                return held
        return self.interpreter.module_value(self.source, name)

    def closure(self, state: State) -> Closure | None:
        """What a function defined here sees of this one's names."""
        if self.function is None:
            return None
        names = {name: shape if name in self.scope.steady else UNKNOWN for name, shape in state.variables.items()}
        for name in self.scope.bound - names.keys():
            names[name] = UNKNOWN
        return Closure(names, self.function.closure)

    def assign(self, state: State, target: ast.expr, shape: Shape) -> None:
        """Assign a value to a target."""
        if isinstance(target, ast.Name):
            self.bind(state, target.id, shape)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(state, target, shape)
        elif isinstance(target, ast.Starred):
            hand_out(state, shape, "near")
            self.assign(state, target.value, UNKNOWN)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            key = self.expressions.evaluate(target.slice, state)
            shared = self.expressions.is_shared_by_samples(target.slice, state)
            self._set_item(state, target.value.id, key, shape, shared=shared, at=Site(self.source, target.slice))
        else:
            self._put(state, target, shape)

    def _put(self, state: State, target: ast.expr, shape: Shape) -> None:
        """Change a value that has no name, and leave another there."""
        if isinstance(target, ast.Subscript):
            holder = self.expressions.evaluate(target.value, state)
            self.touch(state, target)
            for part in alternatives(holder):
                if isinstance(part, (Dictionary, Sequence)):
                    state.swap(part, self.interpreter.changed(part))
            through: Leak = "attribute" if isinstance(target.value, ast.Attribute) else "item"
            spoil_leaked(state, ("near", "anywhere", through))
        else:
            self.touch(state, target)
            if state.stored is not None and isinstance(target, ast.Attribute):
                note_target(state, self.expressions.evaluate(target.value, state), target)
        hand_out(state, shape, "attribute" if isinstance(target, ast.Attribute) else "item")

    def touch(self, state: State, target: ast.expr) -> None:
        """Something inside of a variable's value is changed: its parts are no longer known, its keys are."""
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        held = state.variables.get(target.id) if isinstance(target, ast.Name) else None
        if isinstance(target, ast.Name) and isinstance(held, (Dictionary, Sequence)):
            inside = {id(part) for part in held_in(held)}
            for name, part in list(state.variables.items()):
                if id(part) in inside and isinstance(part, (Dictionary, Sequence)):
                    state.set(name, self.interpreter.changed(part))
            state.change(target.id, with_unknown_parts(held))

    def _unpack(self, state: State, target: ast.Tuple | ast.List, shape: Shape) -> None:
        targets = target.elts
        items: tuple[Shape, ...] = ()
        starred = any(isinstance(target, ast.Starred) for target in targets)
        if isinstance(shape, Sequence) and not starred:
            state.counted = state.counted or shape.length == SAMPLES_LENGTH
            if shape.items is not None and len(shape.items) == len(targets):
                items = shape.items
            elif shape.items is None:
                items = (shape.element,) * len(targets)
            if shape.length.kind == "exact" and shape.length.count != len(targets) and not state.counted:
                misfit = Misfit(Site(self.source, target), shape, shape.length.count)
                self.interpreter.misfits.add(target, misfit)
        if not items and isinstance(shape, (Dictionary, Sequence)):
            hand_out(state, shape, "near")
        for index, part in enumerate(targets):
            self.assign(state, part, items[index] if items else UNKNOWN)

    def _set_item(
        self, state: State, name: str, key: Shape, shape: Shape, *, shared: bool = False, at: Site | None = None
    ) -> None:
        held = self.lookup(state, name)
        if not isinstance(held, Dictionary) or not isinstance(key, Constant) or name not in state.variables:
            near = name in state.variables and isinstance(held, (Dictionary, Sequence))
            shape = hand_out(state, shape, "near" if near else "item")
            held = self.lookup(state, name)
        if isinstance(held, Dictionary):
            if isinstance(key, Constant):
                state.change(name, held.put(key.value, shape, at=at))
            else:
                entries = tuple(replace(entry, value=UNKNOWN) for entry in held.entries)
                few = shared and (held.size.kind == "fewer" or not (held.entries or held.open))
                size = Length("fewer") if few else UNKNOWN_LENGTH
                state.change(name, replace(held, entries=entries, open=True, size=size))
        elif isinstance(held, Sequence):
            # What else is in the list may only have held the place.
            if isinstance(key, Unknown) and isinstance(shape, Sequence):
                state.change(name, self.interpreter.changed(held))  # most likely a slice
            else:
                state.change(name, replace(held, element=union((UNKNOWN, shape)), items=None))
        elif name in state.variables:
            spoil_leaked(state)

    # ------------------------------------------------------------ statements

    def block(self, statements: list[ast.stmt], states: Iterable[State]) -> After:
        """Follow statements one after another from every state."""
        after = After(on=list(states))
        for node in statements:
            if not after.on:
                break
            here = After()
            for state in after.on:
                self.interpreter.step()
                self._note_interruption(node, state)
                try:
                    step = self.statement(node, state)
                except NoReturn:
                    continue
                here.on.extend(step.on)
                here.jumps(step)
            after.on = distinct(here.on)
            after.jumps(here)
        after.breaks = distinct(after.breaks)
        after.continues = distinct(after.continues)
        return after

    def statement(self, node: ast.stmt, state: State) -> After:
        """Follow one statement from one state, which is used up."""
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            return After(on=self._assignment(node, state))
        if isinstance(node, ast.Return):
            self._return(node, state)
            return After()
        if isinstance(node, ast.If):
            return self._if(node, state)
        if isinstance(node, ast.Expr):
            self.expressions.evaluate(node.value, state)
            return After(on=[state])
        if isinstance(node, ast.Raise):
            return After()
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return follow_for(self, node, state)
        if isinstance(node, ast.While):
            return follow_while(self, node, state)
        if isinstance(node, ast.Break):
            return After(breaks=[state])
        if isinstance(node, ast.Continue):
            return After(continues=[state])
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self._with(node, state)
        if isinstance(node, ast.Match):
            return follow_match(self, node, state)
        if isinstance(node, ast.Assert):
            return After(on=branches(self.expressions, node.test, state)[0])
        if hasattr(node, "handlers"):
            return self._try(node, state)
        self._simple(node, state)
        return After(on=[state])

    def _simple(self, node: ast.stmt, state: State) -> None:
        if isinstance(node, ast.AugAssign):
            self._augmented(node, state)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            note_defaults(self, node, state)
            function = Function(self.source, node, self.closure(state))
            self.bind(state, node.name, self._decorated(node, function, state))
        elif isinstance(node, ast.ClassDef):
            self.bind(state, node.name, Class(self.source, node) if not node.decorator_list else UNKNOWN)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node, state)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._delete(target, state)

    def _assignment(self, node: ast.Assign | ast.AnnAssign, state: State) -> list[State]:
        if node.value is None:
            return [state]
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        result: list[State] = []
        for way, shape in self._values(node.value, state):
            for part in alternatives(shape):
                then = way.copy()
                for target in targets:
                    self.assign(then, target, part)
                    note_status(then, target, node.value)
                result.append(then)
        return result

    def _values(self, node: ast.expr, state: State) -> Iterator[tuple[State, Shape]]:
        """The values of an expression; the ways of a ternary are told apart."""
        if isinstance(node, ast.IfExp):
            for ways, part in zip(branches(self.expressions, node.test, state), (node.body, node.orelse), strict=True):
                for way in ways:
                    yield from self._values(part, way)
            return
        if is_condition(node) and self._depends_on_shape(node, state):
            for ways, holds in zip(branches(self.expressions, node, state), (True, False), strict=True):
                for way in ways:
                    yield way, Constant(holds)
            return
        try:
            shape = self.expressions.evaluate(node, state)
        except NoReturn:
            return
        yield state, shape

    def _depends_on_shape(self, test: ast.expr, state: State) -> bool:
        """Whether a condition may tell apart the shapes that a variable can have."""
        names = self.interpreter.facts.condition(test).names
        return any(isinstance(state.variables.get(name), Union) for name in names)

    def _return(self, node: ast.Return, state: State) -> None:
        if node.value is None:
            self.ways.append(Way(node, NONE, state))
            return
        for way, shape in self._values(node.value, state):
            self.ways.append(Way(node, self._with_truths(node.value, shape, way), way))

    def _with_truths(self, node: ast.expr, shape: Shape, state: State) -> Shape:
        """A tuple with what this way tells of the conditions that are written in it."""
        items = shape.items if isinstance(node, ast.Tuple) and isinstance(shape, Sequence) else None
        if items is None or not state.facts or len(items) != len(getattr(node, "elts", ())):
            return shape
        known = list(items)
        for index, part in enumerate(getattr(node, "elts", ())):
            if isinstance(items[index], Unknown) and not isinstance(part, ast.Constant):
                fact = state.facts.get(self.interpreter.facts.condition(part).key)
                known[index] = Truthy(fact[0]) if fact is not None else items[index]
        return Sequence.of(known, "tuple")

    def _if(self, node: ast.If, state: State) -> After:
        true, false = branches(self.expressions, node.test, state)
        result = self.block(node.body, true)
        other = self.block(node.orelse, false)
        result.on = [*result.on, *other.on]
        result.jumps(other)
        return result

    def _augmented(self, node: ast.AugAssign, state: State) -> None:
        value = self.expressions.evaluate(node.value, state)
        if isinstance(node.target, ast.Name):
            held = self.lookup(state, node.target.id)
            result = self.expressions.operation(node.op, held, value)
            if isinstance(held, (Dictionary, Sequence)) and type(result) is type(held):
                state.change(node.target.id, result)
            else:
                if isinstance(held, Unknown):
                    spoil_leaked(state)
                self.bind(state, node.target.id, result)
        elif isinstance(node.target, ast.Subscript) and isinstance(node.target.value, ast.Name):
            old = self.expressions.evaluate(_as_read(node.target), state)
            result = self.expressions.operation(node.op, old, value)
            self._set_item(state, node.target.value.id, self.expressions.evaluate(node.target.slice, state), result)
            spoil_leaked(state, ("near", "item", "anywhere") if isinstance(old, Unknown) else ())
        else:
            self._put(state, node.target, UNKNOWN)
            spoil_leaked(state)

    def _decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef, function: Shape, state: State) -> Shape:
        for decorator in reversed(node.decorator_list):
            function = self.interpreter.decorate(self.expressions.evaluate(decorator, state), function)
        return function

    def _import(self, node: ast.Import | ast.ImportFrom, state: State) -> None:
        for name, imported in imports_of(node, package_around(self.source.path, self.interpreter.project.root)):
            self.bind(state, name, self.interpreter.imported(imported))

    def _delete(self, target: ast.expr, state: State) -> None:
        if isinstance(target, ast.Name):
            state.set(target.id, UNKNOWN)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            held = self.lookup(state, target.value.id)
            key = self.expressions.evaluate(target.slice, state)
            if isinstance(held, Dictionary) and isinstance(key, Constant):
                state.change(target.value.id, held.without(key.value))
            elif isinstance(held, (Dictionary, Sequence)):
                state.change(target.value.id, self.interpreter.changed(held))
            else:
                spoil_leaked(state)
        else:
            self._put(state, target, UNKNOWN)

    # ------------------------------------------------------------ blocks that can be left midway

    def _note_interruption(self, node: ast.stmt, state: State) -> None:
        if self._interruptions and can_raise(node):
            states = self._interruptions[-1]
            states.append(state.copy())
            if len(states) > 64:
                states[:] = distinct(states)

    def _with(self, node: ast.With | ast.AsyncWith, state: State) -> After:
        suppressing = False
        for item in node.items:
            shape = self.expressions.evaluate(item.context_expr, state)
            suppressing = suppressing or shape == _SUPPRESS
            if item.optional_vars is not None:
                self.assign(state, item.optional_vars, UNKNOWN)
        if not suppressing:
            return self.block(node.body, [state])
        after, interrupted = self._interruptible(node.body, state, frozenset(("*",)))
        after.on = distinct([*after.on, *interrupted])
        return after

    def _interruptible(self, body: list[ast.stmt], state: State, caught: frozenset[str]) -> tuple[After, list[State]]:
        """Follow statements, and the states in which an exception can leave them."""
        self._interruptions.append([])
        self._caught.append(caught)
        after = self.block(body, [state])
        self._caught.pop()
        interrupted = distinct(self._interruptions.pop())
        if self._interruptions and "*" not in caught and not self._caught[-1] <= caught:
            self._interruptions[-1].extend(state.copy() for state in interrupted)
        return after, interrupted

    def _try(self, node: ast.stmt, state: State) -> After:
        handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
        orelse: list[ast.stmt] = getattr(node, "orelse", [])
        finalbody: list[ast.stmt] = getattr(node, "finalbody", [])
        first_way = len(self.ways)
        after, interrupted = self._interruptible(getattr(node, "body", []), state, caught_by(handlers))
        if orelse:
            tail = self.block(orelse, after.on)
            after.on = tail.on
            after.jumps(tail)
        for handler in handlers:
            entered = [interruption.copy() for interruption in interrupted]
            if handler.name:
                for interruption in entered:
                    interruption.set(handler.name, UNKNOWN)
            rescued = self.block(handler.body, entered)
            after.on = [*after.on, *rescued.on]
            after.jumps(rescued)
        return self._finally(finalbody, after, first_way) if finalbody else after

    def _finally(self, finalbody: list[ast.stmt], after: After, first_way: int) -> After:
        pending, self.ways[first_way:] = self.ways[first_way:], []
        result = self.block(finalbody, after.on)
        for states, jumps in ((after.breaks, result.breaks), (after.continues, result.continues)):
            jumps.extend(self.block(finalbody, states).on)
        for way in pending:
            for state in self.block(finalbody, [way.state]).on:
                self.ways.append(Way(way.node, way.shape, state))
        return result


def _stored(state: State) -> frozenset[str]:
    """What may have been stored; anything on the way around a loop that most likely is never passed by."""
    if state.stored is None:
        return frozenset()
    return state.stored | {UNSEEN} if state.counted or state.doubtful else state.stored


def _as_read(target: ast.Subscript) -> ast.expr:
    return ast.copy_location(ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load()), target)
