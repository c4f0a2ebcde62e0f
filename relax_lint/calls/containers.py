"""Methods of containers, and of what Relax hands over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from relax_lint.calls.values import NOTHING, UNTOLD, Given, Several, Values, several, together

if TYPE_CHECKING:
    from relax_lint.calls.look import Look, Passed

_ITEM = frozenset({"get", "pop", "popleft", "setdefault", "__getitem__"})
_SAME = frozenset({"values", "copy", "__iter__"})
_LONGEST_PATH = 4


def method_of_container(look: Look, holder: Several, name: str, passed: Passed) -> Values:
    """What a method of a list or dictionary gives."""
    if name in _ITEM:
        return together((holder.any, passed.at(1, "default")))
    if name in _SAME:
        return frozenset({holder})
    if name in ("items", "popitem"):
        pair = several([UNTOLD, holder.any], placed=True)
        return several([pair]) if name == "items" else pair
    return NOTHING if name in ("append", "extend", "update", "keys", "insert", "add", "index", "count") else UNTOLD


def given_method(given: Given, name: str, node: ast.Call) -> Values:
    """What a method of a part of a sample or of args gives: ``sample.metadata.get("key")`` is a part again."""
    if name == "copy":
        return frozenset({given})
    if name == "get" and node.args and len(given.path) < _LONGEST_PATH:
        key = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        return frozenset({Given(given.name, (*given.path, f"[{key}]" if isinstance(key, str) else "[]"))})
    return UNTOLD
