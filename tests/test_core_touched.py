"""A change that edits Relax's core beside a recipe, as `check` tells it of a real git."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.repositories import Git, git_in

TREE = {
    "examples/demo/run_demo.sh": "python3 relax/entrypoints/train.py --rm-type math\n",
    "examples/other/run_other.sh": "python3 relax/entrypoints/train.py --rm-type math\n",
    "relax/engine/rewards.py": "def execute():\n    return None\n",
}


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    run = git_in(tmp_path, monkeypatch)
    for path, text in TREE.items():
        write(path, text)
    run("init", "--quiet")
    run("add", "--all")
    run("commit", "--quiet", "--message", "start")
    return run


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    main(["check", "--select", "RLX106", "--format", "json", "--exit-zero", *arguments])
    return [item["path"] for item in json.loads(capsys.readouterr().out)["diagnostics"]]


def touch(*paths: str) -> None:
    for path in paths:
        write(path, TREE.get(path, "") + "# changed\n")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_staged_edits_of_the_core_beside_a_recipe(git: Git, capsys: pytest.CaptureFixture[str], jobs: str) -> None:
    touch("examples/demo/run_demo.sh", "examples/other/run_other.sh", "relax/engine/rewards.py", "relax/new.py")
    git("add", "--all")
    assert found(capsys, "--staged", "-j", jobs) == ["relax/engine/rewards.py", "relax/new.py"]
    assert found(capsys) == []


def test_the_core_alone_is_nobodys_recipe(git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    touch("relax/engine/rewards.py")
    git("add", "--all")
    assert found(capsys, "--staged") == []


def test_only_recipes_that_are_asked_for_count(git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    touch("examples/demo/run_demo.sh", "relax/engine/rewards.py")
    git("add", "--all")
    assert found(capsys, "--staged", "examples/other") == []
    assert found(capsys, "--staged", "examples/demo") == ["relax/engine/rewards.py"]


def test_a_deleted_file_of_the_core(git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    touch("examples/demo/run_demo.sh")
    git("rm", "--quiet", "relax/engine/rewards.py")
    git("add", "--all")
    assert found(capsys, "--staged") == ["relax/engine/rewards.py"]
    assert found(capsys, "--since", "HEAD") == ["relax/engine/rewards.py"]


def test_it_stays_found_where_fixes_are_applied(git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    touch("examples/demo/run_demo.sh", "relax/engine/rewards.py")
    git("add", "--all")
    assert found(capsys, "--staged", "--fix") == ["relax/engine/rewards.py"]


def test_it_can_be_silenced_in_the_file_and_in_the_configuration(git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    touch("examples/demo/run_demo.sh", "relax/engine/rewards.py")
    write("relax/utils.py", "# relax-lint: file-ignore[RLX106] agreed\n")
    write("relax-lint.toml", '[per-file-ignores]\n"relax/engine/*" = ["core-touched"]\n')
    git("add", "--all")
    assert found(capsys, "--staged") == []


def test_with_nothing_staged_nothing_is_checked_or_rewritten(
    git: Git, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = Path("examples/demo/run_more.sh")
    launcher.parent.mkdir(parents=True, exist_ok=True)
    launcher.write_text("python3 relax/entrypoints/train.py --bf16 --bf16\n")
    before = launcher.read_text()
    assert main(["check", "--staged", "--fix"]) == 0
    assert "nothing is staged" in capsys.readouterr().err
    assert launcher.read_text() == before
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert main(["check", "--staged"]) == 1
    assert "nothing is staged" not in capsys.readouterr().err
