"""Every rule's examples are its tests: enumerated from disk, run as users run the rule."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import relax_lint.rules
from relax_lint.config import Settings
from relax_lint.diagnostics import Diagnostic
from relax_lint.engine import lint
from relax_lint.fixing import Fixed, fix
from relax_lint.flake8_plugin import WITHOUT_PYTHON, family_of
from relax_lint.migrate import in_place
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.rules import Example, Rule, import_rules
from relax_lint.selection import Layer
from tools.rule_examples import main_file, tree_of

RULES = import_rules()
RULE_FILES = sorted(
    path
    for path in Path(relax_lint.rules.__file__).parent.glob("*/*.py")
    if path.name != "__init__.py" and "@rule(" in path.read_text(encoding="utf-8")
)
SECTIONS = ("What", "Why", "Source", "Fix")

MAY_BEGIN_WITH_MARK = (".py", ".yaml")
"""What is still understood behind a byte-order mark."""


def expected_findings(rule: Rule, example: Example) -> list[tuple[Any, ...]]:
    expected = []
    for finding in example.findings:
        path, *position = finding if isinstance(finding[0], str) else (main_file(rule, example), *finding)
        line, column, severity = position if len(position) == 3 else (*position, rule.severity)
        expected.append((path, line, column, severity))
    return sorted(expected, key=repr)


def expected_tree(rule: Rule, example: Example) -> dict[str, str]:
    assert example.fixed is not None
    changed = example.fixed if isinstance(example.fixed, Mapping) else {main_file(rule, example): example.fixed}
    return {**tree_of(rule, example), **changed}


def settings_for(rule: Rule, example: Example) -> Settings:
    """Rules are run alone. The engine's speak of what others found, so those that the example names run too."""
    named = [rule.code]
    if rule.on == "engine":
        text = " ".join(tree_of(rule, example).values())
        named += [other.code for other in RULES.values() if re.search(rf"{other.code}|{other.name}|RLX\d\b", text)]
    return Settings(selection=(Layer(select=tuple(named)),))


def of_rule(rule: Rule, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return [found for found in diagnostics if found.code == rule.code and found.suppressed is None]


def fixed(project: Project, settings: Settings, *, unsafe: bool) -> Fixed:
    """What ``--fix`` does: single edits, and what it does behind them in launchers of Relax."""

    def single_edits(state: Project) -> Fixed:
        return fix(state, RULES, settings, unsafe=unsafe)

    result = single_edits(project)
    if not in_place.concerns(result):
        return result
    return in_place.finished(project, result, single_edits, str, lambda _: None, unsafe=unsafe, on_disk=False).fixed


def found_in(rule: Rule, example: Example) -> list[Diagnostic]:
    changed = [MEMORY_ROOT / path for path in example.changed]
    report = lint(Project.from_files(tree_of(rule, example)), RULES, settings_for(rule, example), changed=changed)
    assert not report.failures
    return of_rule(rule, report.diagnostics)


EACH_RULE = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
"""Not each of the four thousand examples: what pytest does around a test takes longer than most of them."""


def wrong_with(rule: Rule, kind: str, check: Callable[[Rule, Example], None]) -> dict[str, str]:
    """The examples of a kind for which a check fails, by their numbers, and how."""
    wrong = {}
    for number, example in enumerate(getattr(rule, kind), start=1):
        try:
            check(rule, example if isinstance(example, Example) else Example(example))
        except AssertionError as failure:
            wrong[f"{kind} {number}"] = str(failure)
    return wrong


@EACH_RULE
def test_valid_examples_give_no_finding(rule: Rule) -> None:
    assert wrong_with(rule, "valid", gives_no_finding) == {}


@EACH_RULE
def test_invalid_examples_give_exactly_their_findings(rule: Rule) -> None:
    assert wrong_with(rule, "invalid", gives_its_findings) == {}


@EACH_RULE
def test_fix_gives_the_fixed_trees_and_nothing_else(rule: Rule) -> None:
    assert wrong_with(rule, "invalid", is_fixed_as_shown) == {}


def gives_no_finding(rule: Rule, example: Example) -> None:
    found = found_in(rule, example)
    assert [(item.path.name, item.line, item.column, item.message) for item in found] == []


def gives_its_findings(rule: Rule, example: Example) -> None:
    assert example.findings, "an invalid example says what is found in it"
    found = [
        (item.path.relative_to(MEMORY_ROOT).as_posix(), item.line, item.column, item.severity)
        for item in found_in(rule, example)
    ]
    assert sorted(found, key=repr) == expected_findings(rule, example)
    if family_of(rule) in WITHOUT_PYTHON and rule.on != "engine":
        assert not [path for path, *_ in found if path.endswith(".py")], "flake8 would not show it"


def is_fixed_as_shown(rule: Rule, example: Example) -> None:
    project = Project.from_files(tree_of(rule, example))
    settings = settings_for(rule, example)
    result = fixed(project, settings, unsafe=example.unsafe)
    assert [item.reason for item in result.dropped] == []
    after = {path: data.decode("utf-8", "surrogateescape") for path, data in contents(result.project).items()}
    if example.fixed is None:
        assert not result.changes, "the fix does something that the example does not show"
        return
    assert after == expected_tree(rule, example)
    # What had a fix is gone, with --unsafe-fixes if the example says so.
    left = of_rule(rule, result.report.diagnostics)
    assert [item.message for item in left if item.fix and (item.fix.safe or example.unsafe)] == []
    assert not fixed(result.project, settings, unsafe=example.unsafe).changes, "a second fix changes something"
    for path, text in after.items():
        if path.endswith(".py"):
            ast.parse(text)
    assert_untouched_outside_of_edits(rule, project, settings, example)


def contents(project: Project) -> dict[str, bytes]:
    return {
        path.relative_to(project.root).as_posix(): data
        for path, data in project.files.overlay.items()
        if data is not None
    }


def assert_untouched_outside_of_edits(rule: Rule, project: Project, settings: Settings, example: Example) -> None:
    """The same fix with other bytes around: CRLF line ends and a byte-order mark survive it."""
    for prefix, newline in (("", "\r\n"), ("\ufeff", "\n")):
        if any(newline == "\r\n" and path.endswith((".sh", ".bash")) for path in contents(project)):
            continue  # to bash a carriage return is a character like any other
        dress = {
            path: (prefix if path.endswith(MAY_BEGIN_WITH_MARK) else "") + data.decode().replace("\n", newline)
            for path, data in contents(project).items()
        }
        result = fixed(Project.from_files(dress), settings, unsafe=example.unsafe)
        after = {path: data.decode().removeprefix("\ufeff") for path, data in contents(result.project).items()}
        plain = {path: text.replace("\r\n", "\n") for path, text in after.items()}
        assert plain == expected_tree(rule, example)
        for path, data in contents(result.project).items():
            if dress.get(path):
                assert data.decode().startswith(prefix if path.endswith(MAY_BEGIN_WITH_MARK) else "")
                assert not re.search(r"(?<!\r)\n", data.decode()) or newline == "\n"


@EACH_RULE
def test_rule_has_ten_examples_of_each_kind(rule: Rule) -> None:
    assert len(rule.valid) >= 10
    assert len(rule.invalid) >= 10


@EACH_RULE
def test_examples_differ(rule: Rule) -> None:
    texts = [
        repr((example.files, example.changed) if isinstance(example, Example) else example)
        for example in (*rule.valid, *rule.invalid)
    ]
    assert len(set(texts)) == len(texts)


@EACH_RULE
def test_manual_page_is_complete(rule: Rule) -> None:
    title, *rest = rule.doc.strip().splitlines()
    assert title.strip()
    headings = [line.removeprefix("## ").strip() for line in rest if line.startswith("## ")]
    assert [section for section in SECTIONS if section not in headings] == []


@EACH_RULE
def test_declared_fix_is_the_observed_one(rule: Rule) -> None:
    """A rule that says that it can fix shows it, and one that shows a fix says it."""
    shown = {"unsafe" if example.unsafe else "safe" for example in rule.invalid if example.fixed is not None}
    declared = {rule.fixable} & {"safe", "unsafe"}
    assert declared <= shown
    assert bool(shown) <= bool(rule.fixable)


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.only_python], ids=lambda rule: rule.name)
def test_what_speaks_of_python_only_does(rule: Rule) -> None:
    for example in (*rule.valid, *rule.invalid):
        tree = tree_of(rule, example if isinstance(example, Example) else Example(example))
        report = lint(Project.from_files(tree), {rule.code: rule})
        assert {found.path.suffix for found in report.diagnostics} <= {".py"}
        assert {silence.path.suffix for silence in report.not_checked} <= {".py"}


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.on in ("python", "recipe", "reward")])
def test_a_python_file_alone_is_judged_as_in_its_tree(code: str) -> None:
    rule = RULES[code]
    for example in (*rule.valid, *rule.invalid):
        example = Example(example) if isinstance(example, str) else example
        tree, settings = tree_of(rule, example), settings_for(rule, example)
        everything = lint(Project.from_files(tree, settings), RULES, settings).diagnostics
        for path in (MEMORY_ROOT / name for name in tree if name.endswith(".py")):
            alone = lint(Project.from_files(tree, settings), RULES, settings, [path]).diagnostics
            told = [(found.code, found.start, found.end, found.message) for found in alone]
            assert told == [
                (found.code, found.start, found.end, found.message) for found in everything if found.path == path
            ], tree


def test_every_rule_file_holds_one_rule() -> None:
    checks = [Path(rule.check.__code__.co_filename) for rule in RULES.values()]
    assert sorted(checks) == RULE_FILES
