"""What expressions give, for what is known of the variables in them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from relax_lint.flow.conditions import attribute_test, branches, comparison_value, instance_test
from relax_lint.flow.effects import hand_out, note_call, note_defaults, note_lost, note_taken_method, spoil
from relax_lint.flow.loops import element_of, items_of
from relax_lint.flow.methods import call_method
from relax_lint.flow.operators import operation
from relax_lint.flow.scopes import MUTATORS, changed_by, target_names
from relax_lint.flow.shapes import (
    NO_LENGTH,
    NONE,
    ONE_MORE,
    SAMPLES_LENGTH,
    SCALAR,
    TEXT,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Arguments,
    Awaitable,
    Class,
    Constant,
    Dictionary,
    Function,
    Instance,
    Length,
    Library,
    Method,
    Module,
    NoneValue,
    Sample,
    Sequence,
    Shape,
    Site,
    Super,
    Thing,
    alternatives,
    each,
    is_scalar,
    is_text,
    truth,
    union,
)
from relax_lint.flow.signals import NoReturn
from relax_lint.flow.state import State
from relax_lint.flow.stores import note_stores_of_call
from relax_lint.records import changed as replace
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.flow.body import Body

_DEEPEST = 40
_MOST_ENTRIES = 200
_LONGEST_TEXT = 1000
_OF_THE_CODE = frozenset({"dict", "super"})
_SHARED_BY_SAMPLES = frozenset({"prompt", "response", "label", "group_index"})


class Expressions:
    """Evaluates the expressions of one function body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.interpreter = body.interpreter
        self._depth = 0

    def evaluate(self, node: ast.expr, state: State) -> Shape:
        """What an expression gives; what it does to variables is done to ``state``."""
        kind = node.__class__
        if kind is ast.Name:
            return self.body.lookup(state, node.id)  # type: ignore[attr-defined]
        if kind is ast.Constant:
            return _constant(node.value)  # type: ignore[attr-defined]
        evaluator = _EVALUATORS.get(kind)
        if evaluator is None or self._depth > _DEEPEST:
            return UNKNOWN
        self.interpreter.step()
        self._depth += 1
        try:
            return evaluator(self, node, state)
        finally:
            self._depth -= 1

    def _or_unknown(self, node: ast.expr, state: State) -> Shape:
        """What an expression gives that may well not be reached."""
        try:
            return self.evaluate(node, state)
        except NoReturn:
            return UNKNOWN

    # ------------------------------------------------------------ displays

    def text(self, node: ast.JoinedStr, state: State) -> Shape:
        """A formatted string; at a module's top level, what it says."""
        written: list[str | None] = []
        for part in node.values:
            shape = self.evaluate(part.value if isinstance(part, ast.FormattedValue) else part, state)
            plain = not isinstance(part, ast.FormattedValue) or (part.format_spec is None and part.conversion < 0)
            known = plain and isinstance(shape, Constant)
            written.append(str(shape.value) if isinstance(shape, Constant) and known else None)
        said = [part for part in written if part is not None]
        # Functions make many of them, and ways that differ in no more than a text need not be told apart.
        if self.body.function is None and len(said) == len(written) and sum(map(len, said)) < _LONGEST_TEXT:
            return Constant("".join(said))
        return TEXT

    def dictionary(self, node: ast.Dict, state: State) -> Shape:
        """``{key: value, **other}``."""
        if len(node.keys) > _MOST_ENTRIES:
            return Dictionary(open=True)
        source = self.body.source
        result = Dictionary(at=Site(source, node))
        for key, value in zip(node.keys, node.values, strict=True):
            shape = self.evaluate(value, state)
            if key is None:
                result = result.merged(shape)
                continue
            name = self.evaluate(key, state)
            if isinstance(name, Constant):
                result = result.put(name.value, shape, at=Site(source, key))
            else:
                hand_out(state, shape, "near")
                result = replace(result.merged(Dictionary(open=True)), open=True)
        return result

    def sequence(self, node: ast.List | ast.Tuple | ast.Set, state: State) -> Shape:
        """A list, tuple or set display."""
        kind = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}[type(node)]
        if len(node.elts) > _MOST_ENTRIES:
            return Sequence(UNKNOWN, UNKNOWN_LENGTH, kind=kind)  # type: ignore[arg-type]
        items: list[Shape] = []
        length = NO_LENGTH
        known = True
        for item in node.elts:
            if not isinstance(item, ast.Starred):
                items.append(self.evaluate(item, state))
                length = length.plus(ONE_MORE)
                continue
            starred = self.evaluate(item.value, state)
            inner = starred.items if isinstance(starred, Sequence) else None
            known = known and inner is not None
            items.extend(inner if inner is not None else [element_of(starred)])
            length = length.plus(starred.length if isinstance(starred, Sequence) else UNKNOWN_LENGTH)
        if known:
            return Sequence.of(items, kind)  # type: ignore[arg-type]
        return Sequence(union(items), length, kind=kind)  # type: ignore[arg-type]

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, state: State) -> Shape:
        """A comprehension: as long as what it goes over, unless it leaves something out."""
        inside, length = self._generators(node.generators, node, state)
        element = self._or_unknown(node.elt, inside) if inside is not None else UNKNOWN
        if inside is not None:
            self._take_over(state, inside, node)
        kinds = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "iterator"}
        if isinstance(node, ast.SetComp):
            length = length.at_most()
        return Sequence(element, length, kind=kinds[type(node)])  # type: ignore[arg-type]

    def dictionary_comprehension(self, node: ast.DictComp, state: State) -> Shape:
        """``{key: value for …}``; known when it goes over known keys."""
        generator = node.generators[0]
        items = items_of(self.evaluate(generator.iter, state)) if len(node.generators) == 1 else None
        if items is None or generator.ifs or generator.is_async:
            inside, length = self._generators(node.generators, node, state)
            shared = inside is not None and self.is_shared_by_samples(node.key, inside)
            return Dictionary(open=True, size=length.at_most() if shared else UNKNOWN_LENGTH)
        result = Dictionary()
        for item in items:
            inside = state.copy()
            self.body.assign(inside, generator.target, item)
            key = self.evaluate(node.key, inside)
            if not isinstance(key, Constant):
                return Dictionary(open=True)
            result = result.put(key.value, self.evaluate(node.value, inside))
        return result

    def is_shared_by_samples(self, key: ast.expr, state: State) -> bool:
        """Whether this is something of a sample that others of the batch can have as well."""
        while isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute):
            key = key.func.value
        if not isinstance(key, ast.Attribute) or key.attr not in _SHARED_BY_SAMPLES:
            return False
        return isinstance(self.evaluate(key.value, state), Sample)

    def _generators(
        self, generators: list[ast.comprehension], node: ast.expr, state: State
    ) -> tuple[State | None, Length]:
        for name in {name for part in walk(node) for name in changed_by(part)}:
            held = state.variables.get(name)
            if isinstance(held, (Dictionary, Sequence)):
                state.change(name, self.interpreter.changed(held))
        inside: State = state.copy()
        length = Length("exact", 1)
        for index, generator in enumerate(generators):
            iterable = self.evaluate(generator.iter, inside if index else state)
            here = iterable.length if isinstance(iterable, Sequence) else UNKNOWN_LENGTH
            length = length.times(here) if index else here
            self.body.assign(inside, generator.target, element_of(iterable))
            for test in generator.ifs:
                true, false = branches(self, test, inside)
                if false:
                    length = length.at_most()
                if not true:
                    return None, length
                inside = true[0]
        return inside, length

    # ------------------------------------------------------------ names and parts

    def attribute(self, node: ast.Attribute, state: State) -> Shape:
        """``value.name``."""
        held = self._bound(node, state)
        for part in alternatives(held):
            if isinstance(part, Method):
                note_taken_method(state, part.receiver, part.name)
        return each(held, lambda part: UNKNOWN if isinstance(part, Method) else part)

    def _bound(self, node: ast.Attribute, state: State) -> Shape:
        """``value.name`` where it is called."""
        holder = self.evaluate(node.value, state)
        variable = node.value.id if isinstance(node.value, ast.Name) else None
        return each(holder, lambda part: self._attribute_of(part, node.attr, variable))

    def _attribute_of(self, holder: Shape, name: str, variable: str | None) -> Shape:
        if isinstance(holder, Library):
            return Library(f"{holder.name}.{name}")
        if isinstance(holder, Module):
            return self.interpreter.attribute_of_module(holder.name, name)
        if isinstance(holder, Sample):
            return {"response": TEXT, "metadata": Dictionary(open=True)}.get(name, UNKNOWN)
        if isinstance(holder, Super):
            return self.interpreter.super_method(holder, name) or UNKNOWN
        if isinstance(holder, Instance):
            if name == "__dict__":
                return Dictionary(open=True)
            method = self.interpreter.method(holder, name)
            return method if method is not None else Method(holder, name)
        if isinstance(holder, Class):
            return self.interpreter.class_attribute(holder, name)
        return Method(holder, name, variable)

    def subscript(self, node: ast.Subscript, state: State) -> Shape:
        """``value[index]``."""
        holder = self.evaluate(node.value, state)
        if isinstance(node.slice, ast.Slice):
            return each(holder, lambda part: _sliced(part, node.slice))  # type: ignore[arg-type]
        index = self.evaluate(node.slice, state)
        item = each(holder, lambda part: _item(part, index))
        note_lost(state, (holder,), item)
        return item

    def starred(self, node: ast.Starred, state: State) -> Shape:
        """``*value`` where it stands alone."""
        return self.evaluate(node.value, state)

    def walrus(self, node: ast.NamedExpr, state: State) -> Shape:
        """``name := value``."""
        shape = self.evaluate(node.value, state)
        self.body.assign(state, node.target, shape)
        return shape

    # ------------------------------------------------------------ operators

    def binary(self, node: ast.BinOp, state: State) -> Shape:
        """``left + right`` and the like."""
        return self.operation(node.op, self.evaluate(node.left, state), self.evaluate(node.right, state))

    def operation(self, operator: ast.operator, left: Shape, right: Shape) -> Shape:
        """What an operator gives for two values."""
        return union(operation(operator, one, other) for one in alternatives(left) for other in alternatives(right))

    def unary(self, node: ast.UnaryOp, state: State) -> Shape:
        """``not value``, ``-value``."""
        shape = self.evaluate(node.operand, state)
        if isinstance(node.op, ast.Not):
            value = truth(shape)
            return SCALAR if value is None else Constant(not value)
        if isinstance(node.op, ast.USub) and isinstance(shape, Constant) and not isinstance(shape.value, str):
            return Constant(-shape.value)
        return SCALAR if is_scalar(shape) else UNKNOWN

    def choice(self, node: ast.BoolOp, state: State) -> Shape:
        """``a or b``: the first that is true, or the last."""
        wanted = isinstance(node.op, ast.Or)
        found: list[Shape] = []
        for value in node.values[:-1]:
            parts = alternatives(self.evaluate(value, state))
            found.extend(part for part in parts if truth(part) is not (not wanted))
            if all(truth(part) is wanted for part in parts):
                return union(found)
        return union([*found, self._or_unknown(node.values[-1], state)])

    def comparison(self, node: ast.Compare, state: State) -> Shape:
        """A comparison; of arrays it is an array."""
        shapes = [self.evaluate(part, state) for part in (node.left, *node.comparators)]
        known_value = comparison_value(self, node, shapes, state)
        if known_value is not None:
            return Constant(known_value)
        plain = all(isinstance(operator, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operator in node.ops)
        known = any(is_text(shape) or isinstance(shape, NoneValue) for shape in shapes)
        if plain or known or all(is_scalar(shape) or isinstance(shape, (Sequence, Dictionary)) for shape in shapes):
            return SCALAR
        return UNKNOWN

    def ternary(self, node: ast.IfExp, state: State) -> Shape:
        """``a if test else b``."""
        true, false = branches(self, node.test, state.copy())
        parts = [self._or_unknown(node.body, way) for way in true]
        parts.extend(self._or_unknown(node.orelse, way) for way in false)
        for way in (*true, *false):
            self._take_over(state, way, node)
        return union(parts)

    @staticmethod
    def _take_over(state: State, way: State, node: ast.expr) -> None:
        """What an expression has done on one of the ways through it, to objects that are known by names around it."""
        if state.stored is not None and way.stored is not None:
            state.stored |= way.stored
        for name, held in list(state.variables.items()):
            if isinstance(held, (Dictionary, Sequence)) and way.variables.get(name) is not held:
                if name not in target_names(node):
                    spoil(state, held)

    # ------------------------------------------------------------ calls

    def function(self, node: ast.Lambda, state: State) -> Shape:
        """A lambda."""
        note_defaults(self.body, node, state)
        return Function(self.body.source, node, self.body.closure(state))

    def awaited(self, node: ast.Await, state: State) -> Shape:
        """``await value``."""
        shape = self.evaluate(node.value, state)
        return each(shape, lambda part: part.result if isinstance(part, Awaitable) else UNKNOWN)

    def call(self, node: ast.Call, state: State) -> Shape:
        """A call."""
        callee = (
            self._bound(node.func, state) if isinstance(node.func, ast.Attribute) else self.evaluate(node.func, state)
        )
        arguments, given = self._arguments(node, state)
        if isinstance(callee, Method) and isinstance(callee.receiver, (Dictionary, Sequence)):
            if callee.name in MUTATORS:
                arguments = self._kept_apart(node, arguments, state)
            result, changed = call_method(callee, arguments)
            if changed is not None and callee.variable in state.variables:
                state.change(callee.variable, changed)
            elif changed is not None:
                self.body.touch(state, node.func)
                state.swap(callee.receiver, self.interpreter.changed(callee.receiver))
        else:
            known = instance_test(self, node, state)
            if known is None:
                known = attribute_test(node, arguments.positional)
            result = self.interpreter.call(callee, arguments) if known is None else Constant(known)
            if isinstance(callee, Library) and callee.name in _OF_THE_CODE:
                result = self._of_the_code(node, callee.name, result)
        note_call(self.interpreter, node, callee, given, result, state)
        if state.stored is not None:
            note_stores_of_call(self.interpreter, node, callee, arguments, given, state)
        return result

    def _of_the_code(self, node: ast.Call, name: str, result: Shape) -> Shape:
        """What depends on where a call is written: ``super()``, and where the keys of ``dict(key=…)`` stand."""
        if name == "super":
            return UNKNOWN if node.args else self.interpreter.super_of(self.body.function)
        if not isinstance(result, Dictionary):
            return result
        source = self.body.source
        places = {word.arg: Site(source, word) for word in node.keywords}
        entries = tuple(replace(entry, at=places.get(str(entry.key), entry.at)) for entry in result.entries)
        return replace(result, entries=entries, at=Site(source, node))

    def _kept_apart(self, node: ast.Call, arguments: Arguments, state: State) -> Arguments:
        """What is put into a list, when code further down still changes the dictionary that is put there."""
        function = self.body.function
        names = [argument.id if isinstance(argument, ast.Name) else "" for argument in node.args]
        if function is None or not any(names) or len(names) != len(arguments.positional):
            return arguments
        last = self.interpreter.facts.last_changes(function.node)
        shapes = tuple(
            self.interpreter.changed(shape)
            if isinstance(shape, Dictionary) and last.get(name, 0) > node.lineno - function.node.lineno
            else shape
            for name, shape in zip(names, arguments.positional, strict=True)
        )
        return replace(arguments, positional=shapes)

    def _arguments(self, node: ast.Call, state: State) -> tuple[Arguments, list[Shape]]:
        """What is handed over, and the value of each argument as it is written."""
        positional: list[Shape] = []
        keywords: list[tuple[str, Shape]] = []
        complete = True
        given: list[Shape] = []
        unknown_run = False
        for argument in node.args:
            items = self.evaluate(argument.value if isinstance(argument, ast.Starred) else argument, state)
            given.append(items)
            if not isinstance(argument, ast.Starred):
                positional.append(items)
            elif isinstance(items, Sequence) and items.items is not None:
                positional.extend(items.items)
            else:
                unknown_run = True
        for keyword in node.keywords:
            shape = self.evaluate(keyword.value, state)
            given.append(shape)
            if keyword.arg is not None:
                keywords.append((keyword.arg, shape))
            elif isinstance(shape, Dictionary) and not shape.open and all(entry.sure for entry in shape.entries):
                keywords.extend((str(entry.key), entry.value) for entry in shape.entries)
            else:
                complete = False
        if unknown_run:
            # One run of arguments: what takes any number of them can be told what they are.
            alone = (replace(given[0], items=None),) if len(node.args) == 1 and isinstance(given[0], Sequence) else ()
            return Arguments(alone, (), complete=False), given
        return Arguments(tuple(positional), tuple(keywords), complete), given


def _constant(value: object) -> Shape:
    if isinstance(value, (str, int)):
        return Constant(value)
    if value is None:
        return NONE
    if isinstance(value, (float, complex)):
        return SCALAR
    return Thing("bytes" if isinstance(value, bytes) else "an ellipsis")


def _item(holder: Shape, index: Shape) -> Shape:
    if isinstance(holder, Dictionary) and not isinstance(index, Constant) and not holder.open and holder.entries:
        return union(entry.value for entry in holder.entries)
    if isinstance(holder, Dictionary) and isinstance(index, Constant):
        entry = holder.get(index.value)
        if entry is not None:
            return entry.value
        if not holder.open:
            raise NoReturn
        return UNKNOWN
    if isinstance(holder, Sequence):
        at = index.value if isinstance(index, Constant) else None
        if holder.items is not None and type(at) is int and -len(holder.items) <= at < len(holder.items):
            return holder.items[at]
        return element_of(holder)
    return TEXT if is_text(holder) else UNKNOWN


def _sliced(holder: Shape, part: ast.Slice) -> Shape:
    if isinstance(holder, Sequence):
        from_start = part.lower is None or (isinstance(part.lower, ast.Constant) and part.lower.value in (0, None))
        if from_start and part.upper is None and part.step is None:
            return Sequence(holder.element, holder.length, holder.items, kind=holder.kind)
        ends = [end for end in (part.lower, part.upper, part.step) if end is not None]
        cut = all(isinstance(end, (ast.Constant, ast.UnaryOp)) for end in ends) and part.step is None
        length = Length("fewer") if cut and holder.length == SAMPLES_LENGTH else UNKNOWN_LENGTH
        return Sequence(holder.element, length, kind=holder.kind)
    return TEXT if is_text(holder) else UNKNOWN


_EVALUATORS: dict[type[ast.expr], Callable[..., Shape]] = {
    ast.JoinedStr: Expressions.text,
    ast.Dict: Expressions.dictionary,
    ast.List: Expressions.sequence,
    ast.Tuple: Expressions.sequence,
    ast.Set: Expressions.sequence,
    ast.ListComp: Expressions.comprehension,
    ast.SetComp: Expressions.comprehension,
    ast.GeneratorExp: Expressions.comprehension,
    ast.DictComp: Expressions.dictionary_comprehension,
    ast.Attribute: Expressions.attribute,
    ast.Subscript: Expressions.subscript,
    ast.Starred: Expressions.starred,
    ast.NamedExpr: Expressions.walrus,
    ast.BinOp: Expressions.binary,
    ast.UnaryOp: Expressions.unary,
    ast.BoolOp: Expressions.choice,
    ast.Compare: Expressions.comparison,
    ast.IfExp: Expressions.ternary,
    ast.Lambda: Expressions.function,
    ast.Await: Expressions.awaited,
    ast.Call: Expressions.call,
}
