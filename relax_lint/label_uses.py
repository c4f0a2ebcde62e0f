"""What the code that a launch has Relax call does with the label of a sample."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from relax_lint.calls.entries import entries, reached
from relax_lint.calls.values import SAMPLE, SAMPLES, Given, Outside, Routine
from relax_lint.diagnostics import Place
from relax_lint.flow.scopes import own_nodes
from relax_lint.records import record
from relax_lint.rewards import reward_uses
from relax_lint.sources.python import is_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lint.calls.entries import Entry
    from relax_lint.calls.reached import ReachedFunction
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

Manner = Literal["text", "object", "sequence", "asked", "neutral", "unclear"]
Verdict = Literal["text", "taken", "unused", "unclear"]

LABEL, _RESPONSE = Given("sample", ("label",)), Given("sample", ("response",))

_OF_DICTS = frozenset({"get", "items", "keys", "values", "pop", "setdefault", "copy", "update"})
_OF_TEXTS = frozenset(name for name in dir(str) if not name.startswith("_"))
_OF_LISTS = frozenset({"append", "extend", "index", "count", "sort"}) - _OF_TEXTS
_ASKS = frozenset({"isinstance", "type", "issubclass", "hasattr", "callable", "getattr"})
_TAKES_TEXT = frozenset({"str", "int", "float", "Decimal", "Fraction", "complex"})
_OF_MODULES = ("re.", "regex.", "json.loads", "ast.literal_eval", "math_verify.", "unicodedata.", "sympy.", "html.")
_TELLS = frozenset({"print", "repr", "len", "bool", "id", "log", "debug", "info", "warning", "error", "exception"})
_SEES_TO: tuple[Manner, ...] = ("object", "sequence", "asked")
_GO_THROUGH = frozenset({"zip", "enumerate", "list", "tuple", "sorted", "reversed", "map", "iter", "next", "vars"})
_GIVE_TEXT = frozenset({"strip", "lower", "upper", "replace", "group", "removeprefix", "removesuffix"})
_MAY_GIVE = (ast.Name, ast.Attribute, ast.BoolOp, ast.IfExp, ast.Call, ast.NamedExpr)
"""What may give a label, or hand the sample over."""
_PASS_ON = (
    ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return, ast.IfExp, ast.BoolOp, ast.UnaryOp, ast.If, ast.While,
    ast.Assert, ast.Expr,
)  # fmt: skip
"""Where a value stands and nothing is done with it but to look whether there is one."""


@record
class LabelUse:
    """What becomes of labels: ``text`` where a text is needed, ``taken`` where objects or lists are seen to, ``unused``
    where nothing reads them; ``place`` shows where a text is needed."""

    verdict: Verdict
    place: Place | None = None


def label_use(launch: Launch, project: Project) -> LabelUse:
    """What all code of the recipe that a launch calls does with labels."""
    rewards = reward_uses(launch, project)
    if not rewards or not all(use.functions for use in rewards):
        return LabelUse("unclear")
    called = tuple(entries(launch, project))
    return rewards[0].once(("label use", called), lambda: _of_entries(called, launch, project))


def _of_entries(called: tuple[Entry, ...], launch: Launch, project: Project) -> LabelUse:
    found: dict[Manner, Place] = {}
    for entry in called:
        scores = entry.kind == "reward"
        if scores and not reached(entry, project).whole:
            found["unclear"] = launch.site
        for manner, place in _of_entry(entry, project).items():
            if scores or manner in _SEES_TO:
                found.setdefault(manner, place)
    if any(manner in found for manner in _SEES_TO):
        return LabelUse("taken")
    if "text" in found:
        return LabelUse("text", found["text"])
    return LabelUse("unclear" if found else "unused")


def _of_entry(entry: Entry, project: Project) -> dict[Manner, Place]:
    """What the code of one entry does with labels, each with the first place; once for all launches that have it."""
    from relax_lint.flow.interpreter import interpreter_of

    def answer() -> dict[Manner, Place]:
        found: dict[Manner, Place] = {}
        for function in reached(entry, project).functions:
            for node, manner in _uses(function):
                if manner not in found:
                    found[manner] = function.source.place(node)
        return found

    return interpreter_of(project).answers.ask(("label use", entry), answer)


def _uses(function: ReachedFunction) -> Iterator[tuple[ast.AST, Manner]]:
    for node in own_nodes(function.node):
        if not isinstance(node, _MAY_GIVE):
            continue
        if isinstance(node, ast.Call) and _hands_over(function, node):
            yield node, "unclear"
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)) or LABEL not in function.values(node):
            continue
        manner = _manner(function, node, function.source.parent(node))
        if manner != "neutral":
            yield node, manner


def _hands_over(function: ReachedFunction, call: ast.Call) -> bool:
    """Whether a call gives the sample to code of which nothing is known."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not any(not function.values(value).isdisjoint((SAMPLE, SAMPLES)) for value in given):
        return False
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    return name not in _ASKS | _TELLS | _GO_THROUGH and not _is_followed(function, call)


def _manner(function: ReachedFunction, node: ast.expr, parent: ast.AST | None) -> Manner:
    """What is done with a label where it stands."""
    if isinstance(parent, ast.Attribute):
        return _of_attribute(parent.attr)
    if isinstance(parent, ast.Subscript):
        return _of_subscript(parent, node)
    if isinstance(parent, ast.Call):
        return _of_call(function, parent, node)
    if isinstance(parent, ast.BinOp):
        return "text" if _is_text(function, parent.left) or _is_text(function, parent.right) else "unclear"
    if isinstance(parent, ast.Compare):
        return _of_comparison(function, parent, node)
    if isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
        return "sequence" if parent.iter is node else "neutral"
    if isinstance(parent, ast.MatchClass | ast.Match):
        return "asked"
    if isinstance(parent, ast.keyword):
        call = function.source.parent(parent)
        return _of_call(function, call, node) if isinstance(call, ast.Call) else "unclear"
    return "neutral" if isinstance(parent, _PASS_ON) else "unclear"


def _of_attribute(name: str) -> Manner:
    if name in _OF_DICTS:
        return "object"
    if name in _OF_LISTS:
        return "sequence"
    return "text" if name in _OF_TEXTS else "unclear"


def _of_subscript(parent: ast.Subscript, node: ast.expr) -> Manner:
    if parent.value is not node:
        return "text"  # a label that is a key itself cannot be an object
    key = parent.slice
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return "object"
    return "sequence" if isinstance(key, (ast.Constant, ast.UnaryOp)) else "unclear"


def _of_call(function: ReachedFunction, call: ast.Call, node: ast.expr) -> Manner:
    if call.func is node:
        return "unclear"
    if _is_followed(function, call):
        return "neutral"  # what it does with it, its own code tells
    callees = function.values(call.func)
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name in _ASKS:
        return "asked"
    if name in _TAKES_TEXT:
        return "text"
    if name in _TELLS:
        return "neutral"
    if name == "get" and node in call.args[1:]:
        return "asked"  # it only stands in for what the data has elsewhere
    if any(isinstance(callee, Outside) and callee.name.startswith(_OF_MODULES) for callee in callees):
        return "text"
    return "unclear"


def _of_comparison(function: ReachedFunction, comparison: ast.Compare, node: ast.expr) -> Manner:
    others = [side for side in (comparison.left, *comparison.comparators) if side is not node]
    if any(is_none(side) for side in others):
        return "neutral"
    return "text" if any(_is_text(function, side) for side in others) else "unclear"


def _is_text(function: ReachedFunction, node: ast.expr) -> bool:
    """Whether an expression plainly gives a text: a literal, the response, or what a method of texts gives."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(node.value)
    if isinstance(node, ast.JoinedStr) or function.is_certainly(node, _RESPONSE):
        return True
    callee = node.func if isinstance(node, ast.Call) else None
    return isinstance(callee, ast.Attribute) and callee.attr in _GIVE_TEXT


def _is_followed(function: ReachedFunction, call: ast.Call) -> bool:
    """Whether all that a call may call is code of the repository."""
    callees = function.values(call.func)
    return bool(callees) and all(isinstance(callee, Routine) for callee in callees)
