"""What became of a verl script, as plain data: the JSON of ``relax-lint migrate``, and what MIGRATION.md is made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.migrate.arguments import Arguments
from relax_lint.migrate.mapping import plain_key
from relax_lint.migrate.order import why_always
from relax_lint.migrate.values import Data, Template
from relax_lint.migrate.written import flag

if TYPE_CHECKING:
    from relax_lint.diagnostics import Diagnostic, Place
    from relax_lint.migrate.migrated import Migrated, Refused, Written
    from relax_lint.migrate.plan import Fate, FateKind, Obstacle, Passed, Plan
    from relax_lint.migrate.settings import Setting

Named = Callable[[Path], str]
"""How a path is shown."""

KINDS: tuple[FateKind, ...] = (
    "mapped",
    "derived",
    "same",
    "no effect",
    "dropped",
    "unsupported",
    "by hand",
    "unknown key",
)


def report(migrated: Migrated, named: Named) -> dict[str, Any]:
    """All that is known of a migration."""
    return {
        "schema": 1,
        "status": _status(migrated),
        "source": named(migrated.source),
        "target": named(migrated.target),
        "files": [{"path": named(path), "text": text} for path, text in migrated.files.items()],
        "launches": [_launch(written, migrated, named) for written in migrated.launches],
        "refused": [_refused(refused, named) for refused in migrated.refused],
        "same": [{"conditions": list(one.conditions), "script": named(one.script)} for one in migrated.same],
        "not_written": [list(conditions) for conditions in migrated.unwritten],
        "not_carried_over": [
            {**position(left.place, named), "text": left.text, "reason": left.reason} for left in migrated.left
        ],
        "carried": list(_carried(migrated, named)),
        "packages": list(_packages(migrated, named)),
        "problems": [
            {"path": named(each.path), "line": each.line or None, "message": each.message}
            for each in obstacles(migrated)
        ],
        "unused": [{"path": named(each.path), "reason": each.reason} for each in migrated.unused],
        "kept": [named(path) for path in migrated.kept],
        "findings": [_finding(found, named) for found in migrated.findings],
    }


def failure(source: str, why: str) -> dict[str, Any]:
    """What is told in the same form when nothing is known of a migration but why there is none."""
    said = ("files", "launches", "refused", "same", "not_written", "not_carried_over")
    lists = (*said, "carried", "packages", "problems", "unused", "kept", "findings")
    return (
        {"schema": 1, "status": "failed", "source": source, "target": None}
        | {name: [] for name in lists}
        | {"written": False, "error": why}
    )


def _status(migrated: Migrated) -> str:
    if not migrated.launches:
        return "refused"
    return "partly" if migrated.refused or migrated.unwritten or obstacles(migrated) else "migrated"


def _carried(migrated: Migrated, named: Named) -> Iterator[dict[str, Any]]:
    """What was carried over into which file."""
    version = next((written.plan.settings.version for written in migrated.launches), None)
    for path, pieces in migrated.carried.items():
        for piece in pieces:
            of_verl = migrated.verl is not None and piece.path.is_relative_to(migrated.verl)
            yield {
                "path": named(path),
                "from": named(piece.path),
                "names": list(piece.names),
                "verl": version if of_verl else None,
            }


def _packages(migrated: Migrated, named: Named) -> Iterator[dict[str, Any]]:
    """The packages that carried code imports, each once for what it is used by."""
    for need in dict.fromkeys(need for written in migrated.launches for need in written.plan.needs):
        yield {
            "package": need.package,
            "used_by": need.used_by,
            "path": named(need.path),
            "line": need.line,
            "optional": need.optional,
            "comes_with_relax": need.at_hand,
        }


def obstacles(migrated: Migrated) -> list[Obstacle]:
    """What kept code from being carried over, each once."""
    return list(dict.fromkeys(each for written in migrated.launches for each in written.plan.obstacles))


def obstructed(migrated: Migrated, named: Named) -> Iterator[str]:
    """The same, in a line each; what is said of several places stands once."""
    places: dict[str, list[str]] = {}
    for each in obstacles(migrated):
        places.setdefault(each.message, []).append(f"{named(each.path)}:{each.line}")
    for message, (first, *others) in places.items():
        said = "" if "cannot be carried over" in message else "not carried over: "
        also = f" (and at {', '.join(others)})" if others else ""
        yield f"{first}: {said}{message}{also}"


def position(place: Place | None, named: Named) -> dict[str, Any]:
    """Where something is written; nulls when it is written nowhere."""
    if place is None:
        return {"path": None, "line": None, "column": None}
    line, column = place.source.position(place.start)
    return {"path": named(place.source.path), "line": line, "column": column}


def _launch(written: Written, migrated: Migrated, named: Named) -> dict[str, Any]:
    plan = written.plan
    closed = _no_longer_read(written, migrated.files[written.script], Arguments(written.origin))
    settings = plan.settings
    fates = {fate.key: fate for fate in reversed(plan.fates)}
    return {
        **position(written.launch.site, named),
        "conditions": list(written.launch.conditions),
        "script": named(written.script),
        "run": written.name or None,
        "main": settings.main,
        "engine": settings.flavour,
        "verl": settings.version,
        "model": plan.model,
        "batch": plan.batch,
        "refused_modes": [{"mode": one.mode, "reason": one.reason} for one in plan.refused],
        "no_longer_read": [{"variable": name, "in": keys} for name, keys in closed.items()],
        "todos": [{"text": text, "because": list(because)} for text, because in todos(plan).items()],
        "counts": {kind: count for kind, count in _counts(plan).items() if count},
        "settings": [_setting(setting, fates[setting.key], plan, named) for setting in settings.leaves.values()],
        "arguments": [_argument(passed) for passed in plan.passed],
        "config": [
            {"key": entry.key, "value": plain(entry.value), "because": list(entry.because)} for entry in plan.config
        ],
    }


def _no_longer_read(written: Written, text: str, arguments: Arguments) -> dict[str, list[str]]:
    """The variables that could be set for the verl launcher, with the settings that they were part of, and that the
    launcher of Relax does not read."""
    found: dict[str, list[str]] = {}
    for argument in written.launch.arguments:
        names = (arguments.called(name) for span in argument.word.spans for name in span.origins)
        for name in dict.fromkeys(names):
            if not re.search(rf"\$\{{?{name}\b", text):
                found.setdefault(name, []).append(plain_key(argument.word.text))
    return found


def todos(plan: Plan) -> Mapping[str, tuple[str, ...]]:
    """What is to be done by hand, each once, with the settings that it is about."""
    found: dict[str, tuple[str, ...]] = {}
    for todo in plan.todos:
        found[todo.text] = tuple(dict.fromkeys((*found.get(todo.text, ()), *todo.because)))
    told = {key for todo in plan.todos for key in todo.because}
    for fate in plan.fates:
        if fate.todo and fate.key not in told:
            found[fate.todo] = tuple(dict.fromkeys((*found.get(fate.todo, ()), fate.key)))
    return found


def _counts(plan: Plan) -> dict[str, int]:
    counted = Counter(fate.kind for fate in plan.fates)
    return {kind: counted[kind] for kind in KINDS}


def _setting(setting: Setting, fate: Fate, plan: Plan, named: Named) -> dict[str, Any]:
    return {
        "key": setting.key,
        "value": plain(setting.value),
        "origin": setting.origin,
        **position(setting.place, named),
        "given": setting.given or None,
        "variable": setting.variable,
        "known": setting.known,
        "meant": setting.meant,
        "fate": fate.kind,
        "flags": list(fate.flags),
        "becomes": list(becomes(fate, plan.passed)),
        "reason": fate.reason or None,
        "todo": fate.todo or None,
    }


def becomes(fate: Fate, passed: Iterable[Passed]) -> Iterable[str]:
    """The arguments that a setting goes into, as they are written, with the mode when it is of one only."""
    going = [each for each in passed if each.flag in fate.flags]
    found = dict.fromkeys(flag(each) + ("" if each.modes == "both" else f" ({each.modes})") for each in going)
    return [*found, *(name for name in fate.flags if all(each.flag != name for each in going))]


def _argument(passed: Passed) -> dict[str, Any]:
    return {
        "flag": passed.flag,
        "values": [plain(value) for value in passed.values],
        "written": flag(passed),
        "group": passed.group,
        "modes": passed.modes,
        "because": list(passed.because),
        "note": passed.note or (None if passed.because else why_always(passed.flag) or None),
    }


def _refused(refused: Refused, named: Named) -> dict[str, Any]:
    return {
        **position(refused.place, named),
        "key": refused.key or None,
        "reason": refused.reason,
        "conditions": list(refused.conditions),
    }


def _finding(found: Diagnostic, named: Named) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity.value,
        "message": found.message,
        "path": named(found.path),
        "line": found.line,
        "column": found.column,
    }


def plain(data: Data | object) -> Any:
    """A value in JSON; what bash completes stays as it is written."""
    if isinstance(data, Template):
        return "".join(part if isinstance(part, str) else part.text for part in data.parts)
    if isinstance(data, (list, tuple)):
        return [plain(item) for item in data]
    if isinstance(data, dict):
        return {str(key): plain(value) for key, value in data.items()}
    return data
