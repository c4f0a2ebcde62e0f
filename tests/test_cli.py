"""The command itself: its help, its start, its manners on a terminal and in a pipe."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from relax_lint import __version__
from relax_lint.cli import COMMANDS, main

RECIPE = Path(__file__).resolve().parent / "recipes/broken_countdown"
COMMAND = [sys.executable, "-m", "relax_lint"]
HEAVY = ("libcst", "ruamel", "hydra", "omegaconf", "pygls", "rich", "pyarrow", "ray", "flake8", "jsonschema")
"""Libraries that nothing on the check path may need."""
SLOW_TO_START = ("subprocess", "multiprocessing", "concurrent", "tempfile", "shutil", "tomllib", "yaml")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: relax-lint {name} ")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("chek", "check"), ("Check", "check"), ("shwo", "show"), ("rules", "rule"), ("migrte", "migrate")],
)
def test_a_mistyped_command_is_asked_about(word: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word, "examples"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"relax-lint: {word} is no command, and no path either; did you mean {meant}?\n"


def test_a_path_is_no_mistyped_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules").mkdir()
    assert main(["rules"]) == 0
    assert main(["recipes"]) == 2
    assert "no such file or directory: recipes" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"relax-lint {__version__}\n"


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], cwd=RECIPE, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_starting_imports_next_to_nothing() -> None:
    loaded = modules_after("import relax_lint.cli")
    assert loaded & {*HEAVY, *SLOW_TO_START, "ast", "dataclasses", "tree_sitter"} == set()


@pytest.mark.parametrize("path", ["examples/countdown/reward_countdown.py", "examples/countdown/run_countdown.sh"])
def test_checking_imports_only_what_it_needs(path: str) -> None:
    loaded = modules_after(f"from relax_lint.cli import main\nmain(['check', '-q', {path!r}])")
    assert loaded & {*HEAVY, *SLOW_TO_START} == set()


def on_terminal(*arguments: str, **environ: str) -> bytes:
    """What is printed on a pseudo-terminal."""
    outer, inner = pty.openpty()
    env = {**os.environ, "TERM": "xterm", **environ}
    process = subprocess.Popen([*COMMAND, *arguments], cwd=RECIPE, stdout=inner, env=env)
    os.close(inner)
    pieces = []
    while True:
        try:
            piece = os.read(outer, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
    process.wait()
    os.close(outer)
    return b"".join(pieces)


def test_colour_is_for_terminals_that_want_it() -> None:
    environ = {"NO_COLOR": ""}
    assert b"\x1b[" in on_terminal("examples", **environ)
    assert b"\x1b[" not in on_terminal("examples", NO_COLOR="1")
    assert b"\x1b[" not in on_terminal("examples", **environ, TERM="dumb")
    piped = subprocess.run([*COMMAND, "examples"], cwd=RECIPE, capture_output=True)
    assert b"\x1b[" not in piped.stdout


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    for number in range(40):
        shutil.copytree(RECIPE / "examples/countdown", tmp_path / f"examples/r{number}")
    with subprocess.Popen([*COMMAND, "-j1"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@pytest.mark.parametrize("arguments", [["examples"], ["examples", "--format=json"], ["rule", "--all"], ["--help"]])
def test_output_that_cannot_be_written_is_an_error_of_one_line(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with (tmp_path / "out").open("rb") as read_only:
        done = subprocess.run([*COMMAND, *arguments], cwd=RECIPE, stdout=read_only, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "relax-lint: the output: Bad file descriptor\n")


LITTLE_MEMORY = """
import resource, sys
from relax_lint import cli, checking, parallel
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (24 << 20), -1))
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("name", ["run.sh", "tool.py"])
def test_too_little_memory_is_no_traceback(tmp_path: Path, name: str) -> None:
    recipe = tmp_path / "examples/demo"
    recipe.mkdir(parents=True)
    (recipe / name).write_text("a:\n" * 2_000_000)
    command = [sys.executable, "-c", LITTLE_MEMORY, "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (1, 2), "1: the file's own finding says that it could not be judged"
    assert done.stdout or done.stderr.startswith("relax-lint: ")
    assert "Traceback" not in done.stderr


def test_output_that_the_terminal_cannot_show_is_escaped(tmp_path: Path) -> None:
    recipe = tmp_path / "examples/demo"
    recipe.mkdir(parents=True)
    (recipe / "überall.py").write_text("import verl  # 漢字\n")
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, "examples"], cwd=tmp_path, capture_output=True, env=env)
    assert done.returncode == 1, done.stderr
    assert b"RLX101" in done.stdout
    assert b"Traceback" not in done.stderr
