"""Files of a recipe that are imported by their bare names, as scripts import what lies beside them: Relax imports from
the repository's root, so they are found only where something puts their directory on the path."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.flow.names import module_names
from relax_lint.patterns import pattern

if TYPE_CHECKING:
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

_SETS_PATH = pattern(r"\bsys\s*\.\s*path\b|\baddsitedir\b|\bPYTHONPATH\b")
_INSTALLED_BY = frozenset({"setup.py", "setup.cfg", "pyproject.toml"})
_GIVEN = pattern(r"PYTHONPATH\\?[\"']?\s*[:=]\s*(\S*)")
_PLAIN_PART = pattern(r"(?:/[\w./-]*|\$\{?\w*(?:MEGATRON|PYTHONPATH)\w*(?::?[-+][^}]*)?\}?)?\Z")
"""A part of a search path that is no directory of a recipe: one of the machine, or what was there already."""
_GOES_TO = pattern(r"^\s*(?:cd|pushd)\s|working[-_]dir")
_OF_RECIPE = pattern(r"dirname|(?:SCRIPT|EXAMPLE|RECIPE)_?(?:DIR|PATH|ROOT)")
_ENTRY_LAYER = ("entrypoint", "models")
"""Directories below ``scripts`` that know of no recipe."""
_PYTHON_FILES = ("{}.py", "{}/__init__.py")


def may_be_on_path(recipe: Recipe, project: Project) -> bool:
    """Whether something may put a directory of a recipe on Python's search path."""
    return project.once(("on path", recipe.directory), lambda: any(_signs(recipe, project)))


def _signs(recipe: Recipe, project: Project) -> Iterator[bool]:
    texts = [path for path in recipe.files if path.suffix in (".py", ".yaml", ".yml")]
    yield any(path.name in _INSTALLED_BY or path.suffix == ".pth" for path in recipe.files)
    yield any(_SETS_PATH.search((project.read(path) or b"").decode("utf-8", "replace")) for path in texts)
    for script in {script for path in recipe.launcher_paths for script in project.reach.of(path).scripts}:
        if script.parent.name not in _ENTRY_LAYER:
            yield any(
                _puts_there(line.replace(recipe.name, "dirname")) for line in project.reach.text(script).splitlines()
            )


def _puts_there(line: str) -> bool:
    """Whether a line of a script may put the directory of its recipe, for which ``dirname`` stands, on the path."""
    if _GOES_TO.search(line):
        return ".." not in line and _OF_RECIPE.search(line) is not None
    if "PYTHONPATH" not in line:
        return False
    given = _GIVEN.search(line)
    if given is None:
        return "=" in line
    parts = re.split(r":(?![-+])", given[1].translate(str.maketrans("", "", "\"'\\,;")))
    return not all(_PLAIN_PART.match(part) and not _OF_RECIPE.search(part) for part in parts)


def sibling(
    source: PythonSource, statement: ast.Import | ast.ImportFrom, module: str, recipe: Recipe, project: Project
) -> PythonSource | None:
    """The file of a recipe that an import means, by a name that leads there from its own directory alone."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or any(_is_module(root, top, project) for root in _roots(project)):
        return None
    below = [directory for directory in source.path.parents if directory.is_relative_to(recipe.directory)]
    names = [form.format(module.replace(".", "/")) for form in _PYTHON_FILES]
    found = next((file for where in below for name in names if (file := project.python(where / name))), None)
    if found is None or found is source or not _is_meant(source, statement, module, found, project):
        return None
    return None if may_be_on_path(recipe, project) else found


def _roots(project: Project) -> list[Path]:
    return [root for root in (project.root, project.relax_root) if root is not None]


def _is_module(directory: Path, name: str, project: Project) -> bool:
    return project.is_dir(directory / name) or project.is_file(directory / f"{name}.py")


def _is_meant(
    source: PythonSource, statement: ast.Import | ast.ImportFrom, module: str, found: PythonSource, project: Project
) -> bool:
    """Whether a file has what is taken of it, so that no installed package of the same name is meant."""
    bound = module_names(found, project.root).bindings
    if isinstance(statement, ast.ImportFrom):
        return all(
            alias.name in bound or _is_module(found.path.parent, alias.name, project) for alias in statement.names
        )
    name = next(alias.asname or alias.name for alias in statement.names if alias.name == module)
    taken = re.findall(rf"(?<![\w.]){re.escape(name)}\.(\w+)", source.text)
    return any(attribute in bound for attribute in taken)
