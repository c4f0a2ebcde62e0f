"""A pipe that somebody named is not waited for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import bounded

NAMING = (
    "--config pipe examples",
    "--baseline pipe examples",
    "--no-cache --baseline pipe examples",
    "--write-baseline pipe examples",
    "--prune-baseline --baseline pipe examples",
    "show pipe",
    "model-config pipe",
    "data convert pipe made",
    "data convert pipe.jsonl made",
    "data convert pipe.parquet made",
    "data convert --tools pipe rows.jsonl made",
    "report --output page.html --config pipe examples",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    script = tmp_path / "examples/demo/run.sh"
    script.parent.mkdir(parents=True)
    script.write_text("python3 relax/entrypoints/train.py --bf16\n")
    (tmp_path / "rows.jsonl").write_text("{}\n")
    for name in ("pipe", "pipe.jsonl", "pipe.parquet"):
        os.mkfifo(tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("words", NAMING)
def test_a_pipe_on_the_command_line_is_refused(tree: Path, words: str) -> None:
    done = bounded.relax_lint(tree, *words.split())
    assert done.returncode == 2
    assert "no regular file" in done.stderr


@pytest.mark.parametrize("words", ["examples", "--write-baseline= examples", "report --output page.html examples"])
def test_a_pipe_in_the_configuration_is_refused(tree: Path, words: str) -> None:
    (tree / "relax-lint.toml").write_text('baseline = "pipe"\n')
    done = bounded.relax_lint(tree, *words.replace("-baseline=", "-baseline=pipe").split())
    assert done.returncode == 2
    assert "pipe: cannot be read: it is no regular file" in done.stderr


def test_a_configuration_may_come_from_a_pipe_that_the_caller_has_opened(tree: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b'select = ["NOSUCH"]\n')
    os.close(writing)
    command = [sys.executable, "-m", "relax_lint", "--config", f"/dev/fd/{reading}", "examples"]
    done = subprocess.run(command, cwd=tree, pass_fds=[reading], capture_output=True, text=True, timeout=60)
    os.close(reading)
    assert "NOSUCH" in done.stderr
