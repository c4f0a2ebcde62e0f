"""The imports of a recipe's modules that certainly fail: of its own files that are not there, and names they lack; of
Relax's, where its sources are at hand.

A file beside the one that imports it by its bare name is not there either, unless something puts its directory on the
path.
Only statements that run whenever the module is imported are looked at, so those in conditions and in ``try`` are not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.closed_packages import MAY_STEP_IN, package_of, relax_at_hand
from relax_lint.flow.names import import_target, package_around
from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.sibling_imports import sibling

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.flow.names import Resolver
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

_MAY_BE_TOLD = pattern(
    r"(?m)^(?:from\s*\.|(?:from|import)\s+(?:examples|relax\b|.*\b(?:examples|relax)\.))|;\s*(?:from|import)\b"
)
_LINE = pattern(r"(?m)^(?:from|import)\s[^\n]*")
_WORD = pattern(r"\w+")


@record
class FailingImport:
    """An import that fails: of ``module``, which is not there, or of ``name``, which ``holder`` lacks. ``meant`` is the
    file of the recipe that it means and does not lead to."""

    source: PythonSource
    statement: ast.Import | ast.ImportFrom
    module: str
    holder: PythonSource | None = None
    name: str = ""
    meant: PythonSource | None = None

    @property
    def place(self) -> Place:
        """The statement."""
        return self.source.place(self.statement)


def failing_imports(start: PythonSource, recipe: Recipe, project: Project) -> Iterator[FailingImport]:
    """Those that run when a module of the recipe is imported, in its packages and in what it imports of the recipe."""
    reader = _Reader(recipe, project)
    pending, seen = [*reader.packages(start), start], set[Path]()
    while pending:
        source = pending.pop(0)
        if source.path not in seen:
            seen.add(source.path)
            failing, files = reader.imports(source)
            pending += files
            yield from failing


def last_import(source: PythonSource, name: str, resolver: Resolver) -> FailingImport | None:
    """The import that a name, followed from file to file, led through last, whether or not it is found there."""
    found: FailingImport | None = None
    seen: set[tuple[Path, str]] = set()
    while (source.path, name) not in seen:
        seen.add((source.path, name))
        bindings = resolver.names.of(source).of(name)
        imported = bindings[0].imported if len(bindings) == 1 else None
        holder = None if imported is None else resolver.names.module(imported.module)
        if imported is None or not imported.attribute or holder is None:
            break
        statement = bindings[0].node
        assert isinstance(statement, (ast.Import, ast.ImportFrom))
        found = FailingImport(source, statement, imported.module, holder, imported.attribute)
        source, name = holder, imported.attribute
    return found


def _imported(source: PythonSource, root: Path) -> Iterator[tuple[ast.Import | ast.ImportFrom, str, str]]:
    """The modules that are imported whenever this one is, each with the name that is taken of it, if one is."""
    package = package_around(source.path, root)
    for statement in source.tree.body if source.tree is not None else ():
        if isinstance(statement, ast.Import):
            yield from ((statement, alias.name, "") for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            module = import_target(statement, package)
            yield from ((statement, module, alias.name) for alias in statement.names if module and alias.name != "*")


class _Reader:
    """What the files of a recipe import of each other, and of Relax."""

    def __init__(self, recipe: Recipe, project: Project) -> None:
        self.recipe = recipe
        self.project = project
        self.own = package_of(recipe, project)
        self.relax = project.once("relax at hand", lambda: relax_at_hand(project))

    def imports(self, source: PythonSource) -> tuple[list[FailingImport], list[PythonSource]]:
        """The imports of a file that fail, and the files of the recipe that all of its imports run."""

        def answer() -> tuple[list[FailingImport], list[PythonSource]]:
            imported = list(_imported(source, self.project.root)) if self._may_fail(source) else []
            failing = (self._failing(source, *each) for each in imported)
            files = (file for _, module, name in imported for file in self._files(module, name))
            return [each for each in failing if each is not None], list(dict.fromkeys(files))

        return self.project.once(("imports run", self.recipe.directory, source), answer)

    def _may_fail(self, source: PythonSource) -> bool:
        """Whether a file is the recipe's, and may import another of it, or one of Relax, in a way that can be told."""
        if not source.path.is_relative_to(self.recipe.directory):
            return False
        if not _MAY_BE_TOLD.search(source.text) and not self._may_mean_sibling(source):
            return False
        return source.tree is not None and not _steps_in(source)

    def _may_mean_sibling(self, source: PythonSource) -> bool:
        return not self._names.isdisjoint(_WORD.findall(" ".join(_LINE.findall(source.text))))

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of the recipe's files and directories, without suffixes."""
        inside = (path.relative_to(self.recipe.directory) for path in self.recipe.files if path.suffix == ".py")
        return frozenset(part.removesuffix(".py") for path in inside for part in path.parts)

    def packages(self, source: PythonSource) -> list[PythonSource]:
        """The packages that a module of the recipe is in, which are imported before it."""
        inside = [path for path in source.path.parents if path.is_relative_to(self.recipe.directory)]
        found = [self.project.python(path / "__init__.py") for path in reversed(inside)]
        return [package for package in found if package is not None]

    def _files(self, module: str, name: str) -> Iterator[PythonSource]:
        """The files of the recipe that importing a module, or a name of it, runs."""
        for dotted in (module, f"{module}.{name}") if name else (module,):
            source = self.project.module(dotted) if self.own.holds(dotted) else None
            if source is not None:
                yield from self.packages(source)
                yield source

    def _failing(
        self, source: PythonSource, statement: ast.Import | ast.ImportFrom, module: str, name: str
    ) -> FailingImport | None:
        """What certainly fails of an import."""
        package = next((one for one in (self.own, self.relax) if one is not None and one.holds(module)), None)
        if package is None:
            meant = (
                None
                if getattr(statement, "level", 0)
                else sibling(source, statement, module, self.recipe, self.project)
            )
            return None if meant is None else FailingImport(source, statement, module, meant=meant)
        if package.is_absent(module):
            return FailingImport(source, statement, module)
        holder = self.project.module(module) if name else None
        if holder is None or not package.lacks(holder, module, name):
            return None
        return FailingImport(source, statement, module, holder, name)


def _steps_in(source: PythonSource) -> bool:
    """Whether a file may make modules of no file while it is imported: what its functions do counts where one of them
    is named outside of functions."""
    if source.tree is None or not MAY_STEP_IN.search(source.text):
        return False
    functions = [node for node in source.tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    rest = "\n".join(source.segment(node) for node in source.tree.body if node not in functions)
    names = [function.name for function in functions if MAY_STEP_IN.search(source.segment(function))]
    return bool(MAY_STEP_IN.search(rest)) or any(re.search(rf"\b{name}\b", rest) for name in names)
