"""The text of parts of a script, put elsewhere."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence

INDENT = "    "


class Moved:
    """The statements of a script as they stand in a function of another."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        self._inside_strings = inside_strings(text)

    def text(self, statement: ast.stmt) -> str:
        """The text of a statement, with the comments above it."""
        first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])
        while first > 1 and self._lines[first - 2].lstrip().startswith("#") and not self._is_licence(first - 1):
            first -= 1
        last = statement.end_lineno or statement.lineno
        text = "".join(self._lines[first - 1 : last]).rstrip("\n")
        inside = frozenset(line - first + 1 for line in self._inside_strings)
        return shifted(text, len(INDENT) - statement.col_offset, inside)

    def _is_licence(self, line: int) -> bool:
        return all(not text.strip() or text.startswith("#") for text in self._lines[:line])


def looks(statement: ast.stmt) -> str:
    """What a statement looks like: an import, a definition or another."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return "import"
    return "definition" if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else "other"


def spaced(parts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Texts with an empty line around definitions, and behind imports."""
    before = ""
    for kind, text in parts:
        if before and (kind != before or kind == "definition"):
            yield ""
        yield text
        before = kind


def is_heading(statement: ast.stmt) -> bool:
    """A docstring, or an import of the future."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def inside_strings(text: str) -> frozenset[int]:
    """The lines that begin inside a string, counted from 1: their indentation is a part of it."""
    found, started = set[int](), list[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            found.update(range(token.start[0] + 1, token.end[0] + 1))
        elif kind == "FSTRING_START":
            started.append(token.start[0])
        elif kind == "FSTRING_END":
            found.update(range(started.pop() + 1, token.end[0] + 1))
    return frozenset(found)


def shifted(text: str, by: int, inside: frozenset[int]) -> str:
    """A text moved to the right or left, but for the lines that begin inside a string."""
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if number in inside or not line.strip():
            lines.append(line)
        elif by >= 0:
            lines.append(" " * by + line)
        else:
            lines.append(line[min(-by, len(line) - len(line.lstrip())) :])
    return "\n".join(lines)
