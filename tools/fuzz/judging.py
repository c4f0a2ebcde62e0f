"""A recipe judged and fixed, and everything that must hold of what comes out."""

from __future__ import annotations

import json
import random
import subprocess
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from relax_lint.config import Settings
from relax_lint.diagnostics import Diagnostic
from relax_lint.engine import Report, lint
from relax_lint.fixing import Fixed, fix, plans_of
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.report import FORMATS
from relax_lint.report import Outcome as Shown
from relax_lint.report.output import render
from relax_lint.rules import import_rules
from relax_lint.sources.text import SourceFile
from tools.fuzz.launches import changed_flags
from tools.fuzz.outcome import Depth, Outcome, Tree, Trouble

SETTINGS = Settings(cache=False)
RULES = import_rules()
TOO_COMPLEX, UNREADABLE = "RLX003", "RLX001"


def judge(project: Project, tree: Tree, outcome: Outcome, depth: Depth, settings: Settings = SETTINGS) -> None:
    """What relax-lint says of a recipe in memory, and what is wrong with that; its fixes are applied."""
    report = lint(project, RULES, settings)
    codes = sorted({found.code for found in report.diagnostics})
    silent = sorted({silence.code for silence in report.not_checked})
    told = "told: " if UNREADABLE in codes or TOO_COMPLEX in codes or silent else ""
    outcome.signature = f"{told}{' '.join(codes)}|{' '.join(silent)}|{min(report.launches, 3)}"
    outcome.parses = UNREADABLE not in codes
    outcome.judged = True
    outcome.troubles += [Trouble("a rule raises", failure.rpartition("(")[2], failure) for failure in report.failures]
    outcome.troubles += misplaced(project, report)
    if depth is Depth.CLOSELY:
        outcome.troubles += unlike(project, report, Project.from_files(tree, SETTINGS))
        outcome.troubles += unfit(project, report)
    outcome.fixable = any(found.fix is not None for found in report.standing)
    if outcome.fixable:
        apply_fixes(tree, project, report, outcome)


# ---------------------------------------------------------------- what is said


def misplaced(project: Project, report: Report) -> Iterator[Trouble]:
    """Findings that are about no place of a file."""
    for found in report.diagnostics:
        source = project.source(found.path)
        if source is None:
            if (found.line, found.column, found.start) != (1, 1, 0):
                yield _misplaced(found.code, f"{found.path}:{found.line}: there is no such file")
            continue
        if not _is_within(found, source):
            place = f"{found.line}:{found.column}-{found.end_line}:{found.end_column} ({found.start}-{found.end})"
            yield _misplaced(found.code, f"{found.message}: {place} of {len(source.text)}")
        for note in (*found.related, *([] if found.launch is None else [found.launch])):
            about = project.source(note.path)
            if about is not None and not 1 <= note.line <= len(about.line_starts):
                yield _misplaced(found.code, f"line {note.line} of {len(about.line_starts)}")
    for silence in report.not_checked:
        about = project.source(silence.path)
        if about is not None and not 1 <= silence.line <= len(about.line_starts):
            yield _misplaced(silence.code, f"line {silence.line} of {len(about.line_starts)}")


def _misplaced(code: str, detail: str) -> Trouble:
    return Trouble("outside of the file", code, detail)


def _is_within(found: Diagnostic, source: SourceFile) -> bool:
    if not 0 <= found.start <= found.end <= len(source.text):
        return False
    if not 1 <= found.line <= found.end_line <= len(source.line_starts) or found.column < 1 or found.end_column < 1:
        return False
    return (found.line, found.column) == source.position(found.start)


def unlike(project: Project, report: Report, again: Project) -> Iterator[Trouble]:
    """What a second run says that the first did not, or the other way round."""
    before, after = _told(report), _told(lint(again, RULES, SETTINGS))
    if before != after:
        different = sorted(set(before) ^ set(after), key=repr)
        code = str(different[0][0]) if different else "the order"
        yield Trouble("not the same twice", code, repr(different[:3]))


def _told(report: Report) -> list[tuple[object, ...]]:
    found = [
        (one.code, one.path, one.start, one.end, one.message, one.identity, one.fix and one.fix.title, one.launch)
        for one in report.diagnostics
    ]
    return [*found, *report.not_checked]


def unfit(project: Project, report: Report) -> Iterator[Trouble]:
    """Formats that cannot tell it, and JSON that is not what its schema says."""

    def encode(path: Path, offset: int) -> int:
        source = project.source(path)
        return offset if source is None else source.to_byte(offset)

    shown = Shown(
        report, encode, judged_by={"relax": "nothing", "catalogue": "this"}, rules=RULES, show_suppressed=True
    )
    for name in FORMATS:
        try:
            text = render(shown, name, statistics=False)
            text.encode("utf-8", "surrogateescape")
        except Exception as problem:
            yield trouble("a report raises", problem)
            continue
        if name == "json":
            wrong = next(schema().iter_errors(json.loads(text)), None)
            if wrong is not None:
                yield Trouble("not valid by its schema", str(wrong.json_path), wrong.message)


@cache
def schema() -> Any:
    """What judges the JSON of `check`."""
    import jsonschema

    page = Path(__file__).resolve().parents[2] / "docs/schema/check.schema.json"
    return jsonschema.Draft202012Validator(json.loads(page.read_text(encoding="utf-8")))


# ---------------------------------------------------------------- fixes


def apply_fixes(tree: Tree, project: Project, report: Report, outcome: Outcome) -> None:
    """Fix it all, and look at what is left: it parses as before, a second time nothing changes."""
    unsafe = random.Random(len(outcome.signature) + sum(map(len, tree.values()))).random() < 0.5
    first: list[Report] = [report]

    def again(state: Project) -> Report:
        return first.pop() if first else lint(state, RULES, SETTINGS)

    try:
        fixed = fix(project, RULES, SETTINGS, unsafe=unsafe, judge=again)
    except Exception as problem:
        outcome.troubles.append(trouble("a fix raises", problem))
        return
    outcome.troubles += [
        Trouble("fixes without an end", " ".join(codes), str(unit)) for unit, codes in fixed.restless.items()
    ]
    outcome.troubles += [
        Trouble("a rule raises once fixed", one.rpartition("(")[2], one) for one in fixed.report.failures
    ]
    outcome.fixed = bool(fixed.changes)
    outcome.dropped = len(fixed.dropped)
    if not fixed.changes:
        return
    after = {**tree, **{str(path.relative_to(MEMORY_ROOT)): data for path, data in fixed.changes.items()}}
    outcome.troubles += _broken(tree, after, project)
    outcome.troubles += _unfinished(after, fixed, unsafe=unsafe)
    if not unsafe:
        compared, changed = changed_flags(project, fixed)
        outcome.launches_compared = compared
        outcome.troubles += changed
    outcome.against_bash, broken = _against_bash(tree, after)
    outcome.troubles += broken


def _broken(before: Tree, after: Tree, project: Project) -> Iterator[Trouble]:
    """Files that parsed and do not any more: by a new reading of them, not what the fixer kept."""
    changed = Project.from_files(after, SETTINGS)
    for name, data in after.items():
        if before.get(name) == data:
            continue
        path = MEMORY_ROOT / name
        errors = [_errors(one.source(path)) for one in (project, changed)]
        if errors[1] > errors[0]:
            yield Trouble("a fixed file does not parse", name.rpartition(".")[2], data.decode("utf-8", "replace")[:400])


def _errors(source: SourceFile | None) -> int:
    script = getattr(source, "script", None)
    return int(getattr(source, "error", None) is not None) if script is None else len(script.problems)


def _unfinished(after: Tree, fixed: Fixed, *, unsafe: bool) -> Iterator[Trouble]:
    """Fixes that a second run would make."""
    again = Project.from_files(after, SETTINGS)
    report = lint(again, RULES, SETTINGS)
    if fixed.dropped:
        return
    for plan in plans_of(report, unsafe=unsafe):
        for edit in plan.edits:
            source = again.source(edit.path)
            if source is None or source.text[edit.start : edit.end] != edit.text:
                yield Trouble("a second fix changes something", plan.found.code, plan.found.message)
                return


def _against_bash(before: Tree, after: Tree) -> tuple[int, list[Trouble]]:
    """Launchers that real bash reads before their fix and not behind it; how many it was asked of."""
    compared, found = 0, []
    for name, data in after.items():
        was = before.get(name, b"")
        if name.endswith((".sh", ".bash")) and was != data and _bash_reads(was):
            compared += 1
            if not _bash_reads(data):
                found.append(
                    Trouble("bash does not read a fixed launcher", name, data.decode("utf-8", "replace")[:400])
                )
    return compared, found


def _bash_reads(script: bytes) -> bool:
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, check=False)
    return done.returncode == 0 and b"syntax error" not in done.stderr and b"warning" not in done.stderr


def trouble(kind: str, problem: BaseException) -> Trouble:
    """An exception that nothing should have raised; told apart by the line that raised it."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if "relax_lint" in frame.filename] or frames
    cause = (
        f"{type(problem).__name__} {Path(own[-1].filename).name}:{own[-1].lineno}" if own else type(problem).__name__
    )
    return Trouble(kind, cause, "".join(traceback.format_exception(problem)[-12:]))
