"""Conditions and values of launches in few words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from relax_lint.report import shown_path
from relax_lint.report.conditions import short
from relax_lint.report.html.markup import Html, code, element, join

_VARIABLE = r"(?P<quote>[\"']?)\$\{?(?P<name>\w+)(?::?-[^}]*)?\}?(?P=quote)"
_TEST = re.compile(rf"(?P<not>! )?\[\[? {_VARIABLE} (?P<op>==?|!=) (?P<end>[\"']?)(?P<value>[\w.-]+)(?P=end) \]\]?\Z")
_WIDEST_WHOLE = 28
_CASE = re.compile(rf"(?P<not>! )?case {_VARIABLE} in (?P<value>[\w.| -]+)\)\Z")


class _Comparison(NamedTuple):
    """A variable that is, or is not, a word."""

    name: str
    is_it: bool
    value: str


def conditions(needs: Iterable[str], between: str = " ") -> Html:
    """What must hold, as one says it where a variable is compared with words: ``MODE=async``."""
    told: dict[str, list[str]] = {}
    known = [(_compared(line), line) for line in map(short, needs)]
    decided = {found.name for found, _ in known if found is not None and found.is_it}
    for found, line in known:
        if found is None:
            told[line] = []
        elif found.is_it:
            told.setdefault(f"{found.name}=", []).append(found.value)
        elif found.name not in decided:
            told.setdefault(f"{found.name}≠", []).append(found.value)
    return join([_one(name, values) for name, values in told.items()], between)


def _one(start: str, values: Sequence[str]) -> Html:
    """A condition; a comparison that is short stays on its line."""
    text = start + ", ".join(values)
    return element("code", text, class_="whole") if values and len(text) <= _WIDEST_WHOLE else code(text)


def _compared(line: str) -> _Comparison | None:
    found = _TEST.match(line) or _CASE.match(line)
    if found is None:
        return None
    is_it = bool(found["not"]) == (found.groupdict().get("op") == "!=")
    return _Comparison(found["name"], is_it, found["value"].strip())


def relative(value: str, root: Path) -> str:
    """A value in which paths below a root stand as reports print paths."""
    if str(root) not in value:
        return value
    return re.sub(rf"(?<![\w./-]){re.escape(str(root))}(/[\w./-]*)?(?![\w-])", lambda found: _shown(found[0]), value)


def _shown(path: str) -> str:
    return shown_path(Path(os.path.normpath(path))) + "/" * (path.endswith("/") and len(path) > 1)
