"""`relax-lint report` as a user sees it, without a browser."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from relax_lint.cli import main

RECIPES = Path(__file__).parents[2] / "recipes"


def report_of(recipe: str, where: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> str:
    """The page about a bundled recipe."""
    if not where.exists():
        shutil.copytree(RECIPES / recipe, where)
    monkeypatch.chdir(where)
    assert main(["report", "examples", "--output", "page.html", *options]) == 0
    return Path("page.html").read_text(encoding="utf-8")


def test_the_same_input_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = report_of("broken_countdown", tmp_path / "a", monkeypatch)
    assert report_of("broken_countdown", tmp_path / "b", monkeypatch) == first
    assert report_of("broken_countdown", tmp_path / "b", monkeypatch) == first
