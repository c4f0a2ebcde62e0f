"""`relax-lint show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from relax_lint.cli import main

SCRIPT = """\
MODE="${MODE:-sync}"
ARGS=(
    --lr "${LR:-1e-6}"
    --name "$(date +%s)"
)
ray start --head
if [ "$MODE" = async ]; then
    ARGS+=(--fully-async)
fi
python3 relax/entrypoints/train.py "${ARGS[@]}" --save=/s "$@"
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "examples/demo/run.sh"
    path.parent.mkdir(parents=True)
    path.write_text(SCRIPT)
    return "examples/demo/run.sh"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["show", "--format", "json", *arguments]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["schema"] == 1
    (one,) = output["scripts"]
    launches: list[dict[str, Any]] = one["launches"]
    return launches


def test_what_can_be_launched(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    launches = shown(capsys, script)
    assert {launch["kind"] for launch in launches} == {"relax"}
    assert {"--fully-async" in launch["argv"] for launch in launches} == {True, False}
    assert any("async" in condition for launch in launches for condition in launch["conditions"])


def test_what_is_launched_exactly(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    (launch,) = shown(capsys, script, "--clean-env", "--env", "MODE=async", "--", "--seed", "1", "a b")
    date = launch["argv"][5]
    assert launch["argv"] == [
        *("python3", "relax/entrypoints/train.py", "--lr", "1e-6", "--name", date),
        *("--fully-async", "--save=/s", "--seed", "1", "a b"),
    ]
    assert launch["unresolved"] == [{"word": 5, "text": date}]
    assert launch["line"] == 10
    assert launch["arguments"][0] == {"flag": "--lr", "values": ["1e-6"], "path": script, "line": 3, "column": 5}
    assert launch["arguments"][3]["flag"] == "--save"
    assert launch["arguments"][3]["values"] == ["/s"]


def test_other_commands_are_shown_when_asked_for(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, _ = shown(capsys, script, "--clean-env", "--all")
    assert (first["kind"], first["argv"], first["line"]) == ("other", ["ray", "start", "--head"], 6)


def test_site_variables_count_but_not_under_a_clean_environment(
    script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("relax-lint.toml").write_text("[env]\nMODE = 'async'\nLR = '2e-6'\n")
    for launch in shown(capsys, script):
        assert launch["argv"][3] == "2e-6"
        assert "--fully-async" in launch["argv"]
    (launch,) = shown(capsys, script, "--clean-env")
    assert launch["argv"][3] == "1e-6"
    assert "--fully-async" not in launch["argv"]


def test_the_directory_is_where_it_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.sh").write_text('python3 train.py "$PWD" "$0"\n')
    (tmp_path / "below").mkdir()
    arguments = [str(tmp_path / "run.sh"), "--clean-env", "--all", "--cwd", str(tmp_path / "below")]
    (launch,) = shown(capsys, *arguments)
    assert launch["argv"][2:] == [str(tmp_path / "below"), str(tmp_path / "run.sh")]


def test_text_names_the_launch_its_conditions_and_where_flags_come_from(
    script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", script, "--clean-env"]) == 0
    assert capsys.readouterr().out == (
        "examples/demo/run.sh:10: relax launch, separate\n"
        "  command   python3 relax/entrypoints/train.py\n"
        "  GPUs      no --resource, without which nothing is placed\n"
        "  Megatron\n"
        "    --lr    1e-6                                                              :3\n"
        "    --save  /s                                                               :10\n"
        "  unknown to Relax, and ignored by it\n"
        "  ? --name  $(date +%s)                                                       :4\n"
        "  unresolved\n"
        "    $(date +%s)  --name\n"
    )


def test_a_launcher_that_launches_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.sh").write_text("echo\n")
    assert main(["show", str(tmp_path / "run.sh")]) == 0
    assert capsys.readouterr().out.endswith("run.sh: launches nothing\n")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('python3 relax/entrypoints/train.py "--lr', "run.sh:1:36: a double quote that is never closed"),
        ("if true; then\npython3 relax/entrypoints/train.py\n", "run.sh:1:1: the script ends before the 'fi'"),
        ("echo \0\n", "run.sh:1:6: a NUL byte"),
        ("source ./more.sh\n", "more.sh:1:1: "),
    ],
)
def test_a_script_that_bash_cannot_read_has_an_exit_status_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.sh").write_text(text)
    Path("more.sh").write_text("fi\n")
    Path("good.sh").write_text("python3 relax/entrypoints/train.py --lr 1\n")
    assert main(["show", "run.sh", "good.sh"]) == 1
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert "good.sh:1: relax launch" in captured.out
    assert main(["show", "run.sh", "gone.sh"]) == 2


def test_a_script_that_is_not_followed_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "run.sh"
    script.write_text('for i in {1..100000}; do A+=(--lr $i); done\npython3 relax/entrypoints/train.py "${A[@]}"\n')
    assert main(["show", str(script)]) == 1
    captured = capsys.readouterr()
    assert "has more to do, or more ways through it, than is followed" in captured.err
    assert captured.out.endswith("run.sh: no launch in what was followed\n")


def test_nothing_reaches_the_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "run.sh"
    script.write_text(
        '[ "$X" = $\'\\e[0m\' ] && python3 relax/entrypoints/train.py --esc "\x1b[31mred\x07" '
        "--lr $'\\e[32m\\n\\ttab' $'--a\\e[1m' --prompt-data \"\x9b1m${Y}\" --path 数据\n"
    )
    assert main(["show", str(script)]) == 0
    out = capsys.readouterr().out
    assert not [character for character in out if character != "\n" and not character.isprintable()]
    assert "\N{REPLACEMENT CHARACTER}[31mred" in out
    assert "数据" in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([__file__], f"not a shell script: {__file__}"),
        (["nowhere.sh"], "no such file: nowhere.sh"),
        (["."], ". cannot be read: it is a directory"),
        (["/dev/zero"], "/dev/zero cannot be read: it is no regular file"),
        (["examples/demo/run.sh", "--env", "=1"], "--env wants NAME=VALUE"),
        (["examples/demo/run.sh", "--cwd", "nowhere"], "no such directory: nowhere"),
    ],
)
def test_what_cannot_be_shown_is_said(
    script: str, arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_what_is_not_understood_is_said_and_the_rest_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.sh").write_text("python3 -m verl.trainer.main_ppo a.b=1\nif x; then\n")
    assert main(["show", str(tmp_path / "run.sh")]) == 1
    captured = capsys.readouterr()
    assert "run.sh:2:1: " in captured.err
    assert "  a\n    b  1  " in captured.out


def test_a_file_to_source_that_is_not_there_is_named(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(script).write_text('source "${MODEL_CONFIG_DIR}/m.sh"\nsource ./gone.sh\n' + SCRIPT)
    assert main(["show", script]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"{script}:2:1: not read, so that what it sets is not known: source ./gone.sh")
