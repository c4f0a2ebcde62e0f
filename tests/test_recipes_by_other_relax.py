"""Whole recipes judged by a checkout that has next to none of today's flags, or whose flags cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.engine import Report, lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.catalog.small_relax import RELAX

RECIPES = Path(__file__).parent / "recipes"
ARGUMENTS = "relax/utils/arguments.py"


def judged(name: str, relax: dict[str, str]) -> Report:
    """A recipe of the tests by a Relax, and all that the rules say of it."""
    files = [path for path in (RECIPES / name).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    recipe = {path.relative_to(RECIPES / name).as_posix(): path.read_bytes() for path in files}
    return lint(Project.from_files({**recipe, **relax}), load_rules())


@pytest.mark.parametrize("name", sorted(path.name for path in RECIPES.iterdir() if path.is_dir()))
@pytest.mark.parametrize("arguments", [RELAX[ARGUMENTS], "def (", ""], ids=["small", "broken", "empty"])
def test_no_rule_fails(name: str, arguments: str) -> None:
    report = judged(name, {**RELAX, ARGUMENTS: arguments})
    assert report.failures == []
    assert report.launches > 0


def test_what_this_relax_lacks_is_unknown_and_what_it_has_is_not() -> None:
    words = {found.message.split()[0] for found in judged("good_gsm8k", RELAX).standing if found.code == "RLX501"}
    assert "--rollout-batch-size" in words
    assert "--lr" not in words


def test_by_flags_that_cannot_be_read_nothing_is_unknown() -> None:
    report = judged("good_gsm8k", {**RELAX, ARGUMENTS: "def ("})
    assert [found.message for found in report.standing if found.code == "RLX501"] == []
