"""What became of launches, for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from relax_lint.launch_changes import Change, LaunchChange, Setting, command_of, conditions_of
from relax_lint.report import shown_path
from relax_lint.shell.queries import start_of

if TYPE_CHECKING:
    from relax_lint.launch_history import Differences
    from relax_lint.shell.launch import Launch

SCHEMA = 1


def render(differences: Differences, *, colour: bool = False) -> str:
    """One JSON object; it has no colours."""
    what, changes = differences.span, differences.changes
    content = {
        "schema": SCHEMA,
        "old": {"revision": what.old, "commit": what.old_commit},
        "new": {"revision": what.new, "commit": what.new_commit},
        "launches": [_launch(change) for change in changes],
        "notes": list(differences.notes),
        "summary": {
            status: sum(change.status == status for change in changes) for status in ("changed", "added", "removed")
        },
    }
    return json.dumps(content, indent=2, ensure_ascii=True) + "\n"


def _launch(change: LaunchChange) -> dict[str, Any]:
    return {
        "status": change.status,
        "kind": change.launch.kind,
        "old": _side(change.old, change.gpus[0]),
        "new": _side(change.new, change.gpus[1]),
        "arguments": [_argument(one) for one in change.arguments],
    }


def _side(launch: Launch | None, gpus: int | None) -> dict[str, Any] | None:
    if launch is None:
        return None
    place = start_of(launch)
    return {
        "path": shown_path(place.source.path),
        "line": place.source.position(place.start)[0],
        "mode": launch.mode if launch.kind == "relax" else None,
        "gpus": gpus,
        "command": list(command_of(launch)),
        "conditions": list(conditions_of(launch)),
        "by_default": launch.by_default,
    }


def _argument(change: Change) -> dict[str, Any]:
    flag = change.flag
    return {
        "flag": change.name,
        "status": change.status,
        "old": _setting(change.old),
        "new": _setting(change.new),
        "owner": None if flag is None else flag.owner,
        "default": None if flag is None else flag.default,
    }


def _setting(setting: Setting | None) -> dict[str, Any] | None:
    if setting is None:
        return None
    path, line = setting.place or (None, None)
    return {
        "values": [list(words) for words in setting.values],
        "unless": list(setting.unless),
        "path": None if path is None else shown_path(path),
        "line": line,
    }
