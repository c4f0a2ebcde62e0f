"""Calls that are awaited and certainly give nothing that can be: of plain functions of the recipe."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from relax_lint.calls.entries import of_reward, reached
from relax_lint.calls.values import Routine
from relax_lint.diagnostics import Edit, Finding, Fix
from relax_lint.flow.scopes import own_nodes
from relax_lint.records import record
from relax_lint.sources.python import called_name

if TYPE_CHECKING:
    from relax_lint.calls.reached import ReachedFunction
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.flow.shapes import Shape
    from relax_lint.rewards import RewardUse
    from relax_lint.sources.python import PythonSource

_WANT_AWAITABLES = frozenset({"gather", "wait_for", "shield", "create_task", "ensure_future"})
"""Functions of asyncio that cannot be given anything else."""
_CATCHING = ("TypeError", "Exception")


@record
class AwaitedCall:
    """A call of a plain function whose result is awaited, by ``await`` itself or by what asyncio does with it."""

    source: PythonSource
    call: ast.Call
    name: str
    given: tuple[Shape, ...]
    awaited: ast.Await | None


def in_vain(use: RewardUse) -> Iterator[Finding]:
    """What a reward awaits and cannot be awaited."""
    from relax_lint.flow.shapes import in_words

    entry = of_reward(use)
    if entry is None:
        return
    project, recipe = use.project, use.project.recipe_of(entry.source.path)
    for function in reached(entry, project).functions:
        if project.recipe_of(function.source.path) is not recipe or "await" not in function.source.text:
            continue
        question = ("awaited in vain", function)
        for one in use.once(question, partial(_found, function, use.interpreter)):
            gives = " or ".join(dict.fromkeys(map(in_words, one.given)))
            yield Finding(
                use.shown(one.source.place(one.call)),
                f"{one.name} is not async: it gives {gives}, which cannot be awaited",
                fix=_without_await(one),
                launch=use.launch,
                subject=one.name,
            )


def _found(function: ReachedFunction, interpreter: Interpreter) -> list[AwaitedCall]:
    return list(_in(function, interpreter))


def _in(function: ReachedFunction, interpreter: Interpreter) -> Iterator[AwaitedCall]:
    for node in own_nodes(function.node):
        calls: list[ast.expr] = []
        if isinstance(node, ast.Await):
            calls = [node.value]
        elif isinstance(node, ast.Call) and called_name(node) in _WANT_AWAITABLES:
            calls = node.args if _is_of_asyncio(function, node) else []
        for call in calls:
            given = _given(function, call, interpreter) if isinstance(call, ast.Call) else ()
            if isinstance(call, ast.Call) and given and not _is_caught(function.source, call):
                awaited = node if isinstance(node, ast.Await) else None
                yield AwaitedCall(function.source, call, called_name(call), given, awaited)


def _is_of_asyncio(function: ReachedFunction, call: ast.Call) -> bool:
    return any(name.startswith("asyncio.") for name in function.outside_names(call.func))


def _given(function: ReachedFunction, call: ast.Call, interpreter: Interpreter) -> tuple[Shape, ...]:
    """What a call gives, where that is certainly nothing that can be awaited."""
    from relax_lint.flow.shapes import Arguments, Awaitable, Function, Instance, Library, Unknown, alternatives

    found: list[Shape] = []
    for value in function.values(call.func):
        if not isinstance(value, Routine) or not _is_plain(value, interpreter):
            return ()
        result = interpreter.result(Function(value.source, value.node), Arguments(complete=False))
        found += alternatives(result)
    if any(isinstance(shape, (Awaitable, Unknown, Library, Instance)) for shape in found):
        return ()
    return tuple(found)


def _is_plain(routine: Routine, interpreter: Interpreter) -> bool:
    """Whether a function is defined at the top of its module, and nothing puts another one in its place."""
    node, source = routine.node, routine.source
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or not isinstance(source.parent(node), ast.Module):
        return False
    return node.name not in interpreter.resolver.names.changed_after_import(source)


def _is_caught(source: PythonSource, call: ast.Call) -> bool:
    """Whether what awaiting raises is caught."""
    return any(
        handler.type is None or any(name in ast.unparse(handler.type) for name in _CATCHING)
        for holder in source.ancestors(call)
        if isinstance(holder, ast.Try)
        for handler in holder.handlers
    )


def _without_await(one: AwaitedCall) -> Fix | None:
    awaited = one.awaited
    if awaited is None:
        return None
    place = one.source.place(awaited)
    word = place.start + len("await")
    text = one.source.text
    while text[word] in " \t":
        word += 1
    return Fix("do not await it", lambda: [Edit(one.source.path, place.start, word, "")])
