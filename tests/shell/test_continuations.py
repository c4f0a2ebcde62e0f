"""Breaks of continued commands, and which commands they cut short."""

from __future__ import annotations

from pathlib import Path

from relax_lint.project import Project
from relax_lint.shell.continuations import breaks, cut_at
from relax_lint.shell.queries import is_broken_off
from relax_lint.sources.launcher import LauncherSource
from tests.cases import for_each

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


def test_a_break_in_a_pipeline_gives_no_edit_that_would_feed_the_flags_to_tee() -> None:
    (found,) = breaks(launcher("run --a | tee x\n  --b\n"))
    assert found.edits == ()


def test_the_script_may_be_long(tmp_path: Path) -> None:
    text = "run --a\n" * 3000
    assert breaks(launcher(text)) == ()
