"""Files that lie beside code which reads them by the path of its own file: where they are to lie beside its copy."""

from __future__ import annotations

import ast
import os.path
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.paths import Known, Paths
from relax_lint.records import record
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.code import Code
    from relax_lint.migrate.carrying.sources import VerlSources

LARGEST = 1 << 20
"""A file that is larger, in bytes, is for the user to put in its place; so is a directory with more than four times
that."""
MOST_FILES = 100
_MANY = 4
_WRITES = frozenset("wax")
_WRITTEN = frozenset(
    "write_text write_bytes mkdir touch unlink exists is_file is_dir makedirs remove isfile isdir".split()
)
"""Methods and functions that do not read: what they are for need not be there."""
_PATTERN = frozenset("*?[")


@record
class Seen:
    """A place in a module that reads files beside it. ``files`` are those that come along, by the paths that they have
    from the directory of the copy; ``told`` says what does not."""

    line: int
    files: tuple[tuple[str, Path], ...] = ()
    told: str = ""


class Beside:
    """What one module reads beside itself; ``package`` is that of the recipe, whose directory the copy comes to."""

    def __init__(self, code: Code, sources: VerlSources, package: str) -> None:
        self.paths = Paths(code, sources)
        self.sources = sources
        self.where = package.replace(".", "/") or "the recipe's directory"

    def of(self, statement: ast.stmt, answered: Iterable[ast.AST] = ()) -> Iterator[Seen]:
        """What a statement of the module reads, place by place, but for nodes that ask which modules there are, and are
        ``answered``."""
        yield from self._below(statement, {id(each) for each in (*_names_of_loggers(statement), *answered)})

    def _below(self, node: ast.AST, passed_over: set[int]) -> Iterator[Seen]:
        if id(node) in passed_over:
            return
        values = self.paths.values(node) if isinstance(node, ast.expr) else []
        if any(each.base for each in values) and isinstance(node, ast.expr):
            yield from self._read(node, [each for each in values if each.base is not None])
        elif not values or any(each.open for each in values):
            for below in ast.iter_child_nodes(node):
                yield from self._below(below, passed_over)

    def _read(self, expression: ast.expr, values: Sequence[Known]) -> Iterator[Seen]:
        for known in values:
            seen = self._one(expression, known)
            if seen is not None:
                yield seen

    def _one(self, expression: ast.expr, known: Known) -> Seen | None:
        """What becomes of one path; nothing where it is but a part of others, or written."""
        project, path = self.sources.project, Path(known.text)
        name = self._name(known)
        if not known.open and project.is_file(path):
            return self._file(expression, path, name)
        if known.open or project.is_dir(path) or _PATTERN & set(path.name):
            if not known.open and (self._is_kept(expression) or self._is_written(expression)):
                return None
            return self._directory(expression, known, path)
        elsewhere = None if name is None else self._where_verl_ran(name)
        if elsewhere is not None:
            return self._file(expression, elsewhere, name)
        if self._is_written(expression):
            return None
        shown = name or path.name
        return self._told(expression, f"{shown} is not there: it has to be {self.where}/{shown}")

    def _file(self, expression: ast.expr, path: Path, name: str | None) -> Seen:
        if path == self.paths.code.origin.path:
            return self._told(expression, "the path of the file itself is another one then")
        shown = name or path.name
        if name is None:
            return self._told(expression, f"{path.name} lies above the recipe: copy it, and name it by its new path")
        if path.suffix == ".py":
            return self._told(expression, f"{shown} is code that is not imported: copy it to {self.where}/{shown}")
        if self._size(path) > LARGEST:
            return self._told(expression, f"{shown} is larger than 1 MB: copy it to {self.where}/{shown}")
        return Seen(expression.lineno, ((name, path),))

    def _directory(self, expression: ast.expr, known: Known, path: Path) -> Seen:
        """The files of a directory that is read as a whole, or of which it is not known which are."""
        pattern = "" if known.open else path.name if _PATTERN & set(path.name) else ""
        if pattern:
            path = path.parent
        elif known.open and not self.sources.project.is_dir(path):
            pattern, path = f"{path.name}*", path.parent
        base = known.base
        found = [each for each in self._files(path, pattern) if base is not None and each.is_relative_to(base)]
        if pattern and known.open:
            found = [each for each in found if str(each).startswith(known.text)]
        code = any(each.suffix == ".py" for each in found)
        size = sum(self._size(each) for each in found)
        if base is None or not found or code or len(found) > MOST_FILES or size > _MANY * LARGEST:
            inside = self._name(Known(str(path), base)) or "."
            place = self.where if inside == "." else f"{self.where}/{inside}"
            return self._told(expression, f"which files it reads is known only when it runs: copy them below {place}")
        files = tuple((each.relative_to(base).as_posix(), each) for each in found)
        large = next((name for name, each in files if self._size(each) > LARGEST), None)
        if large is not None:
            return self._told(expression, f"{large} is larger than 1 MB: copy it to {self.where}/{large}")
        return Seen(expression.lineno, files)

    def _files(self, directory: Path, pattern: str) -> list[Path]:
        """The files of a directory, those below it, too, unless there is a pattern for their names."""
        found: list[Path] = []
        for entry in self.sources.project.files.entries(directory):
            path = directory / entry.name
            if entry.is_file and (not pattern or fnmatch(entry.name, pattern)):
                found.append(path)
            elif entry.is_dir and not pattern and entry.name != "__pycache__":
                found += self._files(path, pattern)
            if len(found) > MOST_FILES:
                break
        return found

    def _name(self, known: Known) -> str | None:
        """The path from the copy's directory; nothing for what lies above it."""
        name = os.path.relpath(known.text, known.base)
        return None if name.startswith("..") else name.replace(os.sep, "/")

    def _where_verl_ran(self, name: str) -> Path | None:
        return where_verl_ran(name, self.sources)

    def _size(self, path: Path) -> int:
        return len(self.sources.project.files.head(path, LARGEST + 1))

    def _is_kept(self, expression: ast.expr) -> bool:
        """Whether an expression is a part of what is looked at by itself: the value of a name, or a path to search."""
        above = self.paths.parent(expression)
        if isinstance(above, (ast.Assign, ast.AnnAssign)):
            targets = above.targets if isinstance(above, ast.Assign) else [above.target]
            return all(isinstance(each, (ast.Name, ast.Attribute)) for each in targets)
        return isinstance(above, ast.Call) and ast.unparse(above.func).startswith("sys.path.")

    def _is_written(self, expression: ast.expr) -> bool:
        above = self.paths.parent(expression)
        if isinstance(above, ast.Attribute):
            return above.attr in _WRITTEN or (above.attr == "open" and is_opened_to_write(self.paths.parent(above), 0))
        if isinstance(above, ast.Call):
            name = ast.unparse(above.func).rpartition(".")[2]
            return name in _WRITTEN or (name == "open" and is_opened_to_write(above, 1))
        return self._is_kept(expression)

    def _told(self, expression: ast.expr, what: str) -> Seen:
        shown = " ".join(ast.unparse(expression).split())
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        return Seen(expression.lineno, told=f"{shown} looks for a file beside the code: {what}")


def where_verl_ran(name: str, sources: VerlSources) -> Path | None:
    """The file that a path led to where verl was started: in the root of the project, or beside the launcher."""
    roots = [sources.project.root, *([] if sources.home is None else [sources.home])]
    return next((root / name for root in roots if sources.project.is_file(root / name)), None)


def is_opened_to_write(call: ast.AST | None, place: int) -> bool:
    """Whether a call of ``open`` has a mode that writes; ``place`` is that of the mode among its arguments."""
    if not isinstance(call, ast.Call):
        return False
    modes = [*call.args[place : place + 1], *(each.value for each in call.keywords if each.arg == "mode")]
    return any(isinstance(each, ast.Constant) and _WRITES & set(str(each.value)) for each in modes)


def _names_of_loggers(statement: ast.stmt) -> Iterator[ast.AST]:
    """What loggers are called, often after their file."""
    for each in walk(statement):
        if isinstance(each, ast.Call) and getattr(each.func, "attr", "") == "getLogger":
            yield from each.args
