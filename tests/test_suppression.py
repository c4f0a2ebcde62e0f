"""What silences a finding, and what silences nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from relax_lint.config import Settings
from relax_lint.diagnostics import Diagnostic, Finding, Place
from relax_lint.engine import Report, lint
from relax_lint.fixing import apply_edits, fix
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.suppression import additions, directives
from tests.cases import for_each
from tests.toy_rules import LAUNCHER, PYTHON, by_code, toy, word_rule

UNUSED = load_rules()["RLX002"]
RULES = by_code(
    word_rule("RLX101", "bad", name="no-bad"),
    word_rule("RLX102", "worse", name="no-worse"),
    word_rule("RLX401", "bad", name="no-bad-launch", on="launcher", everywhere=True),
    word_rule("RLX402", "worse", name="no-worse-launch", on="launcher"),
    UNUSED,
)


def judged(tree: Mapping[str, str | bytes], settings: Settings | None = None) -> Report:
    report = lint(Project.from_files(tree), RULES, settings)
    assert report.failures == []
    return report


def said(found: Diagnostic) -> tuple[str, int]:
    return found.code, found.line


def standing(path: str, text: str) -> list[tuple[str, int]]:
    return [said(found) for found in judged({path: text}).standing]


@for_each(
    "comment",
    [
        "# noqa",
        "# NOQA",
        "# noqa: RLX101",
        "# noqa:RLX101",
        "# NoQA: RLX101",
        "# noqa: E501, RLX101",
        "# noqa: E501 RLX101",
        "# noqa: RLX1",
        "# noqa: RLX",
        "# noqa: RLX101 it is meant",
        "# kept  # noqa: RLX101",
        "# noqa: no-bad",  # flake8 takes this for a bare noqa
        "# relax-lint: ignore[RLX101] it is meant",
        "# relax-lint: ignore[no-bad]",
        "# relax-lint:ignore[ RLX101 ]",
        "# relax-lint: ignore[RLX102, RLX1]",
        "# relax-lint: ignore[ALL]",
        "# relax-lint: ignore[RLX101 thing]",
        "# relax-lint: ignore[RLX101 other thing]",
        "# relax-lint: file-ignore[RLX101] it is meant",
    ],
)
def test_these_silence(comment: str) -> None:
    report = judged({PYTHON: f"x = 'bad thing'  {comment}\n"})
    assert [found.code for found in report.standing if found.code == "RLX101"] == []
    assert [found.code for found in report.diagnostics if found.code == "RLX101"] == ["RLX101"]


@for_each(
    "comment",
    [
        "",
        "# noqa: E501",
        "# noqa: RLX102",
        "# noqa: rlx101",  # nor does flake8 take it
        "#noqa",
        "# relax-lint: ignore",
        "# relax-lint: ignore[]",
        "# relax-lint: ignore[RLX102]",
        "# relax-lint: ignore[RLX101 other]",
        "# relax-lint: ignore[bad]",
        "# relax-lint: ignore RLX101",
        "# ruff: noqa",
    ],
)
def test_these_do_not(comment: str) -> None:
    assert ("RLX101", 1) in standing(PYTHON, f"x = 'bad thing'  {comment}\n")


def test_a_comment_above_speaks_for_the_statement_below() -> None:
    text = "# relax-lint: ignore[RLX101] meant\nx = [\n    bad,\n]\ny = bad\n"
    assert standing(PYTHON, text) == [("RLX101", 5)]


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("a = 1  # noqa\nx = 'bad'\n", True),
        ("a = 1  # noqa\n\n\ndef f():\n    return 'bad'\n", True),
        ("x = (\n    'bad',\n    1)  # noqa\n", True),
        ('x = """\nbad\n"""  # noqa\n', False),
        ("a = 1; x = 'bad'  # noqa\n", False),
        ('a = """\n"""; x = "bad"  # noqa\n', False),
        ("def f():\n    a = 'bad'  # noqa\n    return a\n", False),
        ("@g('bad')  # noqa\ndef f():\n    pass\n", False),
    ],
)
def test_a_bare_noqa_speaks_for_what_ends_on_its_line(text: str, stands: bool) -> None:
    assert bool(standing(PYTHON, text)) is stands


def test_a_noqa_on_its_own_line_speaks_for_nothing() -> None:
    assert standing(PYTHON, "# noqa: RLX101\nbad\n") == [("RLX002", 1), ("RLX101", 2)]


def test_a_comment_above_a_continued_command_or_in_an_array() -> None:
    text = (
        "# relax-lint: ignore[no-bad-launch] meant\n"
        "echo \\\n    bad \\\n    bad\n"
        "ARGS=(\n    bad # noqa: RLX401\n    bad\n    # relax-lint: ignore[RLX4] meant\n    bad\n)\n"
    )
    assert standing(LAUNCHER, text) == [("RLX401", 7)]


REASONS = ["see #12 and bug # 3", "#12", "# 12 is open", "as in C# code", "why # and why not", "the type # of it: x"]


@for_each("reason", [*REASONS, "# because"])
@for_each(
    ("path", "before"),
    [(PYTHON, "if x:\n    bad\n"), (LAUNCHER, "A=(\n    bad\n)\n"), (PYTHON, "bad\r\n")],
)
def test_a_reason_that_is_added_is_read_whole(path: str, before: str, reason: str) -> None:
    project = Project.from_files({path: before})
    source = project.source(project.root / path)
    assert source is not None
    found = lint(project, RULES).standing
    after = apply_edits(source, additions(source, found, reason)).decode()
    assert reason in after
    assert [one.suppressed for one in lint(Project.from_files({path: after}), RULES).diagnostics] == [reason]


@for_each("reason", REASONS)
def test_a_reason_in_yaml_is_read_whole(reason: str) -> None:
    project = Project.from_files({"examples/demo/demo.yaml": f"a: 1  # relax-lint: ignore[RLX503] {reason}\r\nb: 2\n"})
    source = project.source(project.root / "examples/demo/demo.yaml")
    assert source is not None
    assert [found.reason for found in directives(source).suppressions] == [reason]


@for_each("reason", REASONS)
@for_each("directive", ["noqa: RLX101", "relax-lint: ignore[RLX101]", "relax-lint: ignore[RLX101]:"])
@for_each("following", ["", "  # type: ignore", " #noqa: E501", " # pragma: no cover", " # pylint: disable=all"])
def test_a_reason_ends_with_its_comment_or_at_the_next_directive(reason: str, directive: str, following: str) -> None:
    report = judged({PYTHON: f"bad  # {directive} {reason}{following}\n"})
    assert [found.suppressed for found in report.diagnostics] == [reason]


def test_a_comment_behind_a_directive_is_no_reason() -> None:
    report = judged({LAUNCHER: "echo bad # noqa: RLX401 # shellcheck disable=SC2086\necho bad # noqa: RLX401 # hm\n"})
    assert [found.suppressed for found in report.diagnostics] == ["", ""]


def test_the_reason_is_kept() -> None:
    report = judged(
        {PYTHON: "bad  # noqa: RLX101 - for the demo\nbad  # relax-lint: ignore[no-bad]: why not\nbad  # noqa\n"}
    )
    assert [found.suppressed for found in report.diagnostics] == ["for the demo", "why not", ""]
    assert [site.line for site in report.without_reason] == [3]


def test_files_are_ignored_by_pattern() -> None:
    settings = Settings(per_file_ignores={"reward_*.py": ("no-bad",), "examples/other/**": ("RLX1",)})
    report = judged({PYTHON: "bad\nworse\n"}, settings)
    assert [said(found) for found in report.standing] == [("RLX102", 2)]
    assert report.diagnostics[0].suppressed == "per-file-ignores: reward_*.py"


def test_a_comment_for_a_rule_that_the_configuration_ignores_is_not_unused() -> None:
    settings = Settings(per_file_ignores={"*.py": ("RLX101",)})
    assert judged({PYTHON: "x = 1  # noqa: RLX101\n"}, settings).standing == []


# ---------------------------------------------------------------- what silences nothing


@for_each(
    ("path", "text"),
    [
        (PYTHON, "x = 1  # noqa\n"),
        (PYTHON, "x = 1  # noqa: E501\n"),
        (PYTHON, "x = 1  # noqa: RL901\n"),
        (PYTHON, "x = 1  # noqa: RLX401\n"),  # never runs on Python files
        (PYTHON, "unknown_bad  # noqa: RLX101\n"),
        (PYTHON, "unknown_bad\nx = 1  # noqa: RLX101\n"),
        (PYTHON, "x = 1  # relax-lint: ignore[RLX4] launchers\n"),
        (PYTHON, "x = 1  # relax-lint: the form of our comments\n"),
        (PYTHON, "x = 1  # not a `# relax-lint: ignore`\n"),
        (PYTHON, "x = '# relax-lint: ignore'\n"),
        (PYTHON, "bad  # noqa: RLX101\n"),
        (LAUNCHER, "echo 'a # noqa: RLX401'\n"),
        ("scripts/common.sh", "ARGS=(\n    --a # noqa: RLX401\n)\n"),  # who sources it may be elsewhere
    ],
)
def test_no_word_about(path: str, text: str) -> None:
    assert [found for found in standing(path, text) if found[0] == "RLX002"] == []


@for_each(
    ("comment", "why"),
    [
        ("ignore[no-bda] why", "no rule is called 'no-bda'; did you mean no-bad?"),
        ("ignore[RLX101, RLX999]", "no rule is called 'RLX999'"),
        ("file-ignore[RLX9]", "no rule is called 'RLX9'"),
        ("ignore", "the form is"),
        ("ignore why", "the form is"),
        ("ignore[] why", "the form is"),
        ("ignore[RLX101", "the form is"),
        ("ignore-file[RLX101]", "the form is"),
        ("disable=RLX101", "the form is"),
        ("noqa: RLX101", "the form is"),
        ("skip", "the form is"),
    ],
)
@for_each(("path", "text"), [(PYTHON, "bad"), (LAUNCHER, "echo bad"), ("scripts/run.sh", "bad")])
def test_a_comment_that_cannot_silence_is_reported(path: str, text: str, comment: str, why: str) -> None:
    report = judged({path: f"{text}  # relax-lint: {comment}\n"})
    messages = [found.message for found in report.standing if found.code == "RLX002"]
    assert [message for message in messages if why in message] != []
    assert all(message.startswith(("this silences nothing: ", "RLX101 silences nothing")) for message in messages)


@for_each(
    ("path", "before", "after"),
    [
        (PYTHON, "x = 1  # noqa: RLX101\n", "x = 1\n"),
        (PYTHON, "x = 1\t# noqa: RLX101\n", "x = 1\n"),
        (PYTHON, "x = 1  # noqa: RLX101, RLX102\n", "x = 1\n"),
        (PYTHON, "bad  # noqa: RLX101, RLX102\n", "bad  # noqa: RLX101\n"),
        (PYTHON, "bad  # noqa: RLX102,RLX101 why\n", "bad  # noqa: RLX101 why\n"),
        (PYTHON, "x = 1  # noqa: E501, RLX101\n", "x = 1  # noqa: E501\n"),
        (PYTHON, "x = 1  # kept  # noqa: RLX101 why\n", "x = 1  # kept\n"),
        (PYTHON, "x = 1  # noqa: RLX101  # type: ignore\n", "x = 1  # type: ignore\n"),
        (PYTHON, "x = 1  # noqa: RLX101 bug # 3  # type: ignore\n", "x = 1  # type: ignore\n"),
        (PYTHON, "x = 1  # noqa: RLX101  # why x is one\n", "x = 1  # why x is one\n"),
        (PYTHON, "# relax-lint: ignore[RLX101] why\nx = 1\n", "x = 1\n"),
        (PYTHON, "if x:\n    # relax-lint: ignore[RLX101]\n    x = 1\n", "if x:\n    x = 1\n"),
        (
            PYTHON,
            "# relax-lint: ignore[RLX101 a, RLX102]\nx = 'bad a'\n",
            "# relax-lint: ignore[RLX101 a]\nx = 'bad a'\n",
        ),
        (PYTHON, "x = 1\n# relax-lint: file-ignore[no-bad]", "x = 1\n"),
        (PYTHON, "x = 1  # noqa: RLX101\r\ny = 2\r\n", "x = 1\r\ny = 2\r\n"),
        (PYTHON, "\ufeff# relax-lint: ignore[RLX101]\nx = 1\n", "\ufeffx = 1\n"),
        (LAUNCHER, "echo a # noqa: RLX401\n", "echo a\n"),
        (LAUNCHER, "A=(\n    # relax-lint: ignore[RLX401]\n    --a\n)\n", "A=(\n    --a\n)\n"),
    ],
)
def test_it_is_reported_and_taken_out(path: str, before: str, after: str) -> None:
    project = Project.from_files({path: before})
    assert [found.code for found in lint(project, RULES).standing] == ["RLX002"]
    fixed = fix(project, RULES)
    assert fixed.project.read(project.root / path) == after.encode()
    assert fixed.report.standing == []


def test_a_rule_that_was_not_selected_is_not_spoken_of() -> None:
    rules = {code: rule for code, rule in RULES.items() if code != "RLX101"}
    assert lint(Project.from_files({PYTHON: "x = 1  # noqa: RLX101\n"}), rules).standing == []


def test_a_rule_that_raised_is_not_spoken_of() -> None:
    def fails(subject: object, project: Project) -> list[object]:
        raise KeyError("x")

    rules = by_code(toy("RLX101", "no-bad", fails), UNUSED)
    report = lint(Project.from_files({PYTHON: "x = 1  # noqa: RLX101\n"}), rules)
    assert report.standing == []
    assert len(report.failures) == 1


# ---------------------------------------------------------------- adding


@for_each(
    ("path", "before", "after"),
    [
        (PYTHON, "bad\n", "# relax-lint: ignore[RLX101] why\nbad\n"),
        (PYTHON, "bad, worse\n", "# relax-lint: ignore[RLX101, RLX102] why\nbad, worse\n"),
        (
            PYTHON,
            "def f():\n    x = [\n        bad,\n    ]\n",
            "def f():\n    # relax-lint: ignore[RLX101] why\n    x = [\n        bad,\n    ]\n",
        ),
        (PYTHON, "@a\ndef bad():\n    pass\n", "# relax-lint: ignore[RLX101] why\n@a\ndef bad():\n    pass\n"),
        (PYTHON, "x = 1; bad\n", "# relax-lint: ignore[RLX101] why\nx = 1; bad\n"),
        (PYTHON, "bad\r\n", "# relax-lint: ignore[RLX101] why\r\nbad\r\n"),
        (
            LAUNCHER,
            "A=(\n    --a \\\n    bad\n)\n",
            "A=(\n    # relax-lint: ignore[RLX401] why\n    --a \\\n    bad\n)\n",
        ),
        (LAUNCHER, "echo \\\n    bad\n", "# relax-lint: ignore[RLX401] why\necho \\\n    bad\n"),
        (
            LAUNCHER,
            "if a; then\n    echo b | \\\n        bad\nfi\n",
            "if a; then\n    # relax-lint: ignore[RLX401] why\n    echo b | \\\n        bad\nfi\n",
        ),
        (LAUNCHER, "cat <<EOF\nbad\nEOF\n", "# relax-lint: ignore[RLX401] why\ncat <<EOF\nbad\nEOF\n"),
    ],
)
def test_a_comment_is_written_where_it_can_stand(path: str, before: str, after: str) -> None:
    project = Project.from_files({path: before})
    source = project.source(project.root / path)
    assert source is not None
    changed = apply_edits(source, additions(source, lint(project, RULES).standing, "why"))
    assert changed.decode() == after
    assert lint(Project.from_files({path: changed}), RULES).standing == []


def of_file(subject: Any, project: Project) -> Iterator[Finding]:
    yield Finding(Place(subject, 0, 0), "the whole file is bad")
    at = subject.text.find("header")
    if at >= 0:
        yield Finding(Place(subject, at, at + 6), "the header is bad")


@pytest.mark.parametrize(
    ("path", "text", "head"),
    [
        (PYTHON, "import os\n", ""),
        (PYTHON, "bad\n", ""),
        (PYTHON, "\ufeffbad\r\n", "\ufeff"),
        (
            PYTHON,
            "#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n# header\nbad\n",
            "#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n",
        ),
        (LAUNCHER, "#!/bin/bash\r\n# header\r\nbad\r\n", "#!/bin/bash\r\n"),
        (LAUNCHER, "# header\nbad\n", ""),
    ],
)
def test_what_is_found_of_a_whole_file_is_silenced_at_its_top(path: str, text: str, head: str) -> None:
    on = "launcher" if path == LAUNCHER else "python"
    rules = RULES | by_code(toy("RLX199", "of-file", of_file, on=on))
    project = Project.from_files({path: text})
    source = project.source(project.root / path)
    assert source is not None
    changed = apply_edits(source, additions(source, lint(project, rules).standing, "why")).decode()
    end = "\r\n" if "\r\n" in text else "\n"
    assert changed.startswith(f"{head}# relax-lint: file-ignore[RLX199] why{end}")
    assert changed.count("\n") - changed.count("\r\n") == (0 if end == "\r\n" else changed.count("\n"))
    assert lint(Project.from_files({path: changed}), rules).standing == []
