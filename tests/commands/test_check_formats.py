"""`relax-lint check` in other formats than text, and into files."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.report import FORMATS
from tests.commands.running import Run, running_in, write
from tests.toy_rules import PYTHON


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a temporary directory, with rules whose findings are plain to see."""
    return running_in(tmp_path, monkeypatch, capsys)


def test_github_commands_are_escaped(run: Run) -> None:
    write("examples/a,b/x.py", "bad\n")
    assert run("--format", "github").out == (
        "::error title=RLX101 (no-bad),file=examples/a%2Cb/x.py,line=1,endLine=1,col=1,endColumn=4"
        "::examples/a,b/x.py:1:1: RLX101 bad is bad\n"
    )


def test_github_knows_files_by_their_path_in_the_repository(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".git").mkdir()
    write("sub/examples/demo/x.py", "bad\n")
    monkeypatch.chdir("sub")
    assert run("--format", "github").out == (
        "::error title=RLX101 (no-bad),file=sub/examples/demo/x.py,line=1,endLine=1,col=1,endColumn=4"
        "::examples/demo/x.py:1:1: RLX101 bad is bad\n"
    )


def test_github_commands_are_one_line_each(run: Run) -> None:
    write("examples/a/100%: b\nc.py", "bad\n")
    (line,) = run("--format", "github").out.splitlines()
    assert ",file=examples/a/100%25%3A b%0Ac.py," in line
    assert line.endswith("::examples/a/100%25: b%0Ac.py:1:1: RLX101 bad is bad")


def test_github_is_told_what_is_wrong_with_the_run(run: Run) -> None:
    assert run("--format", "github", "--require-recipes").out == (
        "::error title=relax-lint::required: a recipe, and there is none\n"
    )


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_goes_into_a_file_as_it_is_printed(run: Run, name: str) -> None:
    write(PYTHON, "bad, 'é'\nunknown_worse\n")
    printed = run("--format", name)
    done = run("--format", name, "--output-file", "report")
    assert (done.status, done.out, done.err) == (printed.status, "", printed.err)
    assert Path("report").read_text(encoding="utf-8") == printed.out


def test_a_report_goes_into_a_file(run: Run) -> None:
    write(PYTHON, "bad\n")
    done = run("--output-file", "report.txt", "-q")
    assert (done.status, done.out) == (1, "")
    assert Path("report.txt").read_text().startswith(f"{PYTHON}:1:1: RLX101")
