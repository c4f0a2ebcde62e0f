"""What a launch must set before a condition can hold, as far as a look at its text tells: most conditions begin with a
switch that most launches leave alone, and need not be worked out for these."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from relax_lint.catalog.hidden import is_hidden

_TOKEN = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|[()\[\]]| and | or | if """)
_FLAGS = re.compile(r'given\(((?:"--[\w-]+"(?:, )?)+)\)')
_ATOM = re.compile(r'(?P<name>[A-Za-z_]\w*)(?: (?P<asks>is not None|==|!=|>) ?(?P<with>"[^"]*"|-?[\d.]+)?)?')


def needs(text: str, default: Callable[[str], Any], behind: Callable[[str], frozenset[str]]) -> list[frozenset[str]]:
    """Sets of attributes and flags; the condition is false unless the launch sets something of each.

    ``default`` is the value of a name in a launch that sets nothing, ``behind`` what that value comes from.
    """
    found = []
    for part in _parts(text, " and "):
        flags = _FLAGS.fullmatch(part)
        if flags is not None:
            found.append(frozenset(re.findall(r"--[\w-]+", flags[1])))
            continue
        atom = _ATOM.fullmatch(part)
        if atom is not None and _is_false(atom, default(atom["name"])):
            found.append(behind(atom["name"]))
    return found


def _is_false(atom: re.Match[str], value: Any) -> bool:
    """Whether an atom is false with the default of its name."""
    asks, other = atom["asks"], atom["with"]
    if is_hidden(value) or ((asks is None) != (other is None) and asks != "is not None"):
        return False
    if asks is None:
        return not value
    if asks == "is not None":
        return value is None
    known: Any = other[1:-1] if other.startswith('"') else float(other)
    if asks == ">":
        return isinstance(value, int | float) and not isinstance(known, str) and value <= known
    return bool((value != known) if asks == "==" else (value == known))


def asks_environment(text: str) -> bool:
    """Whether a condition can hold only for who knows a variable of the environment."""
    branches = _parts(text, " or ")
    if len(branches) > 1:
        return all(map(asks_environment, branches))
    parts = _parts(text, " and ")
    if len(parts) > 1:
        return any(map(asks_environment, parts))
    if text.startswith("(") and text.endswith(")"):
        return asks_environment(text[1:-1])
    return 'env("' in text


def _parts(text: str, joint: str) -> list[str]:
    """The parts of a condition between ``and``, or between ``or``; itself when something weaker joins them."""
    depth, start, found = 0, 0, []
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "([":
            depth += 1
        elif word in ")]":
            depth -= 1
        elif depth == 0 and word == joint:
            found.append(text[start : token.start()])
            start = token.end()
        elif depth == 0 and word in (" if ", " or "):
            return [text]
    return [*found, text[start:]]
