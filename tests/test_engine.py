"""What is judged, what is shown of it, and what happens when a rule fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from relax_lint.config import Settings
from relax_lint.diagnostics import Finding, NotChecked, Place, Severity
from relax_lint.engine import Report, lint
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.toy_rules import LAUNCHER, PYTHON, by_code, toy, word_rule

TRAIN = "python3 relax/entrypoints/train.py"


def flag_rule(code: str, flag: str, *, everywhere: bool = False) -> Any:
    """Finds a flag in launches."""

    def check(launch: Any, project: Project) -> Iterator[Finding]:
        for argument in launch.all(flag):
            yield Finding(argument.word.place, f"{flag} is bad", launch=launch, subject=flag)

    return toy(code, f"no{flag}", check, on="launch", everywhere=everywhere)


RULES = by_code(
    word_rule("RLX101", "bad"),
    word_rule("RLX102", "worse", severity=Severity.WARNING),
    flag_rule("RLX401", "--bad", everywhere=True),
    flag_rule("RLX402", "--worse"),
)


def said(report: Report) -> list[tuple[str, str, int]]:
    return [(found.path.relative_to(MEMORY_ROOT).as_posix(), found.code, found.line) for found in report.standing]


def judged(tree: dict[str, str], *targets: str, settings: Settings | None = None) -> Report:
    project = Project.from_files(tree)
    chosen = [project.root / path for path in targets] if targets else None
    report = lint(project, RULES, settings, chosen)
    assert report.failures == []
    return report


def test_only_recipes_are_judged_and_launchers_elsewhere_by_some_rules() -> None:
    tree = {
        PYTHON: "bad\n",
        "tools/x.py": "bad\n",
        "examples/x.py": "bad\n",
        "scripts/training/run.sh": f"{TRAIN} --bad --worse\n",
        LAUNCHER: f"{TRAIN} --bad --worse\n",
        "examples/run.sh": f"{TRAIN} --bad --worse\n",
    }
    report = judged(tree)
    assert said(report) == [
        (PYTHON, "RLX101", 1),
        (LAUNCHER, "RLX401", 1),
        (LAUNCHER, "RLX402", 1),
        ("examples/run.sh", "RLX401", 1),
        ("scripts/training/run.sh", "RLX401", 1),
    ]
    assert (report.files, report.recipes, report.launches) == (4, 1, 3)


def test_findings_of_a_file_are_the_same_however_it_is_named() -> None:
    tree = {
        "examples/a/run.sh": "source examples/a/common.sh\nsource examples/b/shared.sh\n"
        + TRAIN
        + ' "${ARGS[@]}" $S\n',
        "examples/a/common.sh": "ARGS=(\n    --bad\n)\n",
        "examples/a/reward.py": "bad\n",
        "examples/b/shared.sh": "S=--worse\n",
        "examples/b/reward.py": "bad\n",
    }
    everything = said(judged(tree))
    assert ("examples/a/common.sh", "RLX401", 2) in everything
    assert ("examples/b/shared.sh", "RLX402", 1) in everything
    for path in tree:
        own = [item for item in said(judged(tree, path)) if item[0] == path]
        assert own == [item for item in everything if item[0] == path], path


def test_what_a_target_sources_is_shown_with_it_and_other_files_are_not() -> None:
    tree = {
        LAUNCHER: f'source scripts/shared.sh\n{TRAIN} "${{ARGS[@]}}"\n',
        "scripts/shared.sh": "ARGS=(--bad)\n",
        PYTHON: "bad\n",
    }
    assert said(judged(tree, LAUNCHER)) == [("scripts/shared.sh", "RLX401", 1)]
    assert said(judged(tree, PYTHON)) == [(PYTHON, "RLX101", 1)]


def test_equal_findings_of_several_launches_are_one() -> None:
    text = f'ARGS=(--bad)\nif [ -n "$1" ]; then {TRAIN} ${{ARGS[@]}}; else {TRAIN} --lr 1 ${{ARGS[@]}}; fi\n'
    report = judged({LAUNCHER: text})
    assert said(report) == [(LAUNCHER, "RLX401", 1)]
    assert report.launches == 2
    assert report.diagnostics[0].launch is not None
    assert report.diagnostics[0].launch.line == 2


def test_order_and_positions() -> None:
    report = judged({PYTHON: "\ufeffworse, bad\nä = '😀' + bad\n", "examples/demo/a.py": "bad\n"})
    places = [(found.path.name, found.line, found.column, found.end_column, found.excerpt) for found in report.standing]
    assert places == [
        ("a.py", 1, 1, 4, "bad"),
        ("reward_demo.py", 1, 1, 6, "\ufeffworse, bad"),
        ("reward_demo.py", 1, 8, 11, "\ufeffworse, bad"),
        ("reward_demo.py", 2, 11, 14, "ä = '😀' + bad"),
    ]


def test_what_keeps_a_rule_silent_is_told_once() -> None:
    report = judged({PYTHON: "x = 1\ny = unknown_bad\n"})
    assert [(item.code, item.line, item.because) for item in report.not_checked] == [("RLX101", 2, "unknown_bad")]


def test_a_rule_that_raises_is_named_and_the_others_still_run() -> None:
    def fails(subject: Any, project: Project) -> Iterator[Finding | NotChecked]:
        yield Finding(Place(subject, 0, 3), "before it fails")
        raise ValueError("x\ny")

    rules = by_code(toy("RLX199", "fails", fails), word_rule("RLX101", "bad"))
    report = lint(Project.from_files({PYTHON: "bad\n"}), rules)
    assert [found.code for found in report.standing] == ["RLX101", "RLX199"]
    assert len(report.failures) == 1
    assert "RLX199 fails failed on" in report.failures[0]
    assert "ValueError" in report.failures[0]


def test_without_memory_no_other_rule_tries_the_same() -> None:
    def fails(subject: Any, project: Project) -> Iterator[Finding | NotChecked]:
        yield from ()
        raise MemoryError

    def unreached(subject: Any, project: Project) -> Iterator[Finding | NotChecked]:
        raise AssertionError("the run goes on")

    rules = by_code(toy("RLX101", "fails", fails), toy("RLX102", "unreached", unreached))
    with pytest.raises(MemoryError):
        lint(Project.from_files({PYTHON: "bad\n"}), rules)


def test_the_runtime_profile_shows_errors_only() -> None:
    report = judged({PYTHON: "bad, worse\n"}, settings=Settings(profile="runtime"))
    assert said(report) == [(PYTHON, "RLX101", 1)]


def test_selection() -> None:
    report = judged({PYTHON: "bad, worse\n"}, settings=Settings(selection=(Layer(ignore=("no-bad",)),)))
    assert said(report) == [(PYTHON, "RLX102", 1)]


def fingerprints(text: str) -> list[str]:
    return [found.fingerprint for found in judged({PYTHON: text}).standing]


def test_fingerprints_survive_edits_elsewhere_and_tell_equals_apart() -> None:
    one, two = fingerprints("bad\nbad\n")
    assert one != two
    assert fingerprints("import os\n\n\nbad\nx = 1\nbad\n") == [one, two]
    assert fingerprints("if x:\n    bad\n") == [one]
    assert fingerprints("x = bad\n") != [one]


def test_reports_merge_without_repeating_what_both_found() -> None:
    tree = {LAUNCHER: f"{TRAIN} --bad\n", PYTHON: "bad\nunknown_bad\n"}
    whole, again = judged(tree), judged(tree)
    whole.merge(again)
    assert len(whole.diagnostics) == 2
    assert len(whole.not_checked) == 1
    assert whole.launches == 2


# ---------------------------------------------------------------- files that cannot be read


ENGINE = {code: rule for code, rule in load_rules().items() if code == "RLX001"} | RULES


def complaints(tree: dict[str, str | bytes]) -> list[tuple[str, int, int, str]]:
    report = lint(Project.from_files(tree), ENGINE)
    assert report.failures == []
    return [
        (found.path.name, found.line, found.column, found.message)
        for found in report.standing
        if found.code == "RLX001"
    ]


@pytest.mark.parametrize(
    ("path", "data", "place"),
    [
        (PYTHON, b"x = 1\ny = '\0'\n", (2, 6)),
        (PYTHON, b"x = '\xff'\n", (1, 6)),
        (PYTHON, b"\xff\xfex\0", (1, 4)),
        (PYTHON, b"x = " + b"(" * 10_000 + b")" * 10_000, None),
        (PYTHON, b"x = 1" + b"+1" * 50_000, None),
        (LAUNCHER, b"echo \0\n", (1, 6)),
        (LAUNCHER, b"echo a\necho \xe9\n", (2, 6)),
        (LAUNCHER, b"echo $(" * 10_000, None),
        (LAUNCHER, b"if a; then\n" * 10_000, None),
        (LAUNCHER, b"{ " * 10_000 + b"; }" * 10_000, None),
        (LAUNCHER, b"echo ${a:-" * 10_000 + b"}" * 10_000, None),
        (LAUNCHER, b"(" * 10_000, None),
        ("examples/demo/c.yaml", b"a: \xff\n", (1, 4)),
        ("examples/demo/c.yaml", b"a: \0\n", (1, 4)),
        ("examples/demo/c.yaml", b"[" * 10_000, None),
        ("examples/demo/c.yaml", b"a: &a [x]\n" + b"b: [*a, *a, *a]\n" * 3, ()),
        ("examples/demo/c.yaml", b"a: !unknown {b: 1}\n---\nc: 2\n", ()),
    ],
)
def test_bad_input_is_a_finding_and_the_run_goes_on(path: str, data: bytes, place: tuple[int, ...] | None) -> None:
    found = complaints({path: data, "examples/demo/other.py": "bad\n"})
    if place == ():
        assert found == []
    elif place is not None:
        assert [item[1:3] for item in found] == [place]
    assert ("other.py", "RLX101") in [
        (item.path.name, item.code)
        for item in lint(Project.from_files({path: data, "examples/demo/other.py": "bad\n"}), ENGINE).standing
    ]


def test_a_file_that_may_not_be_read_and_a_link_to_nothing(tmp_path: Path) -> None:
    recipe = tmp_path / "examples/demo"
    recipe.mkdir(parents=True)
    (recipe / "gone.py").symlink_to(tmp_path / "nowhere")
    (recipe / "large.sh").write_bytes(b"#" * (9 * 1024 * 1024))
    (recipe / "loop.yaml").symlink_to(recipe / "loop.yaml")
    (recipe / "other.py").write_text("bad\n")
    found = [(item.path.name, item.code, item.message) for item in lint(Project(tmp_path), ENGINE).standing]
    assert found[0] == ("gone.py", "RLX001", "cannot be read: it is not there")
    assert found[1] == ("large.sh", "RLX001", "cannot be read: it has 9 MB; files over 8 MB are not read")
    assert found[2][:2] == ("loop.yaml", "RLX001")
    assert found[3][:2] == ("other.py", "RLX101")


def test_a_sourced_file_that_cannot_be_parsed_is_named_with_the_launcher() -> None:
    tree = {LAUNCHER: f"source scripts/broken.sh\n{TRAIN}\n", "scripts/broken.sh": "A=(\n"}
    report = lint(Project.from_files(tree), ENGINE, targets=[MEMORY_ROOT / LAUNCHER])
    assert [(item.path.name, item.code) for item in report.standing] == [("broken.sh", "RLX001")]


@pytest.mark.parametrize(
    ("line", "because"),
    [
        ('source "$(dirname "$0")/gone.sh"', ['source "$(dirname "$0")/gone.sh"']),
        (". /root/env.sh", [". /root/env.sh"]),
        ("[ -f .env ] && source .env", ["source .env"]),
        ("source ./env/flags.sh", ["source ./env/flags.sh"]),
        ('eval "$(conda shell.bash hook)"', []),
        ("source .venv/bin/activate", []),
        ('[ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"', []),
        ("source ~/.bashrc", []),
        ("source /usr/local/Ascend/ascend-toolkit/set_env.sh", []),
        ("source examples/demo/here.sh", []),
        ('source "${MODEL_CONFIG_DIR}/demo.sh"', []),
        ('source "$(dirname "$0")/../../scripts/entrypoint/local.sh"', []),
    ],
)
def test_a_file_to_source_that_is_not_there_is_told_as_not_checked(line: str, because: list[str]) -> None:
    files = {LAUNCHER: f"set -e\n{line}\n{TRAIN} --lr 1e-6\n", "examples/demo/here.sh": "A=1\n"}
    report = lint(Project.from_files(files), {"RLX001": load_rules()["RLX001"]})
    assert not report.diagnostics
    assert [(each.code, each.line, each.because) for each in report.not_checked] == [
        ("RLX001", 2, each) for each in because
    ]
