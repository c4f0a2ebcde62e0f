"""Workflow commands that GitHub turns into annotations: of each level, ten of a step; the log has them all.

GitHub knows files by their path from the repository's root; what stands in the log is as everywhere.
"""

from __future__ import annotations

from pathlib import Path

from relax_lint.diagnostics import Diagnostic, Severity
from relax_lint.report import Outcome, shown_path
from relax_lint.report.columns import printable

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}


def render(outcome: Outcome) -> str:
    """One command a finding, and one for each thing that went wrong with the run."""
    wrong = [f"internal error: {failure}" for failure in outcome.report.failures]
    wrong += [f"required: {demand}" for demand in outcome.demands]
    commands = [_command(found, outcome.root) for found in outcome.shown]
    commands += [f"::error title=relax-lint::{_data(message)}" for message in wrong]
    return "".join(f"{command}\n" for command in commands)


def _command(found: Diagnostic, root: Path | None) -> str:
    properties = {
        "title": f"{found.code} ({found.name})",
        "file": _from_root(found.path, root),
        "line": str(found.line),
        "endLine": str(found.end_line),
    }
    if found.line == found.end_line:
        # GitHub refuses columns for what spans lines.
        properties |= {"col": str(found.column), "endColumn": str(found.end_column)}
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    place = f"{shown_path(found.path)}:{found.line}:{found.column}"
    return f"::{_LEVELS[found.severity]} {written}::{_data(f'{place}: {found.code} {found.message}')}"


def _from_root(path: Path, root: Path | None) -> str:
    return shown_path(path) if root is None or not path.is_relative_to(root) else path.relative_to(root).as_posix()


def _data(text: str) -> str:
    return printable(text, keep="\r\n\t").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
