"""The page on `relax-lint show` shows what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from relax_lint.cli import main
from relax_lint.report.columns import WIDTH

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/show.md"
RECIPE = ROOT / "tests/recipes/good_gsm8k"


def test_the_sample_is_what_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    [sample] = re.findall(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(RECIPE)
    assert main(["show", "examples/gsm8k/run_gsm8k.sh"]) == 0
    printed = capsys.readouterr().out
    at = 0
    for part in sample.split("…\n"):
        assert part in printed[at:]
        at = printed.index(part, at) + len(part)
    assert all(len(line) <= WIDTH for line in printed.splitlines())
