"""What flake8 is told from memory is what it would be told anew."""

from __future__ import annotations

import marshal
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from relax_lint import store
from tests.test_flake8_plugin import ASYNC_REWARD, RECIPES, REWARD, SYNC_REWARD, flake8, places

LAUNCHER = Path("examples/countdown/run_countdown.sh")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/relax-lint"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = Path(shutil.copytree(RECIPES / "broken_countdown", tmp_path / "repository"))
    (root / REWARD).write_text(SYNC_REWARD)
    return root


def falsify(cache: Path) -> None:
    """Let every file that is remembered have another finding than it had."""
    for path in cache.glob("flake8-*"):
        kept = store.Store(str(cache), path.stem.rpartition("-")[0], 99)
        name = path.stem.rpartition("-")[2]
        body = kept.find(name)
        assert body is not None
        known, seen = marshal.loads(body)
        told = {path: (digest, [(1, 0, "RLX999 remembered")]) for path, (digest, _) in known.items()}
        kept.keep(name, marshal.dumps((told, seen)))


def anew(directory: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[str]:
    """What flake8 says that remembers nothing."""
    with monkeypatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(directory.parent / "empty"))
        shutil.rmtree(directory.parent / "empty", ignore_errors=True)
        return sorted(flake8(directory, *arguments))


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_what_is_remembered_is_told_again(jobs: str, tree: Path, cache: Path) -> None:
    first = flake8(tree, jobs, "examples")
    assert places(first) == [f"{REWARD}:1 RLX202"]
    assert flake8(tree, jobs, "examples") == first
    falsify(cache)
    assert places(flake8(tree, jobs, "--select=RLX", "examples")) == [f"{REWARD}:1 RLX999"]


def test_one_process_knows_what_several_found_out(tree: Path, cache: Path) -> None:
    (tree / "examples/countdown/more.py").write_text("from verl import DataProto\n")
    flake8(tree, "-j2", "examples")
    falsify(cache)
    codes = {place.rpartition(" ")[2] for place in places(flake8(tree, "-j1", "--select=RLX", "examples"))}
    assert codes == {"RLX999"}


def test_how_many_processes_judge_does_not_matter(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("good_gsm8k", "good_pairwise"):
        shutil.copytree(RECIPES / name, tree, dirs_exist_ok=True)
    (tree / "examples/gsm8k/more.py").write_text("from verl import DataProto\n")
    told = [anew(tree, monkeypatch, f"-j{jobs}", "examples") for jobs in (1, 2, 4)]
    assert "RLX101" in "".join(told[0])
    assert told == [told[0]] * 3


def edit_launcher(root: Path) -> None:
    launcher = root / LAUNCHER
    launcher.write_text(launcher.read_text().replace("--custom-rm-path", "--rm-type math #"))


def edit_reward(root: Path) -> None:
    (root / REWARD).write_text(ASYNC_REWARD)


def configure(root: Path) -> None:
    (root / "relax-lint.toml").write_text('ignore = ["RLX202"]\n')


def add_launcher(root: Path) -> None:
    launcher = root / LAUNCHER
    launcher.with_name("run_more.sh").write_text(launcher.read_text().replace("--custom-rm-path", "--group-rm &"))


@pytest.mark.parametrize("change", [edit_launcher, edit_reward, configure, add_launcher])
def test_what_has_changed_is_judged_again(
    change: Callable[[Path], None], tree: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flake8(tree, "examples")
    falsify(cache)
    change(tree)
    told = sorted(flake8(tree, "examples"))
    assert not any("RLX999" in line for line in told)
    assert told == anew(tree, monkeypatch, "examples")


def test_a_script_that_may_be_executed_now_or_no_longer_is_judged_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tree / "scripts/inner.sh"
    inner.parent.mkdir(exist_ok=True)
    inner.write_text('#!/bin/bash\npython3 relax/entrypoints/train.py "$@"\n')
    (tree / LAUNCHER).write_text(
        "#!/bin/bash\n./scripts/inner.sh --custom-rm-path examples.countdown.reward_countdown.reward_func\n"
    )
    told = []
    for mode in (0o644, 0o755, 0o644):
        inner.chmod(mode)
        told.append(sorted(flake8(tree, "examples")))
        assert told[-1] == anew(tree, monkeypatch, "examples")
    assert ["RLX202" in "".join(lines) for lines in told] == [False, True, False]


def test_unsaved_text_is_judged_as_it_is(tree: Path, cache: Path) -> None:
    flake8(tree, "examples")
    falsify(cache)
    unsaved = ["--stdin-display-name", str(REWARD), "-"]
    assert flake8(tree, *unsaved, text=ASYNC_REWARD) == []
    assert places(flake8(tree, *unsaved, text="\n" + SYNC_REWARD)) == [f"{REWARD}:2 RLX202"]
    before = [path.read_bytes() for path in sorted(cache.glob("flake8-*"))]
    flake8(tree, *unsaved, text=ASYNC_REWARD)
    assert [path.read_bytes() for path in sorted(cache.glob("flake8-*"))] == before


def test_nothing_is_remembered_where_the_configuration_says_so(tree: Path, cache: Path) -> None:
    (tree / "relax-lint.toml").write_text("cache = false\n")
    flake8(tree, "examples")
    assert not list(cache.glob("flake8-*"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nonsense",
        marshal.dumps(42),
        marshal.dumps(({"x": 1}, marshal.dumps(({}, {})))),
        marshal.dumps(({}, None)),
    ],
    ids=["empty", "text", "number", "finding", "looks"],
)
def test_an_entry_that_holds_no_findings_is_worked_out_again(body: bytes, tree: Path, cache: Path) -> None:
    first = flake8(tree, "examples")
    for path in cache.glob("flake8-*"):
        sort, _, name = path.stem.rpartition("-")
        store.Store(str(cache), sort, 99).keep(name, body)
    assert flake8(tree, "examples") == first


def test_an_unusable_configuration_is_said_whatever_is_remembered(tree: Path, tmp_path: Path) -> None:
    nested = tree / "examples/countdown/relax-lint.toml"
    flake8(tree, "examples")
    nested.write_text("nonsense = 1\n")
    assert places(flake8(tree, "examples/countdown")) == [f"{REWARD}:1 RLX001"]
    assert places(flake8(tree, "examples/countdown")) == [f"{REWARD}:1 RLX001"]
    nested.unlink()
    assert places(flake8(tree, "examples/countdown")) == [f"{REWARD}:1 RLX202"]


def test_a_tree_that_changes_at_random_is_judged_as_if_nothing_were_remembered(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(1)
    shutil.copytree(RECIPES / "good_gsm8k", tree, dirs_exist_ok=True)
    for _ in range(6):
        path = dice.choice([path for path in sorted((tree / "examples").rglob("*")) if path.is_file()])
        lines = path.read_text().splitlines(keepends=True)
        if lines:
            del lines[dice.randrange(len(lines))]
            path.write_text("".join(lines))
        assert sorted(flake8(tree, "-j1", "--select=RLX", "examples")) == anew(
            tree, monkeypatch, "-j1", "--select=RLX", "examples"
        )
