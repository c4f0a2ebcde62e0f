"""Launches that a script makes again and again, or does not wait for."""

from __future__ import annotations

import pytest

from relax_lint.project import Project
from relax_lint.shell.launch import Default, Launch
from tests.cases import for_each

TRAIN = "python3 -m verl.trainer.main_ppo"


def launches(script: str) -> list[Launch]:
    project = Project.from_files({"run.sh": f"{script}\n"})
    launcher = project.launcher(project.root / "run.sh")
    assert launcher is not None
    return launcher.launches


@for_each(
    "loop",
    [
        'mapfile -t X < x\nfor x in "${X[@]}"; do CALL $x; done',
        "for x in $(cat x); do CALL $x; done",
        "for x in *.yaml; do CALL $x; done",
        "while read -r x; do CALL $x; done < x",
        "until [ -e done ]; do CALL; done",
        "select x in a b; do CALL $x; done",
    ],
)
@for_each("called", [TRAIN, "run"])
def test_a_loop_that_nobody_can_count_is_known_with_its_place(loop: str, called: str) -> None:
    (launch,) = {
        launch.site: launch for launch in launches(f'run() {{ {TRAIN} "$@"; }}\n{loop.replace("CALL", called)}')
    }.values()
    assert launch.loop is not None
    text = launch.loop.source.text[launch.loop.start : launch.loop.end]
    assert text.startswith(("for", "while", "until", "select"))


@pytest.mark.parametrize("loop", ["for x in 1 2; do CALL; done", "for ((x = 0; x < 2; x++)); do CALL; done"])
def test_rounds_that_launch_the_same_are_known(loop: str) -> None:
    (launch,) = launches(loop.replace("CALL", f"{TRAIN} a.b=1"))
    assert launch.again is not None
    assert launch.loop is None
    assert all(each.again is None for each in launches(loop.replace("CALL", f"{TRAIN} a.b=$x")))


def test_a_choice_in_a_round_is_no_other_round() -> None:
    script = f'for x in 1; do\nif [ -n "$A" ]; then B=1; else B=2; fi\n{TRAIN} a.b=1\ndone'
    assert [launch.again for launch in launches(script)] == [None]


def test_what_runs_in_the_background_is_known() -> None:
    script = f'run() {{ {TRAIN} "$@"; }}\n{TRAIN} a.b=1 &\nrun a.b=2 &\n( {TRAIN} a.b=3 ) &\nrun a.b=4\nwait'
    assert [launch.background for launch in launches(script)] == [True, True, True, False]


def test_where_a_default_stands_in_a_word_is_known() -> None:
    (launch,) = launches(f"LR=${{LR:-1e-6}}\nS=$(echo $LR | tr - _)\n{TRAIN} a.b=x${{LR}}y${{1:-z}} c.d=$S")
    first, second = launch.argv[-2:]
    assert first.text == "a.b=x1e-6yz"
    assert first.spans == (Default(5, 9, "LR", ("LR",)), Default(10, 11, "1", ("1",)))
    assert second.spans == (Default(4, 8, None, ("LR",)),)
