"""What a run with ``--fix`` says of what it fixed."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint import checking
from tests.commands.running import Run, running_in, write
from tests.toy_rules import LAUNCHER, PYTHON, by_code, word_rule

RULES = by_code(
    *(word_rule(f"RLX10{number}", f"bad{number}", replacement="good") for number in range(8)),
    word_rule("RLX401", "bad0", on="launcher", replacement="good"),
)
LIST = f"""\
Fixed 4 findings:
- {PYTHON}:
    2 × RLX100 (no-bad0)
    1 × RLX101 (no-bad1)
- {LAUNCHER}:
    1 × RLX401 (no-bad0)
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    called = running_in(tmp_path, monkeypatch, capsys)
    monkeypatch.setattr(checking, "load_rules", lambda: RULES)
    write(PYTHON, "bad0\nbad1\nbad0\n")
    write(LAUNCHER, "bad0\n")
    return called


def test_the_summary_names_the_rules_with_their_counts(run: Run) -> None:
    assert run("--fix").out.startswith("Fixed 4 findings (2 RLX100, 1 RLX101, 1 RLX401). All clean in")


def test_more_rules_than_fit_are_counted(run: Run) -> None:
    write(PYTHON, "".join(f"bad{number}\n" for number in range(8)))
    assert run("--fix").out.startswith("Fixed 9 findings of 9 rules (`--show-fixes` lists them). All clean in")


def test_fixes_are_listed_by_file(run: Run) -> None:
    assert run("--fix", "--show-fixes").out.startswith(f"{LIST}\nFixed 4 findings (")


def test_fixes_are_listed_without_a_summary(run: Run) -> None:
    assert run("--fix", "--show-fixes", "--quiet").out == LIST
    assert run("--fix", "--show-fixes", "--quiet").out == ""


def test_a_setting_lists_fixes_in_text_alone(run: Run) -> None:
    write("relax-lint.toml", "show-fixes = true\n")
    assert '"fixed": 4' in run("--fix", "--format", "json").out
    write(PYTHON, "bad0\n")
    assert run("--fix").out.startswith(
        f"Fixed 1 finding:\n- {PYTHON}:\n    1 × RLX100 (no-bad0)\n\nFixed 1 finding (RLX100). "
    )
    assert run("--diff").status == 0
