"""The version comes from one place, and what is written by hand does not fall behind it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from relax_lint import __version__
from relax_lint.cli import main as relax_lint
from relax_lint.flake8_plugin import Plugin
from tools.release_check import main, newest_release, stale_revisions

ROOT = Path(__file__).resolve().parents[2]
RELEASED = (
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-30\n\n### Added\n\n- All.\n\n## [1.1.0] - 2026-10-01\n"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "CHANGELOG.md").write_text(RELEASED)
    (tmp_path / "README.md").write_text("    rev: v1.2.0\n")
    return tmp_path


def test_the_version_is_written_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert relax_lint(["--version"]) == 0
    assert capsys.readouterr().out == f"relax-lint {__version__}\n"
    assert Plugin.version == __version__
    literal = re.compile(rf"\b{re.escape(__version__)}\b")
    holding = [path for path in (ROOT / "relax_lint").rglob("*.py") if literal.search(path.read_text())]
    assert [path.name for path in holding if path.parent == ROOT / "relax_lint"] == ["__init__.py"]
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()


def test_what_is_shown_is_of_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert newest_release(changelog) in (None, __version__)
    assert list(stale_revisions(ROOT, __version__)) == []


def test_a_version_that_can_be_released(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tag", "v1.2.0"], repository, "1.2.0") == 0
    assert capsys.readouterr().out == "1.2.0 can be released\n"


@pytest.mark.parametrize(
    ("change", "version", "problem"),
    [
        (("", ""), "1.3.0", "CHANGELOG.md has no section [1.3.0]"),
        ((" - 2026-11-30", ""), "1.2.0", "CHANGELOG.md: [1.2.0] has no date, as in [1.2.0] - 2026-01-31"),
        (("### Added\n\n- All.\n", ""), "1.2.0", "CHANGELOG.md: [1.2.0] says nothing"),
        (("## [Unreleased]\n", "## [Unreleased]\n- New.\n"), "1.2.0", "[Unreleased] is not empty"),
        (("", ""), "1.3.0", "README.md shows rev: v1.2.0, not v1.3.0"),
        (("", ""), "1.2", "1.2 is no semantic version"),
        (("", ""), "1.1.0", "the tag is v1.2.0, and the version 1.1.0"),
    ],
)
def test_what_keeps_it_from_being_released(
    change: tuple[str, str], version: str, problem: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "CHANGELOG.md").write_text(RELEASED.replace(*change, 1) if change[0] else RELEASED)
    assert main(["--tag", "v1.2.0"], repository, version) == 1
    assert problem in capsys.readouterr().err
