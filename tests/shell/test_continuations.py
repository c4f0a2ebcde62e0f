"""Breaks of continued commands, and which commands they cut short."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from relax_lint.project import Project
from relax_lint.shell.continuations import breaks, cut_at
from relax_lint.shell.queries import is_broken_off
from relax_lint.sources.launcher import LauncherSource
from tests.cases import for_each
from tests.shell.real_bash import outputs

SCRIPT = "examples/demo/run_demo.sh"


def launcher(text: str) -> LauncherSource:
    project = Project.from_files({SCRIPT: text})
    source = project.launcher(project.root / SCRIPT)
    assert source is not None
    return source


@for_each(
    ("text", "kinds"),
    [
        ("run \\\n  --a\n", []),
        ("run \\ \n  --a\n", ["blanks"]),
        ("run \\ \n  # c\n  --a\n", ["blanks"]),
        ("run --a \\ \n\n  $B\n", ["blanks"]),
        ("run --a \\ \n  # c\n  --b \\\n  # d\n  --e\n", ["blanks", "comment"]),
        ("run --a \\ \n  # c\n\nwait\n", []),
        ("run \\\n  # c\n  --a\n", ["comment"]),
        ("run \\\n\n  --a\n", ["blank line"]),
        ("run\n  --a\n", ["no backslash"]),
        ("run --a # c \\\n  --b\n", ["swallowed"]),
        ("run --a # c\n  --b\n", ["no backslash"]),
        ("# run \\\n  --a\n", ["headless"]),
        ("f() {\n  --a\n}\n", ["headless"]),
        ("run --a | tee x\n  --b\n", ["no backslash"]),
        ("run \\\n  # c\n  --a \\\n\n  --b\n", ["comment", "blank line"]),
        ('run \\\n  # c\n  "$@"\n', ["comment"]),
        ("run --a \\\n\nrm -rf b\n", []),
        ("if x; then\n  run --a \\\n\n  rm -rf b\nfi\n", []),
        ("python3 -m verl.trainer.main_ppo a.b=1 \\\n  # c\n  +c.d=2\n", ["comment"]),
        ("python3 -m verl.trainer.main_ppo a.b=1\n  c.d=2\n", ["no backslash"]),
        ("run --a \\\n", []),
        ("case $1 in\n  -h) echo help ;;\nesac\n", []),
        ("[ -n x ] && run\n-1\n", []),
        ("A=(x) \\\n--a\n", []),
    ],
)
def test_breaks_are_told_apart(text: str, kinds: list[str]) -> None:
    assert [item.kind for item in breaks(launcher(text))] == kinds


def test_only_the_command_that_is_cut_counts_as_cut() -> None:
    text = "first --a\nsecond \\\n  # c\n  --b\nthird --d\n"
    source = launcher(text)
    assert cut_at(source, text.index("first")) is None
    assert cut_at(source, text.index("second")) is not None
    assert cut_at(source, text.index("third")) is None


def test_a_launch_that_is_cut_is_known_to_be() -> None:
    train = "python3 relax/entrypoints/train.py"
    whole, cut = launcher(f"{train} --a 1\n{train} --b\n  --c 2\n").launches
    assert not is_broken_off(whole)
    assert is_broken_off(cut)


@for_each("broken", ["\n", " \\ \n", " \\ \n  # c\n", " \\\n  # c\n", " \\ \n\n", " \\\t\n"])
def test_a_break_in_a_pipeline_gives_no_edit_that_would_feed_the_flags_to_tee(broken: str) -> None:
    text = f"run --a 2>&1 | tee x{broken}  --b\n"
    (found,) = breaks(launcher(text))
    assert found.edits == ()
    assert breaks(launcher(mended(text.replace("--b", "2> err")))) == ()


JOINED = ["python3", "relax/entrypoints/train.py", "--a", "1", "--b", "2"]
LOST = (*product(("\\ ", "\\\t", "\\  \t "), ("", "  # why\n", "\n", "  # why\n\n  # more \\\n", "  # --c 3 \\ \n")),)


@for_each(
    ("blanks", "between", "rest"),
    [
        (*lost, rest)
        for lost in LOST
        for rest in ("--b 2", '"--b" 2', '"${B_ARGS[@]}"', "--b 2 2>&1 | cat", "--b 2 &\nwait")
    ],
)
def test_what_a_quoted_blank_cuts_off_is_joined_again(blanks: str, between: str, rest: str) -> None:
    text = f"B_ARGS=(--b 2)\npython3 relax/entrypoints/train.py \\\n  --a 1 {blanks}\n{between}  {rest}\n"
    assert passed(text) == [*JOINED[:4], " " if blanks[1] == " " else "\t"]
    assert [item.kind for item in breaks(launcher(text))] == ["blanks"]
    assert passed(mended(text)) == JOINED
    assert breaks(launcher(mended(text))) == ()


@for_each("rest", ["2>&1 | cat", "> /dev/stdout", "| cat", "'--b' 2", "&& true"])
def test_what_goes_on_below_a_comment_is_joined_again(rest: str) -> None:
    text = f"python3 relax/entrypoints/train.py \\\n  --a 1 \\ \n  # why\n  {rest}\n"
    assert [item.kind for item in breaks(launcher(text))] == ["blanks"]
    assert passed(mended(text)) == JOINED[: 6 if "--b" in rest else 4]


def mended(text: str) -> str:
    edits = [edit for item in breaks(launcher(text)) for edit in item.edits]
    for edit in sorted(edits, key=lambda one: (one.start, one.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def passed(text: str) -> list[str]:
    """What bash starts the training with."""
    prologue = "python3() { printf '%s\\0' python3 \"$@\"; }"
    (printed,) = outputs([text], prologue=prologue)
    return printed.split("\0")[:-1]


def test_the_script_may_be_long(tmp_path: Path) -> None:
    text = "run --a\n" * 3000
    assert breaks(launcher(text)) == ()
