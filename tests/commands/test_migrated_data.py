"""The conversion script of a recipe that `relax-lint migrate` makes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.commands.test_migrate import SOURCE, VERL, checkout
from tests.conversion.reference import rows_in
from tests.conversion.test_script import OWN
from tests.parquet_files import write_parquet

__all__ = ["checkout"]

PROCESS = "scripts/tools/process_gsm8k.py"
RAW = [{"question": f"{number}?", "answer": f"so #### {number}"} for number in range(40)]


def migrated(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["migrate", SOURCE, "--name", "gsm8k", *arguments])
    assert (root / PROCESS).is_file()
    return capsys.readouterr().out


def converts(root: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, PROCESS, *arguments], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_there_and_works_and_nobody_misses_it(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = checkout.parent / "verl/examples/grpo/run.sh"
    source.write_text(VERL.replace("algorithm.adv", "data.prompt_key=question data.reward_fn_key=origin algorithm.adv"))
    out = migrated(checkout, capsys)
    assert f"run {PROCESS} before the first training" in out
    assert main(["--select", "RLX409,RLX410", "--no-cache"]) == 0
    row = {"question": "1 + 1?", "origin": "sums", "reward_model": {"ground_truth": "2"}}
    write_parquet(checkout / "in/train.parquet", [row])
    converts(checkout, "--input-dir", "in", "--output-dir", "out")
    wanted = {"question": "1 + 1?", "label": "2", "extra_info": {"data_source": "sums"}}
    assert rows_in(checkout / "out/train.parquet") == [wanted]


def test_preprocessing_beside_the_launcher_is_reused(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout.parent / "verl/examples/grpo/prepare.py").write_text(OWN)
    out = migrated(checkout, capsys)
    assert f"{PROCESS} takes the raw data set, too: it makes the rows of" in out
    write_parquet(checkout / "raw/train-00000.parquet", RAW)
    converts(checkout, "--input-dir", "raw", "--output-dir", "out")
    assert [row["label"] for row in rows_in(checkout / "out/train.parquet")] == [str(number) for number in range(40)]


def test_preprocessing_that_is_not_carried_over_is_a_problem(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = OWN.replace('dataset["train"]', 'dataset["train"].train_test_split(0.1)["train"]')
    path = checkout.parent / "verl/examples/grpo/prepare.py"
    path.write_text(own)
    line = own[: own.index(".train_test_split")].count("\n") + 1
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--format", "json"]) == 1
    (problem,) = (each for each in json.loads(capsys.readouterr().out)["problems"] if "prepare" in each["path"])
    assert problem["line"] == line
    assert "train_test_split" in problem["message"]
    shown = os.path.relpath(path)
    assert main(["migrate", SOURCE, "--name", "gsm8k", "--force"]) == 1
    said = capsys.readouterr()
    assert f"{shown}:{line}: " in said.err
    assert f"prepare.py before {PROCESS}" in " ".join(said.out.split())
    write_parquet(checkout / "raw/train-00000.parquet", RAW)
    command = [sys.executable, PROCESS, "--input-dir", "raw", "--output-dir", "out"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"raw rows must go through \S*prepare.py first", done.stderr)


def test_a_script_that_is_there_stays(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "scripts/tools").mkdir(parents=True)
    (checkout / PROCESS).write_text("mine = 1\n")
    migrated(checkout, capsys)
    assert (checkout / PROCESS).read_text() == "mine = 1\n"
