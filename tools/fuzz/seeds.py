"""Where inputs begin: the trees of the rules' own examples, and the recipes that tests keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from relax_lint.rules import Example, import_rules
from tools.fuzz.outcome import Tree
from tools.rule_examples import tree_of

ROOT = Path(__file__).resolve().parents[2]
LARGE = 3_000
"""Characters of a seed that costs as much as many others."""


class Seed(NamedTuple):
    """A tree and the file of it that is changed."""

    tree: Tree
    path: str

    @property
    def text(self) -> str:
        """What is in the file."""
        return self.tree[self.path].decode("utf-8", "surrogateescape")

    @property
    def size(self) -> int:
        """How much there is to read of it."""
        return sum(map(len, self.tree.values()))


def seeds(wanted: Callable[[str], bool]) -> tuple[list[Seed], list[Seed]]:
    """The seeds with a file that is wanted: the small ones, and the large ones."""
    found: dict[tuple[str, bytes], Seed] = {}
    for tree in trees():
        for path, data in tree.items():
            if wanted(path):
                found.setdefault((path, data), Seed(tree, path))
    small = [one for one in found.values() if one.size <= LARGE]
    return small, [one for one in found.values() if one.size > LARGE]


def trees() -> Iterator[Tree]:
    """All trees, always in the same order."""
    for rule in import_rules().values():
        for example in (*rule.valid, *rule.invalid):
            tree = tree_of(rule, example if isinstance(example, Example) else Example(example))
            yield {path: text.encode("utf-8", "surrogateescape") for path, text in tree.items()}
    for recipe in sorted((ROOT / "tests/recipes").iterdir()):
        if recipe.is_dir():
            yield _below(recipe, "")
    for recipe in sorted((ROOT / "tests/verl_recipes").iterdir()):
        if recipe.is_dir():
            yield _below(recipe, f"examples/{recipe.name}/")
    launchers = ROOT / "tests/migrate/launchers"
    for path in sorted(launchers.glob("*.sh")):
        yield {f"examples/{path.stem}/{path.name}": path.read_bytes()}


def _below(directory: Path, prefix: str) -> Tree:
    return {
        prefix + path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
