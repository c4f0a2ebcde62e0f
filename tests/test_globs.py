"""Patterns mean what git's own matcher means by them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from relax_lint.globs import Patterns
from tests import bounded

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
    ("*e*p/*r*/*.p*",),
    ("s*c/**/d*/**/*.p*",),
    ("**/d*/**/**/*.*",),
    ("*.l*o*g*", "!*k*e*e*p*"),
    ("*u*l*d*/",),
    ("*[a-c]*.p*[!x]*",),
    ("[+--z].py", "[!--a]*.log", "[a--b].py", "*[]-a]*", "run_[0-]*"),
    ("r*_*?.*h*",),
    ("d***p/*",),
    ("f*/**/b*/*.*h",),
    ("f**b*a*r",),
    ("*s*r*c*/**",),
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


STARS = "*a" * 8 + "b"
"""It fits no name of many a, which a regular expression finds out by trying every combination."""
SETTINGS = {
    "per-file-ignores": f'[per-file-ignores]\n"{STARS}" = ["RLX4"]\n',
    "per-file-ignores below": f'[per-file-ignores]\n"examples/{STARS}/**/{STARS}" = ["RLX4"]\n',
    "directories": f'[per-file-ignores]\n"{"**/a*/" * 9}b" = ["RLX4"]\n',
    "exclude": f'exclude = ["{STARS}", "examples/{STARS}"]\n',
    "exclude what is named": f'exclude = ["{STARS}"]\nforce-exclude = true\n',
}


@pytest.fixture
def long_names(tmp_path: Path) -> Path:
    script = tmp_path.joinpath("examples", "a" * 200, *["a" * 40] * 20, f"{'a' * 200}.sh")
    script.parent.mkdir(parents=True)
    script.write_text("python3 relax/entrypoints/train.py --bf16\n")
    return tmp_path


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_patterns_of_many_stars_take_no_more_time_than_others(settings: str, long_names: Path) -> None:
    (long_names / "relax-lint.toml").write_text(settings)
    assert bounded.relax_lint(long_names, "--no-cache", "examples").returncode == 1
    named = next(long_names.rglob("*.sh"))
    assert bounded.relax_lint(long_names, "--no-cache", str(named)).returncode == 1


@pytest.mark.parametrize("lines", [STARS, f"{STARS}\n!{STARS}", f"examples/{STARS}/", "**/a*/" * 9 + "b"])
def test_patterns_of_many_stars_in_gitignore_take_no_more_time(lines: str, long_names: Path) -> None:
    subprocess.run(["git", "init", "--quiet", long_names], check=True)
    (long_names / ".gitignore").write_text(f"{lines}\n")
    assert bounded.relax_lint(long_names, "--no-cache", "examples").returncode == 1


def test_excludes_of_many_stars_on_the_command_line_take_no_more_time(long_names: Path) -> None:
    assert bounded.relax_lint(long_names, "--no-cache", "--exclude", STARS, "examples").returncode == 1
