"""The flake8 plugin: what relax-lint finds in a recipe's Python files, judged with the recipe's launchers.

flake8 calls it for every file and imports it at every start, so nothing else of the package is imported until a file
lies in a recipe directory. One project a process and root remembers what is parsed already.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint import __version__

if TYPE_CHECKING:
    from relax_lint.diagnostics import Diagnostic
    from relax_lint.project import Project

JUDGED = ("python", "reward")
"""Kinds of rules whose findings lie in Python files."""

_projects: dict[Path, Project] = {}


class Plugin:
    """One file's findings, as flake8 asks for them."""

    name = "relax-lint"
    version = __version__

    def __init__(self, tree: ast.Module, filename: str, lines: Sequence[str]) -> None:
        self.tree = tree
        self.path = Path(os.path.abspath(filename))  # noqa: PTH100 -- resolve() would follow links
        self.lines = lines

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Line, column from 0, and text of every finding."""
        if "examples" not in self.path.parts[:-2]:
            return
        for found in _findings(self.path, self.tree, self.lines):
            yield found.line, found.column - 1, f"{found.code} {found.message}", type(self)


def _findings(path: Path, tree: ast.Module, lines: Sequence[str]) -> list[Diagnostic]:
    from relax_lint.diagnostics import Severity
    from relax_lint.engine import lint
    from relax_lint.rules import load_rules
    from relax_lint.suppression import suppressions

    project = _project(path, tree, lines)
    if project is None:
        return []
    rules = {code: rule for code, rule in load_rules().items() if rule.on in JUDGED}
    report = lint(project, rules, targets=[path])
    source = project.python(path)
    if source is None or not report.diagnostics:
        return []
    # What noqa silences is left in: flake8 sees to it, and --disable-noqa wants it shown.
    own = [directive for directive in suppressions(source) if directive.kind != "noqa"]
    return [
        found
        for found in report.diagnostics
        if found.severity is not Severity.ADVICE
        if all(directive.matching(found) is None for directive in own)
    ]


def _project(path: Path, tree: ast.Module, lines: Sequence[str]) -> Project | None:
    """The project that a file belongs to, with the file as flake8 has it."""
    from relax_lint.discovery import root_of
    from relax_lint.files import Files
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

    root = root_of(path.parent, Files())
    if root is None:
        return None
    project = _projects.setdefault(root, Project(root))
    text = "".join(lines)
    data = project.read(path)
    if data is not None:
        source = PythonSource(path, data, tree)
        if _as_flake8_reads(source.text) == text:
            project.adopt(source)
            return project
    data = _encoded(text)
    project = project.with_changes({path: data})
    project.adopt(PythonSource(path, data, tree))
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
