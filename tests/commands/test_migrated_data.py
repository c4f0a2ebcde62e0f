"""The conversion script of a recipe that `relax-lint migrate` makes."""

from __future__ import annotations

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


def test_preprocessing_that_is_not_understood_is_named(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = OWN.replace('train_dataset = dataset["train"]', 'train_dataset = dataset["train"].shuffle()')
    (checkout.parent / "verl/examples/grpo/prepare.py").write_text(own)
    out = migrated(checkout, capsys)
    line = own[: own.index(".shuffle()")].count("\n") + 1
    assert f"prepare.py:{line}: what shuffle does to the rows is not carried over" in " ".join(out.split())


def test_a_script_that_is_there_stays(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "scripts/tools").mkdir(parents=True)
    (checkout / PROCESS).write_text("mine = 1\n")
    migrated(checkout, capsys)
    assert (checkout / PROCESS).read_text() == "mine = 1\n"
