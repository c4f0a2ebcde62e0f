"""Fixes: what is applied, what waits, what is dropped, and what is never written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place
from relax_lint.fixing import Fixed, fix
from relax_lint.project import Project
from relax_lint.rules import Rule
from tests.toy_rules import LAUNCHER, PYTHON, by_code, toy, word_rule


def edits_rule(code: str, word: str, *edits: tuple[int, int, str], create: dict[str, str] | None = None) -> Rule:
    """A rule that finds a word once and edits at offsets from it; it may create files too."""

    def check(source: Any, project: Project) -> Iterator[Finding]:
        at = source.text.find(word)
        if at < 0:
            return
        made = [Edit(source.path, at + start, at + end, text) for start, end, text in edits]
        for path, text in (create or {}).items():
            if not project.exists(project.root / path):
                made.append(Edit.new_file(project.root / path, text))
        yield Finding(Place(source, at, at + len(word)), f"{word} is bad", fix=Fix(f"mend {word}", lambda: made))

    return toy(code, f"no-{word}", check)


def fixed(text: str | bytes, *rules: Rule, unsafe: bool = False, path: str = PYTHON) -> tuple[bytes, Fixed]:
    project = Project.from_files({path: text})
    result = fix(project, by_code(*rules), unsafe=unsafe)
    after = result.project.read(project.root / path)
    assert after is not None
    return after, result


def test_all_findings_are_fixed_and_counted() -> None:
    after, result = fixed("bad, bad\nbad\n", word_rule("RLX101", "bad", replacement="good"))
    assert after == b"good, good\ngood\n"
    assert [found.line for found in result.fixed] == [1, 1, 2]
    assert result.report.standing == []
    assert list(result.changes.values()) == [after]


def test_a_finding_that_goes_with_the_fix_of_another_is_counted() -> None:
    longer = edits_rule("RLX101", "bad word", (0, 8, "good deed"))
    others = word_rule("RLX102", "bad", replacement="worse"), word_rule("RLX103", "word")
    after, result = fixed("'bad word'\n", longer, *others)
    assert after == b"'good deed'\n"
    assert [found.code for found in result.fixed] == ["RLX101"]
    assert [found.code for found in result.along] == ["RLX102", "RLX103"]


def test_a_finding_that_moves_or_is_told_in_other_words_has_not_gone_along() -> None:
    def counting(source: Any, project: Project) -> Iterator[Finding]:
        for match in re.finditer("word", source.text):
            yield Finding(Place(source, *match.span()), f"a word in {len(source.text)} letters")

    growing = edits_rule("RLX101", "bad", (0, 3, "\ngood\n"))
    _, result = fixed("(bad, word, word)\n", growing, toy("RLX102", "word", counting))
    assert [found.code for found in result.fixed] == ["RLX101"]
    assert result.along == []


def test_a_finding_that_a_fix_uncovers_is_counted_once() -> None:
    after, result = fixed("x\n", *(word_rule(f"RLX10{n}", "xyz"[n], replacement="xyz"[n + 1]) for n in range(2)))
    assert after == b"z\n"
    assert (len(result.fixed), result.along) == (2, [])


def test_unsafe_fixes_wait_to_be_asked_for() -> None:
    rule = word_rule("RLX101", "bad", replacement="good", safe=False)
    assert fixed("bad\n", rule)[0] == b"bad\n"
    assert fixed("bad\n", rule, unsafe=True)[0] == b"good\n"


def test_what_is_suppressed_stays() -> None:
    rule = word_rule("RLX101", "bad", replacement="good")
    assert fixed("bad  # noqa: RLX101\nbad\n", rule)[0] == b"bad  # noqa: RLX101\ngood\n"


def test_a_fix_that_uncovers_another_is_followed_by_it() -> None:
    rules = [word_rule(f"RLX10{n}", f"step_{n}", replacement=f"step_{n + 1}") for n in range(6)]
    after, result = fixed("step_0\n", *rules)
    assert after == b"step_6\n"
    assert len(result.fixed) == 6


def test_overlapping_edits_take_turns() -> None:
    longer = edits_rule("RLX101", "bad word", (0, 8, "good word"))
    shorter = edits_rule("RLX102", "word", (0, 4, "deed"))
    assert fixed("'bad word'\n", longer, shorter)[0] == b"'good deed'\n"


def test_two_insertions_at_one_place_do_not_meet_in_one_pass() -> None:
    def inserting(code: str, text: str) -> Rule:
        def check(source: Any, project: Project) -> Iterator[Finding]:
            if text not in source.text:
                at = source.text.index("bad")
                mend = Fix("insert", lambda: [Edit(source.path, at, at, text)])
                yield Finding(Place(source, at, at + 3), f"{text} is missing", fix=mend)

        return toy(code, code.lower(), check)

    assert fixed("'bad'\n", inserting("RLX101", "one "), inserting("RLX102", "two "))[0] == b"'one two bad'\n"


def test_neighbours_do_not_overlap() -> None:
    one, two = edits_rule("RLX101", "bad", (0, 3, "a")), edits_rule("RLX102", "worse", (0, 5, "b"))
    after, result = fixed("badworse\n", one, two)
    assert after == b"ab\n"
    assert len(result.fixed) == 2


def test_a_fix_with_several_edits_is_applied_whole_or_waits() -> None:
    both = edits_rule("RLX101", "bad", (0, 3, "good"), (4, 9, "better"))
    other = word_rule("RLX102", "worse", replacement="fine")
    assert fixed("bad worse\n", both, other)[0] == b"good better\n"


def test_files_are_created_once_by_fixes_that_want_the_same() -> None:
    wanted = {"examples/demo/__init__.py": ""}
    one = edits_rule("RLX101", "bad", (0, 3, "ok1"), create=wanted)
    two = edits_rule("RLX102", "worse", (0, 5, "ok2"), create=wanted)
    after, result = fixed("bad, worse\n", one, two)
    assert after == b"ok1, ok2\n"
    assert {path.name: data for path, data in result.changes.items()} == {"__init__.py": b"", "reward_demo.py": after}


@pytest.mark.parametrize(
    ("path", "text", "broken"),
    [(PYTHON, "x = 1\nbad\n", "good("), (LAUNCHER, "echo a\nbad\n", "if good; then")],
)
def test_a_fix_whose_result_does_not_parse_is_dropped_with_a_word(path: str, text: str, broken: str) -> None:
    on = "python" if path == PYTHON else "launcher"
    breaking = word_rule("RLX101", "bad", on=on, replacement=broken)
    fine = word_rule("RLX102", "x" if on == "python" else "a", on=on, replacement="y")
    after, result = fixed(text, breaking, fine, path=path)
    assert b"bad" in after
    assert b"y" in after
    assert [(item.found.code, item.reason) for item in result.dropped] == [("RLX101", "the result would not parse")]
    assert [found.code for found in result.report.standing] == ["RLX101"]


def test_a_file_that_did_not_parse_before_may_be_fixed() -> None:
    rule = word_rule("RLX401", "bad", on="launcher", replacement="good")
    assert fixed("bad\nif x; then\n", rule, path=LAUNCHER)[0] == b"good\nif x; then\n"


THERE = word_rule("RLX101", "bad", replacement="worse")
BACK = word_rule("RLX102", "worse", replacement="bad")
GROWING = edits_rule("RLX101", "bad", (3, 3, "der"))
RECIPE = Project.from_files({}).root / PYTHON.rpartition("/")[0]


@pytest.mark.parametrize(
    ("rules", "codes"),
    [
        ((THERE, BACK), ["RLX101", "RLX102"]),
        ((GROWING,), ["RLX101"]),
        ((GROWING, edits_rule("RLX102", "bad", (0, 0, "very_"))), ["RLX101", "RLX102"]),
        (
            (
                word_rule("RLX101", "bad", replacement="worse"),
                word_rule("RLX103", "worse", replacement="worst"),
                word_rule("RLX104", "worst", replacement="bad"),
            ),
            ["RLX101", "RLX103", "RLX104"],
        ),
    ],
)
def test_fixes_without_rest_are_left_out_and_the_others_made(rules: tuple[Rule, ...], codes: list[str]) -> None:
    other = word_rule("RLX105", "ugly", replacement="fine")
    after, result = fixed("bad, ugly\n", *rules, other)
    assert after == b"bad, fine\n"
    assert result.restless == {RECIPE: codes}
    assert [found.code for found in result.fixed] == ["RLX105"]
    assert [found.code for found in result.report.standing if found.fix is not None] == []


def test_only_the_recipe_in_which_fixes_do_not_come_to_rest_goes_without_them() -> None:
    other = "examples/other/reward_other.py"
    project = Project.from_files({PYTHON: "bad, worse, stepping\n", other: "bad\n"})

    def back(source: Any, project: Project) -> Iterator[Finding | NotChecked]:
        if source.path.parent == RECIPE:
            yield from BACK.check(source, project)

    result = fix(project, by_code(THERE, toy("RLX102", "back", back), word_rule("RLX103", "stepping", replacement="x")))
    assert {path.name: data for path, data in result.changes.items()} == {
        "reward_demo.py": b"bad, worse, x\n",
        "reward_other.py": b"worse\n",
    }
    assert result.restless == {RECIPE: ["RLX101", "RLX102"]}


def test_a_long_way_to_rest_is_no_unrest() -> None:
    rules = [word_rule(f"RLX1{n:02}", f"step_{n:02}", replacement=f"step_{n + 1:02}") for n in range(40)]
    after, result = fixed("step_00\n", *rules)
    assert (after, result.restless) == (b"step_40\n", {})


def test_a_fix_that_changes_nothing_is_left_alone() -> None:
    after, result = fixed("bad\n", word_rule("RLX101", "bad", replacement="bad"))
    assert after == b"bad\n"
    assert result.fixed == []
    assert len(result.report.standing) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"x = 1\r\nbad\r\n", b"x = 1\r\na\r\nb\r\n"),
        (b"\xef\xbb\xbfbad\n", b"\xef\xbb\xbfa\nb\n"),
        (b"# -*- coding: latin-1 -*-\ns = '\xe9', bad\n", b"# -*- coding: latin-1 -*-\ns = '\xe9', a\nb\n"),
        ("s = 'äöü😀', bad\n".encode(), "s = 'äöü😀', a\nb\n".encode()),
        (b"bad", b"a\nb"),
        (b"\x0cbad\n", b"\x0ca\nb\n"),
    ],
)
def test_bytes_around_an_edit_stay(before: bytes, after: bytes) -> None:
    assert fixed(before, word_rule("RLX101", "bad", replacement="a\nb"))[0] == after


def test_text_that_the_files_encoding_does_not_have_is_not_written() -> None:
    before = b"# -*- coding: ascii -*-\nbad\n"
    after, result = fixed(before, word_rule("RLX101", "bad", replacement="g\u00f6\u00f6d"))
    assert after == before
    assert len(result.dropped) == 1
