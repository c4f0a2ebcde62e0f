"""Where scoring runs: in the event loop itself when it takes no time, else in a thread, or in processes of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from relax_lint.migrate.carrying.closure import dotted_name
from relax_lint.migrate.carrying.code import run_at_once
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.closure import Copied

Where = Literal["loop", "thread", "process"]
_QUICK = frozenset(
    "__future__ abc ast collections copy dataclasses decimal enum fractions functools itertools json logging math "
    "numbers operator random re statistics string textwrap typing unicodedata warnings".split()
)
"""Modules of the standard library that wait for nothing."""
_SIGNALS = frozenset({"alarm", "setitimer", "SIGALRM", "ITIMER_REAL", "signal"})
_STARTING = frozenset({"Process", "Manager", "Pool"})
_OWN_POOL = "ProcessPoolExecutor"
_BY_SIGNALS = frozenset({"math_verify", "func_timeout", "timeout_decorator"})
"""Packages that end what takes too long with signals, which only the main thread of a process gets."""
_OF_THREADS = frozenset({"getcontext", "setcontext", "localcontext", "local"})
"""What gives each thread a state of its own: ``decimal``'s contexts, ``threading.local``."""
_LOOPS = (ast.For, ast.While, ast.AsyncFor)


def where(copied: Copied) -> Where:
    """Where the carried code has to run: signals need a main thread, and children no threads beside their parent."""
    packages = {each.package for each in copied.requires}
    names = set(_used(copied))
    own_pool = _OWN_POOL in names
    if names & _SIGNALS or names & _STARTING or (packages & _BY_SIGNALS and not own_pool):
        return "process"
    modules = set(_modules(copied))
    if sets_own_state(copied):
        return "thread"
    if packages or modules - _QUICK or any(_loops(each) for each in _statements(copied)):
        return "thread"
    return "loop"


def sets_own_state(copied: Copied) -> bool:
    """Whether importing the carried code sets what counts for the thread that does it alone. verl scores in others,
    which see nothing of it."""
    return any(
        getattr(each, "attr", getattr(each, "id", "")) in _OF_THREADS
        for statement in _statements(copied)
        for each in run_at_once(statement)
        if isinstance(each, (ast.Attribute, ast.Name))
    )


def has_processes(copied: Copied) -> bool:
    """Whether the carried code starts processes of its own, which import its module again."""
    return _OWN_POOL in set(_used(copied))


def _statements(copied: Copied) -> Iterator[ast.stmt]:
    for part in copied.parts:
        for statement in part.code.statements:
            if statement.index in part.indices:
                yield from statement.nodes


def _used(copied: Copied) -> Iterator[str]:
    """The names of what is used of ``signal``, ``multiprocessing`` and executors."""
    for statement in _statements(copied):
        for each in walk(statement):
            if isinstance(each, ast.Attribute):
                name = dotted_name(each) or ""
                if name.partition(".")[0] in ("signal", "multiprocessing", "mp", "futures", "concurrent"):
                    yield each.attr
            elif isinstance(each, ast.ImportFrom) and (each.module or "").partition(".")[0] in (
                "signal",
                "multiprocessing",
                "concurrent",
            ):
                yield from (alias.name for alias in each.names)


def _modules(copied: Copied) -> Iterator[str]:
    """The top-level modules that are imported, those of the recipe aside."""
    package = copied.names.package.partition(".")[0]
    carried = {part.code.origin.dotted.partition(".")[0] for part in copied.parts}
    for part in copied.parts:
        for statement in part.code.statements:
            if statement.index not in part.indices:
                continue
            for each in (node for top in statement.nodes for node in walk(top)):
                names: list[str] = []
                if isinstance(each, ast.Import):
                    names = [
                        alias.name.partition(".")[0]
                        for alias in each.names
                        if (alias.asname or alias.name.partition(".")[0]) in part.needed or each not in statement.nodes
                    ]
                elif isinstance(each, ast.ImportFrom) and not each.level:
                    names = [(each.module or "").partition(".")[0]]
                yield from (name for name in names if name not in (package, "verl") and name not in carried)


def _loops(statement: ast.stmt) -> bool:
    """Whether loops stand in loops, or a function calls itself: that may take long."""
    for each in walk(statement):
        if isinstance(each, _LOOPS) and any(isinstance(inner, _LOOPS) for part in each.body for inner in walk(part)):
            return True
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == each.name
            for part in each.body
            for inner in walk(part)
        ):
            return True
    return False
