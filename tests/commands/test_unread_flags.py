"""A Relax checkout whose flags cannot be read: every command says so once, and judges by what it knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.commands.running import write

CHECK = ["check", "examples", "--select", "RLX501", "--relax-root", "Relax"]
SHOW = ["show", "examples/one/run_one.sh"]
DATA = ["data", "check", "rows.jsonl", "--launcher", "examples/one/run_one.sh"]


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the flags of a checkout that the configuration names."""
    monkeypatch.chdir(tmp_path)
    write("relax-lint.toml", 'relax-root = "Relax"\n')
    for name in ("one", "two"):
        write(f"examples/{name}/run_{name}.sh", "python3 relax/entrypoints/train.py --brand-new 3\n")
    write("rows.jsonl", '{"prompt": "a"}\n')
    write("Relax/relax/entrypoints/train.py", "")
    return write("Relax/relax/utils/arguments.py", "def (")


@pytest.mark.parametrize("text", [b"", b"def (", b"def parse_args():\n    return 1 / 0\n", b"# \xe9\n", b"\0"])
def test_whatever_is_wrong_with_them(arguments: Path, text: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    arguments.write_bytes(text)
    assert main(CHECK) == 0
    captured = capsys.readouterr()
    assert "1 could not be judged" in captured.out or "2 could not be judged" in captured.out
    assert captured.err.count("Relax/relax/utils/arguments.py cannot be read as Relax's: ") == 1


@pytest.mark.parametrize("command", [[*CHECK, "-j2"], [*CHECK, "--format", "json"], [*CHECK, "--fix"], SHOW, DATA])
def test_each_command_says_so(arguments: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(command)
    assert capsys.readouterr().err.count("Relax/relax/utils/arguments.py cannot be read as Relax's: ") == 1


def test_nothing_is_said_where_no_launch_is_judged(arguments: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "examples", "--select", "RLX101"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", [CHECK, SHOW, DATA, ["catalog", "show", "--lr"]])
def test_a_checkout_without_the_file_is_refused(
    arguments: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments.unlink()
    assert main(command) == 2
    assert "must be a directory that holds relax/utils/arguments.py" in capsys.readouterr().err
