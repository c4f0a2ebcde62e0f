"""Follows the statements of one function with what is known at each of replies, and of what has been looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING

from relax_lint.class_bodies import last_name
from relax_lint.replies.expressions import Expressions
from relax_lint.replies.guards import Catch, Fact, Facts, catches_of, facts_of
from relax_lint.replies.texts import text_of
from relax_lint.replies.values import Reply, either
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.replies.follow import Follower
    from relax_lint.sources.python import PythonSource

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_TELLING = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call, ast.ListComp, ast.SetComp, ast.BinOp, ast.GeneratorExp)
"""Expressions that conditions on their value tell something by."""
_VALIDATING = ("valid", "check", "ensure", "verify", "require")
_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))


class State:
    """What is known at one point: what names hold of replies, and the facts that conditions have found."""

    __slots__ = ("facts", "values")

    def __init__(self, values: dict[str, Reply | None], facts: Facts = frozenset()) -> None:
        self.values = values
        self.facts = facts

    def copy(self, more: Iterable[Fact] = ()) -> State:
        """The same, and some more facts."""
        return State(dict(self.values), self.facts | frozenset(more))

    def bind(self, name: str, value: Reply | None) -> None:
        """Give a name another value; what was known of the old one is gone."""
        self.values[name] = value
        self.facts = frozenset(fact for fact in self.facts if not _mentions(fact, name))


def _mentions(fact: Fact, name: str) -> bool:
    return any(text == name or text.startswith((f"{name}.", f"{name}[", f"{name}(")) for text in (fact.text, fact.key))


def _is_about_nothing(fact: Fact, state: State) -> bool:
    """Whether nothing in a fact comes from the model."""
    return all(state.values.get(_root(text)) is None for text in (fact.text, fact.key))


class Walk:
    """One call of one function."""

    def __init__(
        self,
        follower: Follower,
        source: PythonSource,
        node: AnyFunction,
        given: dict[str, Reply | None],
        around: tuple[tuple[Catch, ...], ...],
    ) -> None:
        self.follower = follower
        self.source = source
        self.node = node
        self.around = around
        self.state = State(given)
        self.returned: list[Reply | None] = []
        self.local: dict[str, AnyFunction] = {}
        self.imported: dict[str, str] = {}
        self.assigned: dict[str, ast.expr] = {}
        self.expressions = Expressions(self)

    def run(self) -> Reply | None:
        """What the function gives."""
        if isinstance(self.node, ast.Lambda):
            return self.expressions.value(self.node.body)
        self.block(self.node.body)
        return either(self.returned)

    def facts(self, test: ast.expr, holds: bool) -> Facts:
        """What a condition tells, of the expressions too that names in it were given."""
        if any(isinstance(part, ast.Name) and part.id in self.assigned for part in walk(test)):
            return facts_of(test, holds) | facts_of(_Spelled(self.assigned).visit(deepcopy(test)), holds)
        return facts_of(test, holds)

    # ------------------------------------------------------------ blocks

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        """Follow statements from the present state; whether what stands behind them is reached."""
        return all(self.statement(node) for node in statements)

    def _branch(self, state: State, statements: Sequence[ast.stmt]) -> State | None:
        """The state after statements that are followed from another one; ``None`` when they lead elsewhere."""
        before, self.state = self.state, state
        reached = self.block(statements)
        after, self.state = self.state, before
        return after if reached else None

    def _join(self, states: Iterable[State | None]) -> bool:
        """Go on in what several states have in common."""
        found = [state for state in states if state is not None]
        if not found:
            return False
        names = dict.fromkeys(name for state in found for name in state.values)
        values = {name: either(state.values.get(name) for state in found) for name in names}
        facts = frozenset(
            fact
            for state in found
            for fact in state.facts
            if all(fact in other.facts or _is_about_nothing(fact, other) for other in found)
        )
        self.state = State(values, facts)
        return True

    def statement(self, node: ast.stmt) -> bool:
        """Follow one statement; whether what stands behind it is reached."""
        if isinstance(node, ast.If):
            return self._if(node)
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self._for(node)
        if isinstance(node, ast.While):
            return self._while(node)
        if isinstance(node, _TRIES):
            return self._try(node)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self._with(node)
        if isinstance(node, ast.Match):
            return self._match(node)
        if isinstance(node, ast.Return):
            self.returned.append(None if node.value is None else self.expressions.value(node.value))
            return False
        if isinstance(node, (ast.Raise, ast.Break, ast.Continue)):
            return False
        self._simple(node)
        return True

    def _simple(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            value = self.expressions.value(node.value)
            for target in node.targets:
                self.assign(target, value)
                self._note(target, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.assign(node.target, self.expressions.value(node.value))
        elif isinstance(node, ast.AugAssign):
            value = either((self.expressions.peek(node.target), self.expressions.value(node.value)))
            self.assign(node.target, value)
        elif isinstance(node, ast.Expr):
            self.expressions.value(node.value)
            self.state.facts |= frozenset(_validated(node.value))
        elif isinstance(node, ast.Assert):
            self.expressions.value(node.test)
            self.state.facts |= self.facts(node.test, True)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.local[node.name] = node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            self.imported.update((alias.asname or alias.name, module + alias.name) for alias in node.names)

    def _note(self, target: ast.expr, value: ast.expr) -> None:
        """Remember what a name is given, for conditions on it."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for part, of in zip(target.elts, value.elts, strict=True):
                self._note(part, of)
        if not isinstance(target, ast.Name):
            return
        self.local.pop(target.id, None)
        self.assigned.pop(target.id, None)
        if isinstance(value, ast.Lambda):
            self.local[target.id] = value
        elif isinstance(value, _TELLING) and not any(
            isinstance(part, ast.Name) and part.id == target.id for part in walk(value)
        ):
            self.assigned[target.id] = value

    def assign(self, target: ast.expr, value: Reply | None) -> None:
        """Assign a value to a target."""
        if isinstance(target, ast.Name):
            self.state.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)
        elif isinstance(target, ast.Attribute):
            name = text_of(target)
            self.state.bind(name, value)
            if value is not None and name.startswith("self."):
                self.follower.attributes[name] = value
        elif isinstance(target, ast.Subscript):
            self._put(target, value)

    def _unpack(self, target: ast.Tuple | ast.List, value: Reply | None) -> None:
        starred = any(isinstance(part, ast.Starred) for part in target.elts)
        if value is not None and value.kind == "split" and not (starred and len(target.elts) <= 2):
            self.expressions.pieces(target, value)
        for index, part in enumerate(target.elts):
            inner = value
            if value is not None and value.kind == "made":
                inner = either(held for _, held in value.fields) if starred else value.field(index)
            elif value is not None and value.kind in ("split", "found"):
                inner = value.item
            self.assign(part, inner)

    def _put(self, target: ast.Subscript, value: Reply | None) -> None:
        """``made[key] = value``."""
        holder = self.expressions.peek(target.value)
        key = target.slice.value if isinstance(target.slice, ast.Constant) else None
        name = text_of(target.value)
        if value is not None and (holder is None or holder.kind == "made"):
            fields = () if holder is None else tuple(field for field in holder.fields if field[0] != key)
            self.state.values[name] = Reply("made", fields=(*fields, (key, value)))

    # ------------------------------------------------------------ control flow

    def _if(self, node: ast.If) -> bool:
        self.expressions.value(node.test)
        true = self._branch(self.state.copy(self.facts(node.test, True)), node.body)
        false = self._branch(self.state.copy(self.facts(node.test, False)), node.orelse)
        return self._join((true, false))

    def _for(self, node: ast.For | ast.AsyncFor) -> bool:
        items = self.expressions.value(node.iter)
        before = self.state.copy()
        for _ in range(2):  # what a pass leaves is there in the next one
            self.assign(node.target, self.expressions.item(items))
            after = self._branch(self.state.copy(), node.body)
            self._join((before.copy(), after))
        self.state.facts |= frozenset(_looked_for(node))
        return self.block(node.orelse) or True

    def _while(self, node: ast.While) -> bool:
        for _ in range(2):
            self.expressions.value(node.test)
            after = self._branch(self.state.copy(self.facts(node.test, True)), node.body)
            self._join((self.state.copy(), after))
        self.state.facts |= self.facts(node.test, False)
        return self.block(node.orelse) or True

    def _try(self, node: ast.stmt) -> bool:
        handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
        before = self.state.copy()
        self.around = (*self.around, catches_of(handlers))
        body = self._branch(self.state.copy(), getattr(node, "body", []))
        self.around = self.around[:-1]
        ends = [None if body is None else self._branch(body, getattr(node, "orelse", []))]
        for handler in handlers:
            # Somewhere in the body it was left: names may have either value, and nothing that it found out is sure.
            self._join((before.copy(), None if body is None else body.copy()))
            self.state.facts = before.facts
            ends.append(self._branch(self.state.copy(), handler.body))
        reached = self._join(ends)
        return self.block(getattr(node, "finalbody", [])) and reached

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        suppressed: list[str] = []
        for item in node.items:
            value = self.expressions.value(item.context_expr)
            call = item.context_expr
            if isinstance(call, ast.Call) and text_of(call.func).rpartition(".")[2] == "suppress":
                suppressed += [text_of(part).rpartition(".")[2] for part in call.args]
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        if not suppressed:
            return self.block(node.body)
        self.around = (*self.around, (Catch(frozenset(suppressed)),))
        after = self._branch(self.state.copy(), node.body)
        self.around = self.around[:-1]
        return self._join((self.state.copy(), after))

    def _match(self, node: ast.Match) -> bool:
        value = self.expressions.value(node.subject)
        subject = text_of(node.subject)
        ends: list[State | None] = []
        complete = False
        for case in node.cases:
            state = self.state.copy(_of_pattern(case.pattern, subject))
            before, self.state = self.state, state
            self._bind_pattern(case.pattern, value)
            if case.guard is not None:
                self.expressions.value(case.guard)
                self.state.facts |= self.facts(case.guard, True)
            state, self.state = self.state, before
            ends.append(self._branch(state, case.body))
            complete = complete or (case.guard is None and _takes_all(case.pattern))
        if not complete:
            ends.append(self.state.copy())
        return self._join(ends)

    def _bind_pattern(self, pattern: ast.pattern, value: Reply | None) -> None:
        if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name:
            self.state.bind(pattern.name, value)
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
            self._bind_pattern(pattern.pattern, value)
        inside = value if isinstance(pattern, (ast.MatchOr, ast.MatchClass)) else self.expressions.item(value)
        for part in (*getattr(pattern, "patterns", ()), *getattr(pattern, "kwd_patterns", ())):
            self._bind_pattern(part, value if isinstance(part, ast.MatchStar) else inside)


class _Spelled(ast.NodeTransformer):
    """Writes out the names in a condition."""

    def __init__(self, assigned: dict[str, ast.expr]) -> None:
        self._assigned = assigned

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """What a name was given in its place."""
        return self._assigned.get(node.id, node)


def _validated(node: ast.expr) -> Iterable[Fact]:
    """``validate(payload)`` raises where it does not fit; whoever catches that has looked."""
    if isinstance(node, ast.Call) and any(word in last_name(node.func).lower() for word in _VALIDATING):
        yield from (Fact("checked", text_of(part)) for part in node.args)


def _looked_for(loop: ast.For | ast.AsyncFor) -> Iterable[Fact]:
    """``for key in ("name", "arguments"): if key not in payload: return`` has looked for all of them."""
    names = {part.id for part in walk(loop.target) if isinstance(part, ast.Name)}
    for node in walk(loop):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            if isinstance(node.left, ast.Name) and node.left.id in names:
                yield Fact("checked", text_of(node.comparators[0]))


def _of_pattern(pattern: ast.pattern, subject: str) -> Iterable[Fact]:
    """What is known of a subject that a pattern takes."""
    if isinstance(pattern, (ast.MatchValue, ast.MatchSingleton, ast.MatchOr)):
        yield from (Fact("key", subject), Fact("some", subject))
    elif isinstance(pattern, ast.MatchMapping):
        yield from (Fact("has", subject, text_of(key)) for key in pattern.keys)
        yield Fact("some", subject)
    elif isinstance(pattern, (ast.MatchSequence, ast.MatchClass)):
        yield Fact("some", subject)


def _takes_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _root(text: str) -> str:
    """The name that an expression's text begins with: a local name, or an attribute of the object."""
    parts = text.split(".")
    head = ".".join(parts[:2]) if parts[0] == "self" else parts[0]
    return head.partition("[")[0].partition("(")[0]
