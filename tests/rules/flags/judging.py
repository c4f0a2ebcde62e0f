"""What the rules on flags say of trees in memory."""

from __future__ import annotations

from collections.abc import Mapping

from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.project import Project
from relax_lint.records import changed
from relax_lint.rules import load_rules
from relax_lint.selection import Layer

TRAIN = "python3 relax/entrypoints/train.py"
LAUNCHER = "examples/demo/run_demo.sh"


def report_on(files: str | Mapping[str, str], code: str, settings: Settings | None = None) -> Report:
    """The report of one rule; a text is the one launcher."""
    tree = {LAUNCHER: files} if isinstance(files, str) else files
    chosen = changed(settings or Settings(), selection=(Layer(select=(code,)),))
    report = lint(Project.from_files(tree, chosen), load_rules(), chosen)
    assert not report.failures
    return report


def messages(files: str | Mapping[str, str], code: str, settings: Settings | None = None) -> list[str]:
    """What one rule says."""
    return [found.message for found in report_on(files, code, settings).standing]


def silences(files: str | Mapping[str, str], code: str) -> list[tuple[int, str]]:
    """Why one rule is silent, by line."""
    return [(silence.line, silence.because) for silence in report_on(files, code).not_checked]
