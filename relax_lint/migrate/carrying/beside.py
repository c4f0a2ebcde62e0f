"""Files that lie beside code which reads them by the path of its own file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.project import Project

LARGEST = 1 << 20
"""What is larger, in bytes, is for the user to put in its place."""
_FOLDER = re.compile(
    r"(?:pathlib\.)?Path\(__file__\)(?:\.resolve\(\)|\.absolute\(\))?\.parent"
    r"|(?:os\.)?(?:path\.)?dirname\((?:__file__|(?:os\.)?(?:path\.)?(?:abspath|realpath)\(__file__\))\)"
)


def own_paths(statement: ast.stmt) -> Iterator[ast.Name]:
    """The places where a statement asks for the path of its file, but for the names of loggers."""
    named = {id(each) for each in _names_of_loggers(statement)}
    for each in walk(statement):
        if isinstance(each, ast.Name) and each.id == "__file__" and id(each) not in named:
            yield each


def data_files(statement: ast.stmt, module: Path, project: Project) -> dict[int, tuple[Path, str]]:
    """The files with text that a statement names beside its module, by the ``id`` of its ``__file__``, with what they
    hold."""
    found: dict[int, tuple[Path, str]] = {}
    for each in walk(statement):
        named = _named(each)
        if named is None:
            continue
        folder, name = named
        text = _text(module.parent / name, project)
        if text is not None:
            for asked in own_paths(ast.Expr(folder)):
                found[id(asked)] = (module.parent / name, text)
    return found


def _named(expression: ast.AST) -> tuple[ast.expr, str] | None:
    """The folder of a module and the name of a file in it, where an expression joins the two."""
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Div):
        folder, name = expression.left, expression.right
    elif (
        isinstance(expression, ast.Call)
        and ast.unparse(expression.func) in ("os.path.join", "path.join", "join")
        and len(expression.args) == 2
    ):
        folder, name = expression.args
    else:
        return None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or Path(name.value).name != name.value:
        return None
    return (folder, name.value) if _FOLDER.fullmatch(ast.unparse(folder)) else None


def _text(path: Path, project: Project) -> str | None:
    if path.suffix == ".py" or not project.is_file(path):
        return None
    data = project.read(path)
    if data is None or len(data) > LARGEST or b"\r" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _names_of_loggers(statement: ast.stmt) -> Iterator[ast.AST]:
    """What loggers are called, often after their file."""
    for each in walk(statement):
        if isinstance(each, ast.Call) and getattr(each.func, "attr", "") == "getLogger":
            yield from each.args
