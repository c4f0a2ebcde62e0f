"""`relax-lint rule`."""

from __future__ import annotations

import pytest

from relax_lint.cli import main
from relax_lint.commands.rule import page
from relax_lint.diagnostics import Severity
from relax_lint.rules import load_rules


@pytest.mark.parametrize("name", ["RLX002", "rlx002", "unused-suppression"])
def test_a_page_is_found_by_code_and_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", name]) == 0
    page = capsys.readouterr().out
    assert page.startswith("RLX002 unused-suppression (warning; fix: --fix)\n")
    for section in ("## What", "## Why", "## Source", "## Fix", "## Caught", "## Fine"):
        assert section in page


def test_the_head_says_how_severe_findings_are_and_which_fixes_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "RLX407"]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert head == "RLX407 on-policy-batch (error or warning; fix: --fix or --unsafe-fixes)"


@pytest.mark.parametrize("code", sorted(load_rules()))
def test_no_example_is_other_than_the_head_says(code: str) -> None:
    rule = load_rules()[code]
    head = page(rule).splitlines()[0]
    severities, _, fixes = head.partition(" (")[2].partition("; fix: ")
    assert severities.startswith(rule.severity.value)
    said = [item for example in rule.invalid for found in example.findings for item in found]
    for severity in Severity:
        assert (severity.value in severities) is (severity in said or severity is rule.severity)
    fixed = [example for example in rule.invalid if example.fixed is not None]
    assert ("--unsafe-fixes" in fixes) is (rule.fixable == "unsafe" or any(each.unsafe for each in fixed))
    assert ("--fix" in fixes.replace("--unsafe-fixes", "")) is any(not each.unsafe for each in fixed)
    assert ("none" in fixes) is (not fixed)


def test_the_table_has_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--all"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == ["code", "name", "severity", "fix", "what"]
    assert [row.split()[:2] for row in rows] == [[code, rule.name] for code, rule in load_rules().items()]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["unused-supression"], "did you mean unused-suppression?"),
        (["RLX0"], "RLX0 is 3 rules: RLX001, RLX002, RLX003; name one"),
        (["rlx9"], "no rule is called 'rlx9'"),
        ([""], "no rule is called ''"),
        ([], "name one rule, or say --all"),
        (["RLX001", "--all"], "name one rule, or say --all"),
    ],
)
def test_what_is_no_rule_is_refused(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", *arguments]) == 2
    assert complaint in capsys.readouterr().err
