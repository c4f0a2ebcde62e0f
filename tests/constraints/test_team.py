"""What teams ask for in the configuration, as users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lint.cli import main

RUN = "examples/demo/run_demo.sh"
LAUNCH = "python3 relax/entrypoints/train.py --lr 1e-4 --eps-clip 0.2 --num-rollout 3\n"
SMALL = """
[[constraint]]
id = "team-small-lr"
when = "lr > 1e-5"
message = "our learning rates are at most 1e-5, not {lr}"
"""


def tree(root: Path, configuration: str, launcher: str = LAUNCH) -> Path:
    (root / "examples/demo").mkdir(parents=True)
    (root / RUN).write_text(launcher)
    (root / "relax-lint.toml").write_text(f'select = ["RLX505", "RLX508"]\n{configuration}')
    return root / RUN


def check(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    status = main(["check", str(root), *options])
    written = capsys.readouterr()
    return status, written.out, written.err


def test_a_constraint_is_reported_where_its_flag_is_with_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree(tmp_path, SMALL)
    _, out, _ = check(tmp_path, capsys)
    assert "run_demo.sh:1:36: RLX505 our learning rates are at most 1e-5, not 0.0001 [team-small-lr]" in out


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ('kind = "no-effect"', "RLX508"),
        ('kind = "guide"', "RLX505"),
        ('modes = ["separate", "async"]', "RLX505"),
        ('flags = ["--eps-clip"]', "RLX505"),
    ],
)
def test_kind_and_modes_decide_who_speaks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, code: str
) -> None:
    tree(tmp_path, SMALL + more)
    _, out, _ = check(tmp_path, capsys)
    (line,) = [line for line in out.splitlines() if "team-small-lr" in line]
    assert code in line


@pytest.mark.parametrize("more", ['modes = ["async"]', 'modes = ["sft"]'])
def test_other_modes_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str) -> None:
    tree(tmp_path, SMALL + more)
    assert "team-small-lr" not in check(tmp_path, capsys)[1]


def test_what_is_not_known_is_not_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree(tmp_path, SMALL, 'python3 relax/entrypoints/train.py --lr "$LR"\n')
    assert "team-small-lr" not in check(tmp_path, capsys)[1]
    silences = json.loads(check(tmp_path, capsys, "--format", "json")[1])["not_checked"]
    assert [(one["code"], one["line"], one["because"]) for one in silences] == [("RLX505", 1, "${LR}")]


@pytest.mark.parametrize(
    ("fix", "options", "after"),
    [
        ("set --lr 1e-6", ["--unsafe-fixes"], LAUNCH.replace("1e-4", "1e-6")),
        ("set --lr 1e-6", [], LAUNCH),
        ("drop --eps-clip", ["--unsafe-fixes"], LAUNCH.replace(" --eps-clip 0.2", "")),
        ("set --use-tis", ["--unsafe-fixes"], LAUNCH.replace("1e-4", "1e-4 --use-tis")),
    ],
)
def test_a_fix_is_applied_when_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fix: str, options: list[str], after: str
) -> None:
    path = tree(tmp_path, f'{SMALL}\nfix = "{fix}"\n')
    check(tmp_path, capsys, "--fix", *options)
    assert path.read_text() == after


def test_dropping_what_does_nothing_is_safe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tree(tmp_path, f'{SMALL}\nkind = "no-effect"\nfix = "drop --eps-clip"\n')
    check(tmp_path, capsys, "--fix")
    assert "--eps-clip" not in path.read_text()


@pytest.mark.parametrize(
    ("condition", "complaint"),
    [
        ("lrr > 1", "constraint team: when: there is no lrr; did you mean 'lr'?"),
        ("given('--num-rollouts')", "there is no --num-rollouts; did you mean '--num-rollout'?"),
        ("lr >", "constraint team: when: not a condition"),
        ("__import__('os')", "constraint team: when:"),
    ],
)
def test_a_condition_that_is_none_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], condition: str, complaint: str
) -> None:
    tree(tmp_path, f'[[constraint]]\nid = "team"\nwhen = "{condition}"\nmessage = "no"\n')
    status, _, err = check(tmp_path, capsys)
    assert status == 2
    assert complaint in err


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ('message = "at most {lrr}"', "message: there is no lrr; did you mean 'lr'?"),
        ('message = "at most {no such} {nosuch}"', "message: there is no nosuch"),
        ('flags = ["--lrr"]', "flags: there is no --lrr"),
        ('flags = ["eps-clip"]', "flags: there is no eps-clip; did you mean '--eps-clip'?"),
        ('fix = "set --nosuch 3"', "fix: there is no --nosuch"),
        ('fix = "drop --nosuch"', "fix: there is no --nosuch"),
        ('fix = "set --lr"', "fix: --lr takes a value"),
        ('fix = "set --use-tis 1"', "fix: --use-tis takes no value"),
    ],
)
def test_what_a_constraint_names_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: str, said: str
) -> None:
    key = changed.partition(" ")[0]
    kept = "\n".join(line for line in SMALL.splitlines() if not line.startswith(key))
    tree(tmp_path, f"{kept}\n{changed}\n")
    status, _, err = check(tmp_path, capsys)
    assert status == 2
    assert f"constraint team-small-lr: {said}" in err


def test_a_constraint_may_name_flags_of_the_team(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = 'flags = ["--our-flag"]\nfix = "drop --our-flag"\n'
    tree(tmp_path, 'extra-flags = ["--our-flag"]\n' + SMALL + own)
    assert "team-small-lr" in check(tmp_path, capsys)[1]


def test_constraints_have_names_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree(tmp_path, SMALL + SMALL)
    status, _, err = check(tmp_path, capsys)
    assert status == 2
    assert "constraint team-small-lr: id: another one has it" in err


def test_a_message_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree(tmp_path, SMALL.replace("at most 1e-5, not {lr}", "at most\\n  1e-5, not {lr}"))
    assert "at most 1e-5, not 0.0001 [team-small-lr]" in check(tmp_path, capsys)[1]
