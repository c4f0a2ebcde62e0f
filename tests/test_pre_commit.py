"""The hooks under the real pre-commit, installed from a snapshot of this repository by the real pip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RECIPES = ROOT / "tests/recipes"
PACKAGED = ("relax_lint", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
REWARD = "examples/gsm8k/reward_gsm8k.py"

pytestmark = pytest.mark.xdist_group("pre-commit")


@dataclass
class Repository:
    """A git repository that the hooks are tried on."""

    path: Path
    environ: dict[str, str]

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.path, env=self.environ, capture_output=True, text=True)

    def git(self, *arguments: str) -> str:
        done = self.run("git", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def pre_commit(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        done = self.run(sys.executable, "-m", "pre_commit", *arguments)
        assert "An unexpected error has occurred" not in done.stdout + done.stderr, done.stdout + done.stderr
        return done

    def commit_all(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--no-verify", "--message", "state")
        return self.git("rev-parse", "HEAD")

    def write(self, path: str, text: str) -> None:
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_text(text)


def environ_for(home: Path) -> dict[str, str]:
    """The test's own environment without what an outer git or pre-commit left in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT", "PYTEST"))}
    people = {f"GIT_{role}_{what}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {**kept, **people, "GIT_CONFIG_GLOBAL": os.devnull, "PRE_COMMIT_HOME": str(home), "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A snapshot of this repository as others would clone it."""
    path = tmp_path_factory.mktemp("hooks") / "relax-lint"
    for name in PACKAGED:
        path.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, path / name)
    repository = Repository(path, environ_for(tmp_path_factory.mktemp("pre-commit-home")))
    repository.git("init", "--quiet")
    repository.commit_all()
    return repository


@pytest.fixture
def start(tmp_path: Path, hooks: Repository) -> Callable[[str], Repository]:
    """Makes a repository of a bundled recipe, committed, with the hooks configured."""

    def make(recipe: str) -> Repository:
        path = tmp_path / recipe
        shutil.copytree(RECIPES / recipe, path)
        repository = Repository(path, hooks.environ)
        revision = hooks.git("rev-parse", "HEAD")
        ids = ("relax-lint", "relax-lint-fix", "relax-core-untouched")
        repository.write(
            ".pre-commit-config.yaml",
            f"repos:\n- repo: {hooks.path}\n  rev: {revision}\n  hooks:\n"
            + "".join(f"  - id: {name}\n" for name in ids),
        )
        repository.git("init", "--quiet")
        repository.commit_all()
        return repository

    return make


def test_a_broken_recipe_is_refused_fixed_and_let_through(
    tmp_path: Path, hooks: Repository, start: Callable[[str], Repository]
) -> None:
    repository = start("broken_countdown")
    launcher = repository.path / "examples/countdown/run_countdown.sh"
    launcher.write_text(launcher.read_text().replace("--global-batch-size 128", "--global-batch-size 256"))
    repository.git("rm", "--quiet", "--cached", "-r", "examples")
    repository.git("commit", "--quiet", "--message", "before the recipe")
    repository.git("add", "--all")

    refused = repository.pre_commit("run", "relax-lint")
    assert refused.returncode == 1
    assert "RLX202" in refused.stdout

    fixed = repository.pre_commit("run", "relax-lint-fix")
    assert fixed.returncode == 1, "a hook that changes files fails, so that they are staged"
    assert "async def reward_func" in (repository.path / "examples/countdown/reward_countdown.py").read_text()
    assert (repository.path / "examples/countdown/__init__.py").exists()

    repository.git("add", "--all")
    passed = repository.pre_commit("run", "relax-lint")
    assert passed.returncode == 0, passed.stdout
    again = repository.pre_commit("run", "relax-lint-fix")
    assert again.returncode == 0, again.stdout


def test_a_commit_that_only_deletes_what_a_recipe_needs_is_caught(start: Callable[[str], Repository]) -> None:
    repository = start("good_gsm8k")
    assert repository.pre_commit("run", "relax-lint").returncode == 0
    repository.git("rm", "--quiet", REWARD)
    refused = repository.pre_commit("run", "relax-lint")
    assert refused.returncode == 1
    assert "RLX201" in refused.stdout


def test_all_files_on_a_clean_index_checks_everything(start: Callable[[str], Repository]) -> None:
    repository = start("broken_countdown")
    assert repository.git("status", "--porcelain") == ""
    refused = repository.pre_commit("run", "relax-lint", "--all-files")
    assert refused.returncode == 1
    assert "RLX202" in refused.stdout


def test_only_recipes_that_the_index_touches_are_judged(start: Callable[[str], Repository]) -> None:
    repository = start("broken_countdown")
    repository.write("examples/other/reward_other.py", "def reward_func(args, sample, **kwargs):\n    return 1.0\n")
    repository.git("add", "--all")
    judged = repository.pre_commit("run", "relax-lint").stdout
    assert "examples/other" in judged
    assert "countdown" not in judged


def test_a_push_is_judged_by_what_changed_between_its_ends(start: Callable[[str], Repository]) -> None:
    repository = start("good_gsm8k")
    before = repository.git("rev-parse", "HEAD")
    reward = (repository.path / REWARD).read_text()
    repository.write(REWARD, reward.replace("async def", "def"))
    after = repository.commit_all()
    refused = repository.pre_commit("run", "relax-lint", "--from-ref", before, "--to-ref", after)
    assert refused.returncode == 1
    assert "RLX202" in refused.stdout


def test_three_thousand_changed_files_give_each_finding_once(start: Callable[[str], Repository]) -> None:
    repository = start("broken_countdown")
    for number in range(3000):
        repository.write(f"examples/countdown/parts/part_{number}.py", f"NUMBER = {number}\n")
    reward = repository.path / "examples/countdown/reward_countdown.py"
    reward.write_text(reward.read_text() + "\n\nREVISION = 2\n")
    repository.git("add", "--all")
    refused = repository.pre_commit("run", "relax-lint")
    assert refused.returncode == 1
    assert refused.stdout.count("RLX202") == 1


@pytest.mark.parametrize("change", ["edit", "add", "delete"])
def test_relaxs_core_is_guarded(start: Callable[[str], Repository], change: str) -> None:
    repository = start("good_gsm8k")
    repository.write("relax/engine/rewards/router.py", "KNOWN = {}\n")
    repository.commit_all()
    assert repository.pre_commit("run", "relax-core-untouched").returncode == 0
    assert repository.pre_commit("run", "relax-core-untouched", "--all-files").returncode == 0
    if change == "delete":
        repository.git("rm", "--quiet", "relax/engine/rewards/router.py")
    else:
        name = "router" if change == "edit" else "countdown"
        repository.write(f"relax/engine/rewards/{name}.py", "KNOWN = {1: 2}\n")
        repository.git("add", "--all")
    refused = repository.pre_commit("run", "relax-core-untouched")
    assert refused.returncode == 1
    assert "relax/engine/rewards/" in refused.stdout


def test_changes_beside_relaxs_core_are_no_business_of_its_guard(start: Callable[[str], Repository]) -> None:
    repository = start("good_gsm8k")
    repository.write("examples/gsm8k/notes.md", "relax/ stays as it is\n")
    repository.write("scripts/relax/tool.py", "A = 1\n")
    repository.git("add", "--all")
    assert repository.pre_commit("run", "relax-core-untouched").returncode == 0
