"""The state that a generated script is written in, and the forms it is written from."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

SCALARS = ("s0", "s1", "s2", "s3", "s4")
INTEGERS = ("i0", "i1", "i2")
ARRAYS = ("a0", "a1", "a2")
MAPS = ("m0", "m1")
DEEPEST = 3

Make = Callable[["Scene"], str]

_HOLE = re.compile("«([^«»]*)»")
_HOLES: dict[str, Make] = {}


def hole(make: Make) -> Make:
    """Let forms name a function: ``«word»`` in a form is what ``word(scene)`` writes."""
    _HOLES[make.__name__] = make
    return make


@dataclass(frozen=True, slots=True)
class Production:
    """One construct: its name, how often it is wanted, and what writes it."""

    name: str
    weight: float
    make: Make


@dataclass(slots=True)
class Pool:
    """Productions that can stand in for each other. In a form the pool's name is a hole for any of them."""

    name: str
    otherwise: Make | None = None
    """What stands in where the script is deep enough; ``None`` for a pool that does not nest."""
    productions: list[Production] = field(default_factory=list)

    def __post_init__(self) -> None:
        _HOLES[self.name] = self.write

    def form(self, name: str, *forms: str, weight: float = 1) -> None:
        """A construct that is one of some forms. ``«one¦other»`` in a form is a choice."""
        self.productions.append(self._production(name, weight, lambda scene: scene.fill(scene.chance.choice(forms))))

    def add(self, name: str, weight: float = 1) -> Callable[[Make], Make]:
        """A construct that the decorated function writes."""

        def register(make: Make) -> Make:
            self.productions.append(self._production(name, weight, make))
            return make

        return register

    def _production(self, name: str, weight: float, make: Make) -> Production:
        return Production(f"{self.name}: {name}", weight, make)

    def choose(self, scene: Scene) -> Production:
        """One of the productions, counted."""
        chosen = scene.chance.choices(self.productions, [production.weight for production in self.productions])[0]
        scene.used[chosen.name] += 1
        return chosen

    def write(self, scene: Scene) -> str:
        """One of the productions, written."""
        if self.otherwise is None:
            return self.choose(scene).make(scene)
        if scene.depth >= DEEPEST:
            return self.otherwise(scene)
        scene.depth += 1
        try:
            return self.choose(scene).make(scene)
        finally:
            scene.depth -= 1


@dataclass(slots=True)
class Scene:
    """What the script so far has set up."""

    chance: random.Random
    used: Counter[str] = field(default_factory=Counter)
    depth: int = 0
    functions: list[str] = field(default_factory=list)
    nounset: bool = False
    errexit: bool = False
    extglob: bool = False
    files: dict[str, str] = field(default_factory=dict)
    set_names: set[str] = field(default_factory=set)
    counter: int = 0

    def maybe(self, share: float) -> bool:
        """True in this share of cases."""
        return self.chance.random() < share

    def fill(self, form: str) -> str:
        """A form with everything in its holes."""

        def filled(found: re.Match[str]) -> str:
            make = _HOLES.get(found[1])
            if make is not None:
                return make(self)
            choices = found[1].split("¦")
            assert len(choices) > 1, f"no hole is named {found[1]}"
            return str(self.chance.choice(choices))

        return _HOLE.sub(filled, form)

    def fresh(self, prefix: str) -> str:
        """A name not used before."""
        self.counter += 1
        return f"{prefix}{self.counter}"


@hole
def scalar(scene: Scene) -> str:
    """A variable to read; under ``set -u`` nearly always one that has a value."""
    usable = [name for name in SCALARS if name in scene.set_names]
    if scene.nounset and (scene.maybe(0.97) or not usable):
        return scene.chance.choice(usable or ["HOME"])
    return scene.chance.choice(SCALARS)


@hole
def plain_scalar(scene: Scene) -> str:
    """``$name``. Under ``set -u`` in braces, so that text which happens to follow does not lengthen the name."""
    return f"${{{scalar(scene)}}}" if scene.nounset else "$" + scalar(scene)


@hole
def any_scalar(scene: Scene) -> str:
    """A variable to read that may be unset."""
    return scene.chance.choice(SCALARS)


@hole
def set_scalar(scene: Scene) -> str:
    """A variable that was given a value."""
    return scene.chance.choice(sorted(scene.set_names) or ["HOME"])


@hole
def target(scene: Scene) -> str:
    """A variable to assign."""
    name = scene.chance.choice(SCALARS)
    if scene.depth == 0:
        scene.set_names.add(name)
    return name


@hole
def integer(scene: Scene) -> str:
    """A variable that holds an integer."""
    return scene.chance.choice(INTEGERS)


@hole
def array(scene: Scene) -> str:
    """An indexed array."""
    return scene.chance.choice(ARRAYS)


@hole
def map_name(scene: Scene) -> str:
    """An associative array."""
    return scene.chance.choice(MAPS)


@hole
def digit(scene: Scene) -> str:
    """A small number."""
    return str(scene.chance.randint(1, 9))


@hole
def fresh(scene: Scene) -> str:
    """A name not used before."""
    return scene.fresh("name_")
