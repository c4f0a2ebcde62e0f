"""What functions from elsewhere do with the functions and containers that they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from relax_lint.calls.values import (
    NOTHING,
    UNKNOWN_ROOT,
    UNTOLD,
    Kind,
    Object,
    Outside,
    Routine,
    Several,
    Value,
    Values,
    items,
    outside,
    several,
    together,
)

if TYPE_CHECKING:
    from relax_lint.calls.look import Look, Passed

Call = Callable[["Look", "Passed", "ast.Call | None"], Values]

_ELSEWHERE_WORDS = ("thread", "remote", "sync_to_async", "executor", "process", "task", "background")
"""Words in the names of decorators that have a function run somewhere else."""
_CALLS_NOTHING = ("functools.", "inspect.", "typing.", "logging.", "contextlib.", "warnings.", "types.", "dataclasses.")
"""Modules whose functions do not call what they are given, but for those that are known by name; so do builtins."""
_SAME = frozenset(
    (
        *("list", "tuple", "set", "frozenset", "reversed", "iter", "copy.copy", "copy.deepcopy", "dict", "sorted"),
        *("asyncio.create_task", "asyncio.ensure_future", "asyncio.wait_for", "asyncio.shield", "asyncio.as_completed"),
        *("itertools.cycle", "itertools.islice", "tqdm", "tqdm.tqdm", "typing.cast", "inspect.unwrap"),
        *("collections.OrderedDict", "collections.deque", "types.MappingProxyType", "filter", "asyncio.wait"),
        *("asyncio.timeout", "random.sample", "itertools.filterfalse", "functools.singledispatch"),
    )
)
"""Give what they are given first, or containers of the same items. (``filter`` and ``cast`` are given it second.)"""
_SECOND = frozenset({"filter", "typing.cast", "itertools.filterfalse"})
_ITEM = frozenset({"next", "anext", "random.choice", "min", "max", "heapq.heappop"})
_CALLED_WITH_ITEMS = frozenset(
    {"map", "filter", "sorted", "min", "max", "sum", "itertools.starmap", "functools.reduce"}
)
_STARTERS = {
    "asyncio.to_thread": 0,
    "anyio.to_thread.run_sync": 0,
    "to_thread.run_sync": 0,
    "starlette.concurrency.run_in_threadpool": 0,
    "fastapi.concurrency.run_in_threadpool": 0,
    "trio.to_thread.run_sync": 0,
}
"""Functions that run what they are given in a thread, and at which place they are given it."""
_STARTING_METHODS = {
    "run_in_executor": 1,
    "submit": 0,
    "apply_async": 0,
    "map_async": 0,
    "imap": 0,
    "imap_unordered": 0,
    "starmap": 0,
    "starmap_async": 0,
    "run_sync": 0,
}
_POOLS = ("concurrent.futures.", "multiprocessing.", "joblib.", UNKNOWN_ROOT)
_THREADS = frozenset({"threading.Thread", "threading.Timer", "multiprocessing.Process"})


def decorated_by(decorator: str, function: Values) -> Values:
    """A function after a decorator from elsewhere: most keep it, some have it run in another place."""
    words = decorator.lower()
    if any(word in words for word in _ELSEWHERE_WORDS):
        return UNTOLD
    return function


def call_outside(look: Look, name: str, passed: Passed, node: ast.Call | None) -> Values:
    """What calling something from elsewhere gives; functions that it is given are followed where it calls them."""
    if name in ("functools.partial", "partial"):
        return _partial(passed)
    method = name.rpartition(".")[2]
    at = _STARTERS.get(name, _STARTING_METHODS.get(method) if "." in name else None)
    if at is not None:
        return look.start(passed.at(at, "func"), passed.after(at + 1), node)
    if method == "map" and name.startswith(_POOLS):
        return several([look.start(passed.at(0), _with_items(passed.after(1)), node)])
    if name in _THREADS:
        return _thread(look, name, passed, node)
    if name in ("getattr", "builtins.getattr"):
        return _getattr(look, passed, node)
    if name in _CALLED_WITH_ITEMS:
        results = _with_function(look, name, passed, node)
        if name in ("map", "itertools.starmap", "functools.reduce"):
            return several([results])
    if name in _SECOND:
        return passed.at(1)
    if name in _SAME:
        return passed.at(0)
    if name in _ITEM:
        return items(passed.at(0)) if len(passed.positional) < 2 or name == "next" else together(passed.positional)
    if name == "asyncio.gather":
        return several(passed.positional, placed=passed.complete)
    if name == "itertools.chain":
        return together(passed.positional)
    if name in ("zip", "itertools.zip_longest", "itertools.product"):
        return several([several(map(items, passed.positional), placed=passed.complete)])
    if name == "enumerate":
        return several([several([UNTOLD, items(passed.at(0))], placed=True)])
    if "." in name and not name.startswith(_CALLS_NOTHING):
        _elsewhere(look, passed)
    return UNTOLD if name.startswith(UNKNOWN_ROOT) else outside(f"{name}()")


def _partial(passed: Passed) -> Values:
    found: list[Value] = []
    rest = passed.after(1)
    for value in passed.at(0, "func"):
        if isinstance(value, Routine):
            bound = (*value.bound, *rest.positional)
            keywords = (*value.keywords, *rest.keywords)
            found.append(Routine(value.source, value.node, value.scope, bound, keywords))
        else:
            found.append(value)
    return frozenset(found)


def _with_items(passed: Passed) -> Passed:
    """The arguments of a function that is called with the items of these."""
    from relax_lint.calls.look import Passed

    return Passed(tuple(map(items, passed.positional)), (), passed.complete)


def _with_function(look: Look, name: str, passed: Passed, node: ast.Call | None) -> Values:
    """Call what ``map`` and its like are given: by name ``key``, or in front of the items."""
    keyed = dict(passed.keywords).get("key", NOTHING)
    if name in ("sorted", "min", "max", "sum"):
        called, rest = keyed, _with_items(passed)
    else:
        called, rest = passed.at(0), _with_items(passed.after(1))
        if name == "itertools.starmap":
            pairs = [value for value in passed.at(1) if isinstance(value, Several)]
            rest = type(rest)(pairs[0].parts) if len(pairs) == 1 and pairs[0].placed else type(rest)(complete=False)
    routines = [value for value in called if isinstance(value, (Routine, Kind, Object, Outside))]
    return together(look.apply(value, rest, node) for value in routines)


def _thread(look: Look, name: str, passed: Passed, node: ast.Call | None) -> Values:
    from relax_lint.calls.look import Passed

    target = passed.at(1, "target") or passed.at(1, "function")
    given = [value for value in passed.at(3, "args") if isinstance(value, Several)]
    arguments = Passed(given[0].parts) if len(given) == 1 and given[0].placed else Passed(complete=False)
    look.start(target, arguments, node)
    return outside(f"{name}()")


def _getattr(look: Look, passed: Passed, node: ast.Call | None) -> Values:
    key = node.args[1] if node is not None and len(node.args) > 1 else None
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return UNTOLD
    found = [look.attribute(value, key.value) for value in passed.at(0)]
    return together((*found, passed.at(2)))


def _elsewhere(look: Look, passed: Passed) -> None:
    """Functions that something unknown is given may be called, with nobody knows what, nobody knows where."""
    from relax_lint.calls.look import Passed

    for values in (*passed.positional, *(values for _, values in passed.keywords)):
        for value in values:
            if isinstance(value, Routine):
                look.start(frozenset({value}), Passed(complete=False), None)
