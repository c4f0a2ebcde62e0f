"""Paths in code of the user's that would lead elsewhere from its copy, rewritten: those from the directory that verl
was started in, and those that lead above the directory of a module, which is another one then."""

from __future__ import annotations

import ast
import os.path
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.beside import is_opened_to_write, where_verl_ran
from relax_lint.migrate.carrying.code import Code
from relax_lint.migrate.carrying.paths import Paths
from relax_lint.sources.python import PythonSource, walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources

_READERS = re.compile(r"open|load|load_\w+|loadtxt|genfromtxt|read|read_\w+|from_file|parse|Path")
"""Functions whose first argument is a path that they read."""
_MAY_READ = re.compile(r"__file__|\bopen\b|\.?load|read|\bPath\b|parse|from_file")


def with_own_files(code: Code, sources: VerlSources) -> Code:
    """The code with paths that lead to the same files from a copy, where those are to lie beside it."""
    if code.origin.of_verl or not _MAY_READ.search(code.text):
        return code
    paths = Paths(code, sources, across=False)
    wrapped = [*_of_start(code, paths, sources), *_of_file(code, paths, sources)]
    if not wrapped or not _has_os(code):
        return code
    source = PythonSource(code.origin.path, code.text.encode("utf-8", "surrogateescape"))
    at = {_key(each): each for each in walk(source.tree) if isinstance(each, ast.expr)} if source.tree else {}
    edits: list[tuple[int, int, str]] = []
    for number, (expression, before, after) in enumerate(wrapped):
        place = source.place(at[_key(expression)])
        edits.append((place.start, -number, before))
        edits.append((place.end, number, after))
    text = code.text
    for position, _, new in sorted(edits, reverse=True):
        text = text[:position] + new + text[position:]
    return Code(code.origin, _with_import(text, code), code.original or code.text)


_Wrapped = tuple[ast.expr, str, str]
"""An expression, with what is to be written before and after it."""


def _key(expression: ast.expr) -> tuple[str, int, int, int | None, int | None]:
    place = (expression.lineno, expression.col_offset, expression.end_lineno, expression.end_col_offset)
    return type(expression).__name__, *place


def _of_start(code: Code, paths: Paths, sources: VerlSources) -> Iterator[_Wrapped]:
    """The arguments that name files from where verl was started."""
    for each in walk(code.tree):
        if not isinstance(each, ast.Call) or not each.args or is_opened_to_write(each, 1):
            continue
        if not _READERS.fullmatch(paths.name_of(each.func).rpartition(".")[2]):
            continue
        given = paths.values(each.args[0])
        if given and all(_is_at_start(one.text, sources) and not (one.base or one.open) for one in given):
            yield each.args[0], "os.path.join(os.path.dirname(__file__), ", ")"


def _is_at_start(text: str, sources: VerlSources) -> bool:
    """Whether a text is the path of a file from where verl was started."""
    if not text or Path(text).is_absolute() or os.path.normpath(text).startswith("..") or text.endswith(".py"):
        return False
    return "\n" not in text and "\0" not in text and where_verl_ran(text, sources) is not None


def _of_file(code: Code, paths: Paths, sources: VerlSources) -> list[_Wrapped]:
    """The path of a module's file, as if it lay as far below its copy's directory as files that it reads want. There is
    no such directory, so that no path may lead through it and up again."""
    own, depth = code.origin.path, 0
    for each in walk(code.tree):
        for known in paths.values(each) if isinstance(each, ast.expr) else ():
            if known.base == own.parent and not known.open and sources.project.is_file(Path(known.text)):
                way = Path(os.path.relpath(known.text, own.parent)).parts
                depth = max(depth, way.count(os.pardir))
    if not depth or any(isinstance(each, ast.Name) and each.id == "__package__" for each in walk(code.tree)):
        return []
    joined: dict[int, _Wrapped] = {}
    for each in walk(code.tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and _leads_up(each, paths):
            above = paths.parent(each)
            if not isinstance(above, ast.Call) or paths.name_of(above.func) != "os.path.join":
                return []
            joined[id(above)] = (above, "os.path.normpath(", ")")
    parts = ", ".join(f'"{part}"' for part in own.parts[-depth - 1 :])
    names = [each for each in walk(code.tree) if isinstance(each, ast.Name) and each.id == "__file__"]
    return [*joined.values(), *((each, "os.path.join(os.path.dirname(", f"), {parts})") for each in names)]


def _leads_up(constant: ast.Constant, paths: Paths) -> bool:
    """Whether a constant is a part of a path that goes up, and nothing takes that out."""
    if os.pardir not in str(constant.value).split("/"):
        return False
    above = paths.parent(constant)
    while isinstance(above, ast.expr):
        name = paths.name_of(above.func) if isinstance(above, ast.Call) else ""
        if name in ("os.path.abspath", "os.path.normpath", "os.path.realpath") or name.endswith(".resolve"):
            return False
        above = paths.parent(above)
    return True


def _has_os(code: Code) -> bool:
    """Whether ``os`` is the module, or can be."""
    return all(each.is_import for each in code.binding.get("os", ()))


def _with_import(text: str, code: Code) -> str:
    """The text with an import of ``os``."""
    bound = [one for each in code.tree.body if isinstance(each, ast.Import) for one in each.names]
    if any((each.name == "os" and each.asname is None) or each.name.startswith("os.") for each in bound):
        return text
    line = 0
    for number, each in enumerate(code.tree.body):
        is_docstring = number == 0 and isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if is_docstring or (isinstance(each, ast.ImportFrom) and each.module == "__future__"):
            line = each.end_lineno or 0
            continue
        break
    lines = text.split("\n")
    head = line
    while head < len(lines) and (not lines[head].strip() or lines[head].lstrip().startswith("#")):
        head += 1
    return "\n".join([*lines[:head], "import os", *lines[head:]])
