"""What the files are called that carried modules are written to."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import Origin, VerlSources

_ABOVE = ("verl.utils.reward_score.", "verl.utils.", "verl.tools.", "verl.interactions.", "verl.")


class Names:
    """The files of one recipe: ``module`` is the dotted name of its package, ``taken`` are names that others have.

    A module keeps its own name, with that of its package before it where it has one; never that of a package which may
    be imported beside it, or in its place, and that lies in the recipe's directory already, nor that of another module
    which stays there, as ``sources`` have them.
    """

    def __init__(self, package: str, taken: Collection[str] = (), sources: VerlSources | None = None) -> None:
        self.package = package
        self.taken = {*taken, "__init__"}
        self.sources = sources
        self.given: dict[Origin, str] = {}

    def of(self, origin: Origin) -> str:
        """The stem of the file for a module."""
        if origin not in self.given:
            name = self._own(origin)
            while name in self.taken or self._is_there(name, origin):
                name += "_2"
            self.taken.add(name)
            self.given[origin] = name
        return self.given[origin]

    def module(self, origin: Origin) -> str:
        """The dotted name of a module in the recipe."""
        return ".".join(filter(None, (self.package, self.of(origin))))

    def _is_there(self, name: str, origin: Origin) -> bool:
        """Whether a package of the name lies where the module would, which would be imported in its place, or another
        module."""
        if self.sources is None:
            return False
        directory = self.sources.project.root.joinpath(*self.package.split("."))
        module = directory / f"{name}.py"
        stays = module in self.sources.theirs and module != origin.path
        return stays or self.sources.project.is_file(directory / name / "__init__.py")

    def _own(self, origin: Origin) -> str:
        dotted = origin.dotted or origin.path.stem
        if origin.of_verl:
            for above in _ABOVE:
                if dotted.startswith(above):
                    dotted = dotted.removeprefix(above)
                    break
            name = dotted.replace(".", "_")
        else:
            name = dotted.rpartition(".")[2]
            if name in self.taken:
                name = dotted.replace(".", "_")
        return f"{name}_score" if name in sys.stdlib_module_names or name in _PACKAGES else name


_PACKAGES = frozenset({"math_verify", "requests", "httpx", "openai", "numpy", "torch", "sympy", "rouge", "evaluate"})
"""Packages that scorers import, and name themselves after."""
