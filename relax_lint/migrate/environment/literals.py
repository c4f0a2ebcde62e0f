"""Values of YAML as Python code, with what OmegaConf puts in when it reads them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

_INTERPOLATION = re.compile(r"\$\{([^${}]+)\}")
_VARIABLE = re.compile(r"(?:oc\.)?env:\s*([A-Za-z_]\w*)\s*(?:,(.*))?", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_MOST_STEPS = 20
_WIDTH = 118
_QUOTES = "\"'"


class Code:
    """A part of a value that is code."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def literal(value: Any, indent: int = 0, before: int = 0) -> str:
    """A value as it stands in code: on one line where it fits after ``before`` characters, else part by part."""
    short = _short(value)
    if not isinstance(value, (dict, list)) or not value or indent + before + len(short) <= _WIDTH:
        return short
    inner = indent + 4
    if isinstance(value, dict):
        parts = [f"{_short(key)}: {literal(each, inner, len(_short(key)) + 3)}" for key, each in value.items()]
    else:
        parts = [literal(each, inner, 1) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = "".join(f"{' ' * inner}{part},\n" for part in parts)
    return f"{opening}\n{lines}{' ' * indent}{closing}"


def _short(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_short(key)}: {_short(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_short, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def resolved(value: Any, root: Any, problem: Callable[[str], None]) -> Any:
    """A value with its interpolations put in: those of the environment as code, those of the file itself as data."""
    if isinstance(value, dict):
        return {key: resolved(each, root, problem) for key, each in value.items()}
    if isinstance(value, list):
        return [resolved(each, root, problem) for each in value]
    return _text(value, root, problem, _MOST_STEPS) if isinstance(value, str) and "${" in value else value


def _text(text: str, root: Any, problem: Callable[[str], None], steps: int) -> Any:
    parts: list[Any] = []
    at = 0
    for found in _INTERPOLATION.finditer(text):
        parts += [text[at : found.start()], _one(found[1], root, problem, steps)]
        at = found.end()
    parts = [part for part in (*parts, text[at:]) if part != ""]
    if "${" in "".join(part for part in parts if isinstance(part, str)):
        problem(f"{text} is not understood: write what it stands for")
        return text
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(part, Code) for part in parts):
        return Code(" + ".join(part.text if isinstance(part, Code) else _short(str(part)) for part in parts))
    return "".join(map(str, parts))


def _one(inner: str, root: Any, problem: Callable[[str], None], steps: int) -> Any:
    variable = _VARIABLE.fullmatch(inner.strip())
    if variable is not None:
        name, default = variable[1], variable[2]
        if default is None:
            return Code(f'os.environ["{name}"]')
        return Code(f'os.environ.get("{name}", {_short(default.strip().strip(_QUOTES))})')
    found = root
    if _NAME.fullmatch(inner.strip()) and steps:
        for key in inner.strip().split("."):
            found = found.get(key, Code) if isinstance(found, dict) else Code
        if found is not Code:
            return _text(found, root, problem, steps - 1) if isinstance(found, str) and "${" in found else found
    problem(f"${{{inner}}} is not understood: write what it stands for")
    return ""
