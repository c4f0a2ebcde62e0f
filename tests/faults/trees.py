"""Recipes as trees of files, and the edits that break them in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Tree = dict[str, str | bytes]
"""What each file of a repository holds, by its path."""
Edit = Callable[[Tree], None]
"""Changes a tree in place."""


class DoesNotFit(ValueError):
    """An edit whose place is not there, or not alone."""


def text_of(tree: Tree, path: str) -> str:
    """The text of a file of the tree."""
    held = tree.get(path)
    if not isinstance(held, str):
        raise DoesNotFit(f"{path} is no text of this recipe")
    return held


def swap(path: str, old: str, new: str, times: int = 1) -> Edit:
    """Put ``new`` for ``old``, which stands in the file exactly so many times."""

    def edit(tree: Tree) -> None:
        text = text_of(tree, path)
        if text.count(old) != times:
            raise DoesNotFit(f"{old!r} stands {text.count(old)} times in {path}")
        tree[path] = text.replace(old, new)

    return edit


def drop_line(path: str, part: str, times: int = 1) -> Edit:
    """Leave out the lines that hold ``part``."""

    def edit(tree: Tree) -> None:
        lines = text_of(tree, path).splitlines(keepends=True)
        left = [line for line in lines if part not in line]
        if len(lines) - len(left) != times:
            raise DoesNotFit(f"{part!r} stands in {len(lines) - len(left)} lines of {path}")
        tree[path] = "".join(left)

    return edit


def write(path: str, held: str | bytes) -> Edit:
    """Make a file, or put another text in its place."""

    def edit(tree: Tree) -> None:
        tree[path] = held

    return edit


def remove(path: str) -> Edit:
    """Take a file away."""

    def edit(tree: Tree) -> None:
        if path not in tree:
            raise DoesNotFit(f"no {path}")
        del tree[path]

    return edit


def append(path: str, added: str) -> Edit:
    """Write below the end of a file."""

    def edit(tree: Tree) -> None:
        tree[path] = text_of(tree, path) + added

    return edit


ANYWHERE = "*"
"""The mark of findings whose line the contract leaves open."""


def lines_with(mark: str, text: str) -> set[int]:
    """The lines, counted from 1, in which a mark begins."""
    if mark == ANYWHERE:
        return set(range(1, text.count("\n") + 2))
    found, at = set(), text.find(mark)
    while at >= 0:
        found.add(text.count("\n", 0, at) + 1)
        at = text.find(mark, at + 1)
    return found


@dataclass(frozen=True)
class Fault:
    """One thing broken in a recipe, and what must be said of it.

    ``marks`` are texts, each beginning in one line of ``path`` after the edits (or, as ``other/path|text``, of another
    file): the finding must start in one of those lines. Several stand where the contract leaves open which of the lines
    a user must edit. No mark: the file's first line. ``also`` are the codes of findings that the fault entails by the
    contract, which must be there as well; ``may`` are those that it could entail. A severity of two, ``error|warning``,
    is for rows where the contract and Relax's code differ.
    """

    name: str
    recipe: str
    code: str
    path: str
    marks: tuple[str, ...]
    edits: tuple[Edit, ...]
    severity: str = "error"
    also: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """How tests and lists call it."""
        return f"{self.code}-{self.recipe}-{self.name}"

    def applied(self, clean: Mapping[str, str | bytes]) -> Tree:
        """The recipe with this fault."""
        tree = dict(clean)
        for edit in self.edits:
            edit(tree)
        return tree

    def places(self, tree: Tree) -> set[tuple[str, int]]:
        """The files and lines, counted from 1, where the finding may start."""
        if not self.marks:
            return {(self.path, 1)}
        found: set[tuple[str, int]] = set()
        for mark in self.marks:
            path, _, text = mark.partition("|")
            if path not in tree:
                path, text = self.path, mark
            at = lines_with(text, text_of(tree, path))
            if len(at) != 1 and text != ANYWHERE:
                raise DoesNotFit(f"{self.id}: {text!r} stands in {len(at)} lines of {path}")
            found.update((path, number) for number in at)
        return found


@dataclass(frozen=True)
class Maker:
    """Makes the faults of one rule."""

    code: str
    recipe: str
    path: str
    severity: str = "error"
    also: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    made: list[Fault] = field(default_factory=list)

    def __call__(
        self,
        name: str,
        marks: str | tuple[str, ...],
        *edits: Edit,
        path: str = "",
        severity: str = "",
        also: tuple[str, ...] = (),
        may: tuple[str, ...] = (),
        options: tuple[str, ...] = (),
    ) -> None:
        """Keep one more fault."""
        self.made.append(
            Fault(
                name,
                self.recipe,
                self.code,
                path or self.path,
                ((marks,) if marks else ()) if isinstance(marks, str) else marks,
                edits,
                severity or self.severity,
                self.also + also,
                self.may + may,
                options,
            )
        )


def put(tree: Mapping[str, str | bytes], root: Path) -> None:
    """Write a tree to disk."""
    for path, held in tree.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(held, str):
            target.write_text(held, encoding="utf-8", newline="")
        else:
            target.write_bytes(held)
