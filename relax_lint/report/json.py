"""For programs: everything, in a format whose fields never change their meaning."""

from __future__ import annotations

import json
from typing import Any

from relax_lint.diagnostics import Diagnostic, Edit, Severity
from relax_lint.report import Outcome, shown_path, url_of
from relax_lint.report.conditions import whole

SCHEMA = 1


def render(outcome: Outcome) -> str:
    """One JSON object."""
    report = outcome.report
    content = {
        "schema": SCHEMA,
        "diagnostics": [_diagnostic(found, outcome) for found in outcome.shown],
        "not_checked": [
            {"code": silence.code, "path": shown_path(silence.path), "line": silence.line, "because": silence.because}
            for silence in report.not_checked
        ],
        "stale": [
            {
                "code": entry.code,
                "path": shown_path(entry.path),
                "message": entry.message,
                "fingerprint": entry.fingerprint,
                "baseline": shown_path(entry.baseline),
            }
            for entry in outcome.stale
        ],
        "judged_by": outcome.judged_by,
        "summary": {
            "files": report.files,
            "recipes": report.recipes,
            "launches": report.launches,
            "errors": outcome.count(Severity.ERROR),
            "warnings": outcome.count(Severity.WARNING),
            "advice": outcome.count(Severity.ADVICE),
            "fixed": len(outcome.fixed),
            "suppressed": len(report.diagnostics) - len(report.standing),
            "not_checked": outcome.unjudged,
        },
    }
    return json.dumps(content, indent=2, ensure_ascii=True) + "\n"


def _diagnostic(found: Diagnostic, outcome: Outcome) -> dict[str, Any]:
    launch = found.launch
    return {
        "code": found.code,
        "name": found.name,
        "severity": found.severity.value,
        "message": found.message,
        "path": shown_path(found.path),
        "line": found.line,
        "column": found.column,
        "end_line": found.end_line,
        "end_column": found.end_column,
        "fix": _fix(found, outcome),
        "related": [
            {"path": shown_path(note.path), "line": note.line, "message": note.message} for note in found.related
        ],
        "launch": None
        if launch is None
        else {"path": shown_path(launch.path), "line": launch.line, "conditions": list(map(whole, launch.conditions))},
        "suppressed": None if found.suppressed is None else {"reason": found.suppressed},
        "fingerprint": found.fingerprint,
        "url": url_of(found.code),
    }


def _fix(found: Diagnostic, outcome: Outcome) -> dict[str, Any] | None:
    fix = found.fix
    if fix is None:
        return None
    edits = [_edit(edit, outcome) for edit in fix.edits()]
    if not edits:
        return None
    return {"title": fix.title, "safe": fix.safe, "reason": fix.reason, "edits": edits}


def _edit(edit: Edit, outcome: Outcome) -> dict[str, Any]:
    if edit.create:
        return {"path": shown_path(edit.path), "create": True, "text": edit.text}
    start, end = outcome.encode(edit.path, edit.start), outcome.encode(edit.path, edit.end)
    return {"path": shown_path(edit.path), "start": start, "end": end, "text": edit.text}
