"""Edits of a flag and the word behind it, and where none is made."""

from __future__ import annotations

import pytest

from relax_lint.diagnostics import Edit
from relax_lint.fixers.flag_words import drop_inline_value, drop_word_behind, in_single_quotes, join_value
from relax_lint.fixers.launcher_edits import rename_flag
from relax_lint.project import Project
from relax_lint.shell.launch import Launch
from tests.constraints.launches import SCRIPT

TRAIN = "python3 relax/entrypoints/train.py"


def launch_in(text: str) -> Launch:
    project = Project.from_files({SCRIPT: text})
    source = project.launcher(project.root / SCRIPT)
    assert source is not None
    return source.launches[0]


def after(text: str, edit: Edit | None) -> str | None:
    return None if edit is None else text[: edit.start] + edit.text + text[edit.end :]


@pytest.mark.parametrize(
    ("written", "renamed"),
    [
        ("--old 3", "--new 3"),
        ("--old=3", "--new=3"),
        ("'--old' 3", "'--new' 3"),
        ('"--old=$X"', '"--new=$X"'),
        ("--older 3", None),
        ('--"old" 3', None),
    ],
)
def test_a_flag_is_renamed_where_it_is_written_out(written: str, renamed: str | None) -> None:
    text = f"OLD=--old\n{TRAIN} {written}\n"
    launch = launch_in(text)
    expected = None if renamed is None else f"OLD=--old\n{TRAIN} {renamed}\n"
    assert after(text, rename_flag(launch.argv[launch.entry + 1], "--old", "--new")) == expected


def test_words_that_stand_together() -> None:
    text = f'ARGS=(\n    --lr   -1e-6\n)\n{TRAIN} "${{ARGS[@]}}"\n'
    _, _, flag, value = launch_in(text).argv
    assert after(text, join_value(flag, value)) == text.replace("   -1e-6", "=-1e-6")
    assert after(text, drop_word_behind(flag, value)) == text.replace("   -1e-6", "")


def test_words_that_do_not_stand_together_are_left() -> None:
    for text in (
        f'A=(--lr)\nB=(-1e-6)\n{TRAIN} "${{A[@]}}" "${{B[@]}}"\n',
        f'A=(-1e-6)\nB=(--lr)\n{TRAIN} "${{B[@]}}" "${{A[@]}}"\n',
        f'ARGS=(\n    --lr  # why\n    -1e-6\n)\n{TRAIN} "${{ARGS[@]}}"\n',
    ):
        _, _, flag, value = launch_in(text).argv
        assert join_value(flag, value) is None
        assert drop_word_behind(flag, value) is None


@pytest.mark.parametrize(
    ("written", "quoted"),
    [("[a, b]", "'[a, b]'"), ("[a, $B]", None), ("[a, 'b']", None), ("[a, \\b]", None)],
)
def test_what_bash_does_not_touch_is_quoted(written: str, quoted: str | None) -> None:
    text = f"{TRAIN} --prompt-data {written} --colocate\n"
    flag, first, last, _ = launch_in(text).argv[2:]
    expected = None if quoted is None else text.replace(written, quoted)
    assert after(text, in_single_quotes(flag, first, last)) == expected


def test_a_value_behind_an_equals_sign_is_dropped() -> None:
    text = f'{TRAIN} --colocate=true --use-tis="true"\n'
    colocate, tis = launch_in(text).argv[2:]
    assert after(text, drop_inline_value(colocate)) == f'{TRAIN} --colocate --use-tis="true"\n'
    assert drop_inline_value(tis) is None
