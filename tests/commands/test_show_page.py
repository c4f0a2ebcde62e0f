"""What `relax-lint show` prints fits a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.cli import main
from relax_lint.report.columns import WIDTH

RECIPE = Path(__file__).resolve().parents[2] / "tests/recipes/good_gsm8k"


def test_lines_are_no_wider_than_a_page(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(RECIPE)
    assert main(["show", "examples/gsm8k/run_gsm8k.sh"]) == 0
    assert all(len(line) <= WIDTH for line in capsys.readouterr().out.splitlines())
