"""The flake8 plugin: what relax-lint finds in a recipe's Python files, judged with the recipe's launchers.

flake8 imports it at every start and calls it for every file, so nothing else of the package is imported until a file
lies in a recipe directory. A process keeps what it has parsed and worked out of a repository.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint import __version__

if TYPE_CHECKING:
    from argparse import Namespace

    from relax_lint.config import Settings
    from relax_lint.diagnostics import Diagnostic
    from relax_lint.project import Project

FAMILIES = ("RLX1", "RLX2", "RLX3")
IN_PYTHON = ("reward", "recipe")
"""Families and kinds of rules that, looking at a whole recipe, find something in a Python file."""


class Plugin:
    """One file's findings, as flake8 asks for them."""

    name = "relax-lint"
    version = __version__
    judge: Judge | None = None
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
        """Start over under these options."""
        given = options.relax_lint_config
        cls.judge, cls.configuration = None, Path(given) if given else None

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Line, column from 0, and text of every finding."""
        if "examples" not in self.path.parts[:-2]:
            return
        if Plugin.judge is None:
            Plugin.judge = Judge(self.configuration)
        for found in Plugin.judge.findings(self.path, self.tree, self.lines):
            yield found.line, found.column - 1, f"{found.code} {found.message}", type(self)


class Judge:
    """Finds what is wrong with Python files, one after the other; recipes are read once."""

    def __init__(self, explicit: Path | None) -> None:
        from relax_lint.config import Configuration
        from relax_lint.rules import load_rules

        self._configuration = Configuration(explicit=explicit)
        self._rules = load_rules()
        self._projects: dict[tuple[Path, Path | None], Project] = {}
        self._recipes: dict[tuple[Path, Path | None], list[Diagnostic]] = {}

    def findings(self, path: Path, tree: ast.Module, lines: Sequence[str]) -> list[Diagnostic]:
        """What is to be shown of one file."""
        from relax_lint.config import covers
        from relax_lint.diagnostics import Severity

        settings = self._configuration.settings_for(path)
        project = self._project(path, settings)
        if project is None or any(covers(base, pattern, path) for base, pattern in settings.exclude):
            return []
        project, saved = _as_given(project, path, tree, lines)
        found = [*self._lint(project, settings, True, [path]), *self._of_recipe(project, settings, path, keep=saved)]
        return [item for item in found if item.severity is not Severity.ADVICE and not _silenced(project, path, item)]

    def _of_recipe(self, project: Project, settings: Settings, path: Path, *, keep: bool) -> Iterator[Diagnostic]:
        """Findings in one file that come of the recipe as a whole: its launches are looked at once for all files."""
        recipe = project.recipe_of(path)
        if recipe is None:
            return
        key = (recipe.directory, settings.source)
        known = self._recipes.get(key) if keep else None
        if known is None:
            known = self._lint(project, settings, False, [source.path for source in recipe.python])
            if keep:
                self._recipes[key] = known
        yield from (found for found in known if found.path == path)

    def _lint(self, project: Project, settings: Settings, alone: bool, targets: Sequence[Path]) -> list[Diagnostic]:
        """What rules that look at Python files alone, or all others, find in the targets."""
        from dataclasses import replace

        from relax_lint.engine import lint
        from relax_lint.selection import Layer, selected

        wanted = tuple(code for code in selected(settings.selection, self._rules) if self._concerns(code, alone))
        report = lint(project, self._rules, replace(settings, selection=(Layer(select=wanted),)), targets)
        if report.failures:
            raise RuntimeError("; ".join(report.failures))
        return report.diagnostics

    def _concerns(self, code: str, alone: bool) -> bool:
        on = self._rules[code].on
        return on == "python" if alone else on in IN_PYTHON and code.startswith(FAMILIES)

    def _project(self, path: Path, settings: Settings) -> Project | None:
        from relax_lint.discovery import root_of
        from relax_lint.files import Files
        from relax_lint.project import Project

        root = root_of(path.parent, Files())
        if root is None:
            return None
        key = (root, settings.source)
        if key not in self._projects:
            self._projects[key] = Project(root, settings)
        return self._projects[key]


def _as_given(project: Project, path: Path, tree: ast.Module, lines: Sequence[str]) -> tuple[Project, bool]:
    """The project with a file as flake8 has it, and whether that is how it is saved."""
    from relax_lint.sources.python import PythonSource

    text = "".join(lines)
    data = project.read(path)
    source = None if data is None else PythonSource(path, data, tree)
    saved = source is not None and _as_flake8_reads(source.text) == text
    if source is None or not saved:
        data = _encoded(text)
        source = PythonSource(path, data, tree)
        project = project.with_changes({path: data})
    project.adopt(source)
    return project, saved


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


def _silenced(project: Project, path: Path, found: Diagnostic) -> bool:
    """Whether our own comments or configuration silence a finding; ``noqa`` is flake8's, and so is --disable-noqa."""
    from relax_lint.suppression import suppressions

    if found.suppressed is None:
        return False
    source = project.python(path)
    own = [] if source is None else [directive for directive in suppressions(source) if directive.kind != "noqa"]
    return found.suppressed_by is None or any(directive.matching(found) is not None for directive in own)
