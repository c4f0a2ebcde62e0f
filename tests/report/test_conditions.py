"""Conditions as reports word them."""

from __future__ import annotations

import json
import pickle

import pytest

from relax_lint.project import Project
from relax_lint.report import Shown, conditions, show_json, show_text
from relax_lint.shell.needs import Either

A, B, C = '[ "$1" = a ]', '[ "$2" = b ]', '! [ -n "$3" ]'
CHOICE = Either.of(((A, B), (C,)))
LONG = Either.of(tuple((f'[ "$NAME" = "{number:040}" ]', C) for number in range(4)))


def test_and_in_or_is_bracketed() -> None:
    assert conditions.whole(CHOICE) == conditions.short(CHOICE) == f"({A} and {B}) or {C}"
    assert conditions.whole(pickle.loads(pickle.dumps(CHOICE))) == f"({A} and {B}) or {C}"
    assert conditions.whole(A) == A


def test_or_in_and_is_bracketed() -> None:
    few = Either.of((("a", "b"), ("c",)))
    assert conditions.joined((A, few)) == f"{A} and ((a and b) or c)"
    assert conditions.joined((CHOICE,)) == f"({A} and {B}) or {C}"
    assert conditions.joined((A, B)) == f"{A} and {B}"


@pytest.mark.parametrize("condition", [LONG, Either.of(((f"[ {'x' * 200} ]", A), (B,))), f"[ {'x' * 300} ]"])
def test_what_is_long_ends_in_an_ellipsis_for_people_only(condition: str) -> None:
    short = conditions.short(condition)
    assert short.endswith("…")
    assert len(short) <= conditions.WIDEST
    assert len(conditions.whole(condition)) > 200


def test_several_long_conditions_stay_short() -> None:
    assert len(conditions.joined((LONG, LONG, f"[ {'x' * 300} ]"))) < 200


def test_alternatives_are_left_out_whole() -> None:
    assert conditions.short(LONG) == f'([ "$NAME" = "{0:040}" ] and {C}) or …'


def test_a_condition_of_several_lines_is_one_line_for_people() -> None:
    assert conditions.short("[[ $A = a &&\n    $B = b ]]") == "[[ $A = a && $B = b ]]"


def test_show_brackets_and_shortens_in_text_and_keeps_all_in_json() -> None:
    steps = "".join(
        f'if [ "${name}" = {name * 30} ]; then X=1; elif [ "${name}" = {name * 40} ]; then X=2; fi\n' for name in "ab"
    )
    script = f'{steps}if [ "$X" = 1 ]; then python3 relax/entrypoints/train.py --lr 1; fi\n'
    project = Project.from_files({"examples/demo/run.sh": script})
    launcher = project.launcher(project.root / "examples/demo/run.sh")
    assert launcher is not None
    shown = [Shown(launcher.path, launcher.launches, project)]
    text = show_text.render(shown)
    assert "  when      " in text
    assert "…" in text.split("command")[0]
    [one] = json.loads(show_json.render(shown))["scripts"]
    told = [condition for launch in one["launches"] for condition in launch["conditions"]]
    assert any(" and " in condition and " or (" in condition for condition in told)
    assert not any("…" in condition for condition in told)
