"""The keys that verl's own trees have, and what is meant by one that they have not."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from relax_lint.migrate.composing import Composed, Path, compose, leaves
from relax_lint.migrate.verl_defaults import TRAINER, embedded

if TYPE_CHECKING:
    from collections.abc import Iterable


_NEAR_NAME, _NEAR_ADDED, _NEAR_KEY = 0.85, 0.92, 0.88
_OF_TRAINERS = ("ppo_trainer", "ppo_megatron_trainer")


class KnownKeys:
    """The keys of the tree that a launch is composed of, and of those that this program knows."""

    def __init__(self, composed: Composed) -> None:
        self.own = _with_parents(composed.of_verl)

    def knows(self, path: Path) -> bool:
        """Whether a verl has a key."""
        return path in self.own or path in everywhere()

    @cached_property
    def _all(self) -> frozenset[Path]:
        return self.own | everywhere()

    def meant(self, path: Path, *, added: bool) -> str | None:
        """The key that is probably meant: one beside it that is written alike, or elsewhere one alike as a whole.
        Below a mapping that verl leaves open anything may stand, and a key that is added on purpose is only taken for
        another when next to nothing tells them apart."""
        from difflib import get_close_matches

        parent = path[:-1]
        siblings = [key[-1] for key in self._all if len(key) == len(path) and key[:-1] == parent]
        if siblings:
            near = get_close_matches(path[-1], sorted(siblings), 1, _NEAR_ADDED if added else _NEAR_NAME)
            if near:
                return ".".join((*parent, near[0]))
        if added or (not siblings and parent in self._all):
            return None
        names = get_close_matches(path[-1], sorted({key[-1] for key in self._all}), 3, _NEAR_NAME)
        alike = sorted(".".join(key) for key in self._all if key[-1] in names)
        near = get_close_matches(".".join(path), alike, 1, _NEAR_KEY)
        return near[0] if near else None


def _with_parents(paths: Iterable[Path]) -> frozenset[Path]:
    found: set[Path] = set()
    for path in paths:
        for length in range(len(path), 0, -1):
            if path[:length] in found:
                break
            found.add(path[:length])
    return frozenset(found)


@cache
def everywhere() -> frozenset[Path]:
    """The keys of every verl known here, its recipes included."""
    found: set[Path] = set()
    for verl in embedded():
        directory = verl.directory(TRAINER)
        assert directory is not None
        for name in _OF_TRAINERS:
            found.update(compose(name, [directory], verl.named, ()).of_verl)
        for path, file in verl.files.items():
            if not path.startswith(TRAINER):
                found.update(leaf for leaf, _ in leaves(file["config"]) if leaf[0] not in ("defaults", "hydra"))
    return _with_parents(found)
