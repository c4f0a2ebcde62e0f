"""Sees through ``except``: what relax_lint catches while an input is judged.

:func:`install` has the package compiled with a call at the head of every ``except`` clause. What is caught then is one
of these: an exception of relax_lint's own, or one that the guarded line itself may raise by design, of which nothing is
noted; a want of stack or memory; or what looks like a mistake of ours that a clause meant for something else, or for
anything, has taken in. Where that is meant, :data:`EXPECTED` says why.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple

import relax_lint

PACKAGE = Path(relax_lint.__file__).parent
_HOOK = "__fuzz_caught__"
_WANT = (RecursionError, MemoryError, SystemError)
_MISTAKES = (
    AttributeError, TypeError, LookupError, NameError, AssertionError, NotImplementedError, StopIteration, RuntimeError,
)  # fmt: skip
_ANYTHING = frozenset({"Exception", "BaseException"})


_NOT_FOLLOWED = "what is too deep to follow counts as what takes too many steps: nothing is known of it"
EXPECTED = {
    "constraints/derived.py:compute": "a formula over arguments that it does not fit has no value: hidden, not checked",
    "flow/interpreter.py:outcomes": _NOT_FOLLOWED,
    "flow/interpreter.py:result": _NOT_FOLLOWED,
    "flow/interpreter.py:named": _NOT_FOLLOWED,
}
"""Clauses that take in what looks like a mistake, or a want of stack, and why nothing is lost there."""


class Caught(NamedTuple):
    """An exception that a clause took in. ``want`` is for stack or memory; otherwise it looks like a mistake."""

    want: bool
    clause: str
    raised: str
    problem: str
    trace: str


_seen: list[Caught] = []


def take() -> list[Caught]:
    """What was caught since this was last asked."""
    found = list(_seen)
    _seen.clear()
    return found


def install() -> None:
    """From now on modules of relax_lint are compiled so that they tell; those that are loaded already do not."""
    setattr(builtins, _HOOK, _caught)
    sys.meta_path.insert(0, _Finder())


def _caught(clause: str, takes_anything: bool) -> None:
    problem = sys.exc_info()[1]
    if problem is None or type(problem).__module__.startswith(("relax_lint", "tools.fuzz")):
        return
    want = isinstance(problem, _WANT)
    if not want and not takes_anything and not isinstance(problem, _MISTAKES):
        return
    inside = problem.__traceback__
    last = _last(inside)
    if last is None or inside is None:
        return
    if not want and not takes_anything and (inside.tb_next is None or not _is_mistake(last)):
        return
    if len(_seen) < 20:
        trace = "".join(traceback.format_exception(type(problem), problem, inside, limit=-12))
        _seen.append(Caught(want, clause, _place(last), f"{type(problem).__name__}: {problem}"[:300], trace))


def _last(inside: TracebackType | None) -> TracebackType | None:
    while inside is not None and inside.tb_next is not None:
        inside = inside.tb_next
    return inside


def _is_mistake(last: TracebackType) -> bool:
    """Whether it was raised by a line of ours that does not say ``raise``."""
    path = last.tb_frame.f_code.co_filename
    if not path.startswith(str(PACKAGE)):
        return False
    return not linecache.getline(path, last.tb_lineno).lstrip().startswith("raise")


def _place(at: TracebackType) -> str:
    path = Path(at.tb_frame.f_code.co_filename)
    name = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
    return f"{name}:{at.tb_lineno}"


class _Telling(ast.NodeTransformer):
    """Puts the call into every clause."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.inside: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.inside.append(node.name)
        self.generic_visit(node)
        self.inside.pop()
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        names = {part.id for part in ast.walk(node.type) if isinstance(part, ast.Name)} if node.type else _ANYTHING
        place = ast.Constant(f"{self.name}:{self.inside[-1] if self.inside else 'the module'}")
        call = ast.Call(ast.Name(_HOOK, ast.Load()), [place, ast.Constant(bool(names & _ANYTHING))], [])
        told = ast.copy_location(ast.Expr(call), node.body[0])
        node.body.insert(0, ast.fix_missing_locations(told))
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = Path(self.path)
        tree: Any = ast.parse(path.read_bytes(), self.path)
        return compile(_Telling(path.relative_to(PACKAGE).as_posix()).visit(tree), self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith("relax_lint."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return spec
        return importlib.util.spec_from_file_location(
            fullname, spec.origin, loader=_Loader(fullname, spec.origin),
            submodule_search_locations=spec.submodule_search_locations,
        )  # fmt: skip
