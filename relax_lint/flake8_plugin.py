"""The flake8 plugin: what relax-lint finds in a recipe's Python files, judged with the recipe's launchers.

flake8 imports it at every start and calls it for every file, so nothing else of the package is imported until a file
lies in a recipe directory. A process keeps what it has parsed and worked out of a repository.
"""

from __future__ import annotations

import ast
import gc
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint import __version__

if TYPE_CHECKING:
    from argparse import Namespace

    from relax_lint.config import Settings
    from relax_lint.diagnostics import Diagnostic
    from relax_lint.flake8_memory import Memory, Told
    from relax_lint.project import Project, Recipe
    from relax_lint.rules import Rule
    from relax_lint.suspicion import Suspicion

WITHOUT_PYTHON = ("config", "data", "flags", "launcher", "tool")
"""Families of rules whose findings never lie in a Python file."""
IN_PYTHON = ("python", "recipe", "reward")
"""What the others look at when they find something in one."""


class RuleFailed(Exception):
    """A rule raised; the message says which, and on what."""


class Plugin:
    """One file's findings, as flake8 asks for them."""

    name = "relax-lint"
    version = __version__
    judge: Judge | None = None
    memory: Memory | None = None
    configuration: Path | None = None

    def __init__(self, tree: ast.Module, filename: str, lines: Sequence[str]) -> None:
        self.tree = tree
        self.path = Path(os.path.abspath(filename))  # noqa: PTH100 -- resolve() would follow links
        self.lines = lines

    @staticmethod
    def add_options(manager: Any) -> None:
        """Our one option; what is found is chosen by flake8's options and by relax-lint's configuration."""
        manager.add_option(
            "--relax-lint-config",
            metavar="FILE",
            parse_from_config=True,
            normalize_paths=True,
            help="relax-lint's configuration, in place of the nearest relax-lint.toml or pyproject.toml",
        )

    @classmethod
    def parse_options(cls, options: Namespace) -> None:
        """Start over under these options. A configuration that cannot be used ends flake8 here, before its processes
        start: an exception in one of them can leave flake8 waiting for ever, so later ones become findings."""
        if cls.judge is not None:
            gc.unfreeze()
        given = options.relax_lint_config
        cls.judge, cls.configuration = None, Path(given) if given else None
        from relax_lint.config import ConfigError, Configuration, refuse_unusable
        from relax_lint.flake8_memory import Memory
        from relax_lint.rules import load_rules
        from relax_lint.store import directory

        place = directory()
        cls.memory = None if place is None else Memory(place, cls.configuration)
        try:
            settings = Configuration(explicit=cls.configuration).settings_for(Path.cwd())
            refuse_unusable(settings, settings.selection, load_rules)
        except ConfigError as problem:
            from flake8.exceptions import ExecutionError

            raise ExecutionError(f"relax-lint: {problem}") from problem

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Line, column from 0, and text of every finding."""
        if "examples" not in self.path.parts[:-2]:
            return
        text = "".join(self.lines)
        told = None if self.memory is None else self.memory.told(self.path, text)
        for line, column, message in self._judged(text) if told is None else told:
            yield line, column, message, type(self)

    def _judged(self, text: str) -> Told:
        from relax_lint.config import ConfigError
        from relax_lint.report.columns import printable

        try:
            if Plugin.judge is None:
                Plugin.judge = Judge(self.configuration)
            found = Plugin.judge.findings(self.path, self.tree, self.lines)
        except (ConfigError, RuleFailed) as problem:
            return [(1, 0, f"RLX001 {problem}")]
        told = [(each.line, each.column - 1, f"{each.code} {printable(each.message)}") for each in found]
        if self.memory is not None and Plugin.judge.is_to_be_remembered(self.path, text):
            self.memory.keep(self.path, text, told)
        return told


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile: most of what is made lives as long as the process."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Judge:
    """Finds what is wrong with Python files, one after the other; recipes are read once."""

    def __init__(self, explicit: Path | None) -> None:
        from relax_lint.config import Configuration
        from relax_lint.rules import ADVICE, load_rules

        rules = load_rules(without=WITHOUT_PYTHON).values()
        self._rules = [
            rule
            for rule in rules
            if rule.on in IN_PYTHON and family_of(rule) not in WITHOUT_PYTHON and rule.severity is not ADVICE
        ]
        self._configuration = Configuration(explicit=explicit)
        self._roots: dict[Path, Path | None] = {}
        self._projects: dict[tuple[Path, Path | None], Project] = {}
        self._suspicions: dict[Project, Suspicion] = {}
        self._recipes: dict[tuple[Project, Path], list[Diagnostic]] = {}

    @_uncollected()
    def findings(self, path: Path, tree: ast.Module, lines: Sequence[str]) -> list[Diagnostic]:
        """What is to be shown of one file."""
        settings = self._configuration.settings_for(path)
        project = self._project(path, settings)
        recipe = None if project is None else project.recipe_of(path)
        if project is None or recipe is None or path not in recipe.files:
            return []
        project = _as_given(project, path, tree, lines)
        found: list[Diagnostic] = []
        source, recipe, suspicion = project.python(path), project.recipe_of(path), self._suspicion(project)
        if source is not None and suspicion.in_file(source):
            found += self._lint(project, {rule.code for rule in self._rules if rule.on == "python"}, [path])
        suspected = {} if recipe is None else suspicion.of_recipe(recipe)
        if recipe is not None and any(path in paths for paths in suspected.values()):
            found += [item for item in self._of_recipe(project, recipe, suspected) if item.path == path]
        found = [item for item in found if _is_shown(project, item)]
        if source is not None:
            project.adopt(source.unparsed())
        return found

    def is_to_be_remembered(self, path: Path, text: str) -> bool:
        """Whether a file is saved with this text, and its configuration keeps what is found."""
        from relax_lint.sources.python import PythonSource

        settings = self._configuration.settings_for(path)
        project = self._project(path, settings)
        data = None if project is None else project.read(path)
        return settings.cache and data is not None and _as_flake8_reads(PythonSource(path, data).text) == text

    def _suspicion(self, project: Project) -> Suspicion:
        from relax_lint.suspicion import Suspicion

        if project not in self._suspicions:
            self._suspicions[project] = Suspicion(project, self._rules)
            self._suspicions[project].work_out()
            gc.freeze()  # at the end of the process, above all, nobody need look through it
        return self._suspicions[project]

    def _of_recipe(self, project: Project, recipe: Recipe, suspected: Mapping[str, set[Path]]) -> list[Diagnostic]:
        """Findings that come of a recipe as a whole, of the rules and in the files that are suspected: its launches are
        looked at once for all of them."""
        key = (project, recipe.directory)
        if key not in self._recipes:
            self._recipes[key] = self._lint(project, suspected, sorted(set().union(*suspected.values())))
        return self._recipes[key]

    def _lint(self, project: Project, codes: Collection[str], targets: Sequence[Path]) -> list[Diagnostic]:
        """What rules find in the targets, if they are selected."""
        from relax_lint.engine import lint
        from relax_lint.records import changed
        from relax_lint.rules import load_rules
        from relax_lint.selection import Layer, selected

        rules = load_rules()
        wanted = tuple(sorted(set(codes) & selected(project.settings.selection, rules)))
        report = lint(project, rules, changed(project.settings, selection=(Layer(select=wanted),)), targets)
        if report.failures:
            raise RuleFailed("; ".join(report.failures))
        return report.diagnostics

    def _project(self, path: Path, settings: Settings) -> Project | None:
        from relax_lint.config import refuse_unusable
        from relax_lint.discovery import root_of
        from relax_lint.files import Files
        from relax_lint.project import Project
        from relax_lint.rules import load_rules

        if path.parent not in self._roots:
            self._roots[path.parent] = root_of(path.parent, Files())
        root = self._roots[path.parent]
        if root is None:
            return None
        key = (root, settings.source)
        if key not in self._projects:
            refuse_unusable(settings, settings.selection, load_rules)
            self._projects[key] = Project(root, settings)
        return self._projects[key]


def family_of(rule: Rule) -> str:
    """The folder that a rule is in."""
    return rule.check.__module__.split(".")[-2]


def _as_given(project: Project, path: Path, tree: ast.Module, lines: Sequence[str]) -> Project:
    """The project with a file as flake8 has it; another one when that is not how it is saved."""
    from relax_lint.sources.python import PythonSource

    text = "".join(lines)
    data = project.read(path)
    source = None if data is None else PythonSource(path, data, tree)
    if source is None or _as_flake8_reads(source.text) != text:
        data = _encoded(text)
        source = PythonSource(path, data, tree)
        project = project.with_changes({path: data})
    project.adopt(source)
    return project


def _as_flake8_reads(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _encoded(text: str) -> bytes:
    """Unsaved text as it would be saved."""
    from io import BytesIO
    from tokenize import detect_encoding

    data = text.encode("utf-8", "surrogateescape")
    try:
        return text.encode(detect_encoding(BytesIO(data).readline)[0])
    except (SyntaxError, UnicodeEncodeError):
        return data


def _is_shown(project: Project, found: Diagnostic) -> bool:
    """Whether a finding is an error or a warning that our own comments and configuration leave standing. ``noqa`` is
    flake8's to honour, and so is --disable-noqa."""
    from relax_lint.config import covers
    from relax_lint.diagnostics import Severity
    from relax_lint.suppression import directives

    if found.severity is Severity.ADVICE:
        return False
    if any(covers(base, pattern, found.path) for base, pattern in project.settings.exclude):
        return False
    if found.suppressed is None:
        return True
    source = project.python(found.path)
    own = (
        []
        if source is None
        else [directive for directive in directives(source).suppressions if directive.kind != "noqa"]
    )
    return found.suppressed_by is not None and all(one.matching(found) is None for one in own)
