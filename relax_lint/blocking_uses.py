"""The calls in a function on the event loop that keep the loop waiting, or that would start one inside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from relax_lint.catalog.blocking import MAKES_A_FUTURE, RUNS_A_LOOP, SLEEP, WAIT_FOR_FUTURE, advice_against
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.calls.reached import ReachedFunction

_LONGEST_NAME = 60
Kind = Literal["refused", "nested", "sleep", "other"]


@record
class BlockingCall:
    """A call that waits. ``refused``: it runs an event loop, which raises inside another; ``nested``: it does so where
    that has been made possible; ``sleep``: it is ``time.sleep``."""

    function: ReachedFunction
    call: ast.Call
    kind: Kind
    advice: str = ""

    @property
    def shown(self) -> str:
        """What is called, in a few words."""
        called = self.call.func
        text = ast.unparse(called)
        if len(text) <= _LONGEST_NAME and "\n" not in text:
            return text
        return called.attr if isinstance(called, ast.Attribute) else f"{text[:_LONGEST_NAME]}…"


def blocking_calls(function: ReachedFunction) -> Iterator[BlockingCall]:
    """The calls in a function's own code that keep the thread waiting that it runs in."""
    for call in function.calls:
        if _waits_for_future(function, call):
            yield BlockingCall(function, call, "other", WAIT_FOR_FUTURE)
            continue
        names = function.outside_names(call.func)
        if not names:
            continue
        if all(map(RUNS_A_LOOP.fullmatch, names)):
            if not _asks_for_a_loop(function):
                yield BlockingCall(function, call, "nested" if "nest_asyncio" in function.source.text else "refused")
            continue
        advice = [advice_against(name) for name in names]
        if None not in advice and not isinstance(function.source.parent(call), ast.Await):
            yield BlockingCall(function, call, "sleep" if names == {SLEEP} else "other", advice[0] or "")


def _waits_for_future(function: ReachedFunction, call: ast.Call) -> bool:
    """Whether a call is ``result()`` of what a pool was given, that nothing says to be done by then."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "result":
        return False
    future = call.func.value
    if not isinstance(future, ast.Name):
        return _is_of_a_pool(function, future)
    nodes = list(ast.walk(function.node))
    given = [node.value for node in nodes if isinstance(node, ast.Assign) and _names(node.targets, future.id)]
    told = [node.value for node in nodes if isinstance(node, ast.Await)]
    told += [node.test for node in nodes if isinstance(node, (ast.If, ast.IfExp, ast.While))]
    asked = any(isinstance(part, ast.Name) and part.id == future.id for one in told for part in ast.walk(one))
    return bool(given) and not asked and all(_is_of_a_pool(function, one) for one in given)


def _names(targets: list[ast.expr], name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _is_of_a_pool(function: ReachedFunction, made: ast.expr) -> bool:
    names = function.outside_names(made.func) if isinstance(made, ast.Call) else frozenset()
    return bool(names) and all(map(MAKES_A_FUTURE.fullmatch, names))


def _asks_for_a_loop(function: ReachedFunction) -> bool:
    """Whether a function finds out by itself whether an event loop is running."""
    for node in ast.walk(function.node):
        if isinstance(node, (ast.If, ast.IfExp)) and any(
            word in ast.unparse(node.test) for word in ("loop", "running")
        ):
            return True
        if isinstance(node, ast.Try) and "get_running_loop" in "".join(map(ast.unparse, node.body)):
            return True
    return False
