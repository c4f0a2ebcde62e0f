"""Launches for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from relax_lint.report import Shown, shown_path
from relax_lint.report.conditions import whole
from relax_lint.shell.launch import Argument, Launch

SCHEMA = 1


def render(shown: Iterable[Shown]) -> str:
    """One JSON object for the scripts and their launches."""
    scripts = [
        {"path": shown_path(script.path), "launches": [_launch(launch) for launch in script.launches]}
        for script in shown
    ]
    return json.dumps({"schema": SCHEMA, "scripts": scripts}, indent=2, ensure_ascii=True) + "\n"


def _launch(launch: Launch) -> dict[str, Any]:
    return {
        "kind": launch.kind,
        "line": launch.site.source.position(launch.site.start)[0],
        "argv": [word.text for word in launch.argv],
        "unresolved": [
            {"word": number, "text": unknown.text}
            for number, word in enumerate(launch.argv)
            for unknown in word.unknowns
        ],
        "conditions": list(map(whole, launch.conditions)),
        "arguments": [_argument(argument) for argument in launch.arguments],
    }


def _argument(argument: Argument) -> dict[str, Any]:
    place = argument.word.place
    line, column = (None, None) if place is None else place.source.position(place.start)
    return {
        "flag": argument.flag,
        "values": [word.text for word in argument.values],
        "path": None if place is None else shown_path(place.source.path),
        "line": line,
        "column": column,
    }
