"""Real comments of Python, shell and YAML files, and the stretch of text that each can speak for."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from relax_lint.records import record
from relax_lint.sources.text import SourceFile

if TYPE_CHECKING:
    from relax_lint.shell import nodes
    from relax_lint.sources.launcher import LauncherSource
    from relax_lint.sources.python import PythonSource

Span = tuple[int, int]

_TEXT = re.compile(r"\S")
_YAML_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\n]*", re.MULTILINE)


@record
class Comment:
    """A comment and the lines it speaks for: its own when something stands before it (``trailing``), otherwise those
    of the statement, command or element below it (none when nothing is below)."""

    start: int
    end: int
    trailing: bool
    lines: range


def comments(source: SourceFile) -> list[Comment]:
    """The comments of a file, strings and here-documents left alone."""
    return _read(source)[0]


def units(source: SourceFile) -> list[Span]:
    """What a comment on a line of its own can stand above: statements, headers of compound ones, array elements."""
    return _read(source)[1]()


def _read(source: SourceFile) -> tuple[list[Comment], Callable[[], list[Span]]]:
    from relax_lint.sources.python import PythonSource

    if isinstance(source, PythonSource):
        groups = list(_python_comments(source))
        return _comments(source, groups, partial(_python_units, source)), partial(_python_units, source)
    if getattr(source, "script", None) is not None:
        return _shell(cast("LauncherSource", source))
    found = [(span, _lines(source, span)) for span in _yaml_comments(source)]
    return _comments(source, found, partial(_yaml_units, source)), partial(_yaml_units, source)


def _comments(
    source: SourceFile, found: Iterable[tuple[Span, range]], all_units: Callable[[], list[Span]]
) -> list[Comment]:
    made = []
    spans: _Nested | None = None
    for (start, end), own_lines in found:
        line = source.position(start)[0]
        trailing = bool(source.text[source.line_starts[line - 1] : start].strip(" \t\ufeff"))
        if trailing:
            made.append(Comment(start, end, True, own_lines))
            continue
        if spans is None:
            spans = _Nested(all_units())
        made.append(Comment(start, end, False, _lines_below(source, start, end, spans)))
    return made


def _lines_below(source: SourceFile, start: int, end: int, spans: _Nested) -> range:
    """The lines of the unit that follows a comment; within one that is cut no finer, the next line of text."""
    below = spans.below(start)
    if below is not None:
        return _lines(source, below)
    following = _TEXT.search(source.text, end)
    return _lines(source, (following.start(), following.end())) if following is not None else range(0)


class _Nested:
    """Units, of which each holds all or nothing of any other."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans, key=lambda span: (span[0], -span[1]))
        self._starts = [start for start, _ in self._spans]
        self._holders: list[int] = []
        """For each unit the number of the nearest that may hold it, before the first -1."""
        open_ones: list[int] = []
        for index, (start, _) in enumerate(self._spans):
            while open_ones and self._spans[open_ones[-1]][1] <= start:
                open_ones.pop()
            self._holders.append(open_ones[-1] if open_ones else -1)
            open_ones.append(index)

    def below(self, start: int) -> Span | None:
        """The unit that follows an offset within the innermost unit that holds it."""
        following = bisect_right(self._starts, start)
        if following == len(self._spans):
            return None
        around = bisect_left(self._starts, start) - 1
        while around >= 0 and self._spans[around][1] <= start:
            around = self._holders[around]
        found = self._spans[following]
        return found if around < 0 or found[1] <= self._spans[around][1] else None


def _lines(source: SourceFile, span: Span) -> range:
    return range(source.position(span[0])[0], source.position(max(span[0], span[1] - 1))[0] + 1)


# ---------------------------------------------------------------- Python


def _python_comments(source: PythonSource) -> Iterator[tuple[Span, range]]:
    """Comments with the physical lines that flake8 joins to theirs: strings over lines, backslashes."""
    text = source.text.removeprefix("\ufeff")
    shift = len(source.text) - len(text)
    starts = _line_starts(text)
    first = last = 0
    pending: list[Span] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
                continue
            first = first or token.start[0]
            last = max(last, token.end[0])
            if token.type == tokenize.COMMENT:
                start = starts[token.start[0] - 1] + token.start[1] + shift
                pending.append((start, start + len(token.string.rstrip("\r\n"))))
            if token.type in (tokenize.NL, tokenize.NEWLINE):
                for span in pending:
                    low = source.position(starts[first - 1] + shift)[0]
                    yield span, range(low, max(low, source.position(span[0])[0]) + 1)
                pending, first, last = [], 0, 0
    except (tokenize.TokenError, SyntaxError):
        pass
    for span in pending:
        yield span, _lines(source, span)


def _line_starts(text: str) -> list[int]:
    """Where the lines start that ``io.StringIO`` reads."""
    return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]


def _python_units(source: PythonSource) -> list[Span]:
    from relax_lint.sources.python import walk

    if source.tree is None:
        return []
    return [
        _python_span(source, node)
        for node in walk(source.tree)
        if isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case))
    ]


def _python_span(source: PythonSource, node: ast.AST) -> Span:
    """A statement's span; of a compound one only its header, decorators included."""
    starting = node.pattern if isinstance(node, ast.match_case) else node
    span = source.place(starting)
    start, end = span.start, span.end
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        start = min(start, source.text.rfind("@", 0, source.place(decorators[0]).start))
    body = getattr(node, "body", None)
    cases = getattr(node, "cases", None)
    inner = body[0] if isinstance(body, list) and body else cases[0].pattern if cases else None
    if inner is not None:
        inside = min(source.place(item).start for item in (inner, *getattr(inner, "decorator_list", [])))
        end = max(start, _without_comment_lines(source.text, inside))
    return start, end


def _without_comment_lines(text: str, end: int) -> int:
    """The end of the code before ``end``, blank lines and lines of comment left out."""
    while True:
        end = len(text[:end].rstrip())
        line_start = text.rfind("\n", 0, end) + 1
        if not text[line_start:end].lstrip().startswith("#"):
            return end
        end = line_start


# ---------------------------------------------------------------- YAML


def _yaml_comments(source: SourceFile) -> list[Span]:
    candidates = [match.span() for match in _YAML_COMMENT.finditer(source.text)]
    if not candidates:
        return []
    import yaml

    scalars: list[Span] = []
    try:
        for token in yaml.scan(source.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(token, yaml.ScalarToken):
                scalars.append((token.start_mark.index, token.end_mark.index))
    except (yaml.YAMLError, ValueError):
        pass
    shift = 1 if source.text.startswith("\ufeff") else 0
    begins = [low + shift for low, _ in scalars]
    found = []
    for start, end in candidates:
        at = bisect_right(begins, start) - 1
        if at < 0 or start >= scalars[at][1] + shift:
            found.append((start, start + len(source.text[start:end].rstrip("\r"))))
    return found


def _yaml_units(source: SourceFile) -> list[Span]:
    """Every line that is neither blank nor a comment."""
    found = []
    for line, start in enumerate(source.line_starts, start=1):
        text = source.line_text(line)
        body = text.lstrip(" ")
        if body and not body.startswith("#"):
            found.append((start + len(text) - len(body), start + len(text)))
    return found


# ---------------------------------------------------------------- shell


def _shell(source: LauncherSource) -> tuple[list[Comment], Callable[[], list[Span]]]:
    spans = list(_shell_units(source.script.commands))
    by_last_line: dict[int, list[Span]] = {}
    for span in spans:
        by_last_line.setdefault(source.position(max(span[1] - 1, 0))[0], []).append(span)
    found = []
    for start, end in source.script.comments:
        line = source.position(start)[0]
        before = [span for span in by_last_line.get(line, ()) if span[1] <= start]
        first = min((source.position(span[0])[0] for span in before), default=line)
        found.append(((start, end), range(first, line + 1)))
    return _comments(source, found, lambda: spans), lambda: spans


def _shell_units(commands: Iterable[nodes.Command]) -> Iterator[Span]:
    from relax_lint.shell import nodes

    for command in commands:
        yield command.start, _header_end(command)
        if isinstance(command, nodes.SimpleCommand):
            for item in (*command.assignments, *command.words):
                if isinstance(item, nodes.Assignment) and isinstance(item.value, nodes.ArrayLiteral):
                    yield from _elements(item.value)
        yield from _shell_units(_bodies(command))


def _bodies(command: nodes.Command) -> Iterator[nodes.Command]:
    """The commands inside a compound command. A comment cannot stand between the parts of a pipeline or a list: they
    may be joined by backslashes."""
    from relax_lint.shell import nodes

    if isinstance(command, (nodes.Pipeline, nodes.AndOr, nodes.Background)):
        for part in _inner(command):
            yield from _bodies(part)
    else:
        yield from _inner(command)


def _elements(array: nodes.ArrayLiteral) -> Iterator[Span]:
    """The elements of an array, a flag together with the values behind it."""
    group: Span | None = None
    for element in array.elements:
        start, end = (element.key or element.value).start, element.value.end
        flag = (element.value.literal or "").startswith("-")
        if group is not None and not flag:
            group = (group[0], end)
            continue
        if group is not None:
            yield group
        group = (start, end) if flag else None
        if not flag:
            yield start, end
    if group is not None:
        yield group


def _inner(command: nodes.Command) -> Iterator[nodes.Command]:
    from relax_lint.shell import nodes

    if isinstance(command, nodes.Pipeline):
        yield from command.commands
    elif isinstance(command, nodes.AndOr):
        yield from (command.left, command.right)
    elif isinstance(command, nodes.Background):
        yield command.command
    elif isinstance(command, nodes.If):
        for condition, body in command.branches:
            yield from (*condition, *body)
        yield from command.otherwise or ()
    elif isinstance(command, nodes.Loop):
        yield from (*command.condition, *command.body)
    elif isinstance(command, nodes.Case):
        yield from (inner for item in command.items for inner in item.body)
    elif isinstance(command, nodes.Function):
        yield command.body
    elif isinstance(command, (nodes.For, nodes.ArithmeticFor, nodes.Group)):
        yield from command.body


def _header_end(command: nodes.Command) -> int:
    """Where a command ends, a compound one its header."""
    from relax_lint.shell import nodes

    if isinstance(command, (nodes.Pipeline, nodes.AndOr, nodes.Background)):
        compound = next((inner for inner in _inner(command) if not _is_simple(inner)), None)
        return max(map(_header_end, _inner(command))) if compound is None else _header_end(compound)
    if isinstance(command, nodes.If):
        return command.branches[0][0][-1].end if command.branches and command.branches[0][0] else command.start + 1
    if isinstance(command, nodes.Loop):
        return command.condition[-1].end if command.condition else command.start + 1
    if isinstance(command, nodes.For):
        return max((word.end for word in command.words or ()), default=command.start + 1)
    if isinstance(command, nodes.ArithmeticFor):
        return command.step.end
    if isinstance(command, nodes.Case):
        return command.subject.end
    if isinstance(command, (nodes.Group, nodes.Function)):
        return command.start + 1
    return _end_with_documents(command)


def _end_with_documents(command: nodes.Command) -> int:
    """Where a simple command ends, its here-documents included."""
    redirects: tuple[nodes.Redirect, ...] = getattr(command, "redirects", ())
    return max([command.end, *(redirect.body.end for redirect in redirects if redirect.body is not None)])


def _is_simple(command: nodes.Command) -> bool:
    from relax_lint.shell import nodes

    if isinstance(command, (nodes.Pipeline, nodes.AndOr, nodes.Background)):
        return all(_is_simple(inner) for inner in _inner(command))
    return isinstance(command, (nodes.SimpleCommand, nodes.ArithmeticCommand, nodes.Conditional))
