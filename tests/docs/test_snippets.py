"""Every block of code in README and docs/ is run, or held against what reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.checks import faults_of, usage_faults
from tools.docs_builder.server import served
from tools.docs_builder.sessions import ROOT, faults
from tools.docs_builder.snippets import Block, Directory, blocks, inline_commands, unfenced_code, unknown_comments

MADE_FROM_EXAMPLES = "docs/rules"
"""These pages show the examples of the rules, each of which has its own test."""
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
    if not path.is_relative_to(ROOT / MADE_FROM_EXAMPLES)
]


@pytest.mark.parametrize("name", PAGES)
def test_blocks_are_what_their_language_says(name: str, tmp_path: Path) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    found = [f"line {line}: only indented, so nothing is known of it" for line in unfenced_code(page)]
    found += [f"line {line}: a comment that says nothing known" for line in unknown_comments(page)]
    found += [
        f"line {line}: {fault}"
        for line, command in inline_commands(page)
        for fault in usage_faults(command)
        if "arguments are required" not in fault
    ]
    in_directory = False
    for piece in blocks(page):
        if isinstance(piece, Directory):
            in_directory = True
        elif isinstance(piece, Block):
            found += [f"line {piece.line}: {fault}" for fault in faults_of(piece, tmp_path, runs=in_directory)]
    assert not found, "\n".join(found)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where pages find relax-lint, which is loaded once for all of them."""
    with served(tmp_path_factory.mktemp("programs")) as directory:
        yield directory


@pytest.mark.parametrize("name", PAGES)
def test_commands_do_what_the_page_says(name: str, programs: Path) -> None:
    found = list(faults((ROOT / name).read_text(encoding="utf-8"), programs))
    assert not found, "\n\n".join(found)


def test_the_recipe_of_the_tutorial_is_the_bundled_one() -> None:
    page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    for path in (ROOT / "tests/verl_recipes/gsm8k").iterdir():
        assert f"cat > {path.name} <<'EOF'\n{path.read_text(encoding='utf-8')}EOF\n" in page
