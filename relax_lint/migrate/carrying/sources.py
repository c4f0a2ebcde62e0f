"""Where the code of verl is, and the user's own: found by file, never imported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Refusal
from relax_lint.records import node, record

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.code import Code
    from relax_lint.project import Project

VERL = "verl"
RECIPES = "recipe"


@record
class Origin:
    """One module: its dotted name, its file, and whether it is the ``__init__`` of a package."""

    dotted: str
    path: Path
    is_package: bool = False

    @property
    def of_verl(self) -> bool:
        """Whether it is a part of verl."""
        return self.dotted == VERL or self.dotted.startswith(f"{VERL}.")

    @property
    def package(self) -> str:
        """The package that its relative imports start from."""
        return self.dotted if self.is_package else self.dotted.rpartition(".")[0]


@node
class VerlSources:
    """The modules that code may be carried over from: those of verl, where one is at hand, and those of the project.

    ``package`` is verl's own directory; ``None`` when only its configuration is known.
    """

    project: Project
    package: Path | None = None
    home: Path | None = None
    """The recipe's own directory."""
    theirs: frozenset[Path] = frozenset()
    """The modules that lie where the recipe comes to, and stay."""

    @property
    def has_scoring(self) -> bool:
        """Whether verl's own scoring is at hand, not its configuration alone."""
        return self.origin(f"{VERL}.utils.reward_score") is not None

    def origin(self, dotted: str, beside: Path | None = None) -> Origin | None:
        """The file of a module of verl or of the user's. A name in the file ``beside`` is looked up from where the
        packages start that the file is in, then in its own directory, then from the project's root."""
        parts = dotted.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        if parts[0] == VERL:
            return None if self.package is None else self._below(self.package.parent, dotted, parts)
        if parts[0] == "relax":
            return None
        roots = [self.project.root]
        if beside is not None:
            roots = [self._top(beside.parent), beside.parent, self.project.root]
        roots += [] if self.home is None else [self.home]
        found = next(filter(None, (self._below(root, dotted, parts) for root in roots)), None)
        if found is None and parts[0] == RECIPES:
            found = self._of_recipes(dotted, parts)
        return found or self._moved(dotted, parts)

    def _top(self, directory: Path) -> Path:
        """The directory that holds the package of a directory, and all packages above it, in the recipe."""
        while directory not in (self.home, self.project.root) and self.project.is_file(directory / "__init__.py"):
            directory = directory.parent
        return directory

    def code(self, origin: Origin, *, waits: bool = False) -> Code:
        """The parsed text of a module, whose coroutines share an event loop well, unless it ``waits`` as it did; raises
        ``SyntaxError`` with a place for what cannot be read."""
        from relax_lint.migrate.carrying.chains import with_own_imports
        from relax_lint.migrate.carrying.code import Code, Unparsable
        from relax_lint.migrate.carrying.kept_clients import for_one_loop
        from relax_lint.migrate.carrying.own_files import with_own_files

        def parsed() -> Code | Unparsable:
            data = self.project.read(origin.path)
            if data is None:
                return Unparsable(origin.path, 1, "cannot be read")
            try:
                code = with_own_files(with_own_imports(Code(origin, data), self), self)
                return code if waits else for_one_loop(code)
            except Unparsable as problem:
                return problem

        found = self.project.once((VerlSources, origin, waits), parsed)
        if isinstance(found, Unparsable):
            raise found
        return found

    def _of_recipes(self, dotted: str, parts: list[str]) -> Origin | None:
        """A module of verl's recipes, which are a checkout of their own, or a directory beside verl."""
        own = self._below(self.project.root, dotted, parts[1:]) if len(parts) > 1 else None
        if own is None and self.package is not None:
            own = self._below(self.package.parent, dotted, parts)
        return own

    def _moved(self, dotted: str, parts: list[str]) -> Origin | None:
        """A module of the recipe, which was moved to where it is from where its path has it."""
        if self.home is None or self.home.name not in parts[:-1]:
            return None
        return self._below(self.home, dotted, parts[parts.index(self.home.name) + 1 :])

    def _below(self, root: Path, dotted: str, parts: list[str]) -> Origin | None:
        base = root.joinpath(*parts)
        if self.project.is_file(base / "__init__.py"):
            return Origin(dotted, base / "__init__.py", True)
        file = base.with_name(f"{base.name}.py")
        return Origin(dotted, file) if self.project.is_file(file) else None


def verl_sources(project: Project, verl_root: Path | None = None, home: Path | None = None) -> VerlSources:
    """The code of the verl that is named, that the project is, or that is installed; ``home`` is the recipe's
    directory."""
    from relax_lint.migrate.verl_defaults import CheckedOutVerl, verls

    try:
        found = verls(project, verl_root)[0]
    except Refusal:
        return VerlSources(project, None, home)
    return VerlSources(project, found.package if isinstance(found, CheckedOutVerl) else None, home)
