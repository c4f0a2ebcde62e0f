"""Which of the two ways a reward function is written to be called: with one sample, or with all of a prompt."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from relax_lint.class_bodies import last_name
from relax_lint.flow.scopes import own_nodes, parameters
from relax_lint.sources.python import is_none

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Function

Form = Literal["single", "batch", "both"]

_LISTS = frozenset(
    {"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "tuple", "Tuple", "Iterator"}
)
_ITERATING = frozenset({"len", "enumerate", "zip", "map", "sorted", "list", "tuple", "reversed", "iter"})
_SAMPLE_FIELDS = frozenset(
    {"response", "label", "metadata", "prompt", "tokens", "reward", "status", "multimodal_inputs", "response_length"}
)


def second_parameter(function: Function) -> ast.arg | None:
    """The parameter that takes the sample, or the samples."""
    free = parameters(function.node)[len(function.bound) :]
    given = {name for name, _ in function.keywords}
    free = [parameter for parameter in free if parameter.arg not in given]
    return free[1] if len(free) > 1 else None


def form_of(function: Function) -> Form | None:
    """By the annotation of its second parameter, its name, and what the function does with it; ``None`` if unclear."""
    parameter = second_parameter(function)
    if parameter is None:
        return None
    annotated = _form_of_annotation(parameter.annotation)
    checked = _form_of_checks(function.node, parameter.arg)
    if checked == "both" or (annotated and checked and annotated != checked):
        return "both"
    if annotated or checked:
        return annotated or checked
    iterated, read = _uses(function.node, parameter.arg)
    if iterated and read:
        return None
    if parameter.arg.lstrip("_") == "samples":
        return None if read else "batch"
    if iterated:
        return "batch"
    return "single" if read or parameter.arg.lstrip("_") == "sample" else None


def _form_of_annotation(node: ast.expr | None) -> Form | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    if node is None or is_none(node):
        return None
    forms = {_form_of_annotation(part) for part in _members(node)} if _is_union(node) else {_form_of_type(node)}
    forms.discard(None)
    if len(forms) > 1:
        return "both"
    return next(iter(forms), None)


def _is_union(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr)
    return isinstance(node, ast.Subscript) and last_name(node.value) in ("Union", "Optional", "Annotated")


def _members(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    inside = node.slice if isinstance(node, ast.Subscript) else node
    return inside.elts if isinstance(inside, ast.Tuple) else [inside]


def _form_of_type(node: ast.expr) -> Form | None:
    name = last_name(node.value if isinstance(node, ast.Subscript) else node)
    if name in _LISTS:
        return "batch"
    return "single" if name == "Sample" else None


def _form_of_checks(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> Form | None:
    """What ``isinstance`` checks of the parameter say: a check that only raises refuses, any other chooses."""
    refused: set[Form] = set()
    for part in own_nodes(node):
        if isinstance(part, ast.If):
            refused |= _refused_by(part, name)
    refusing = {
        id(call)
        for part in own_nodes(node)
        if isinstance(part, ast.If) and _refused_by(part, name)
        for call in ast.walk(part.test)
    }
    for part in own_nodes(node):
        if isinstance(part, ast.Call) and id(part) not in refusing and _checked_kind(part, name) == "batch":
            return "both"
        if _compares_type(part, name) or _matches_kinds(part, name):
            return "both"
    if len(refused) == 1:
        return "batch" if refused == {"single"} else "single"
    return None


def _compares_type(node: ast.AST, name: str) -> bool:
    """``type(name) is list`` and its like."""
    if not (isinstance(node, ast.Compare) and isinstance(node.left, ast.Call) and len(node.left.args) == 1):
        return False
    return last_name(node.left.func) == "type" and _is(node.left.args[0], name)


def _matches_kinds(node: ast.AST, name: str) -> bool:
    """``match name:`` with a case for lists, or for a sample, among others."""
    if not (isinstance(node, ast.Match) and _is(node.subject, name) and len(node.cases) > 1):
        return False
    patterns = [part for case in node.cases for part in (case.pattern, getattr(case.pattern, "pattern", None))]
    return any(
        isinstance(part, ast.MatchSequence) or (isinstance(part, ast.MatchClass) and _form_of_type(part.cls))
        for part in patterns
    )


def _refused_by(node: ast.If, name: str) -> set[Form]:
    """The forms that ``if [not] isinstance(name, …): raise`` refuses."""
    if not all(isinstance(statement, ast.Raise) for statement in node.body):
        return set()
    negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
    call = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
    kind = _checked_kind(call, name) if isinstance(call, ast.Call) else None
    if kind is None:
        return set()
    return {kind} if not negated else ({"batch"} if kind == "single" else {"single"})


def _checked_kind(call: ast.Call, name: str) -> Form | None:
    if not (isinstance(call.func, ast.Name) and call.func.id == "isinstance" and len(call.args) == 2):
        return None
    if not (isinstance(call.args[0], ast.Name) and call.args[0].id == name):
        return None
    kinds = call.args[1].elts if isinstance(call.args[1], ast.Tuple) else _members(call.args[1])
    forms = {_form_of_type(kind) for kind in kinds}
    return "batch" if "batch" in forms else ("single" if forms == {"single"} else None)


def _uses(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> tuple[bool, bool]:
    """Whether the parameter is gone through like a list, and whether it is read like a sample."""
    iterated = read = False
    for part in own_nodes(node):
        if isinstance(part, (ast.For, ast.AsyncFor, ast.comprehension)):
            iterated = iterated or _is(part.iter, name)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in _ITERATING:
            iterated = iterated or any(_is(argument, name) for argument in part.args)
        elif isinstance(part, ast.Subscript):
            iterated = iterated or (_is(part.value, name) and not _is_text(part.slice))
        elif isinstance(part, ast.Attribute):
            read = read or (_is(part.value, name) and part.attr in _SAMPLE_FIELDS)
    return iterated, read


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
