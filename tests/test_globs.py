"""Patterns mean what git's own matcher means by them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from relax_lint.globs import Patterns

PATHS = (
    "a.py",
    "a.pyc",
    "build/x.py",
    "src/build/x.py",
    "src/a.py",
    "src/deep/er/a.py",
    "docs/a.md",
    "docs/deep/a.md",
    "logs/keep.log",
    "logs/x.log",
    "x.log",
    "[a].py",
    "name with blank",
    "trailing ",
    "#hash",
    "!bang",
    "foo/bar/baz.sh",
    "foobar",
    "run_1.sh",
    "run_a.sh",
    "Über/ß.py",
)
PATTERNS: tuple[tuple[str, ...], ...] = (
    ("*.pyc",),
    ("build/",),
    ("/build",),
    ("src/build",),
    ("**/a.py",),
    ("src/**/a.py",),
    ("src/**",),
    ("docs/*.md",),
    ("*.log", "!keep.log"),
    ("*.log", "!keep.log", "x*"),
    ("logs/*", "!logs/keep.log"),
    ("logs/", "!logs/keep.log"),
    ("\\[a\\].py",),
    ("[[]a].py",),
    ("run_[0-9].sh",),
    ("run_[!0-9].sh",),
    ("run_[^0-9].sh",),
    ("run_?.sh",),
    ("trailing\\ ",),
    ("trailing ",),
    ("\\#hash",),
    ("#hash",),
    ("\\!bang",),
    ("foo/*/baz.sh",),
    ("foo*",),
    ("foo/**/baz.sh",),
    ("**/bar",),
    ("Über/",),
    ("ß.py",),
    ("",),
    ("*",),
    ("*", "!*.py"),
    ("*", "!*/", "!*.py"),
    ("[",),
    ("[a-",),
    ("a.p[y]",),
    ("**",),
    ("/*", "!/src"),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "--quiet", root], check=True)
    for path in PATHS:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    return root


@pytest.mark.parametrize("patterns", PATTERNS, ids=" ".join)
def test_git_ignores_the_same_files(tree: Path, patterns: tuple[str, ...]) -> None:
    (tree / ".gitignore").write_text("\n".join(patterns) + "\n")
    listed = ["git", "-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard", "-z"]
    kept = subprocess.run(listed, cwd=tree, capture_output=True, text=True, check=True).stdout.split("\0")
    own = Patterns(patterns)
    assert [path for path in PATHS if not own.covers(path)] == [path for path in PATHS if path in kept]


def test_nothing_is_taken_from_comments_and_blank_lines() -> None:
    assert not Patterns(["", "# a comment", "   ", "/"])
