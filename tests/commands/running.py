"""`relax-lint check` with rules whose findings are plain to see."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from relax_lint import checking
from relax_lint.cli import main
from relax_lint.diagnostics import Severity
from relax_lint.rules import load_rules
from tests.toy_rules import by_code, word_rule

TOOL = {code: rule for code, rule in load_rules().items() if code.startswith("RLX0")}
RULES = TOOL | by_code(
    word_rule("RLX101", "bad", replacement="good"),
    word_rule("RLX102", "worse", severity=Severity.WARNING, replacement="fine", safe=False),
    word_rule("RLX103", "plain", severity=Severity.ADVICE),
    word_rule("RLX401", "bad", name="no-bad-launch", on="launcher", everywhere=True, replacement="good"),
)


@dataclass
class Done:
    status: int
    out: str
    err: str


Run = Callable[..., Done]


def running_in(directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a directory."""
    monkeypatch.chdir(directory)
    monkeypatch.setattr(checking, "load_rules", lambda: RULES)
    for name in [name for name in os.environ if name.startswith(("PRE_COMMIT", "GIT_"))]:
        monkeypatch.delenv(name)

    def call(*arguments: str) -> Done:
        try:
            status = main(list(arguments))
        except SystemExit as refused:
            status = int(refused.code or 0)
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return call


def write(path: str, text: str) -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
    return Path(path)
