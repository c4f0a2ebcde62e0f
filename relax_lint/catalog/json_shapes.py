"""What JSON a flag wants: the catalogue's short spelling of a shape against a value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_SHAPE = re.compile(r"(?P<kind>object|list)(?: of (?:(?P<key>\w+): )?(?P<value>.+))?")
_TEXTS = frozenset({"name", "text", "checkpoint", "column"})
_KINDS: dict[str, tuple[type, ...]] = {
    "number": (int, float),
    "numbers": (int, float),
    "object": (dict,),
    "objects": (dict,),
}
_NAMES = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
_LONGEST = 60


def fault(shape: str, given: object) -> str | None:
    """What is wrong with a value; ``None`` when it is what is wanted, or ``null``, or the shape says nothing of it."""
    match = _SHAPE.fullmatch(shape)
    if match is None or given is None:
        return None
    wanted = dict if match["kind"] == "object" else list
    if not isinstance(given, wanted):
        return f"must be {_NAMES[wanted]}, not {shown(given)}"
    items: Iterable[tuple[object, object]] = given.items() if isinstance(given, dict) else enumerate(given)
    part = match["value"] or ""
    kinds = (str,) if part in _TEXTS else _KINDS.get(part)
    for key, value in items:
        if kinds is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            return f"{key!r} must be {_NAMES[kinds[0]]}, not {shown(value)}"
    return None


def shown(value: object) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
