"""What functions that generate samples return, where that is no sample."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from relax_lint.catalog.sample import FIELDS
from relax_lint.flow.names import target_names
from relax_lint.flow.scopes import FUNCTIONS, own_nodes
from relax_lint.patterns import pattern
from relax_lint.rewards import exit_place, function_place
from relax_lint.sources.python import gives_nothing, is_none

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.flow.scopes import AnyFunction
    from relax_lint.flow.shapes import Exit, Function
    from relax_lint.generates import GenerateUse

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_NEVER_SAMPLES: dict[type, str] = {
    ast.Tuple: "a tuple",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.Constant: "a constant",
    ast.JoinedStr: "a string",
    ast.Compare: "a truth value",
}


_MAY_NOT_RETURN = pattern(r"(?:\A|[._])(?:exit|quit|abort|fail|raise|die|throw|panic)\w*\Z", re.IGNORECASE)
"""Names of functions that may raise whenever they are called."""

MOST_STEPS = 3_000
"""How far a function is followed; real rollouts would take more, and say plainly what they return."""
_AT_END = "reaches its end without a return"

End = Literal["never", "maybe", "surely"]


class Wrong(NamedTuple):
    """A ``return`` of something that is no sample for sure, and what that is."""

    node: ast.Return
    what: str


def without_sample(use: GenerateUse, function: Function) -> Iterator[tuple[Place, str]]:
    """The ways out of a function that give no sample: where, and what they do."""
    if use.interpreter.facts.scope(function.node).generator:
        return  # nothing can be awaited, which is said
    said: set[ast.AST] = set()
    for wrong in (*wrong_returns(function.node, _name_of_sample(function)), *_unawaited(use, function)):
        said.add(wrong.node)
        place = function.source.place(wrong.node)
        yield place, f"{use.name} returns {wrong.what} here"
    if end_of(function.node) == "surely":
        said.add(function.node)
        yield function_place(function), f"{use.name} {_AT_END}"
    for helper in _handed_on(use, function):
        if gives_no_value(helper.node):
            said.add(helper.node)
            yield function_place(helper), f"{helper.node.name} {_AT_END}"  # type: ignore[union-attr]
    for way in _followed(use, function):
        if way.node not in said:
            said.add(way.node)
            name = getattr(way.function, "name", use.name)
            what = _AT_END if way.falls_off else f"returns {_in_words(way)} here"
            yield exit_place(way), f"{name} {what}"


def _followed(use: GenerateUse, function: Function) -> list[Exit]:
    """The ways that give no sample, each from where it begins. Real rollouts have more than can be followed, but say
    plainly what they return: others are followed."""
    nodes = [function.node, *(helper.node for helper in _handed_on(use, function))]
    plain = all(end_of(node) != "maybe" and not returns_variables_that_may_be_none(node) for node in nodes)
    if plain and not any(any(wrong_returns(node)) for node in nodes[1:]):
        return []
    found: list[Exit] = []
    for way in use.interpreter.outcomes(function, use.arguments(function), MOST_STEPS) or ():
        while way.shape.origin is not None and use.interpreter.follows(way.shape.origin.source):
            way = way.shape.origin
        if is_no_sample(way):
            found.append(way)
    return found


def _name_of_sample(function: Function) -> str | None:
    """The parameter that the sample comes in, unless the function binds it again."""
    spec = function.node.args
    names = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args)][len(function.bound) :]
    name = names[1] if len(names) > 1 else None
    bound = {node.id for node in own_nodes(function.node) if isinstance(node, ast.Name) and _is_bound(node)}
    return None if name in bound else name


def _is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _unawaited(use: GenerateUse, function: Function) -> Iterator[Wrong]:
    """Coroutines that an async function returns as they are."""
    if isinstance(function.node, ast.AsyncFunctionDef):
        for node, _ in _calls_returned(use, function, ast.AsyncFunctionDef, awaited=False):
            yield Wrong(node, "a coroutine that nobody awaits")


def _handed_on(use: GenerateUse, function: Function) -> list[Function]:
    """The functions whose result is returned as it is."""
    plain = [found for _, found in _calls_returned(use, function, ast.FunctionDef, awaited=False)]
    return plain + [found for _, found in _calls_returned(use, function, ast.AsyncFunctionDef, awaited=True)]


def _calls_returned(
    use: GenerateUse,
    function: Function,
    kind: type[ast.FunctionDef | ast.AsyncFunctionDef],
    *,
    awaited: bool,
) -> Iterator[tuple[ast.Return, Function]]:
    """``return helper(…)`` for functions of one kind at the top of modules."""
    from relax_lint.flow.shapes import Function

    own = use.interpreter.facts.scope(function.node).bound
    for node in own_nodes(function.node):
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Await) is not awaited:
            continue
        value = value.value if isinstance(value, ast.Await) else value
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)) or value.func.id in own:
            continue
        called = use.interpreter.named(function.source, value.func.id)
        if isinstance(called, Function) and isinstance(called.node, kind) and use.interpreter.follows(called.source):
            if not use.interpreter.facts.scope(called.node).generator and isinstance(node, ast.Return):
                yield node, called


def is_no_sample(way: Exit) -> bool:
    """Whether what a way gives is certainly neither a sample nor a list."""
    from relax_lint.flow.shapes import Awaitable, Dictionary, NoneValue, Sequence, is_scalar, is_text

    shape = way.shape
    if isinstance(shape, Sequence):
        return shape.kind != "list"
    return isinstance(shape, (NoneValue, Dictionary, Awaitable)) or is_scalar(shape) or is_text(shape)


def _in_words(way: Exit) -> str:
    """What a way gives."""
    from relax_lint.flow.shapes import in_words

    return in_words(way.shape)


def wrong_returns(function: AnyFunction, sample: str | None = None) -> Iterator[Wrong]:
    """The returns that say by themselves that they give no sample; ``sample`` is the name of what is one."""
    for node in () if isinstance(function, ast.Lambda) else own_nodes(function):
        if isinstance(node, ast.Return):
            what = next(filter(None, (_never_a_sample(part, sample) for part in _either_value(node.value))), None)
            if what is not None:
                yield Wrong(node, what)


def _either_value(value: ast.expr | None) -> Iterator[ast.expr | None]:
    """What an expression may give: both sides of a ternary."""
    if isinstance(value, ast.IfExp):
        yield from _either_value(value.body)
        yield from _either_value(value.orelse)
    else:
        yield value


def _never_a_sample(value: ast.expr | None, sample: str | None) -> str | None:
    """What an expression gives, where that is certainly no sample."""
    if value is None or is_none(value):
        return "nothing"
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == sample:
        return f"{sample}.{value.attr}" if value.attr in FIELDS else None
    return _NEVER_SAMPLES.get(value.__class__)


def end_of(function: AnyFunction) -> End:
    """Whether the end of a function is reached without a ``return``."""
    return "never" if isinstance(function, ast.Lambda) else _end(function.body)


def returns_variables_that_may_be_none(function: AnyFunction) -> bool:
    """Whether a name is returned that has been given None, or something that can be, somewhere."""
    names = {
        node.value.id
        for node in own_nodes(function)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)
    }
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, (ast.Constant, ast.IfExp, ast.BoolOp, ast.Tuple, ast.Dict))
        and any(isinstance(target, ast.Name) and target.id in names for target in node.targets)
        for node in own_nodes(function)
    )


def gives_no_value(function: AnyFunction) -> bool:
    """Whether calling a function gives None whatever happens: it has no ``return`` with a value, and its end."""
    if isinstance(function, ast.Lambda) or end_of(function) == "never":
        return False
    nodes = list(own_nodes(function))
    generator = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes)
    return not generator and all(gives_nothing(node) for node in nodes if isinstance(node, ast.Return))


def awaits_without_async(function: AnyFunction) -> bool:
    """Whether Python refuses a function, for it awaits and is not async."""
    if not isinstance(function, ast.FunctionDef):
        return False
    return any(isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)) for node in own_nodes(function))


def _end(body: list[ast.stmt]) -> End:
    """Whether the end of a block is reached: surely, if what is in front of it can be told nothing about."""
    ends = [_after(statement) for statement in body]
    return "never" if "never" in ends else (ends[-1] if ends else "surely")


def _after(node: ast.stmt) -> End:
    """Whether what follows a statement is reached."""
    if isinstance(node, (ast.Return, ast.Raise)):
        return "never"
    if isinstance(node, ast.If):
        return _either([_end(node.body), _end(node.orelse)])
    if isinstance(node, (ast.With, ast.AsyncWith)):
        inside = _end(node.body)
        return "maybe" if inside == "never" and "suppress" in ast.dump(node.items[0].context_expr) else inside
    if isinstance(node, (ast.While, ast.For, ast.AsyncFor)):
        return _after_loop(node)
    if isinstance(node, ast.Try):
        return _after_try(node)
    if isinstance(node, ast.Match):
        last = node.cases[-1]
        all_taken = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        return _either([*(_end(case.body) for case in node.cases), *(() if all_taken else ("surely",))])
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return "maybe" if _MAY_NOT_RETURN.search(ast.unparse(node.value.func)) else "surely"
    return "maybe" if isinstance(node, ast.Assert) else "surely"


def _either(ends: list[End]) -> End:
    """After one of several ways."""
    return ends[0] if len(set(ends)) == 1 else "maybe"


def _after_loop(node: ast.While | ast.For | ast.AsyncFor) -> End:
    leaves = [part for part in _of_loop(node) if isinstance(part, (ast.Return, ast.Raise, ast.Break))]
    endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
    if endless and not any(isinstance(part, ast.Break) for part in leaves):
        return "never"
    if node.orelse and _end(node.orelse) == "never":
        return "maybe" if any(isinstance(part, ast.Break) for part in leaves) else "never"
    if all(isinstance(part, ast.Break) for part in leaves):
        return "surely"
    if isinstance(node, ast.While) or _end(node.body) == "never":
        return "maybe"
    counters = set(target_names(node.target))
    compared = (part for part in _of_loop(node) if isinstance(part, ast.Compare))
    sides = (side for part in compared for side in (part.left, *part.comparators))
    return "maybe" if any(isinstance(side, ast.Name) and side.id in counters for side in sides) else "surely"


def _after_try(node: ast.Try) -> End:
    if _end(node.finalbody) == "never":
        return "never"
    inside = _end([*node.body, *node.orelse])
    ends = [_end(handler.body) for handler in node.handlers]
    if "surely" in ends:
        return "surely"
    return _either([inside, *ends])


def _of_loop(loop: ast.While | ast.For | ast.AsyncFor) -> Iterator[ast.AST]:
    """The nodes of a loop, inner loops left out."""
    pending: list[ast.AST] = list(loop.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_LOOPS, *FUNCTIONS, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))
