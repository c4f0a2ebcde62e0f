"""A repository as one thing: its recipes, and the ways from one file to another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from relax_lint.config import RELAX_FILES, Settings
from relax_lint.discovery import is_launcher, walk
from relax_lint.files import Files, MemoryFiles, Unreadable
from relax_lint.kept import Kept, follows_changes, forget, kept_property, note
from relax_lint.sources.text import SourceFile

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue
    from relax_lint.catalog.launches import Reading
    from relax_lint.imports import Imports
    from relax_lint.reach import Reach
    from relax_lint.shell.launch import Launch
    from relax_lint.shell.memory import Memory
    from relax_lint.sources.config_yaml import YamlSource
    from relax_lint.sources.launcher import LauncherSource
    from relax_lint.sources.python import PythonSource
    from relax_lint.suspicion import Supposed

Answer = TypeVar("Answer")

YAML_SUFFIXES = (".yaml", ".yml")
MEMORY_ROOT = Path("/project")
"""Where trees that exist in memory only are taken to be."""


class Recipe:
    """A directory directly under an ``examples/`` root, with all that is nested in it."""

    def __init__(self, project: Project, directory: Path, files: Iterable[Path]) -> None:
        self.project = project
        self.directory = directory
        self.files = tuple(files)
        self.is_partial = False
        """Whether some of its launchers are left out for now."""
        self.wanted: frozenset[Path] | None = None
        """The Python files that findings are wanted of; rules may leave out all others, and need not."""

    @property
    def name(self) -> str:
        """The directory's name."""
        return self.directory.name

    @kept_property
    def launchers(self) -> list[LauncherSource]:
        """Its bash scripts, those that only others source included."""
        found = map(self.project.launcher, self.launcher_paths)
        return [source for source in found if source is not None]

    @cached_property
    def launcher_paths(self) -> list[Path]:
        """Where its bash scripts are, whether they can be read or not."""
        return [path for path in self.files if is_launcher(path, self.project.files)]

    @property
    def python(self) -> list[PythonSource]:
        """Its Python files, as the project has them now."""
        found = map(self.project.python, self._python_paths)
        return [source for source in found if source is not None]

    @cached_property
    def _python_paths(self) -> list[Path]:
        return [path for path in self.files if path.suffix == ".py"]

    @cached_property
    def yaml(self) -> list[Path]:
        """Its YAML files."""
        return [path for path in self.files if path.suffix in YAML_SUFFIXES]

    @kept_property
    def launches(self) -> list[Launch]:
        """Every launch of its launchers."""
        return [launch for launcher in self.launchers for launch in launcher.launches]

    def with_launchers(self, launchers: Iterable[LauncherSource], wanted: frozenset[Path] | None = None) -> Recipe:
        """The same recipe if it had no other launchers than these; ``wanted`` as above."""
        partial = self.wanting(wanted)
        partial.is_partial, partial.launchers = True, list(launchers)
        return partial

    def wanting(self, wanted: frozenset[Path] | None) -> Recipe:
        """The same recipe, if findings are wanted of these Python files alone."""
        narrowed = Recipe(self.project, self.directory, self.files)
        narrowed.wanted = wanted
        return narrowed

    def wants(self, path: Path) -> bool:
        """Whether findings of a file are wanted."""
        return self.wanted is None or path in self.wanted

    def wants_of(self, path: Path) -> bool:
        """Whether findings are wanted of a Python file or of any that it takes something from."""
        return self.wanted is None or not self.wanted.isdisjoint(self.project.imports.reached(path))

    def __repr__(self) -> str:
        return f"Recipe({str(self.directory)!r})"


class Project:
    """The files below one root, read and parsed once each, on demand.

    ``root`` is the repository's directory: the nearest one above a path that holds ``examples/`` or ``relax/``.
    """

    def __init__(self, root: Path, settings: Settings | None = None, files: Files | None = None) -> None:
        self.root = root
        self.settings = settings or Settings()
        self.files = files or Files()
        self._text: dict[Path, SourceFile | None] = {}
        self._python: dict[Path, PythonSource | None] = {}
        self._launchers: dict[Path, LauncherSource | None] = {}
        self._yaml: dict[Path, YamlSource | None] = {}
        self._modules: dict[tuple[str, Path | None], Path | None] = {}
        self._same: dict[Path, Path] = {}
        """One object for each path that is asked for often: equal ones take ten times as long to be looked up."""
        self._answers = Kept()
        self.unreadable: dict[Path, str] = {}

    @classmethod
    def from_files(cls, tree: Mapping[str, str | bytes], settings: Settings | None = None) -> Project:
        """A project that exists in memory only: paths relative to its root, with their contents."""
        overlay: dict[Path, bytes | None] = {}
        for path, content in tree.items():
            data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
            overlay[MEMORY_ROOT / path] = data
        return cls(MEMORY_ROOT, settings, MemoryFiles(overlay))

    def with_changes(self, changes: Mapping[Path, bytes | None]) -> Project:
        """This project with other contents of some files; what is parsed already and stays the same is kept."""
        changed = Project(self.root, self.settings, self.files.with_changes(changes))
        changed._python = {path: source for path, source in self._python.items() if path not in changes}
        if "own_catalogue" in vars(self) and not any(self._is_of_relax(path) for path in changes):
            changed.own_catalogue = self.own_catalogue
        return changed

    def has_as_its_own(self, path: Path) -> bool:
        """Whether a file is there, and no part of Relax itself."""
        return self.is_file(path) and not self._is_of_relax(path)

    def take(self, path: Path, data: bytes) -> None:
        """Take other content of a file that is there, and forget what was made from what it was."""
        from relax_lint.sources.changing import ChangingPython

        self.files.take(path, data)
        for table in (self._text, self._launchers, self._yaml):
            table.pop(path, None)
        changing = self._python.get(path)
        if isinstance(changing, ChangingPython):
            changing.take(data)
        else:
            self._python.pop(path, None)
        self.unreadable.pop(path, None)
        forget((path,))

    def _is_of_relax(self, path: Path) -> bool:
        return self.relax_root is not None and self.relax_root / "relax" in path.parents

    # ------------------------------------------------------------ files

    @cached_property
    def relax_root(self) -> Path | None:
        """A real Relax checkout: the one that the settings name, or the project itself."""
        for root in (self.settings.relax_root, self.root):
            if root is not None and self.files.is_file(root / RELAX_FILES[0]):
                return root
        return None

    @cached_property
    def catalogue(self) -> Catalogue:
        """The flags that launches of this project may have: its Relax checkout's, or those this program knows."""
        from relax_lint.catalog.flags import embedded

        return self.own_catalogue or embedded()

    @cached_property
    def own_catalogue(self) -> Catalogue | None:
        """The flags of its Relax checkout; none where there is none, or they cannot be read."""
        if self.relax_root is None:
            return None
        from relax_lint.catalog.checkout import catalogue_of
        from relax_lint.store import directory

        kept_in = directory() if self.settings.cache and not isinstance(self.files, MemoryFiles) else None
        return catalogue_of(self.relax_root, self.files, kept_in)

    @property
    def unread_flags(self) -> Path | None:
        """The file of the Relax checkout with its flags, where these could not be read: the catalogue may lack some."""
        if self.relax_root is None or self.own_catalogue is not None:
            return None
        path = self.relax_root / "relax/utils/arguments.py"
        return path if self.exists(path) else None

    @cached_property
    def reading(self) -> Reading:
        """What the parsers of its Relax make of launches."""
        from relax_lint.catalog.launches import Reading

        return Reading(self.catalogue)

    def exists(self, path: Path) -> bool:
        """Whether anything is at this path."""
        return self.files.exists(path)

    def is_dir(self, path: Path) -> bool:
        """Whether this is a directory."""
        return self.files.is_dir(path)

    def is_file(self, path: Path) -> bool:
        """Whether this is a file."""
        return self.files.is_file(path)

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file; ``None`` when there is none or it cannot be read (``unreadable`` then says why)."""
        try:
            return self.files.read(path)
        except Unreadable as problem:
            self.unreadable[path] = str(problem)
            return None

    def text(self, path: Path) -> SourceFile | None:
        """A file as plain text, for kinds that have no source class of their own."""
        note(path)
        if path not in self._text:
            data = self.read(path)
            self._text[path] = None if data is None else SourceFile(path, data)
        return self._text[path]

    def source(self, path: Path) -> SourceFile | None:
        """A file, read as what its kind asks for."""
        if path.suffix == ".py":
            return self.python(path)
        if self.is_file(path) and is_launcher(path, self.files):
            return self.launcher(path)
        return self.yaml(path) if path.suffix in YAML_SUFFIXES else self.text(path)

    def python(self, path: Path) -> PythonSource | None:
        """A Python file, ``None`` when it is not there or cannot be read."""
        if path not in self._python:
            data = self.read(path)
            self._python[path] = None if data is None else self._python_source(path, data)
        if self._python[path] is None:
            note(path)
        return self._python[path]

    @staticmethod
    def _python_source(path: Path, data: bytes) -> PythonSource:
        if follows_changes():
            from relax_lint.sources.changing import ChangingPython

            return ChangingPython(path, data)
        from relax_lint.sources.python import PythonSource

        return PythonSource(path, data)

    def adopt(self, source: PythonSource) -> None:
        """Take a Python file that a caller has read and parsed already."""
        self._python[source.path] = source

    def launcher(self, path: Path) -> LauncherSource | None:
        """A bash script, ``None`` when it is not there or cannot be read."""
        note(path)
        if path not in self._launchers:
            from relax_lint.sources.launcher import LauncherSource

            data = self.read(path)
            self._launchers[path] = None if data is None else LauncherSource(path, data, self)
        return self._launchers[path]

    def yaml(self, path: Path) -> YamlSource | None:
        """A file read as YAML, ``None`` when it is not there or cannot be read."""
        note(path)
        if path not in self._yaml:
            from relax_lint.sources.config_yaml import YamlSource

            data = self.read(path)
            self._yaml[path] = None if data is None else YamlSource(path, data)
        return self._yaml[path]

    @cached_property
    def reach(self) -> Reach:
        """The ways between its scripts, as their texts tell them."""
        from relax_lint.reach import Reach

        return Reach(self)

    @cached_property
    def imports(self) -> Imports:
        """The ways between its Python files, as their texts tell them."""
        from relax_lint.imports import Imports

        return Imports(self)

    @cached_property
    def supposed(self) -> Supposed:
        """The rewards that its launchers may use, as their texts tell it."""
        from relax_lint.suspicion import Supposed

        return Supposed(self)

    @cached_property
    def shell_memory(self) -> Memory:
        """What the evaluations of this project's launchers share."""
        from relax_lint.shell.memory import Memory

        return Memory()

    def holds(self, path: Path, pattern: re.Pattern[bytes]) -> bool:
        """Whether a pattern is anywhere in a file; looked for once."""

        def answer() -> bool:
            return pattern.search(self.read(path) or b"") is not None

        return self.once(("holds", path, pattern), answer)

    def once(self, question: object, answer: Callable[[], Answer]) -> Answer:
        """An answer that many rules want, worked out the first time that it is asked for."""
        return self._answers.ask(question, answer)

    def once_firmly(self, question: object, answer: Callable[[], Answer]) -> Answer:
        """The same, where a file that changes rarely makes it another one. Neither question nor answer may hold what is
        made of a file, for that changes."""
        return self._answers.ask_firmly(question, answer)

    def module(self, dotted: str, start: Path | None = None) -> PythonSource | None:
        """The file of a module path, looked up from the root, then from ``start``; Relax's own in its checkout."""
        key = (dotted, start)
        if key not in self._modules:
            path = self._module_path(dotted, start)
            self._modules[key] = path if path is None else self._same.setdefault(path, path)
        path = self._modules[key]
        return None if path is None else self.python(path)

    def _module_path(self, dotted: str, start: Path | None) -> Path | None:
        parts = dotted.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        roots = [self.root]
        if start is not None and start != self.root:
            roots.append(start)
        if parts[0] == "relax" and self.relax_root is not None:
            roots.append(self.relax_root)
        for root in roots:
            base = root.joinpath(*parts)
            for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
                if self.files.is_file(path):
                    return path
        return None

    # ------------------------------------------------------------ recipes

    @cached_property
    def recipes(self) -> list[Recipe]:
        """The recipes under the root's ``examples/``, by name."""
        return [recipe for recipe in map(self._recipe, self._recipe_directories) if recipe is not None]

    def recipe_of(self, path: Path) -> Recipe | None:
        """The recipe that a file belongs to."""
        if path not in self._recipe_by_path:
            depth = len(self._examples.parts)
            inside = len(path.parts) > depth + 1 and path.parts[:depth] == self._examples.parts
            self._recipe_by_path[path] = self._recipe(self._examples / path.parts[depth]) if inside else None
        return self._recipe_by_path[path]

    @cached_property
    def _recipe_by_path(self) -> dict[Path, Recipe | None]:
        return {}

    @cached_property
    def _examples(self) -> Path:
        return self.root / "examples"

    @cached_property
    def _recipe_directories(self) -> list[Path]:
        return [self._examples / entry.name for entry in self.files.entries(self._examples) if entry.is_dir]

    @cached_property
    def _known_recipes(self) -> dict[Path, Recipe | None]:
        return {}

    def _recipe(self, directory: Path) -> Recipe | None:
        if directory not in self._known_recipes:
            files = [self._same.setdefault(path, path) for path in walk(directory, self.files)]
            holds = any(_belongs(path, self.files) for path in files)
            self._known_recipes[directory] = Recipe(self, directory, files) if holds else None
        return self._known_recipes[directory]


def _belongs(path: Path, files: Files) -> bool:
    """Whether a file makes its directory a recipe; tests of one do not."""
    if path.suffix == ".py":
        name = path.stem
        return not (name in ("__init__", "conftest") or name.startswith("test_") or name.endswith("_test"))
    return path.suffix in YAML_SUFFIXES or is_launcher(path, files)
