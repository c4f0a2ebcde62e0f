"""Packages of which all files are at hand, so that what is not in them certainly cannot be imported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.discovery import JOB_SUFFIXES, SHELL_SUFFIXES, is_ignored, walk
from relax_lint.flow.names import dotted_name
from relax_lint.patterns import pattern

if TYPE_CHECKING:
    from relax_lint.flow.names import Resolver
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

MAY_STEP_IN = pattern(
    r"(?<!\bin )\bsys\s*\.\s*modules\b|\bsys\s*\.\s*(?:meta_path|path_hooks)\b"
    r"|\b__path__\b|\bimport_hook\b|\bextend_path\b",
    words=("modules", "meta_path", "path_hooks", "__path__", "import_hook", "extend_path"),
)
"""What may make modules of no file, or find their files elsewhere."""
_GENERATED = pattern(r"_pb2(?:_grpc)?\Z|\A_?version\Z")
_MAY_GENERATE = frozenset({".py", *SHELL_SUFFIXES, *JOB_SUFFIXES, ".toml", ".cfg", ".mk", ".yaml", ".yml", ""})
_BUILD_FILES = ("Makefile", "setup.py", "setup.cfg", "pyproject.toml", "Dockerfile", "docker/Dockerfile")


class ClosedPackage:
    """A package below a repository's ``root`` that nothing else adds to; ``files`` are those that may speak of it.

    Directories without an ``__init__.py`` may be one of several, unless the package ``is_regular``: then they are
    looked for in it alone.
    """

    def __init__(
        self, directory: Path, root: Path, files: Callable[[], Iterable[Path]], project: Project, *, is_regular: bool
    ) -> None:
        from relax_lint.flow.interpreter import interpreter_of

        self.directory = directory
        self.dotted = dotted_name(directory / "__init__.py", root)
        self._root = root
        self._list_files = files
        self._project = project
        self._is_regular = is_regular
        self._resolver: Resolver = interpreter_of(project).resolver

    def holds(self, module: str) -> bool:
        """Whether a module is the package, or to be found in it."""
        return bool(self.dotted) and f"{module}.".startswith(f"{self.dotted}.")

    def lacks(self, holder: PythonSource, module: str, name: str) -> bool:
        """Whether a file certainly binds no such name itself, nor is a package with a module of this name."""
        if re.search(rf"(?m)^(?:(?:async )?def|class) {name}\b", holder.text) and "del " not in holder.text:
            return False  # as nearly always, told before the file is parsed
        names = self._resolver.names.of(holder)
        if holder.tree is None or (name in names.bindings and name not in names.gone):
            return False
        if not self._resolver.attribute(module, name).missing or MAY_STEP_IN.search(holder.text):
            return False
        if holder.path.name == "__init__.py" and not self.is_absent(f"{module}.{name}"):
            return False
        bound_elsewhere = re.compile(
            rf"\bglobal\b[^\n]*\b{name}\b|\.{name}\s*(?::[^=\n]+)?=(?!=)|['\"]{name}['\"]".encode()
        )
        return not any(bound_elsewhere.search(self._project.read(path) or b"") for path in self._python)

    def is_absent(self, module: str) -> bool:
        """Whether a module of the package is certainly not there, and nothing makes it."""
        project, here = self._project, self.directory
        for part in module.split(".")[self.dotted.count(".") + 1 :]:
            init = project.python(here / "__init__.py")
            if (init is None and not self._is_regular) or (init is not None and MAY_STEP_IN.search(init.text)):
                return False
            if project.is_dir(here / part):
                here /= part
                continue
            if any(entry.name.partition(".")[0] == part for entry in project.files.entries(here)):
                return False
            return not self._may_be_made(here / f"{part}.py", module)
        return False

    def _may_be_made(self, path: Path, module: str) -> bool:
        """Whether a file may be made before a recipe is launched, or its module without one."""
        above = [directory for directory in path.parents if directory.is_relative_to(self.directory)]
        if _GENERATED.search(path.stem) or is_ignored(path, self._project.files):
            return True
        if any(is_ignored(directory, self._project.files, is_dir=True) for directory in above):
            return True
        named = re.compile(rf"(?<!\w){re.escape(path.name)}\b|sys\.modules\[['\"]{re.escape(module)}['\"]".encode())
        makers = [file for file in self._files if file.suffix in _MAY_GENERATE]
        makers += [*self._project.reach.scripts, *(self._root / name for name in _BUILD_FILES)]
        return any(named.search(self._project.read(file) or b"") for file in dict.fromkeys(makers))

    @cached_property
    def _files(self) -> tuple[Path, ...]:
        return tuple(self._list_files())

    @property
    def _python(self) -> list[Path]:
        return [path for path in self._files if path.suffix == ".py"]


def package_of(recipe: Recipe, project: Project) -> ClosedPackage:
    """The package that a recipe is."""
    return ClosedPackage(recipe.directory, project.root, lambda: recipe.files, project, is_regular=False)


def relax_at_hand(project: Project) -> ClosedPackage | None:
    """Relax itself, where its sources are at hand, whole and once."""
    root, files = project.relax_root, project.files
    if root is None or (root != project.root and project.is_dir(project.root / "relax")):
        return None
    directory = root / "relax"
    if not project.is_file(directory / "__init__.py") or files.exists(root / ".git/info/sparse-checkout"):
        return None
    return ClosedPackage(directory, root, lambda: walk(directory, files), project, is_regular=True)
