"""Apply fixes to a project in memory until nothing is left to fix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Diagnostic, Edit
from relax_lint.engine import Report, lint

if TYPE_CHECKING:
    from relax_lint.config import Settings
    from relax_lint.project import Project
    from relax_lint.rules import Rule
    from relax_lint.sources.text import SourceFile

MOST_PASSES = 50
_BARE_NEWLINE = re.compile(r"(?<!\r)\n")


class NoFixedPoint(Exception):
    """Fixes that undo each other; nothing is to be written."""

    def __init__(self, codes: Iterable[str]) -> None:
        super().__init__(f"fixes of {', '.join(sorted(set(codes)))} do not come to rest; nothing was written")


@dataclass(slots=True)
class Fixed:
    """A project after its fixes: what changed, which findings went with it, which fixes were dropped and why, and
    what the rules say of the result."""

    project: Project
    report: Report
    changes: dict[Path, bytes] = field(default_factory=dict)
    fixed: list[Diagnostic] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Planned:
    found: Diagnostic
    edits: tuple[Edit, ...]


def fix(
    project: Project,
    rules: Mapping[str, Rule],
    settings: Settings | None = None,
    *,
    unsafe: bool = False,
    targets: Iterable[Path] | None = None,
) -> Fixed:
    """Apply what fixes there are, pass after pass, and never leave a file that parsed unparsable."""
    targets = None if targets is None else list(targets)
    result = Fixed(project, lint(project, rules, settings, targets))
    refused: set[tuple[str, Path, str]] = set()
    states: list[dict[Path, bytes]] = [{}]
    for _ in range(MOST_PASSES):
        planned = [
            _Planned(found, tuple(found.fix.edits()))
            for found in result.report.diagnostics
            if found.fix is not None and (found.fix.safe or unsafe) and found.suppressed is None
            if (found.code, found.path, found.message) not in refused
        ]
        chosen = _without_overlaps(plan for plan in planned if plan.edits)
        changed, applied = _apply(result.project, chosen, result.dropped)
        refused.update((plan.found.code, plan.found.path, plan.found.message) for plan in chosen if plan not in applied)
        if not changed:
            if applied or len(applied) == len(chosen):
                return result
            continue
        state = {**result.changes, **changed}
        if state in states:
            raise NoFixedPoint(plan.found.code for plan in applied)
        states.append(state)
        result.changes = state
        result.fixed.extend(plan.found for plan in applied)
        result.project = result.project.with_changes(changed)
        result.report = lint(result.project, rules, settings, targets)
    raise NoFixedPoint(found.code for found in result.report.diagnostics if found.fix is not None)


def apply_edits(source: SourceFile, edits: Iterable[Edit]) -> bytes:
    """The bytes of a file after edits that do not overlap, in the file's own encoding and line ends."""
    text, pieces, at = source.text, [], 0
    crlf = "\r\n" in text
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces.append(text[at : edit.start])
        pieces.append(_BARE_NEWLINE.sub("\r\n", edit.text) if crlf else edit.text)
        at = edit.end
    pieces.append(text[at:])
    return "".join(pieces).encode(source.encoding, "surrogateescape")


def _without_overlaps(planned: Iterable[_Planned]) -> list[_Planned]:
    """The fixes that can be applied together, the first in the text first; the others wait for the next pass."""
    taken: dict[Path, list[Edit]] = {}
    chosen: list[_Planned] = []
    for plan in sorted(planned, key=lambda plan: min((str(edit.path), edit.start) for edit in plan.edits)):
        if not any(_collides(edit, other) for edit in plan.edits for other in taken.get(edit.path, ())):
            chosen.append(plan)
            for edit in plan.edits:
                taken.setdefault(edit.path, []).append(edit)
    return chosen


def _collides(one: Edit, other: Edit) -> bool:
    if one.create and other.create:
        return one.text != other.text
    if one.start == other.start:
        return True
    first, second = (one, other) if one.start < other.start else (other, one)
    return second.start < first.end


def _apply(
    project: Project, chosen: Sequence[_Planned], dropped: list[str]
) -> tuple[dict[Path, bytes], Sequence[_Planned]]:
    """The changed files and the fixes that they come from; fixes that would break a file are dropped with a word."""
    changed = _edited(project, chosen)
    if not _broken(project, changed):
        return changed, chosen
    kept: list[_Planned] = []
    for plan in chosen:
        broken = _broken(project, _edited(project, [*kept, plan]))
        if broken:
            where = f"{plan.found.path}:{plan.found.line}"
            dropped.append(f"{where}: the fix of {plan.found.code} is left out: {broken[0].name} would not parse")
        else:
            kept.append(plan)
    return _edited(project, kept), kept


def _edited(project: Project, planned: Iterable[_Planned]) -> dict[Path, bytes]:
    by_path: dict[Path, list[Edit]] = {}
    for plan in planned:
        for edit in plan.edits:
            by_path.setdefault(edit.path, []).append(edit)
    changed: dict[Path, bytes] = {}
    for path, edits in by_path.items():
        source = project.source(path)
        data = edits[0].text.encode() if source is None else apply_edits(source, (e for e in edits if not e.create))
        if source is None or data != source.data:
            changed[path] = data
    return changed


def _broken(project: Project, changed: Mapping[Path, bytes]) -> list[Path]:
    """The files that have more errors after a change than before it."""
    after = project.with_changes(changed)
    return [path for path in changed if _errors(after, path) > _errors(project, path)]


def _errors(project: Project, path: Path) -> int:
    from relax_lint.sources.python import PythonSource

    source = project.source(path)
    if isinstance(source, PythonSource):
        return int(source.error is not None)
    script = getattr(source, "script", None)
    return 0 if script is None else len(script.problems)
