"""JSON on a command line that bash or Python's habits spoiled, written as JSON in single quotes."""

from __future__ import annotations

import ast
import json
import warnings
from typing import Any

from relax_lint.diagnostics import Edit
from relax_lint.fixers.launcher_edits import whole
from relax_lint.shell.launch import Argument


def quoted_json(argument: Argument) -> Edit | None:
    """The value of a flag as one JSON object, when what is written is one but for its quotes, or one of Python's
    dictionaries; ``None`` where it is neither, or holds what bash expands."""
    place = whole(argument)
    if place is None or argument.word.place is None:
        return None
    written = place.source.text[place.start : place.end]
    value = written[len(argument.flag) :].lstrip(" \t=")
    given = _object(value.strip("\"'")) if not any(char in value for char in "$`\\\n") else None
    if given is None or not written.startswith(argument.flag):
        return None
    text = json.dumps(given)
    return None if "'" in text else Edit(place.source.path, place.end - len(value), place.end, f"'{text}'")


def _object(text: str) -> dict[str, Any] | None:
    """The object that a text is in JSON, or in Python."""
    try:
        given = json.loads(text)
    except ValueError:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                given = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return given if isinstance(given, dict) and all(isinstance(key, str) for key in given) else None
