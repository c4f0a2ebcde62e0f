"""Edits of flags, in every way that launchers spell them. Each result is what a user would have typed."""

from __future__ import annotations

import pytest

from relax_lint.diagnostics import Edit
from relax_lint.fixers.launcher_edits import (
    append_to_array,
    append_to_command,
    holder,
    insert_after,
    lines_before,
    remove,
    replace_value,
)
from relax_lint.fixing import apply_edits
from relax_lint.project import Project
from relax_lint.shell.launch import Launch
from relax_lint.shell.nodes import ArrayLiteral
from relax_lint.sources.launcher import LauncherSource
from tests.cases import for_each

SCRIPT = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py"


def launcher(text: str) -> LauncherSource:
    project = Project.from_files({SCRIPT: text})
    source = project.launcher(project.root / SCRIPT)
    assert source is not None
    return source


def launch_of(text: str) -> tuple[LauncherSource, Launch]:
    source = launcher(text)
    return source, source.launches[0]


def edited(source: LauncherSource, edit: Edit | None) -> str:
    assert edit is not None
    return apply_edits(source, [edit]).decode()


REMOVED = {
    f"{TRAIN} --a 1 --flag x --b 2\n": f"{TRAIN} --a 1 --b 2\n",
    f"{TRAIN} --flag=x --b 2\n": f"{TRAIN} --b 2\n",
    f"{TRAIN} --a 1 --flag x\n": f"{TRAIN} --a 1\n",
    f"{TRAIN} \\\n    --flag x \\\n    --b 2\n": f"{TRAIN} \\\n    --b 2\n",
    f"{TRAIN} \\\n    --flag \\\n        x \\\n    --b 2\n": f"{TRAIN} \\\n    --b 2\n",
    f"{TRAIN} \\\n    --a 1 \\\n    --flag x\n": f"{TRAIN} \\\n    --a 1\n",
    f"{TRAIN} \\\n    --a 1 \\\n    --flag x\necho done\n": f"{TRAIN} \\\n    --a 1\necho done\n",
    f"{TRAIN} \\\n    --a 1 \\\n    --flag x 2>&1 | tee l\n": f"{TRAIN} \\\n    --a 1 \\\n    2>&1 | tee l\n",
    f"{TRAIN} \\\n    --flag x --b 2 \\\n    --c 3\n": f"{TRAIN} \\\n    --b 2 \\\n    --c 3\n",
    f'{TRAIN} --flag "x y" y --b 2\n': f"{TRAIN} --b 2\n",
    f'A=(\n    --a 1\n    --flag x  # why\n    --b 2\n)\n{TRAIN} "${{A[@]}}"\n': (
        f'A=(\n    --a 1\n    --b 2\n)\n{TRAIN} "${{A[@]}}"\n'
    ),
    f'A=(\n    --flag\n    x\n)\n{TRAIN} "${{A[@]}}"\n': f'A=(\n)\n{TRAIN} "${{A[@]}}"\n',
    f'A=(--a 1 --flag x --b 2)\n{TRAIN} "${{A[@]}}"\n': f'A=(--a 1 --b 2)\n{TRAIN} "${{A[@]}}"\n',
    f'A=(--flag x --b 2)\n{TRAIN} "${{A[@]}}"\n': f'A=(--b 2)\n{TRAIN} "${{A[@]}}"\n',
    f'A=(--flag x)\n{TRAIN} "${{A[@]}}"\n': f'A=()\n{TRAIN} "${{A[@]}}"\n',
    f'A=(--a 1\n   --flag x)\n{TRAIN} "${{A[@]}}"\n': f'A=(--a 1\n   )\n{TRAIN} "${{A[@]}}"\n',
    f'A+=(\n\t--flag=x\n\t--b 2\n)\n{TRAIN} "${{A[@]}}"\n': f'A+=(\n\t--b 2\n)\n{TRAIN} "${{A[@]}}"\n',
}


@for_each(("before", "after"), REMOVED.items())
def test_a_flag_goes_with_its_values_and_its_line(before: str, after: str) -> None:
    source, launch = launch_of(before)
    argument = launch.last("--flag")
    assert argument is not None
    assert edited(source, remove(argument)) == after


@pytest.mark.parametrize(
    "text",
    [
        f'X="--a 1 --flag x"\n{TRAIN} $X\n',  # a piece of a string
        f"{TRAIN} $(echo --flag)\n",
        f'{TRAIN} "$(echo --flag=x)"\n',
        f"f() {{ echo --a 1 --flag x; }}\n{TRAIN} $(f)\n",
        f'A=($(cat <<EOF\n--flag x\n--a 1\nEOF\n))\n{TRAIN} "${{A[@]}}"\n',
        f"{TRAIN} ${{F:---flag x}}\n",
        f"F=${{F:---flag}}\n{TRAIN} $F\n",
        f"{TRAIN} --{{flag,a}}\n",
        f'V=(x)\n{TRAIN} --flag "${{V[@]}}"\n',  # the value is written elsewhere
        f'A=(\n    --flag\n    # the value\n    x\n)\n{TRAIN} "${{A[@]}}"\n',
    ],
)
def test_what_is_not_written_in_one_piece_is_left_alone(text: str) -> None:
    _, launch = launch_of(text)
    argument = launch.last("--flag")
    assert argument is not None
    assert remove(argument) is None


INSERTED = {
    f"{TRAIN} --flag x --b 2\n": f"{TRAIN} --flag x --new --more 3 --b 2\n",
    f"{TRAIN} --b 2 --flag=x\n": f"{TRAIN} --b 2 --flag=x --new --more 3\n",
    f"{TRAIN} \\\n  --flag x \\\n  --b 2\n": f"{TRAIN} \\\n  --flag x \\\n  --new \\\n  --more 3 \\\n  --b 2\n",
    f"{TRAIN} \\\n    --b 2 \\\n    --flag x\n": f"{TRAIN} \\\n    --b 2 \\\n    --flag x \\\n    "
    f"--new \\\n    --more 3\n",
    f"{TRAIN} \\\n    --flag x 2>&1 | tee l\n": f"{TRAIN} \\\n    --flag x --new --more 3 2>&1 | tee l\n",
    f'A=(\n    --flag x   # why\n    --b 2\n)\n{TRAIN} "${{A[@]}}"\n': (
        f'A=(\n    --flag x   # why\n    --new\n    --more 3\n    --b 2\n)\n{TRAIN} "${{A[@]}}"\n'
    ),
    f'A=(\n\t--flag\n\tx\n)\n{TRAIN} "${{A[@]}}"\n': f"A=(\n\t--flag\n\tx\n\t--new\n\t--more 3\n)\n"
    f'{TRAIN} "${{A[@]}}"\n',
    f'A=(--flag x --b 2)\n{TRAIN} "${{A[@]}}"\n': f'A=(--flag x --new --more 3 --b 2)\n{TRAIN} "${{A[@]}}"\n',
}


@pytest.mark.parametrize(("before", "after"), INSERTED.items())
def test_flags_are_written_behind_another_as_that_one_is(before: str, after: str) -> None:
    source, launch = launch_of(before)
    argument = launch.last("--flag")
    assert argument is not None
    assert edited(source, insert_after(argument, ["--new", "--more 3"])) == after


ARRAYS = {
    "A=(\n    --a 1\n)\n": "A=(\n    --a 1\n    --new\n    --more 3\n)\n",
    "A=(\n   --a 1\n   # --b 2\n)\n": "A=(\n   --a 1\n   # --b 2\n   --new\n   --more 3\n)\n",
    "  A=(\n  )\n": "  A=(\n      --new\n      --more 3\n  )\n",
    "A=(--a 1)\n": "A=(--a 1 --new --more 3)\n",
    "A=()\n": "A=(--new --more 3)\n",
    "A=( --a 1 )\n": "A=( --a 1 --new --more 3)\n",
    "A=(--a 1\n   --b 2)\n": "A=(--a 1\n   --b 2 --new --more 3)\n",
    "declare -a A=(\n\t--a\n)\n": "declare -a A=(\n\t--a\n\t--new\n\t--more 3\n)\n",
}


@pytest.mark.parametrize(("before", "after"), ARRAYS.items())
def test_flags_are_written_at_the_end_of_an_array(before: str, after: str) -> None:
    source = launcher(before)
    from relax_lint.shell.walk import array_literals, commands_of

    (array,) = [array for command in commands_of(source) for _, array in array_literals(command)]
    assert edited(source, append_to_array(source, array, ["--new", "--more 3"])) == after


@pytest.mark.parametrize(
    "passed", ['"${A[@]}" "${A[@]}x"', '"${A[@]}"$X', '"${A[@]}" x"${A[*]}"', '"${A[@]}${B[@]}"', "$A", "${A[0]}"]
)
def test_nothing_is_written_into_an_array_that_is_passed_in_part_or_as_part_of_a_word(passed: str) -> None:
    source, launch = launch_of(f"A=(--flag x)\nB=(--b)\n{TRAIN} {passed}\n")
    argument = launch.last("--flag")
    assert argument is not None
    assert argument.word.place is not None
    array = holder(argument.word.place)
    assert isinstance(array, ArrayLiteral)
    assert append_to_array(source, array, ["--new"]) is None
    assert insert_after(argument, ["--new"]) is None


COMMANDS = {
    f"{TRAIN} --a 1\n": f"{TRAIN} --a 1 --new --more 3\n",
    f"{TRAIN} \\\n    --a 1 \\\n    --b\n": f"{TRAIN} \\\n    --a 1 \\\n    --b \\\n    --new \\\n    --more 3\n",
    f"{TRAIN} \\\n  --a \\\n  > l 2>&1 &\n": f"{TRAIN} \\\n  --a \\\n  --new \\\n  --more 3 \\\n  > l 2>&1 &\n",
    f"{TRAIN} --a | tee l\n": f"{TRAIN} --a --new --more 3 | tee l\n",
    f"    {TRAIN}\n": f"    {TRAIN} --new --more 3\n",
}


@pytest.mark.parametrize(("before", "after"), COMMANDS.items())
def test_flags_are_written_at_the_end_of_a_command(before: str, after: str) -> None:
    source, launch = launch_of(before)
    assert launch.command is not None
    assert edited(source, append_to_command(source, launch.command, ["--new", "--more 3"])) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{TRAIN} --flag 1 --b 2\n", f"{TRAIN} --flag 7 --b 2\n"),
        (f"{TRAIN} --flag=1\n", f"{TRAIN} --flag=7\n"),
        (f'{TRAIN} --flag "1"\n', f"{TRAIN} --flag 7\n"),
        (f"A=(\n  --flag 1  # x\n)\n{TRAIN} ${{A[@]}}\n", f"A=(\n  --flag 7  # x\n)\n{TRAIN} ${{A[@]}}\n"),
    ],
)
def test_a_written_value_is_replaced(before: str, after: str) -> None:
    source, launch = launch_of(before)
    argument = launch.last("--flag")
    assert argument is not None
    assert edited(source, replace_value(argument, "7")) == after


@pytest.mark.parametrize("value", ["${N:-1}", "$((2 - 1))", '"$ONE"'])
def test_a_computed_value_is_not_replaced(value: str) -> None:
    _, launch = launch_of(f"ONE=1\n{TRAIN} --flag {value}\n")
    argument = launch.last("--flag")
    assert argument is not None
    assert argument.value == "1"
    assert replace_value(argument, "7") is None


def test_a_word_is_held_by_its_array_before_its_command() -> None:
    _, launch = launch_of(f'A=(--a 1)\n{TRAIN} "${{A[@]}}" --b\n')
    inside, direct = launch.last("--a"), launch.last("--b")
    assert inside is not None
    assert inside.word.place is not None
    assert isinstance(holder(inside.word.place), ArrayLiteral)
    assert direct is not None
    assert direct.word.place is not None
    assert holder(direct.word.place) is launch.command


def test_lines_go_above_a_line_as_far_indented() -> None:
    source = launcher("if true; then\n    run\nfi\n")
    assert edited(source, lines_before(source, 18, ["set -e", "mkdir -p a"])) == (
        "if true; then\n    set -e\n    mkdir -p a\n    run\nfi\n"
    )
