"""The imports of a recipe's modules that certainly fail: of its own files that are not there, and names they lack.

Only statements that run whenever the module is imported are looked at, so those in conditions and in ``try`` are not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.discovery import JOB_SUFFIXES, SHELL_SUFFIXES, is_ignored
from relax_lint.flow.names import dotted_name, import_target
from relax_lint.patterns import pattern
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.flow.names import Resolver
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

_MAY_IMPORT_ITS_OWN = pattern(r"(?m)^(?:from\s*\.|(?:from|import)\s+(?:examples|.*\bexamples\.))|;\s*(?:from|import)\b")
_MAY_STEP_IN = pattern(r"\bsys\s*\.\s*(?:modules|meta_path|path_hooks)\b|\b__path__\b|\bimport_hook\b|\bextend_path\b")
"""What may make modules of no file, or find their files elsewhere."""
_GENERATED = pattern(r"_pb2(?:_grpc)?\Z|\A_?version\Z")
_MAY_GENERATE = frozenset({".py", *SHELL_SUFFIXES, *JOB_SUFFIXES, ".toml", ".cfg", ".mk", ".yaml", ".yml", ""})
_BUILD_FILES = ("Makefile", "setup.py", "setup.cfg", "pyproject.toml", "Dockerfile", "docker/Dockerfile")


@record
class FailingImport:
    """An import that fails: of ``module``, which is not there, or of ``name``, which ``holder`` lacks."""

    source: PythonSource
    statement: ast.Import | ast.ImportFrom
    module: str
    holder: PythonSource | None = None
    name: str = ""

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
    package = dotted_name(source.path, root)
    if source.path.name != "__init__.py":
        package = package.rpartition(".")[0]
    for statement in source.tree.body if source.tree is not None else ():
        if isinstance(statement, ast.Import):
            yield from ((statement, alias.name, "") for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            module = import_target(statement, package)
            yield from ((statement, module, alias.name) for alias in statement.names if module and alias.name != "*")


class _Reader:
    """What the files of a recipe import of each other."""

    def __init__(self, recipe: Recipe, project: Project) -> None:
        from relax_lint.flow.interpreter import interpreter_of

        self.recipe = recipe
        self.project = project
        self.resolver: Resolver = interpreter_of(project).resolver
        self.own = dotted_name(recipe.directory / "__init__.py", project.root)

    def imports(self, source: PythonSource) -> tuple[list[FailingImport], list[PythonSource]]:
        """The imports of a file that fail, and the files of the recipe that all of its imports run."""

        def answer() -> tuple[list[FailingImport], list[PythonSource]]:
            imported = list(_imported(source, self.project.root)) if self._may_fail(source) else []
            failing = (self._failing(source, *each) for each in imported)
            files = (file for _, module, name in imported for file in self._files(module, name))
            return [each for each in failing if each is not None], list(dict.fromkeys(files))

        return self.project.once(("imports run", self.recipe.directory, source), answer)

    def _may_fail(self, source: PythonSource) -> bool:
        """Whether a file is the recipe's, and may import another of it in a way that can be told."""
        if not source.path.is_relative_to(self.recipe.directory) or not _MAY_IMPORT_ITS_OWN.search(source.text):
            return False
        return source.tree is not None and not _MAY_STEP_IN.search(source.text)

    def packages(self, source: PythonSource) -> list[PythonSource]:
        """The packages that a module of the recipe is in, which are imported before it."""
        inside = [path for path in source.path.parents if path.is_relative_to(self.recipe.directory)]
        found = [self.project.python(path / "__init__.py") for path in reversed(inside)]
        return [package for package in found if package is not None]

    def _files(self, module: str, name: str) -> Iterator[PythonSource]:
        """The files of the recipe that importing a module, or a name of it, runs."""
        for dotted in (module, f"{module}.{name}") if name else (module,):
            source = self.project.module(dotted) if self._is_own(dotted) else None
            if source is not None:
                yield from self.packages(source)
                yield source

    def _failing(
        self, source: PythonSource, statement: ast.Import | ast.ImportFrom, module: str, name: str
    ) -> FailingImport | None:
        """What certainly fails of an import."""
        if not self._is_own(module):
            return None
        if self._is_absent(module):
            return FailingImport(source, statement, module)
        holder = self.project.module(module) if name else None
        if holder is None or not self._lacks(holder, module, name):
            return None
        return FailingImport(source, statement, module, holder, name)

    def _is_own(self, module: str) -> bool:
        return bool(self.own) and f"{module}.".startswith(f"{self.own}.")

    def _lacks(self, holder: PythonSource, module: str, name: str) -> bool:
        """Whether a file of the recipe certainly binds no such name itself."""
        names = self.resolver.names.of(holder)
        if holder.tree is None or (name in names.bindings and name not in names.gone):
            return False
        if not self.resolver.attribute(module, name).missing or _MAY_STEP_IN.search(holder.text):
            return False
        if holder.path.name == "__init__.py" and not self._is_absent(f"{module}.{name}"):
            return False
        bound_elsewhere = re.compile(rf"\bglobal\b[^\n]*\b{name}\b|\.{name}\s*(?::[^=\n]+)?=(?!=)|['\"]{name}['\"]")
        return not any(bound_elsewhere.search(other.text) for other in self.recipe.python)

    def _is_absent(self, module: str) -> bool:
        """Whether a module of the recipe is certainly not there, and nothing makes it."""
        project, here = self.project, self.recipe.directory
        for part in module.split(".")[self.own.count(".") + 1 :]:
            init = project.python(here / "__init__.py")
            if init is None or _MAY_STEP_IN.search(init.text):
                return False
            if project.is_dir(here / part):
                here /= part
                continue
            if any(entry.name.partition(".")[0] == part for entry in project.files.entries(here)):
                return False
            return not self._may_be_made(here / f"{part}.py")
        return False

    def _may_be_made(self, path: Path) -> bool:
        """Whether a file may be made before the recipe is launched."""
        above = [directory for directory in path.parents if directory.is_relative_to(self.recipe.directory)]
        if _GENERATED.search(path.stem) or is_ignored(path, self.project.files):
            return True
        if any(is_ignored(directory, self.project.files, is_dir=True) for directory in above):
            return True
        named = re.compile(rf"(?<!\w){re.escape(path.name)}\b".encode())
        makers = [file for file in self.recipe.files if file.suffix in _MAY_GENERATE]
        makers += [*self.project.reach.scripts, *(self.project.root / name for name in _BUILD_FILES)]
        return any(named.search(self.project.read(file) or b"") for file in dict.fromkeys(makers))
