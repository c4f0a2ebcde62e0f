"""Front ends whose input is a file of a recipe: it is changed, and the whole recipe is judged."""

from __future__ import annotations

import random

from relax_lint.project import Project
from tools.fuzz.judging import SETTINGS, judge
from tools.fuzz.languages import Language
from tools.fuzz.mutating import LONGEST, damaged, mutated, raw
from tools.fuzz.outcome import Depth, Outcome, Tree
from tools.fuzz.reading import read
from tools.fuzz.seeds import Seed, seeds


class TreeFront:
    """One kind of file. ``path`` is where a text stands that begins from no seed, with the files ``beside`` it."""

    def __init__(
        self,
        language: Language,
        suffixes: tuple[str, ...],
        path: str,
        beside: Tree | None = None,
        *,
        modules: tuple[str, ...],
    ) -> None:
        self.language = language
        self.path = path
        self.beside = beside or {}
        self.modules = modules
        self.suffixes = suffixes
        self.small, self.large = seeds(lambda path: path.endswith(suffixes))
        self._tokens: dict[str, list[str]] = {}

    def make(self, chance: random.Random) -> Tree:
        """A tree with one file that was never seen."""
        kind = chance.random()
        if kind < 0.03:
            return {**self.beside, self.path: raw(chance)}
        if kind < 0.2:
            text = self.language.write(chance)
            return {**self.beside, self.path: text[:LONGEST].encode("utf-8", "surrogateescape")}
        seed = chance.choice(self.large if kind > 0.995 else self.small)
        if kind < 0.22:
            return {**seed.tree, seed.path: damaged(chance, seed.tree[seed.path])}
        text = self._mutated(chance, seed)
        return {**seed.tree, seed.path: text.encode("utf-8", "surrogatepass" if kind > 0.99 else "surrogateescape")}

    def judge(self, tree: Tree, depth: Depth) -> Outcome:
        """Have the file read and, as deep as that is wanted, the recipe judged."""
        project = Project.from_files(tree, SETTINGS)
        outcome = read(project, tree, self.suffixes)
        if depth is not Depth.READ:
            judge(project, tree, outcome, depth)
        return outcome

    def _mutated(self, chance: random.Random, seed: Seed) -> str:
        """The seed changed; where that cannot be read, once more, as most that is said is said of what can be."""
        text = ""
        for _ in range(3):
            text = mutated(chance, self.language, self._cut(seed), self._cut(chance.choice(self.small)))
            if self.language.reads(text):
                break
        return text

    def _cut(self, seed: Seed) -> list[str]:
        text = seed.text
        if text not in self._tokens:
            self._tokens[text] = self.language.tokens(text)
        return self._tokens[text]
