"""What an import of carried code names: a module or a name of verl or of the user's, or a package that stays."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.code import Unparsable
from relax_lint.migrate.carrying.sources import RECIPES, VERL, Origin
from relax_lint.records import record
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.code import Code
    from relax_lint.migrate.carrying.exports import Exports
    from relax_lint.migrate.carrying.sources import VerlSources

ALL = "*"
_NOT_CARRIED = {
    "verl.protocol": "the batches of verl's trainer are no samples of Relax",
    "verl.single_controller": "it belongs to verl's workers",
    "verl.workers": "it belongs to verl's workers",
    "verl.trainer": "it belongs to verl's trainer",
    "verl.models": "it belongs to verl's models",
}
_MOST_REEXPORTS = 8


@record
class Alias:
    """One name of an import statement, as it is written: ``name`` is ``None`` for ``import module``."""

    module: str
    level: int
    name: str | None
    asname: str | None
    line: int

    @property
    def bound(self) -> str:
        """The name that it binds."""
        if self.asname:
            return self.asname
        return self.name if self.name is not None else self.module.partition(".")[0]


@record
class External:
    """A package that is not carried: its top-level name."""

    package: str


@record
class OfModule:
    """A whole module that is carried."""

    origin: Origin


@record
class OfName:
    """A name of a module that is carried; ``ALL`` for all of them."""

    origin: Origin
    name: str


@record
class Supplied:
    """A name that the recipe has elsewhere: the module that it is to be imported from."""

    module: str
    name: str


@record
class Missing:
    """What cannot be carried, and why."""

    reason: str


Target = External | OfModule | OfName | Supplied | Missing


def aliases(statement: ast.AST) -> Iterator[Alias]:
    """The names of one import statement."""
    if isinstance(statement, ast.Import):
        for each in statement.names:
            yield Alias(each.name, 0, None, each.asname, statement.lineno)
    elif isinstance(statement, ast.ImportFrom):
        for each in statement.names:
            yield Alias(statement.module or "", statement.level, each.name, each.asname, statement.lineno)


class Resolver:
    """Finds what imports name. ``supplied`` maps dotted names of verl to modules of the recipe that have them."""

    def __init__(self, sources: VerlSources, supplied: Mapping[str, str] | None = None) -> None:
        self.sources = sources
        self.supplied = supplied or {}

    @cached_property
    def exports(self) -> Exports:
        """What star imports give."""
        from relax_lint.migrate.carrying.exports import Exports

        return Exports(self)

    def target(self, code: Code, alias: Alias) -> Target:
        """What one name of an import statement in ``code`` stands for."""
        dotted = self._absolute(code.origin, alias)
        if dotted is None:
            return Missing("it is imported from above the top of its package")
        full = dotted if alias.name is None else f"{dotted}.{alias.name}" if dotted else alias.name
        if full in self.supplied:
            return Supplied(self.supplied[full], full.rpartition(".")[2])
        for module, reason in _NOT_CARRIED.items():
            if full == module or full.startswith(f"{module}."):
                return Missing(reason)
        beside = self._beside(code.origin, dotted)
        if alias.name is None:
            return self._module(dotted, beside)
        if alias.name != ALL:
            below = self.sources.origin(full, beside)
            if below is not None and not self._has(dotted, alias.name, beside):
                return OfModule(below)
        return self._name(dotted, alias.name, beside)

    def origin_of(self, code: Code, alias: Alias) -> Origin | None:
        """The module that an import names, or has a name of, when it is carried."""
        target = self.target(code, alias)
        return target.origin if isinstance(target, (OfModule, OfName)) else None

    def run_only(self, code: Code, alias: Alias) -> Origin | None:
        """The module that an import of the user's runs, when it is the user's, too, whatever it gives."""
        if code.origin.of_verl:
            return None
        target = self.target(code, alias)
        if isinstance(target, OfModule):
            return None if target.origin.of_verl else target.origin
        dotted = self._absolute(code.origin, alias)
        found = self.sources.origin(dotted, self._beside(code.origin, dotted)) if dotted else None
        return None if found is None or found.of_verl or found == code.origin else found

    def below(self, package: Origin, name: str) -> Origin | None:
        """The module of a name that lies in a package."""
        dotted = f"{package.dotted}.{name}"
        return self.sources.origin(dotted, self._beside(package, dotted)) if package.is_package else None

    def imported_below(self, code: Code, alias: Alias) -> str:
        """The module in a package that an import in the package's own code runs, which becomes a name of it."""
        dotted = self._absolute(code.origin, alias) or ""
        for each in filter(None, (dotted, f"{dotted}.{alias.name}" if alias.name else "")):
            name = each.removeprefix(f"{code.origin.dotted}.").partition(".")[0]
            if each.startswith(f"{code.origin.dotted}.") and self.below(code.origin, name) is not None:
                return name
        return ""

    def supplied_of(self, dotted: str) -> dict[str, str]:
        """The names of one module that the recipe has elsewhere, with the modules that they are imported from."""
        found = ((*name.rpartition("."), module) for name, module in self.supplied.items())
        return {name: module for above, _, name, module in found if above == dotted}

    def _absolute(self, origin: Origin, alias: Alias) -> str | None:
        if not alias.level:
            return alias.module
        package = origin.package.split(".") if origin.package else []
        above = alias.level - 1
        if above > len(package) or (above == len(package) and origin.of_verl):
            return None
        return ".".join(filter(None, [*package[: len(package) - above], alias.module]))

    def _beside(self, origin: Origin, dotted: str) -> Path | None:
        """The file that a module of the user's is looked up beside: its own, or what its whole package lies beside."""
        if origin.of_verl:
            return None
        above = len(origin.package.split(".")) if origin.package else 0
        if above == 0 or self.sources.origin(dotted, origin.path) is not None:
            return origin.path
        return origin.path.parents[above] / origin.path.name

    def _module(self, dotted: str, beside: Path | None) -> Target:
        found = self.sources.origin(dotted, beside)
        if found is not None:
            return OfModule(found)
        if dotted.partition(".")[0] not in (VERL, RECIPES):
            return External(dotted.partition(".")[0])
        return Missing(self._why_not(dotted))

    def _has(self, dotted: str, name: str, beside: Path | None) -> bool:
        """Whether a package binds a name itself that a module below it has, too."""
        found = self.sources.origin(dotted, beside)
        if found is None:
            return False
        try:
            binding = self.sources.code(found).binding.get(name, ())
        except Unparsable:
            return False
        return any(not statement.is_import for statement in binding)

    def _name(self, dotted: str, name: str, beside: Path | None) -> Target:
        if dotted == VERL:
            return Missing("the batches of verl's trainer are no samples of Relax")
        found = self.sources.origin(dotted, beside) if dotted else None
        if found is None:
            if dotted.partition(".")[0] in (VERL, RECIPES) or not dotted:
                return Missing(self._why_not(dotted))
            return External(dotted.partition(".")[0])
        return OfName(found, name) if name == ALL else self._followed(found, name, _MOST_REEXPORTS)

    def _followed(self, origin: Origin, name: str, most: int) -> Target:
        """A name where it is really defined, past modules that only hand it on."""
        try:
            code = self.sources.code(origin)
        except Unparsable as problem:
            return Missing(f"{problem.path.name}:{problem.line} {problem.reason}")
        statements = code.binding.get(name, [])
        if not statements:
            for star in reversed(stars(code)):
                target = self.target(code, star)
                if isinstance(target, OfName) and most and name in self.exports.given(target.origin):
                    written = Alias(star.module, star.level, name, None, star.line)
                    return self.target(code, written)
            return Missing(f"{origin.dotted} has no {name}")
        if len(statements) == 1 and statements[0].is_import and most:
            for each in statements[0].nodes:
                for alias in aliases(each):
                    if alias.bound == name and alias.name != ALL:
                        target = self.target(code, alias)
                        return OfName(origin, name) if isinstance(target, External) else target
        return OfName(origin, name)

    def _why_not(self, dotted: str) -> str:
        if self.sources.package is None:
            return "the code of verl is not at hand: name its checkout with --verl-root"
        return f"there is no {dotted or 'such module'} beside it or in {self.sources.package.parent.name}"


def stars(code: Code) -> list[Alias]:
    """The star imports of a module."""
    found = (alias for each in walk(code.tree) for alias in aliases(each))
    return [alias for alias in found if alias.name == ALL]
