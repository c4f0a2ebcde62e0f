"""`relax-lint migrate` where no checkout of Relax is around."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.commands.test_migrate import MODEL, VERL


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, with a launcher of verl beside it."""
    (tmp_path / "run.sh").write_text(VERL)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def first_to_do() -> str:
    page = Path("examples/math/MIGRATION.md").read_text()
    return next(line for line in page.splitlines() if line.startswith("1. "))


def test_the_working_directory_is_written_to_and_it_is_said(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate", "../run.sh", "--name", "math"]) == 0
    said = capsys.readouterr()
    assert f"no Relax checkout around: the recipe goes into {elsewhere / 'work/examples/math'}." in said.err
    assert "--relax-root DIR" in said.err
    assert first_to_do().startswith("1. Move what is written here into a checkout of Relax")
    assert "1. Move what is written here" in said.out


def test_a_checkout_of_verl_is_none_of_relax(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (elsewhere / "verl/trainer").mkdir(parents=True)
    (elsewhere / "verl/trainer/main_ppo.py").write_text("")
    assert main(["migrate", "../run.sh", "--name", "math", "--dry-run"]) == 0
    said = capsys.readouterr()
    assert f"{elsewhere} is a checkout of verl, not of Relax" in said.err
    assert not Path("examples").exists()


def test_the_document_has_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "../run.sh", "--name", "math", "--format", "json"]) == 0
    (launch,) = json.loads(capsys.readouterr().out)["launches"]
    assert launch["todos"][0]["text"].startswith("Move what is written here")


def test_a_checkout_that_is_named_is_written_to(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, text in (("relax/entrypoints/train.py", ""), ("scripts/models/qwen3-8B.sh", MODEL)):
        (elsewhere / "mine" / path).parent.mkdir(parents=True)
        (elsewhere / "mine" / path).write_text(text)
    assert main(["migrate", "../run.sh", "--name", "math", "--relax-root", "../mine"]) == 0
    said = capsys.readouterr()
    assert (elsewhere / "mine/examples/math/run_math.sh").is_file()
    assert not Path("examples").exists()
    assert "around" not in said.err + said.out
