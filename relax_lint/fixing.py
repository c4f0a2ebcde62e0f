"""Apply fixes to a project in memory until nothing is left to fix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Diagnostic, Edit
from relax_lint.engine import Report, lint
from relax_lint.fixers.proposed_flags import flags_added
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from relax_lint.config import Settings
    from relax_lint.project import Project
    from relax_lint.rules import Rule
    from relax_lint.sources.text import SourceFile

MOST_PASSES = 50
_BARE_NEWLINE = re.compile(r"(?<!\r)\n")


class _NoFixedPoint(Exception):
    """Fixes that undo each other, or that go on for ever."""

    def __init__(self, plans: Iterable[Plan]) -> None:
        self.plans = list(plans)
        super().__init__("these fixes do not come to rest")


@dataclass(frozen=True, slots=True)
class Dropped:
    """A finding whose fix was not applied, and why."""

    found: Diagnostic
    reason: str


@dataclass(slots=True)
class Fixed:
    """A project after its fixes: what changed, which findings were ``fixed`` and which went ``along`` with the fix of
    another one, which fixes were dropped, which findings are left for a person to decide, and what the rules say of
    the result. ``restless`` are the rules, by recipe (or file, outside of recipes), whose fixes do not come to rest
    there: nothing is done of these, and none is offered in the report.
    """

    project: Project
    report: Report
    changes: dict[Path, bytes] = field(default_factory=dict)
    fixed: list[Diagnostic] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    left: list[Dropped] = field(default_factory=list)
    along: list[Diagnostic] = field(default_factory=list)
    restless: dict[Path, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """A fix with its edits worked out."""

    found: Diagnostic
    edits: tuple[Edit, ...]

    @property
    def identity(self) -> tuple[str, Path, str]:
        """What names the fix across passes: lines may move, what is said stays."""
        return self.found.code, self.found.path, self.found.message


def fix(
    project: Project,
    rules: Mapping[str, Rule],
    settings: Settings | None = None,
    *,
    unsafe: bool = False,
    targets: Iterable[Path] | None = None,
    judge: Callable[[Project], Report] | None = None,
) -> Fixed:
    """Apply what fixes there are, pass after pass, and never leave a file that parsed unparsable. Where fixes of some
    rules do not come to rest, all is done from the start without them.

    ``judge`` may replace the plain run over ``targets``; its report's fixes must know their edits.
    """
    if judge is None:
        wanted = None if targets is None else list(targets)

        def judge(state: Project) -> Report:
            return lint(state, rules, settings, wanted)

    start, restless = judge(project), dict[Path, list[str]]()
    while True:
        try:
            return _at_rest(project, start, judge, restless, unsafe=unsafe)
        except _NoFixedPoint as problem:
            for unit, code in {(_unit(plan.found, project), plan.found.code) for plan in problem.plans}:
                restless[unit] = sorted({*restless.get(unit, ()), code})


def take_back(report: Report, project: Project, restless: Mapping[Path, Collection[str]]) -> Report:
    """A report that does not offer the fixes that do not come to rest."""
    for found in report.diagnostics if restless else ():
        if found.code in restless.get(_unit(found, project), ()):
            found.fix = None
    return report


def _unit(found: Diagnostic, project: Project) -> Path:
    """The recipe that a finding is in, or its file outside of recipes."""
    recipe = project.recipe_of(found.path)
    return found.path if recipe is None else recipe.directory


def _at_rest(
    project: Project,
    start: Report,
    judge: Callable[[Project], Report],
    restless: Mapping[Path, list[str]],
    *,
    unsafe: bool,
) -> Fixed:
    """The project when nothing is left to fix, but for what is ``restless``."""
    result = Fixed(project, take_back(start, project, restless), restless=dict(sorted(restless.items())))
    refused: set[tuple[str, Path, str]] = set()
    states: list[dict[Path, bytes]] = [{}]
    passes: list[list[Plan]] = []
    while len(passes) < MOST_PASSES:
        plans = [plan for plan in plans_of(result.report, unsafe=unsafe) if plan.identity not in refused]
        chosen = _without_overlaps(plans)
        if not chosen:
            result.left = _without_edits(result.report, unsafe=unsafe)
            result.along = list(_gone_along(start, result))
            return result
        after, changed, applied, waiting = _apply_once(result.project, chosen, result.dropped)
        refused.update(plan.identity for plan in chosen if plan not in applied and plan not in waiting)
        if not changed:
            # Fixes that change nothing would come back for ever.
            refused.update(plan.identity for plan in applied)
            continue
        passes.append(applied)
        result.changes = _since(project, {**result.changes, **changed})
        if result.changes in states:
            raise _NoFixedPoint(plan for cycle in passes[states.index(result.changes) :] for plan in cycle)
        states.append(result.changes)
        result.fixed.extend(plan.found for plan in applied)
        result.project = after
        result.report = take_back(judge(result.project), project, restless)
    raise _NoFixedPoint(plan for late in passes[MOST_PASSES // 2 :] for plan in late)


def plans_of(report: Report, *, unsafe: bool) -> list[Plan]:
    """The fixes that would be applied to what a report shows."""
    return [
        Plan(found, edits)
        for found in report.standing
        if found.fix is not None and (found.fix.safe or unsafe)
        if (edits := tuple(found.fix.edits()))
    ]


def _without_edits(report: Report, *, unsafe: bool) -> list[Dropped]:
    """The fixes of what is left that turned out to have no edits, with what is to be done instead."""
    return [
        Dropped(found, reason)
        for found in report.standing
        if found.fix is not None and found.fix.why_not is not None and (found.fix.safe or unsafe)
        if not found.fix.edits() and (reason := found.fix.why_not())
    ]


def _gone_along(start: Report, result: Fixed) -> Iterator[Diagnostic]:
    """The findings that are there no more, though it was the fix of another one that was applied. They are told by rule
    and file: lines move, and so do the words when what they speak of has changed."""
    gone = Counter((found.code, found.path) for found in start.standing)
    gone.subtract((found.code, found.path) for found in (*result.report.standing, *result.fixed))
    fixed = set(map(id, result.fixed))
    for found in start.standing:
        kind = found.code, found.path
        if gone[kind] > 0 and id(found) not in fixed:
            gone[kind] -= 1
            yield found


def _since(project: Project, changes: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """The files that are not as they were at the start."""
    return {path: data for path, data in changes.items() if project.read(path) != data}


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


def _without_overlaps(plans: Iterable[Plan]) -> list[Plan]:
    """The fixes that can be applied together, the first in the text first; the others wait for the next pass."""
    taken: dict[Path, list[Edit]] = {}
    chosen: list[Plan] = []
    for plan in sorted(plans, key=lambda plan: min((str(edit.path), edit.start) for edit in plan.edits)):
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


def _apply_once(
    project: Project, chosen: Sequence[Plan], dropped: list[Dropped]
) -> tuple[Project, dict[Path, bytes], list[Plan], list[Plan]]:
    """The project after a pass, the files that it changes, the fixes that these come from, and those that wait, as they
    would give a launch a flag that it gets by another one; one that does so alone, and helps no launch, is dropped."""
    broken: list[Dropped] = []
    changed, applied = _apply(project, chosen, broken)
    dropped += broken
    waiting: list[Plan] = []
    after = project.with_changes(changed)
    while flags := _given_again(project, after, changed, applied):
        adding = [plan for plan in applied if not flags.isdisjoint(flags_added(plan.edits, project))]
        first = [adding[0]] if len(adding) == len(applied) else []
        if first == applied:
            named = ", ".join(sorted(flags))
            dropped.append(Dropped(first[0].found, f"a launch that has {named} would get it a second time"))
            return project, {}, [], waiting
        waiting += [plan for plan in adding if plan not in first]
        changed, applied = _apply(project, [plan for plan in applied if plan not in adding or plan in first], [])
        after = project.with_changes(changed)
    return after, changed, applied, waiting


def _given_again(project: Project, after: Project, changed: Mapping[Path, bytes], applied: Sequence[Plan]) -> set[str]:
    """The flags that fixes add, and that some launch has a second time by them: in the place of the value that it had,
    or with the same, unless a launch gets it that had none. In front of another value, which goes on to count, they
    are what others have."""
    added = {flag for plan in applied for flag in flags_added(plan.edits, project)}
    scripts: dict[Path, None] = {}
    for path in changed if added else ():
        recipe = project.recipe_of(path)
        if isinstance(project.source(path), ScriptFile):
            scripts[path] = None
            scripts.update((each.path, None) for each in (recipe.launchers if recipe else ()) if each.sources(path))

    def values(state: Project, flag: str) -> list[list[str | None]]:
        launches = [launch for path in scripts if (script := state.launcher(path)) for launch in script.launches]
        return [[argument.value for argument in launch.all(flag)] for launch in launches]

    found: set[str] = set()
    for flag in added:
        before, now = values(project, flag), values(after, flag)
        is_helped = len(applied) == 1 and sum(map(bool, now)) > sum(map(bool, before))
        is_overridden = not {each[-1] for each in before if each} <= {each[-1] for each in now if each}
        if is_overridden or (_repeats(now) > _repeats(before) and not is_helped):
            found.add(flag)
    return found


def _repeats(launches: list[list[str | None]]) -> int:
    """How many launches give a flag one value twice."""
    return sum(len(values) > len(set(values)) for values in launches)


def _apply(project: Project, chosen: Sequence[Plan], dropped: list[Dropped]) -> tuple[dict[Path, bytes], list[Plan]]:
    """The changed files and the fixes that they come from; fixes that would break a file are dropped with a word."""
    kept: list[Plan] = []
    changed = files_after(project, chosen)
    if changed is not None:
        return changed, list(chosen)
    for plan in chosen:
        if files_after(project, [*kept, plan]) is not None:
            kept.append(plan)
        else:
            dropped.append(Dropped(plan.found, "the result would not parse"))
    return files_after(project, kept) or {}, kept


def files_after(project: Project, plans: Iterable[Plan]) -> dict[Path, bytes] | None:
    """The files that fixes change; ``None`` when one of them would have more errors than before."""
    by_path: dict[Path, list[Edit]] = {}
    for plan in plans:
        for edit in plan.edits:
            by_path.setdefault(edit.path, []).append(edit)
    changed: dict[Path, bytes] = {}
    for path, edits in by_path.items():
        source = project.source(path)
        try:
            data = edits[0].text.encode() if source is None else apply_edits(source, (e for e in edits if not e.create))
        except UnicodeEncodeError:
            return None
        if source is None or data != source.data:
            changed[path] = data
    after = project.with_changes(changed)
    return None if any(_errors(after, path) > _errors(project, path) for path in changed) else changed


def _errors(project: Project, path: Path) -> int:
    source = project.source(path)
    script = getattr(source, "script", None)
    return int(getattr(source, "error", None) is not None) if script is None else len(script.problems)
