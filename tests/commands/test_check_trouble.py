"""`relax-lint check` where the file system, the configuration or the machine is in the way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lint import checking
from relax_lint.rules import load_rules
from tests.cases import for_each
from tests.commands.running import Run, running_in, write
from tests.toy_rules import PYTHON


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a temporary directory, with rules whose findings are plain to see."""
    return running_in(tmp_path, monkeypatch, capsys)


@pytest.fixture
def too_deep(tmp_path: Path) -> Iterator[Path]:
    """A directory in whose depths the system lists nothing any more, whoever asks: its paths grow too long."""
    top = tmp_path / "examples/deep"
    top.mkdir(parents=True)
    here = os.open(top, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    yield top
    shutil.rmtree(top)


@pytest.mark.parametrize("named", ["examples", "examples/deep"])
def test_a_directory_that_cannot_be_listed_is_no_clean_one(run: Run, too_deep: Path, named: str) -> None:
    write(PYTHON, "x = 1\n")
    done = run(named, PYTHON)
    assert done.status == 2
    assert "cannot be looked into: File name too long" in done.err
    assert run(PYTHON).status == 0


def test_what_could_not_be_written_is_reported_as_it_is(run: Run) -> None:
    outside = write("outside.py", "x = 1\nbad\n")
    Path("tree/examples/demo").mkdir(parents=True)
    Path("tree/examples/demo/x.py").symlink_to(outside.resolve())
    write("tree/examples/demo/y.py", "bad\n")
    done = run("--fix", "tree")
    assert done.status == 1
    assert "tree/examples/demo/x.py:2:1: RLX101 [*] bad is bad" in done.out
    assert "Fixed 1 finding (RLX101). Found 1 error in" in done.out


def test_a_comment_that_could_not_be_written_silences_nothing(run: Run) -> None:
    outside = write("outside.py", "x = 1\nbad\nworse\n")
    Path("tree/examples/demo").mkdir(parents=True)
    Path("tree/examples/demo/x.py").symlink_to(outside.resolve())
    write("tree/examples/demo/y.py", "bad\n")
    write("tree/examples/demo/z.py", "def (\n")
    done = run("--add-suppressions", "why", "tree")
    assert done.out == (
        "Silenced 1 finding; 1 finding cannot be silenced by a comment;"
        " the comments for 2 findings could not be written.\n"
    )
    assert done.err.startswith("relax-lint: tree/examples/demo/x.py is left as it was: it is a link that leads out of")
    assert done.status == 1
    assert outside.read_text() == "x = 1\nbad\nworse\n"
    assert run("-q", "tree").out.count("bad is bad") == 1


def test_no_comment_is_written_outside_of_the_given_paths(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "load_rules", load_rules)
    shared = write("scripts/models/small.sh", "MODEL_ARGS=(\n    --made-up 1\n)\n")
    launcher = write(
        "examples/demo/run_demo.sh",
        'source "$(dirname "$0")/../../scripts/models/small.sh"\n'
        'python3 relax/entrypoints/train.py --made-up-too 1 "${MODEL_ARGS[@]}"\n',
    )
    done = run("--select", "RLX501", "--add-suppressions", "why", "examples/demo")
    assert shared.read_text() == "MODEL_ARGS=(\n    --made-up 1\n)\n"
    assert "ignore[RLX501] why" in launcher.read_text()
    assert done.out == (
        "Silenced 1 finding; 1 finding outside of the given paths, in scripts/models/small.sh, stays.\n"
    )
    assert done.status == 1
    both = run("--select", "RLX501", "--add-suppressions", "why", "examples/demo", "scripts")
    assert both.out == "Silenced 1 finding.\n"
    assert "ignore[RLX501] why" in shared.read_text()


@pytest.fixture
def cramped(tmp_path: Path) -> Iterator[Path]:
    """A recipe's file beside which no other can be made, whoever asks: there, its path would be too long."""
    top = tmp_path / "examples"
    room = 4095 - len(str(top)) - len("/x.py")
    parts = ["d" * 200] * (room // 201)
    path = top.joinpath(*parts, "d" * (room % 201 - 1), "x.py")
    path.parent.mkdir(parents=True)
    path.write_text("bad\n")
    yield path
    shutil.rmtree(top)


@pytest.mark.parametrize("arguments", [("--add-suppressions", "why"), ("--fix",)])
def test_a_directory_in_which_nothing_can_be_made(run: Run, cramped: Path, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "examples")
    assert "x.py is left as it was: File name too long" in done.err
    assert "Silenced 0 findings; the comments for 1 finding could not" in done.out or "Found 1 error" in done.out
    assert done.status == 2
    assert cramped.read_text() == "bad\n"


KILLED = """
import os, signal, sys
from relax_lint import cli
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
cli.main(sys.argv[1:])
"""


def test_what_a_killed_run_left_goes_with_the_next(run: Run) -> None:
    reward = write(PYTHON, "import verl\n")
    others = write("examples/demo/.reward.tmp", "")
    killed = subprocess.run([sys.executable, "-c", KILLED, "--fix"])
    assert killed.returncode == -signal.SIGKILL
    assert len(list(reward.parent.iterdir())) == 3
    reward.write_text("x = 1\n")
    assert run("--fix").status == 0
    assert sorted(reward.parent.iterdir()) == [others, reward]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--relax-root", "nope"], ""),
        (["--relax-root", "half"], ""),
        (["--verl-root", "examples"], ""),
        ([], "relax-root = 'nope'"),
        ([], "relax-root = 'half'"),
    ],
)
def test_a_checkout_that_is_none_is_refused(run: Run, arguments: list[str], text: str) -> None:
    write(PYTHON, "x = 1\n")
    write("relax-lint.toml", text)
    write("half/relax/entrypoints/train.py", "")
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert "-root must be a directory that holds " in done.err


def test_a_checkout_on_the_command_line_stands_in_for_a_wrong_one(run: Run) -> None:
    write(PYTHON, "x = 1\n")
    write("relax-lint.toml", "relax-root = 'nope'\n")
    write("Relax/relax/entrypoints/train.py", "")
    write("Relax/relax/utils/arguments.py", "")
    assert run("examples", "--relax-root", "Relax").status == 0


@pytest.mark.parametrize("target", ["repo/examples", "repo/examples/demo", "repo", f"repo/{PYTHON}"])
def test_a_link_to_recipes_is_as_good_as_their_name(run: Run, target: str) -> None:
    reward = write(f"repo/{PYTHON}", "bad\n")
    Path("link").symlink_to(Path(target).resolve())
    done = run("--fix", "link")
    assert (done.status, done.out) == (0, "Fixed 1 finding (RLX101). All clean in 1 file, 1 recipe, 0 launches.\n")
    assert reward.read_text() == "good\n"


def test_a_recipe_that_is_a_link_itself_stays_where_it_was_named(run: Run) -> None:
    write("elsewhere/x.py", "bad\n")
    Path("examples").mkdir()
    Path("examples/mine").symlink_to(Path("elsewhere").resolve())
    assert run("examples/mine").out.startswith("examples/mine/x.py:1:1: RLX101")


def test_a_named_file_that_may_be_a_launcher_must_be_readable(run: Run) -> None:
    write(PYTHON, "x = 1\n")
    Path("examples/demo/launch").symlink_to("/proc/self/mem")  # readable for nobody, whoever asks
    done = run("examples/demo/launch")
    assert done.status == 2
    assert "examples/demo/launch cannot be read: " in done.err


def test_pipes_are_not_waited_for(run: Run) -> None:
    write(PYTHON, "x = 1\n")
    os.mkfifo("pipe")
    Path("examples/demo/launch").symlink_to(Path("pipe").resolve())
    assert run("examples").status == 0
    assert run("pipe").status == 0
    os.mkfifo("examples/demo/run.sh")
    assert "examples/demo/run.sh:1:1: RLX001 cannot be read: it is no regular file" in run("examples/demo/run.sh").out


RECIPE = Path(__file__).resolve().parents[1] / "recipes/broken_countdown"
COMMAND = f"{sys.executable} -m relax_lint"


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("check examples >&-", 1),
        ("check examples 2>&- >/dev/null", 1),
        ("check nowhere >&- 2>&-", 2),
        ("check --fix examples >&- 2>&- <&-", 1),
        ("check --diff examples >&-", 1),
        ("check --stdin-filename examples/countdown/x.py - <&-", 0),
        ("show examples/countdown/run_countdown.sh >&-", 0),
        ("rule --all >&-", 0),
        ("--help >&- 2>&-", 0),
        ("check examples >/dev/full", 2),
    ],
)
def test_closed_and_full_streams(command: str, status: int, tmp_path: Path) -> None:
    tree = shutil.copytree(RECIPE, tmp_path / "tree")
    done = subprocess.run(["bash", "-c", f"{COMMAND} {command}"], cwd=tree, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False)
    fixed = "async def reward_func" in (tree / "examples/countdown/reward_countdown.py").read_text()
    assert fixed == ("--fix" in command)


def test_a_working_directory_that_is_gone(tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"mkdir gone; cd gone; rmdir ../gone; {COMMAND}"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (2, "relax-lint: the working directory: No such file or directory\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["examples"],
        ["--format", "json", "examples"],
        ["--format", "github", "examples"],
        ["--diff", "examples"],
        ["--fix", "--unsafe-fixes", "examples"],
        ["--add-suppressions", "why", "examples"],
        ["--write-baseline", "known.json", "examples"],
    ],
)
def test_names_that_are_no_text(arguments: list[str], run: Run) -> None:
    recipe = Path("examples", os.fsdecode(b"re\xffcipe"))
    write("examples/other/x.py", "good\n")
    launcher = write(str(recipe / os.fsdecode(b"run_\xfe.sh")), "# bad\n")
    write(str(recipe / "x.py"), "bad\n")
    expected = 0 if arguments[0] in ("--fix", "--add-suppressions", "--write-baseline") else 1
    assert run(*arguments).status == expected
    assert run("show", str(launcher)).status == 0


def test_a_forced_exclusion_holds_for_a_named_directory(run: Run) -> None:
    write(PYTHON, "bad\n")
    assert run("--exclude", "examples", "examples").status == 1
    for named in ("examples", "examples/demo", PYTHON):
        done = run("--exclude", "examples", "--force-exclude", named)
        assert (done.status, done.out) == (0, "Nothing to check.\n")


def test_a_diff_goes_into_a_file(run: Run) -> None:
    write(PYTHON, "bad\n")
    shown = run("--diff").out
    done = run("--diff", "--output-file", "change.diff")
    assert (done.status, done.out) == (1, "")
    assert Path("change.diff").read_text() == shown


@pytest.mark.parametrize("action", [[], ["--fix"], ["--diff"], ["--format", "json", "--no-cache"]])
@for_each(
    "name",
    ["link.txt", PYTHON, "examples/demo/run_demo.sh", "examples/demo/launch", "examples/demo/a.yaml", "pyproject.toml"],
)
def test_a_report_is_never_written_over_a_source(name: str, action: list[str], run: Run) -> None:
    write(PYTHON, "bad\n")
    if name == "link.txt":
        Path(name).symlink_to(PYTHON)
    else:
        write(name, "#!/bin/bash\n")
    before = Path(name).read_bytes()
    done = run(*action, "--output-file", name, "examples")
    assert (done.status, done.out) == (2, "")
    assert done.err == f"relax-lint: --output-file: {name} is there and is a source file, no report: it is left alone\n"
    assert Path(name).read_bytes() == before


def test_a_report_is_never_written_over_what_the_run_reads(run: Run) -> None:
    write(PYTHON, "bad\n")
    run("--write-baseline", "known.json")
    done = run("--baseline", "known.json", "--format", "json", "--output-file", "./known.json")
    assert (done.status, done.out) == (2, "")
    assert done.err == "relax-lint: --output-file: known.json is the file that --baseline names: it is left alone\n"


def test_a_report_is_written_over_an_earlier_one(run: Run) -> None:
    write(PYTHON, "bad\n")
    for name in ("report", "report.txt", "report.json"):
        for _ in range(2):
            assert run("--output-file", name).status == 1
        assert "RLX101" in Path(name).read_text()


def test_all_is_understood_in_small_letters(run: Run) -> None:
    write(PYTHON, "bad\n")
    assert run("--select", "all").status == 1
    assert run("--select", "all", "--ignore", "All").status == 0
