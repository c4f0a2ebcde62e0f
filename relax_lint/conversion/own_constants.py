"""Expressions whose values the text of a script says: names of files, splits, numbers of rows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relax_lint.conversion.own_values import Arguments, Length, Tail, Unknown, holds_data, is_plain
from relax_lint.python_operators import BINARY, COMPARE, Operator
from relax_lint.sources.python import called_name

MOST = 100_000
"""Longer values are not made: nothing needs them."""
_OPERATORS: Mapping[type, Operator] = {
    **{kind: BINARY[kind] for kind in (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)},
    **COMPARE,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "len": len,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "zip": lambda *given, strict=False: list(zip(*given, strict=strict)),
    "enumerate": lambda given, start=0: list(enumerate(given, start)),
    "sorted": sorted,
    "int": int,
    "str": str,
    "float": float,
    "bool": bool,
    "min": min,
    "max": max,
    "range": range,
    "reversed": lambda given: list(reversed(given)),
}
_METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset("lower upper split strip lstrip rstrip format startswith endswith replace join title".split()),
    dict: frozenset("items keys values get".split()),
}
_SAME = frozenset({"expanduser", "abspath", "realpath", "expandvars", "Path", "PurePath", "str", "fspath", "resolve"})


def is_function(name: str) -> bool:
    """Whether a name is that of a function that is known, and changes nothing."""
    return name in _FUNCTIONS


def unknown(node: ast.expr, *parts: Any) -> Unknown:
    """What is made of unknown parts, or in an unknown way: the reason is that of the first part that has one."""
    for part in parts:
        if isinstance(part, Unknown) and part.reason:
            return part
    return Unknown(node.lineno, "")


def operation(node: ast.expr, kind: ast.AST, left: Any, right: Any) -> Any:
    """What an operator makes of two values."""
    if isinstance(kind, ast.Div) and isinstance(right, (str, Tail)):
        return joined([left, right])
    if isinstance(kind, ast.Add) and isinstance(right, (str, Tail)) and not isinstance(left, str):
        return Tail(right if isinstance(right, str) else right.text)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)) and isinstance(kind, ast.Add):
        return [*left, *right]
    if isinstance(left, list) and isinstance(right, int) and isinstance(kind, ast.Mult):
        return left * right if len(left) * right <= MOST else unknown(node)
    make = _OPERATORS.get(type(kind))
    if make is None or not (is_plain(left) and is_plain(right)):
        if isinstance(kind, (ast.Is, ast.IsNot)) and right is None and holds_data(left):
            return isinstance(kind, ast.IsNot)
        if isinstance(kind, (ast.In, ast.NotIn)) and isinstance(right, dict) and is_plain(left):
            return (left in right) == isinstance(kind, ast.In)
        return unknown(node, left, right)
    if isinstance(kind, (ast.Mult, ast.Mod)) and not all(isinstance(each, (int, float)) for each in (left, right)):
        return unknown(node)
    return attempted(node, make, left, right)


def attempted(node: ast.expr, make: Callable[..., Any], *given: Any, **words: Any) -> Any:
    """What a function makes; unknown where it fails."""
    try:
        return make(*given, **words)
    except Exception:  # whatever is wrong with it, the script would have said so
        return unknown(node)


def joined(parts: Sequence[Any]) -> Any:
    """Parts of a path as one."""
    if all(isinstance(part, str) for part in parts):
        return "/".join(str(part).rstrip("/") for part in parts[:-1]) + f"/{parts[-1]}" if parts[1:] else parts[0]
    last = parts[-1]
    return Tail(f"/{last}") if isinstance(last, str) else last


def formatted(parts: Sequence[Any]) -> Any:
    """A text with values in it; only its end where something before is not known."""
    known = ""
    whole = True
    for part in parts:
        if isinstance(part, (str, int, float)):
            known += str(part)
        else:
            known, whole = part.text if isinstance(part, Tail) else "", False
    return known if whole else Tail(known)


def called(node: ast.Call, receiver: Any, given: Sequence[Any], words: Mapping[str, Any]) -> Any:
    """What a function of Python's own, or of paths, makes."""
    name = called_name(node)
    is_method = isinstance(node.func, ast.Attribute)
    if name == "join" and not isinstance(receiver, str) and given:
        return joined(given)
    if name == "joinpath" and given:
        return joined([receiver, *given])
    if name in _SAME and (given or receiver is not None) and not words:
        value = given[0] if given else receiver
        if isinstance(value, (str, Tail)):
            return value
    if is_method:
        kind = type(receiver)
        if name == "format" and ":" in str(receiver):  # a width may be of any size
            return unknown(node)
        if name in _METHODS.get(kind, ()) and (kind is dict or (all(map(is_plain, given)) and not words)):
            made = attempted(node, getattr(receiver, name), *given, **words)
            return list(made) if kind is dict and name != "get" else made
        return unknown(node, receiver)
    if name == "vars" and given and isinstance(given[0], Arguments):
        return Arguments(given[0].options, True)
    if name in ("min", "max") and any(isinstance(each, Length) for each in given):
        numbers = [each for each in given if isinstance(each, int)]
        return Length(min(numbers)) if name == "min" and numbers else unknown(node)
    if name == "range" and given and isinstance(given[-1], Length) and len(given) <= 2:
        first = given[0] if len(given) == 2 else 0
        last = given[-1].most
        return range(first, MOST**3 if last is None else last) if isinstance(first, int) else unknown(node)
    make = _FUNCTIONS.get(name)
    loose = ("list", "tuple", "zip", "enumerate", "dict", "len", "reversed")
    if make is None or not (name in loose or (all(map(is_plain, given)) and all(map(is_plain, words.values())))):
        return unknown(node, *given)
    if any(
        isinstance(each, (Unknown, Tail, Arguments))
        or (isinstance(each, range) and len(each) > MOST and make is not range)
        for each in given
    ):
        return unknown(node, *given)
    return attempted(node, make, *given, **words)
