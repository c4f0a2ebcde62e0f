"""What teams ask for in the configuration, as users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lint.cli import main
from tests import bounded

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


@pytest.mark.parametrize(
    ("when", "at"),
    [
        ("lr > 1 and 'x' * 10000000000 == lr", 11),
        ("[1] * 10000000000 == lr", 0),
        ("10000000000 * ((1, 2)) == lr", 15),
        ("'%10000000000d' % 1 == lr", 0),
        ("10 ** 10 ** 10 > lr", 0),
        ("1 << 10000000000 > lr", 0),
    ],
)
def test_what_takes_any_memory_is_refused_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], when: str, at: int
) -> None:
    tree(tmp_path, f'[[constraint]]\nid = "bomb"\nwhen = "{when}"\nmessage = "no"\n')
    status, _, complaint = check(tmp_path, capsys)
    assert status == 2
    assert "bomb" in complaint
    assert complaint.endswith(f" (character {at + 1})\n")


@pytest.mark.parametrize(
    "when",
    [
        "strip(load) * num_rollout == 1",
        "num_rollout * lower('x') == 1",
        "startswith(load, 'a') and (load if lr else load) * num_rollout == 1",
        "strip('%9000000000d') % num_rollout == 1",
        "num_rollout" + " * num_rollout" * 250 + " == 1",
        "eps_clip > 0 and lower('x') * (num_rollout or lr) == 1",
    ],
)
def test_values_of_launches_are_not_repeated_either(tmp_path: Path, when: str) -> None:
    launcher = "python3 relax/entrypoints/train.py --load abc --lr 1 --num-rollout 9000000000\n"
    tree(tmp_path, f'[[constraint]]\nid = "bomb"\nwhen = "{when}"\nmessage = "no"\n', launcher)
    done = bounded.relax_lint(tmp_path, "--no-cache", "examples")
    assert done.returncode in (0, 1), done.stderr
    assert "internal error" not in done.stdout + done.stderr
    assert "[bomb]" not in done.stdout


def test_numbers_are_still_multiplied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = SMALL.replace("lr > 1e-5", "num_rollout * 2 % 4 == 2 and lr > 0")
    tree(tmp_path, wanted)
    assert "[team-small-lr]" in check(tmp_path, capsys)[1]
