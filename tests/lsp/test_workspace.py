"""Files as they are typed, judged with their recipes, without an editor."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lint.kept import follow_changes
from relax_lint.lsp.workspace import Checked, Workspace, as_saved

RECIPES = Path(__file__).parents[1] / "recipes"
LAUNCHER, REWARD = Path("examples/countdown/run_countdown.sh"), Path("examples/countdown/reward_countdown.py")


@pytest.fixture(autouse=True)
def _as_the_server_runs() -> Iterator[None]:
    with follow_changes():
        yield


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECIPES / "broken_countdown", tmp_path / "tree"))


def codes(checked: Checked, path: Path) -> list[str]:
    return [found.code for found in checked.files[path].diagnostics]


def opened(*paths: Path) -> Workspace:
    workspace = Workspace()
    for path in paths:
        workspace.open(path, path.read_text())
    return workspace


def test_an_open_file_brings_the_findings_of_its_whole_recipe_as_the_command_line_has_them(tree: Path) -> None:
    checked = opened(tree / REWARD).check()
    words = [sys.executable, "-m", "relax_lint", "--no-cache", "--format=json", "examples/"]
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(words, cwd=tree, capture_output=True, env={**os.environ, "PYTHONPATH": path}, check=False)
    expected = [
        (tree / found["path"], found["code"], found["line"], found["column"], found["message"])
        for found in json.loads(done.stdout)["diagnostics"]
    ]
    assert expected
    assert expected == [
        (path, found.code, found.line, found.column, found.message)
        for path, findings in sorted(checked.files.items())
        for found in findings.diagnostics
    ]
    assert checked.problems == ()


def test_what_is_typed_into_the_reward_changes_what_is_found_in_the_launcher(tree: Path) -> None:
    workspace = opened(tree / REWARD, tree / LAUNCHER)
    before = codes(workspace.check(), tree / LAUNCHER)
    workspace.change(tree / REWARD, "def other(args, sample):\n    return 0.0\n")
    after = codes(workspace.check(), tree / LAUNCHER)
    assert "RLX201" not in before
    assert "RLX201" in after


def test_a_closed_file_is_judged_as_it_is_on_disk(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER)
    before = workspace.check().files[tree / LAUNCHER].diagnostics
    workspace.open(tree / REWARD, "def (\n")
    assert codes(workspace.check(), tree / REWARD) == ["RLX001"]
    workspace.close(tree / REWARD)
    after = workspace.check()
    assert codes(after, tree / REWARD) != ["RLX001"]
    assert [found.message for found in after.files[tree / LAUNCHER].diagnostics] == [found.message for found in before]


def test_a_file_that_changes_on_disk_is_judged_anew(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER)
    workspace.check()
    (tree / REWARD).write_text("def (\n")
    workspace.refresh([tree / REWARD])
    assert codes(workspace.check(), tree / REWARD) == ["RLX001"]


def test_saving_what_is_shown_changes_nothing(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER)
    before = workspace.groups
    workspace.open(tree / REWARD, (tree / REWARD).read_text())
    workspace.change(tree / REWARD, "def (\n")
    (tree / REWARD).write_text("def (\n")
    workspace.refresh([tree / REWARD])
    workspace.close(tree / REWARD)
    assert workspace.groups is before
    assert codes(workspace.check(), tree / REWARD) == ["RLX001"]


def test_with_the_last_file_of_a_recipe_its_findings_go(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER, tree / REWARD)
    workspace.close(tree / LAUNCHER)
    assert codes(workspace.check(), tree / LAUNCHER)
    workspace.close(tree / REWARD)
    assert workspace.check().files == {}


def test_anything_may_have_changed_on_disk(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER)
    assert "RLX801" in codes(workspace.check(), tree / LAUNCHER)
    (tree / "examples/countdown/__init__.py").touch()
    workspace.refresh()
    assert "RLX801" not in codes(workspace.check(), tree / LAUNCHER)


def test_a_file_that_is_not_saved_at_all_is_judged(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER)
    new = tree / "examples/countdown/more.py"
    workspace.open(new, "def (\n")
    assert codes(workspace.check(), new) == ["RLX001"]


def test_the_configuration_is_the_nearest_one_and_may_change(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER)
    assert len(set(codes(workspace.check(), tree / LAUNCHER))) > 1
    (tree / "relax-lint.toml").write_text('select = ["RLX404"]\n')
    workspace.refresh([tree / "relax-lint.toml"])
    assert codes(workspace.check(), tree / LAUNCHER) == ["RLX404"]
    (tree / "relax-lint.toml").write_text('exclude = ["run_*.sh"]\n')
    workspace.refresh([tree / "relax-lint.toml"])
    assert tree / LAUNCHER not in workspace.check().files


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("select = 1\n", "select must be a list of strings"),
        ('select = ["RLX999"]\n', "no rule is called 'RLX999'"),
        ('baseline = "nowhere.json"\n', "nowhere.json: cannot be read"),
        ("=", "not valid TOML"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_a_problem_and_no_finding(tree: Path, content: str, told: str) -> None:
    (tree / "relax-lint.toml").write_text(content)
    checked = opened(tree / LAUNCHER).check()
    assert checked.files == {}
    assert len(checked.problems) == 1
    assert told in checked.problems[0]


def test_what_a_comment_or_the_baseline_silences_is_not_there(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER)
    found = workspace.check().files[tree / LAUNCHER].diagnostics
    entries = [
        {"fingerprint": item.fingerprint, "code": item.code, "path": str(LAUNCHER), "message": item.message}
        for item in found
        if item.code != "RLX404"
    ]
    (tree / "baseline.json").write_text(json.dumps({"baseline": 1, "findings": entries}))
    (tree / "relax-lint.toml").write_text('baseline = "baseline.json"\n')
    workspace.refresh([tree / "relax-lint.toml"])
    assert codes(workspace.check(), tree / LAUNCHER) == ["RLX404"]
    text = (tree / LAUNCHER).read_text()
    workspace.change(tree / LAUNCHER, f"# relax-lint: file-ignore[RLX404] tried\n{text}")
    assert codes(workspace.check(), tree / LAUNCHER) == []


def test_a_file_that_is_none_of_ours_is_left_alone(tmp_path: Path) -> None:
    workspace = Workspace()
    workspace.open(tmp_path / "some.py", "def (\n")
    assert workspace.check() == Checked({})


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [
        ("a.py", "x = 'é'\n", b"x = '\xc3\xa9'\n"),
        ("a.py", "# coding: latin-1\nx = 'é'\n", b"# coding: latin-1\nx = '\xe9'\n"),
        ("a.py", "# coding: latin-1\nx = '→'\n", b"# coding: latin-1\nx = '\xe2\x86\x92'\n"),
        ("a.py", "\ufeffx = 1 # coding\n", b"\xef\xbb\xbfx = 1 # coding\n"),
        ("a.sh", "echo \ud83d\r\n", b"echo \xef\xbf\xbd\r\n"),
    ],
)
def test_text_becomes_the_bytes_that_would_be_saved(name: str, text: str, data: bytes) -> None:
    assert as_saved(Path(name), text) == data


def test_a_yaml_file_is_judged_as_it_is_typed(tree: Path) -> None:
    workspace = opened(tree / LAUNCHER)
    config = tree / "examples/countdown/countdown_config.yaml"
    workspace.open(config, "defaults: [ppo_trainer]\nactor_rollout_ref: {rollout: {n: 8}}\n")
    assert codes(workspace.check(), config) == ["RLX602"]
    workspace.change(config, "a: [\n")
    assert codes(workspace.check(), config) == ["RLX001"]
    workspace.change(config, "max_turns: 3\n")
    assert codes(workspace.check(), config) == []


def test_typing_elsewhere_leaves_what_is_known_alone(tree: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "notes.py"
    workspace = opened(tree / LAUNCHER)
    workspace.open(elsewhere, "x = 1\n")
    before = workspace.groups
    workspace.change(elsewhere, "x = 2\n")
    assert workspace.groups is before
    workspace.change(tree / "relax/other.py", "x = 1\n")
    assert workspace.groups is not before


def test_what_was_typed_long_ago_is_let_go(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relax_lint.lsp.workspace.MOST_TAKEN", 3)
    workspace = opened(tree / LAUNCHER)
    text = (tree / LAUNCHER).read_text()
    sources = []
    for number in range(12):
        workspace.change(tree / LAUNCHER, f"{text}# {number}\n")
        source = workspace.check().files[tree / LAUNCHER].source
        assert source is not None
        sources.append(weakref.ref(source))
        del source
    gc.collect()
    assert next(number for number, source in enumerate(sources) if source() is not None) > 6


def test_what_is_typed_into_a_configuration_changes_what_is_found_in_the_launcher_that_names_it(tree: Path) -> None:
    config = tree / "examples/countdown/countdown_config.yaml"
    config.write_text("n_samples_per_prompt: 4\n")
    launcher = (tree / LAUNCHER).read_text()
    named = f"--custom-config-path {config.relative_to(tree)}"
    (tree / LAUNCHER).write_text(launcher.replace("--global-batch-size", f"{named}\n    --global-batch-size"))
    workspace = opened(tree / LAUNCHER, config)
    assert "RLX407" not in codes(workspace.check(), tree / LAUNCHER)
    workspace.change(config, "n_samples_per_prompt: 8\n")
    assert "RLX407" in codes(workspace.check(), tree / LAUNCHER)
    workspace.change(config, "n_samples_per_prompt: 4\n")
    assert "RLX407" not in codes(workspace.check(), tree / LAUNCHER)


def test_a_recipe_that_is_open_no_more_is_let_go(tree: Path) -> None:
    workspace = opened(tree / REWARD)
    for _ in range(2):
        shown = workspace.check()
        workspace.settle()
        project = weakref.ref(workspace.groups[0].project)
        workspace.close(tree / REWARD)
        workspace.open(tree / REWARD, (tree / REWARD).read_text())
        again = workspace.check()
        del shown
        workspace.settle()
        assert project() is None
        assert codes(again, tree / REWARD)
        del again
    gc.unfreeze()
