"""Edits of Python text that change a single place and leave the rest as it stands."""

from __future__ import annotations

import ast
import re
from io import StringIO

from relax_lint.diagnostics import Edit
from relax_lint.sources.python import PythonSource

_BLANKS = " \t"
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\r\n]*)?\r?(?:\n|\Z)")
_COMMA_AND_LINE_END = re.compile(r"[ \t]*,[ \t]*(?:#[^\r\n]*)?\r?\n")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def remove_statement(source: PythonSource, statement: ast.stmt) -> Edit | None:
    """Take a statement away with its lines; ``pass`` stands in where a block would be left empty."""
    place = source.place(statement)
    line_start = source.text.rfind("\n", 0, place.start) + 1
    rest = _REST_OF_LINE.match(source.text, place.end)
    indent = source.text[line_start : place.start].lstrip("\ufeff")
    if rest is None or indent.strip(_BLANKS):
        return None
    if _is_alone(source, statement):
        return Edit.at(place, "pass")
    start = place.start - len(indent)
    return Edit(source.path, start, rest.end(), "")


def _is_alone(source: PythonSource, statement: ast.stmt) -> bool:
    holder = source.parent(statement)
    if holder is None or isinstance(holder, ast.Module):
        return False
    return any(getattr(holder, name, None) == [statement] for name in ("body", "orelse", "finalbody"))


def make_async(source: PythonSource, function: ast.FunctionDef) -> Edit:
    """Write ``async`` in front of a ``def``."""
    start = source.place(function).start
    return Edit(source.path, start, start, "async ")


def add_keywords(source: PythonSource, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Edit | None:
    """Let a function take any further keyword arguments."""
    spec = function.args
    written = [*spec.posonlyargs, *spec.args, *([spec.vararg] if spec.vararg else []), *spec.kwonlyargs]
    end = _end_of_parameters(source, function)
    if spec.kwarg is not None or not written or end is None:
        return None
    start = source.place(written[-1]).start
    indent = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    on_own_line = bool(indent) and not indent.strip(_BLANKS)
    line_end = _COMMA_AND_LINE_END.match(source.text, end) if on_own_line else None
    if line_end is not None:  # a comment there is about the parameter in front of it
        return Edit(source.path, line_end.end(), line_end.end(), f"{indent}**{name},\n")
    separator = f",\n{indent}" if on_own_line else ", "
    return Edit(source.path, end, end, f"{separator}**{name}")


def _end_of_parameters(source: PythonSource, function: ast.FunctionDef | ast.AsyncFunctionDef) -> int | None:
    """Where the last parameter ends, in front of a trailing comma."""
    import tokenize

    no_code = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    start = source.name_place(function).end
    lines = StringIO(source.text[start:])
    line_starts = [start]
    depth, ends = 0, [start]
    try:
        for token in tokenize.generate_tokens(lambda: _next_line(lines, line_starts)):
            depth += (token.string in _OPENING) - (token.string in _CLOSING)
            if token.type == tokenize.OP and token.string == ")" and depth == 0:
                return ends[-1]
            if token.type in no_code or (token.string == "," and depth == 1):
                continue
            ends.append(line_starts[token.end[0] - 1] + token.end[1])
    except (tokenize.TokenError, SyntaxError):
        pass
    return None


def _next_line(lines: StringIO, line_starts: list[int]) -> str:
    line = lines.readline()
    line_starts.append(line_starts[-1] + len(line))
    return line


def append_statement(
    source: PythonSource, function: ast.FunctionDef | ast.AsyncFunctionDef, statement: str
) -> Edit | None:
    """Write one more statement at a function's end, as far indented as its first."""
    first, end = function.body[0], source.place(function).end
    start = source.place(first).start
    indent = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    rest = _REST_OF_LINE.match(source.text, end)
    if rest is None or indent.strip(_BLANKS) or not indent:
        return None
    line_end = len(source.text[: rest.end()].rstrip("\r\n"))
    return Edit(source.path, line_end, line_end, f"\n{indent}{statement}")
