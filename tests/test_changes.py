"""Which recipes a git change bears on, with a real git."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from relax_lint.changes import GitError, concerned, in_work_tree, not_there, paths_since, staged_paths
from relax_lint.cli import main
from tests.repositories import Git, git_in

TREE = {
    "examples/__init__.py": "",
    "examples/a/run_a.sh": "source scripts/models/small.sh\npython3 relax/entrypoints/train.py\n",
    "examples/a/reward_a.py": "from examples.b.base import Base\n",
    "examples/b/run_b.sh": "# see scripts/tools/process_b.py\n",
    "examples/b/base.py": "class Base: ...\n",
    "examples/c/run_c.sh": "echo small talk about base and b\n",
    "scripts/models/small.sh": "MODEL_ARGS=()\n",
    "scripts/tools/process_b.py": "x = 1\n",
    "scripts/training/run.sh": "echo\n",
    "notes.md": "",
}


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository of recipes, the working directory; returns a way to run git in it."""
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


def names(changed: list[Path] | None, *within: str) -> list[str]:
    assert changed is not None
    here = Path.cwd()
    paths = [here / path for path in within] or [here]
    return [path.relative_to(here).as_posix() for path in concerned(changed, paths)]


def test_nothing_staged_is_told_from_nothing_concerned(git: Git) -> None:
    assert staged_paths() is None
    write("notes.md", "x")
    git("add", "notes.md")
    assert names(staged_paths()) == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("examples/c/run_c.sh", ["examples/c"]),
        ("examples/new/reward_new.py", ["examples/new"]),
        ("examples/a/deep/er/x.py", ["examples/a"]),
        ("scripts/models/small.sh", ["examples/a", "scripts/models/small.sh"]),
        ("scripts/tools/process_b.py", ["examples/b"]),
        ("scripts/training/run.sh", ["scripts/training/run.sh"]),
        ("examples/b/base.py", ["examples/a", "examples/b"]),
        ("examples/__init__.py", ["examples/a", "examples/b", "examples/c"]),
        ("examples/b/__init__.py", ["examples/a", "examples/b"]),
    ],
)
def test_a_staged_file_concerns_its_recipe_and_those_that_name_it(git: Git, path: str, expected: list[str]) -> None:
    write(path, "changed\n")
    git("add", path)
    assert names(staged_paths()) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("examples/b/base.py", ["examples/a", "examples/b"]),
        ("scripts/models/small.sh", ["examples/a"]),
        ("scripts/tools/process_b.py", ["examples/b"]),
        ("examples/__init__.py", ["examples/a", "examples/b", "examples/c"]),
        ("examples/c/run_c.sh", []),  # the whole recipe is gone, and nobody names it
    ],
)
def test_a_deletion_concerns_whoever_needs_the_file(git: Git, path: str, expected: list[str]) -> None:
    git("rm", "--quiet", path)
    assert names(staged_paths()) == expected


def test_what_is_judged_and_is_not_what_is_staged_is_said(git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    write("examples/a/reward_a.py", "import verl\n")
    write("examples/b/base.py", "x = 1\n")
    git("add", "--all")
    write("examples/a/reward_a.py", "x = 1\n")
    write("examples/c/run_c.sh", "echo\n")
    main(["check", "--staged", "--no-cache", "examples"])
    told = "examples/a/reward_a.py is judged as it is in the work tree, and that is not what is staged"
    assert capsys.readouterr().err == f"relax-lint: {told}\n"


CHAIN = {
    "examples/chain/run_chain.sh": "SIZE=${SIZE:-small}\nsource scripts/models/${SIZE}_chain.sh\n"
    "python3 relax/entrypoints/train.py --custom-rm-path shared.rewards.score.reward_func "
    "--custom-config-path shared/chain.yaml --prompt-data data/rows.jsonl\n",
    "examples/chain/__init__.py": "",
    "examples/chain/all_of_it.py": "import examples.whole as whole\n",
    "examples/whole/__init__.py": "",
    "examples/whole/part.py": "",
    "scripts/models/small_chain.sh": 'source "$(dirname "$BASH_SOURCE")/../lib/base_chain.sh"\n',
    "scripts/models/large_chain.sh": "ARGS=()\n",
    "scripts/lib/base_chain.sh": "ARGS=()\n",
    "scripts/training/run_t.sh": "source scripts/models/large_chain.sh\npython3 relax/entrypoints/train.py\n",
    "shared/rewards/score.py": "from shared.rewards.parts import words\nfrom . import numbers\n",
    "shared/rewards/parts.py": "",
    "shared/rewards/numbers.py": "",
    "shared/rewards/unrelated.py": "",
    "shared/chain.yaml": "x: 1\n",
    "data/rows.jsonl": "{}\n",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("scripts/models/small_chain.sh", ["examples/chain", "scripts/models/small_chain.sh"]),
        (
            "scripts/lib/base_chain.sh",
            ["examples/chain", "scripts/lib/base_chain.sh", "scripts/models/small_chain.sh"],
        ),
        ("scripts/models/large_chain.sh", ["scripts/models/large_chain.sh", "scripts/training/run_t.sh"]),
        ("shared/rewards/score.py", ["examples/chain"]),
        ("shared/rewards/parts.py", ["examples/chain"]),
        ("shared/rewards/numbers.py", ["examples/chain"]),
        ("shared/rewards/unrelated.py", []),
        ("shared/chain.yaml", ["examples/chain"]),
        ("data/rows.jsonl", ["examples/chain"]),
        ("examples/whole/part.py", ["examples/chain", "examples/whole"]),
        ("examples/chain/notes.md", []),
        ("examples/chain/curve.png", []),
        ("examples/chain/rows.json", ["examples/chain"]),
    ],
)
def test_a_recipe_is_concerned_by_all_that_it_reads_and_nothing_else(git: Git, path: str, expected: list[str]) -> None:
    for name, text in CHAIN.items():
        write(name, text)
    git("add", "--all")
    git("commit", "--quiet", "--message", "chain")
    write(path, Path(path).read_text() + "\n" if Path(path).exists() else "new\n")
    assert names(paths_since("HEAD")) == expected


def test_a_rename_is_a_deletion_too(git: Git) -> None:
    git("mv", "examples/b/base.py", "examples/c/base_env.py")
    assert names(staged_paths()) == ["examples/a", "examples/b", "examples/c"]


def test_what_is_not_staged_is_left_out(git: Git) -> None:
    write("examples/a/run_a.sh", "changed\n")
    write("examples/c/run_c.sh", "changed\n")
    git("add", "examples/c")
    assert names(staged_paths()) == ["examples/c"]


def test_given_paths_narrow_it_down(git: Git) -> None:
    write("examples/a/run_a.sh", "changed\n")
    write("examples/c/run_c.sh", "changed\n")
    git("add", "--all")
    assert names(staged_paths(), "examples/c", "scripts") == ["examples/c"]
    assert names(staged_paths(), "examples/a/run_a.sh", "examples/b") == ["examples/a/run_a.sh"]


def test_the_refs_that_pre_commit_names_count_before_the_index(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    before = git("rev-parse", "HEAD")
    write("examples/c/run_c.sh", "changed\n")
    git("commit", "--all", "--quiet", "--message", "next")
    write("examples/a/run_a.sh", "changed\n")
    git("add", "--all")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", before)
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert names(staged_paths()) == ["examples/c"]


def test_since_a_revision_counts_edits_deletions_and_new_files(git: Git) -> None:
    before = git("rev-parse", "HEAD")
    write("examples/c/run_c.sh", "changed\n")
    git("commit", "--all", "--quiet", "--message", "next")
    Path("scripts/models/small.sh").unlink()
    write("examples/new/reward_new.py", "x = 1\n")
    assert names(paths_since(before)) == ["examples/a", "examples/c", "examples/new"]
    assert names(paths_since("HEAD")) == ["examples/a", "examples/new"]


def test_names_that_git_would_quote(git: Git) -> None:
    write("examples/ü b/run.sh", "echo\n")
    git("add", "--all")
    assert names(staged_paths()) == ["examples/ü b"]


def test_it_works_from_a_directory_below(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    write("examples/c/run_c.sh", "changed\n")
    git("add", "--all")
    monkeypatch.chdir("examples/c")
    assert concerned(staged_paths() or [], [Path.cwd()]) == [Path.cwd()]


@pytest.mark.parametrize("revision", ["no-such-revision", "--output=x", ""])
def test_git_says_what_is_wrong(git: Git, revision: str) -> None:
    with pytest.raises(GitError):
        paths_since(revision)
    assert not Path("x").exists()


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitError, match="not a git repository"):
        staged_paths()


@pytest.fixture
def around(git: Git, tmp_path_factory: pytest.TempPathFactory) -> Git:
    """A repository that has the one of recipes as a submodule, the working directory."""
    inner = Path.cwd()
    outer = tmp_path_factory.mktemp("outer")
    git("clone", "--quiet", str(inner), str(outer / "rel"))
    os.chdir(outer)
    git("init", "--quiet")
    write("tools/x.sh", "echo\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "start")
    return git


def change_inside(git: Git, path: str = "rel/examples/c/run_c.sh", *, commit: bool = True) -> None:
    write(path, "changed\n")
    git("-C", "rel", "add", "--all")
    if commit:
        git("-C", "rel", "commit", "--quiet", "--message", "next")


def test_a_commit_in_a_submodule_concerns_its_recipes(around: Git) -> None:
    assert names(paths_since("HEAD")) == []
    change_inside(around)
    assert names(paths_since("HEAD")) == ["rel/examples/c"]
    assert staged_paths() is None
    around("add", "rel")
    assert names(staged_paths()) == ["rel/examples/c"]
    around("commit", "--quiet", "--message", "moved")
    assert names(paths_since("HEAD")) == []
    assert names(paths_since("HEAD~1")) == ["rel/examples/c"]


def test_what_is_not_committed_in_a_submodule_counts_where_the_work_tree_does(around: Git) -> None:
    change_inside(around, commit=False)
    write("rel/examples/new/run_new.sh", "echo\n")
    assert names(paths_since("HEAD")) == ["rel/examples/c", "rel/examples/new"]
    around("add", "rel")
    assert staged_paths() is None


def test_all_recipes_of_a_submodule_are_concerned_where_git_cannot_say_more(around: Git) -> None:
    around("update-index", "--cacheinfo", f"160000,{'1' * 40},rel")
    around("commit", "--quiet", "--message", "a commit that nobody has")
    every = [f"rel/examples/{name}" for name in "abc"]
    assert set(every) <= set(names(paths_since("HEAD")))
    around("add", "rel")
    assert set(every) <= set(names(staged_paths()))


def test_a_submodule_that_is_not_checked_out_has_not_changed(around: Git) -> None:
    shutil.rmtree("rel")
    Path("rel").mkdir()
    assert paths_since("HEAD") == []


def test_a_submodule_that_has_changed_and_is_not_checked_out_is_told(
    around: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    around("update-index", "--cacheinfo", f"160000,{'1' * 40},rel")
    around("commit", "--quiet", "--message", "another commit")
    shutil.rmtree("rel")
    Path("rel").mkdir()
    Path("tools/link").symlink_to("../rel")
    here = Path.cwd()
    changed = paths_since("HEAD~1")
    assert not_there(changed, [here]) == not_there(changed, [here / "rel/examples"]) == [here / "rel"]
    assert not_there(changed, [here / "tools"]) == []
    assert main(["check", "--since", "HEAD~1"]) == 0
    assert "rel is a submodule that has changed and is not checked out" in capsys.readouterr().err
    assert main(["check", "--since", "HEAD~1", "--require-checked"]) == 1
    assert main(["check", "--since", "HEAD~1", "--require-checked", "tools"]) == 0


def test_what_a_new_relax_changes_in_its_core_is_no_recipes_doing(around: Git) -> None:
    change_inside(around, "rel/relax/core.py")
    around("add", "rel")
    write("tools/x.sh", "changed\n")
    around("add", "--all")
    changed = staged_paths() or []
    assert [path.relative_to(Path.cwd()).as_posix() for path in changed] == ["rel/relax/core.py", "tools/x.sh"]
    assert in_work_tree(changed) == [Path.cwd() / "tools/x.sh"]
