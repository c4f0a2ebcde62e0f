"""`relax-lint check -`: text that an editor has, in the place of a file."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.commands.running import Run, running_in, write
from tests.toy_rules import PYTHON


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a temporary directory, with rules whose findings are plain to see."""
    return running_in(tmp_path, monkeypatch, capsys)


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_unsaved_text_is_judged_in_its_files_place(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(PYTHON, "x = 1\n")
    feed(monkeypatch, b"x = 1\nbad\n")
    done = run("--stdin-filename", PYTHON, "-")
    assert done.status == 1
    assert done.out.startswith(f"{PYTHON}:2:1: RLX101")
    feed(monkeypatch, b"bad\n")
    assert run("-q", "--stdin-filename", "examples/new/reward.py", "-").out.startswith("examples/new/reward.py:1:1:")


def test_unsaved_text_is_fixed_onto_standard_output(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(PYTHON, "x = 1\n")
    feed(monkeypatch, b"bad\nworse\n")
    done = run("--fix", "--stdin-filename", PYTHON, "-")
    assert (done.status, done.out) == (1, "good\nworse\n")
    assert "RLX102" in done.err
    assert path.read_text() == "x = 1\n"
    feed(monkeypatch, b"x = 2\n")
    assert run("--fix", "--stdin-filename", PYTHON, "-").out == "x = 2\n"
