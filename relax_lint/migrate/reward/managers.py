"""Reward managers that are not verl's own: where a fork has them, and what they score by."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.environment.files import shown_path
from relax_lint.migrate.mains import module_name
from relax_lint.records import record
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources

_SKIPPED = frozenset({"tests", "docs", "node_modules", "__pycache__"})
_MOST_DIRECTORIES = 2000
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MANAGER = re.compile(r"reward_?(?:loop_?)?manager", re.IGNORECASE)


@record
class Manager:
    """A class that scores: where it is, and the functions of its module that it calls, with their lines."""

    name: str
    path: Path
    line: int
    calls: tuple[tuple[str, int], ...] = ()
    of_verl: bool = False

    def shown(self, sources: VerlSources) -> str:
        """The class, its place and what it calls, for a message."""
        calls = f", which calls {' and '.join(f'{name} (line {line})' for name, line in self.calls)}"
        return f"{self.name} of {shown_path(self.path, sources)}:{self.line}{calls if self.calls else ''}"


def registered(name: str, main: str, sources: VerlSources) -> Manager | None:
    """The class that is registered as the reward manager of a name: in verl, in the package of what runs, or in the
    recipe's directory."""
    pattern = re.compile(rf"\bregister\w*\(\s*(?:name\s*=\s*)?[\"']{re.escape(name)}[\"']".encode())
    for root in dict.fromkeys(_roots(main, sources)):
        for path in _python_files(root, sources):
            data = sources.project.files.read(path) or b""
            if pattern.search(data) is None:
                continue
            for found in _classes(path, sources):
                if any(name in ast.unparse(each) for each in found.decorator_list):
                    return _manager(found, path, sources)
    return None


def of_file(path: Path, name: str, sources: VerlSources) -> Manager | None:
    """The class of this name in a file."""
    found = next((each for each in _classes(path, sources) if each.name == name), None)
    return None if found is None else _manager(found, path, sources)


def of_main(main: str, sources: VerlSources) -> Manager | None:
    """The manager that stands in the module which runs."""
    origin = sources.origin(module_name(main))
    if origin is None:
        return None
    found = next((each for each in _classes(origin.path, sources) if _MANAGER.search(each.name)), None)
    return None if found is None else _manager(found, origin.path, sources)


def _manager(found: ast.ClassDef, path: Path, sources: VerlSources) -> Manager:
    tops = {each.name: each.lineno for each in _top(path, sources) if isinstance(each, _FUNCTIONS)}
    called = {
        each.func.id: tops[each.func.id]
        for each in walk(found)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in tops
    }
    of_verl = sources.package is not None and path.is_relative_to(sources.package)
    return Manager(found.name, path, found.lineno, tuple(called.items()), of_verl)


def _classes(path: Path, sources: VerlSources) -> Iterator[ast.ClassDef]:
    return (each for each in _top(path, sources) if isinstance(each, ast.ClassDef))


def _top(path: Path, sources: VerlSources) -> list[ast.stmt]:
    source = sources.project.python(path)
    return [] if source is None or source.tree is None else source.tree.body


def _roots(main: str, sources: VerlSources) -> Iterator[Path]:
    """Where a manager may be registered, the likeliest first."""
    if sources.package is not None:
        yield from (sources.package / "workers/reward_manager", sources.package / "experimental")
    top = module_name(main).partition(".")[0]
    package = sources.project.root / top
    if top != "verl" and sources.project.is_dir(package):
        yield package
    if sources.home is not None:
        yield sources.home


def _python_files(root: Path, sources: VerlSources) -> Iterator[Path]:
    pending, seen = [root], 0
    while pending and seen < _MOST_DIRECTORIES:
        seen += 1
        directory = pending.pop(0)
        for each in sources.project.files.entries(directory):
            path = directory / each.name
            if each.is_dir and each.name not in _SKIPPED and not each.name.startswith("."):
                pending.append(path)
            elif each.is_file and path.suffix == ".py":
                yield path
