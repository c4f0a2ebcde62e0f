"""What a condition has found out, and what catches what."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Literal

from relax_lint.class_bodies import last_name
from relax_lint.records import record
from relax_lint.replies.texts import text_of
from relax_lint.replies.values import DIGIT_TESTS, SEARCHES
from relax_lint.sources.python import is_none, walk

FactKind = Literal["some", "key", "has", "number", "marked", "checked"]


@record
class Fact:
    """Something that holds: of a value by its text, that it is there (``some``), is one of a few (``key``), has a key
    (``has``), is a number, holds a mark (``marked``), or has been looked at in another way (``checked``)."""

    kind: FactKind
    text: str
    key: str = ""


Facts = frozenset[Fact]


def facts_of(test: ast.expr, holds: bool) -> Facts:
    """What is known where a condition holds, or does not."""
    return frozenset(_facts(test, holds))


def _facts(test: ast.expr, holds: bool) -> Iterator[Fact]:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _facts(test.operand, not holds)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for value in test.values:
                yield from _facts(value, holds)
        else:
            yield from frozenset.intersection(*(facts_of(value, holds) for value in test.values))
    elif isinstance(test, ast.NamedExpr):
        yield from _facts(test.value, holds)
        if holds:
            yield Fact("some", test.target.id)
    elif isinstance(test, ast.Compare):
        yield from _of_comparison(test, holds)
    elif isinstance(test, ast.Call):
        yield from _of_call(test, holds)
    else:
        yield from (Fact("checked", part) for part in _looked_into(test))
        if holds:
            yield Fact("some", text_of(test))
        if holds and isinstance(test, ast.Subscript):
            yield Fact("checked", text_of(test.value))


def _of_comparison(test: ast.Compare, holds: bool) -> Iterator[Fact]:
    sides = [test.left, *test.comparators]
    if len(test.ops) > 1:  # 0 <= index < len(items)
        if holds:
            yield from (Fact("key", text_of(side)) for side in sides)
        return
    operator, right = test.ops[0], test.comparators[0]
    for side in sides:
        measured = _measured(side)
        if measured is not None:
            yield Fact("some", measured)
    if isinstance(operator, (ast.Is, ast.IsNot)):
        if is_none(right) and isinstance(operator, ast.IsNot) is holds:
            yield Fact("some", _taken(test.left))
            yield from _asked(test.left)
        return
    if isinstance(operator, (ast.In, ast.NotIn)):
        if isinstance(operator, ast.In) is holds:
            for left in _forms(test.left):
                yield Fact("key", left)
                yield Fact("has", text_of(right), left)
            yield Fact("marked", text_of(right))
            yield from _asked(test.left)
        return
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        if isinstance(operator, ast.Eq) is holds:
            yield from (Fact("key", form) for side in sides for form in _forms(side))
            yield from (Fact("some", form) for side in sides for form in _forms(side))
    else:
        yield from (Fact("key", text_of(side)) for side in sides)
    for side in sides:
        for part in _looked_into(side):
            yield Fact("checked", part)


def _of_call(test: ast.Call, holds: bool) -> Iterator[Fact]:
    name = last_name(test.func)
    if name == "isinstance" and len(test.args) == 2:
        if holds:
            yield Fact("some", text_of(test.args[0]))
            kinds = {last_name(part) for part in walk(test.args[1])}
            if kinds & {"int", "float", "Number", "Real"} and "str" not in kinds:
                yield Fact("number", text_of(test.args[0]))
        return
    if name in ("len", "bool") and len(test.args) == 1:
        if holds:
            yield Fact("some", text_of(test.args[0]))
        return
    if isinstance(test.func, ast.Attribute) and name in DIGIT_TESTS:
        if holds:
            yield from (Fact("number", text_of(part)) for part in _chain(test.func.value))
        return
    if isinstance(test.func, ast.Attribute) and name in ("startswith", "endswith"):
        if holds:
            yield Fact("marked", text_of(test.func.value))
        return
    if isinstance(test.func, ast.Attribute) and name == "get" and test.args:
        if holds:
            yield Fact("has", text_of(test.func.value), text_of(test.args[0]))
            yield Fact("some", text_of(test))
        return
    if holds:
        yield Fact("some", text_of(test))
    if name in SEARCHES:
        yield from (Fact("number", text_of(part)) for part in test.args if holds)
        return
    if name == "hasattr" and len(test.args) == 2:
        if holds:
            yield from (Fact("key", text_of(part)) for part in walk(test.args[1]) if isinstance(part, ast.expr))
        return
    if name in ("all", "any") or (isinstance(test.func, ast.Attribute) and name in ("issubset", "issuperset")):
        yield from (Fact("checked", part) for part in _looked_into(test))
        return
    # Whatever a function says of a value, the code listens to it.
    yield from (Fact("checked", text_of(part)) for part in test.args)
    yield from (Fact("key", text_of(part)) for part in test.args)


def _forms(node: ast.expr) -> Iterator[str]:
    """The text of an expression, and of the one that gives the same: ``call["name"]`` for ``call.get("name")``."""
    yield _taken(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        yield f"{text_of(node.func.value)}[{text_of(node.args[0])}]"


def _asked(node: ast.expr) -> Iterator[Fact]:
    """That ``call`` has what ``call.get("name")`` gave."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        yield Fact("has", text_of(node.func.value), text_of(node.args[0]))


def _taken(node: ast.expr) -> str:
    return node.target.id if isinstance(node, ast.NamedExpr) else text_of(node)


def _measured(node: ast.expr) -> str | None:
    if isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1:
        return text_of(node.args[0])
    return None


def _looked_into(node: ast.expr) -> Iterator[str]:
    """Names of what an expression looks into: ``payload.keys()``, ``set(payload)``, ``key in payload``."""
    for part in walk(node):
        if isinstance(part, ast.Call):
            if isinstance(part.func, ast.Attribute) and part.func.attr in ("keys", "get", "items"):
                yield text_of(part.func.value)
            elif last_name(part.func) in ("set", "frozenset", "issubset", "issuperset"):
                yield from map(text_of, part.args)
        elif isinstance(part, ast.Compare) and isinstance(part.ops[0], (ast.In, ast.NotIn)):
            yield text_of(part.comparators[0])


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """A value and what it is made of: ``text.strip().lstrip("-")``, and in front of that ``text``."""
    yield node
    while isinstance(node, (ast.Call, ast.Attribute)):
        node = node.func if isinstance(node, ast.Call) else node.value
        if not isinstance(node, ast.Attribute) or node.attr == "id":
            yield node


# ------------------------------------------------------------ exceptions

_ALL = frozenset({"Exception", "BaseException"})


@record
class Catch:
    """What a ``try`` around some code catches; ``raises`` is what comes out of it instead, if something does."""

    names: frozenset[str]
    raises: frozenset[str] = frozenset()

    @property
    def is_all(self) -> bool:
        """Whether nothing gets past."""
        return bool(self.names & _ALL)


def catches_of(handlers: Iterable[ast.ExceptHandler]) -> tuple[Catch, ...]:
    """The handlers of a ``try``, those that end the function with an exception of their own apart."""
    return tuple(Catch(frozenset(_names(handler.type)), frozenset(_raised(handler))) for handler in handlers)


def is_caught(raised: frozenset[str], around: tuple[tuple[Catch, ...], ...]) -> bool:
    """Whether an exception is caught by what is around it, the innermost last."""
    for handlers in reversed(around):
        for handler in handlers:
            if handler.is_all or handler.names & raised:
                if not handler.raises:
                    return True
                raised = handler.raises
                break
    return False


def _names(kind: ast.expr | None) -> Iterator[str]:
    if kind is None:
        yield "Exception"
    elif isinstance(kind, ast.Tuple):
        for part in kind.elts:
            yield from _names(part)
    else:
        yield last_name(kind)


def _raised(handler: ast.ExceptHandler) -> Iterator[str]:
    last = handler.body[-1]
    if isinstance(last, ast.Raise):
        exception = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
        named = exception is not None and last_name(exception) != handler.name
        yield from (last_name(exception),) if named and exception is not None else _names(handler.type)
