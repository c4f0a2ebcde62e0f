"""A Python file: its syntax tree, and where in the text every node stands."""

from __future__ import annotations
import __future__

import ast
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from relax_lint.diagnostics import Place
from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.sources.text import SourceFile

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Node = TypeVar("Node", bound=ast.AST)

_WITHOUT_NODES = (
    "ctx",
    "id",
    "attr",
    "arg",
    "asname",
    "module",
    "level",
    "kind",
    "type_comment",
    "conversion",
    "simple",
)
"""Fields of syntax trees that hold no nodes, or none that anybody walks to."""
_BOM = "\ufeff"
_BY_WHICH = f"(for Python {sys.version_info.major}.{sys.version_info.minor}, which relax-lint runs on)"
"""Which Python gave up: what a newer one takes may be no fault of the file."""
_NAME_OF_DEFINITION = pattern(r"(?:async[\s\\]+)?(?:def|class)[\s\\]+(\w+)")
_LONE_CARRIAGE_RETURN = pattern(r"\r(?!\n)")
_LINE_END = pattern(r"\r\n|\n|\r")
_NOT_ASCII_MASKED = bytes(code if code < 0x80 else 0x3F for code in range(256))


_NO_NODES: frozenset[type] = frozenset((str, type(None)))
"""What lists of nodes may hold besides: names, and nothing for a default that is not there."""


@record
class ParseError:
    """Why a file has no tree: the text offset where Python gives up, and its reason."""

    offset: int
    message: str


def literal_text(node: ast.AST | None) -> str | None:
    """The text that an expression writes out; ``None`` for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def called_name(call: ast.Call) -> str:
    """The last name of what is called, as in ``name(…)`` and ``x.name(…)``; empty where it has none."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def walk(root: ast.AST) -> Iterator[ast.AST]:
    """Every node below and including ``root``, parents first, without recursion."""
    pending: list[Any] = [root]
    while pending:
        node = pending.pop()
        if node.__class__ in _NO_NODES:
            continue
        yield node
        for name in reversed(_holding_fields[node.__class__]):
            value = getattr(node, name, None)
            if value.__class__ is list:
                pending += value[::-1]
            elif isinstance(value, ast.AST):
                pending.append(value)


def children(node: ast.AST) -> list[ast.AST]:
    """The direct children of a node in the order they are written, but for ``ctx``."""
    found: list[ast.AST] = []
    for name in _holding_fields[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def is_none(node: ast.AST | None) -> bool:
    """Whether this is written ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def gives_nothing(node: ast.Return) -> bool:
    """Whether this is ``return``, with ``None`` or alone."""
    return node.value is None or is_none(node.value)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _HoldingFields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields that hold others, by class of nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = tuple(name for name in kind._fields if name not in _WITHOUT_NODES)
        return self[kind]


_holding_fields = _HoldingFields()


class PythonSource(SourceFile):
    """A Python file, parsed on demand. Exactly one of ``tree`` and ``error`` is ``None``.

    ``tree`` may be given by a caller that has parsed these bytes already, as flake8 has.
    """

    changes = False
    """Whether the file is typed into, and stays the same object."""

    def __init__(self, path: Path, data: bytes, tree: ast.Module | None = None) -> None:
        encoding, problem = _encoding(data)
        super().__init__(path, data, encoding=encoding)
        self._encoding_problem = problem
        self._given_tree = tree

    def unparsed(self) -> PythonSource:
        """The same file without its tree, which is made again for whoever asks."""
        return PythonSource(self.path, self.data)

    @property
    def tree(self) -> ast.Module | None:
        """The syntax tree, or ``None`` when the file is not Python."""
        return self._parsed[0]

    @property
    def error(self) -> ParseError | None:
        """Why there is no tree."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[ast.Module | None, ParseError | None]:
        if self._given_tree is not None:
            return self._given_tree, None
        error = self._undecodable()
        if error is not None:
            return None, error
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(self.text.removeprefix(_BOM))
        except SyntaxError as problem:
            return None, ParseError(self._offset_of_error(problem), f"invalid Python: {problem.msg} {_BY_WHICH}")
        except (RecursionError, MemoryError, SystemError):  # the last is CPython's parser without memory, too
            return None, ParseError(0, "nested too deeply to be parsed")
        except ValueError as problem:
            return None, ParseError(0, f"invalid Python: {problem}")
        error = self.wrong_future(tree)
        return (None, error) if error is not None else (tree, None)

    @property
    def is_parsed(self) -> bool:
        """Whether there is a tree, and somebody has asked for it already."""
        return (self._given_tree is not None or "_parsed" in vars(self)) and self.tree is not None

    @property
    def is_decodable(self) -> bool:
        """Whether Python can read the bytes as text."""
        return self._undecodable() is None

    def wrong_future(self, tree: ast.Module) -> ParseError | None:
        """An import from ``__future__`` that no Python takes, although it can be parsed."""
        if "__future__" not in self.text:
            return None
        late = False
        for at, statement in enumerate(tree.body):
            if not isinstance(statement, ast.ImportFrom) or statement.module != "__future__" or statement.level:
                late = late or not (at == 0 and _is_text(statement))
                continue
            unknown = [name.name for name in statement.names if name.name not in __future__.all_feature_names]
            if late or unknown:
                problem = "not at the beginning of the file" if late else f"no feature {unknown[0]}"
                return ParseError(self.place(statement).start, f"invalid Python: from __future__ import: {problem}")
        return None

    def _undecodable(self) -> ParseError | None:
        if self._encoding_problem is not None:
            return ParseError(0, self._encoding_problem)
        nul = self.text.find("\0")
        if nul >= 0:
            return ParseError(nul, "contains a NUL byte")
        if not self.text.isascii():
            try:
                self.text.encode("utf-8")
            except UnicodeEncodeError as problem:
                return ParseError(problem.start, f"not valid {self.encoding}")
        return None

    def _offset_of_error(self, problem: SyntaxError) -> int:
        starts = self._python_line_starts
        line = min(max(problem.lineno or 1, 1), len(starts))
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return min(starts[line - 1] + max((problem.offset or 1) - 1, 0), max(end, starts[line - 1]))

    @cached_property
    def _python_line_starts(self) -> list[int]:
        """Offsets of lines as Python counts them: a lone carriage return ends a line, the byte-order mark is none."""
        if _LONE_CARRIAGE_RETURN.search(self.text):
            starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        else:
            starts = list(self.line_starts)
        if self.text.startswith(_BOM):
            starts[0] = 1
        return starts

    def offset(self, line: int, column: int) -> int:
        """The text offset of a line (from 1) and a column in UTF-8 bytes, as ``ast`` counts them."""
        start = self._python_line_starts[line - 1]
        if self.text.isascii():
            return start + column
        before = self.text[start : start + column].encode("utf-8")[:column]
        return start + len(before.decode("utf-8", "ignore"))

    def place(self, node: ast.AST) -> Place:
        """The span of a node; the file's beginning for nodes that have no position."""
        line = getattr(node, "lineno", None)
        if line is None:
            return Place(self, 0, 0)
        end_line, end_column = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", 0)
        return Place(self, self.offset(line, node.col_offset), self.offset(end_line, end_column))  # type: ignore[attr-defined]

    def name_place(self, definition: Definition) -> Place:
        """The span of a function's or class's name in its definition."""
        whole = self.place(definition)
        match = _NAME_OF_DEFINITION.match(self.text, whole.start)
        return Place(self, *match.span(1)) if match else whole

    def segment(self, node: ast.AST) -> str:
        """The source text of a node."""
        place = self.place(node)
        return self.text[place.start : place.end]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that holds ``node``; ``None`` for the module."""
        return self._parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that hold ``node``, the nearest first."""
        holder = self._parents.get(node)
        while holder is not None:
            yield holder
            holder = self._parents.get(holder)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The same without the module: what is around a node in its statement of the top level."""
        return (holder for holder in self.ancestors(node) if not isinstance(holder, ast.Module))

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {} if self.tree is None else holders_below(self.tree)

    def nodes(self, *kinds: type[Node]) -> list[Node]:
        """All nodes of these classes, class by class, each class in the order of the text."""
        return [node for kind in kinds for node in self._by_kind.get(kind, ())]  # type: ignore[misc]

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        return {} if self.tree is None else nodes_by_kind(self.tree)


def holders_below(root: ast.AST) -> dict[ast.AST, ast.AST]:
    """What holds each of the nodes below ``root``."""
    found: dict[ast.AST, ast.AST] = {}
    pending: list[ast.AST] = [root]
    while pending:
        node = pending.pop()
        for child in children(node):
            found[child] = node
            if _holding_fields[child.__class__]:
                pending.append(child)
    return found


def nodes_by_kind(root: ast.AST) -> dict[type[ast.AST], list[ast.AST]]:
    """The nodes below and including ``root`` by class, each class in the order of the text."""
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for node in walk(root):
        found[node.__class__].append(node)
    return found


def _encoding(data: bytes) -> tuple[str, str | None]:
    """The encoding that Python would read the bytes with, or one that reads anything, and what is wrong."""
    if b"coding" not in b"".join(data.split(b"\n", 2)[:2]):
        return "utf-8", None
    import codecs
    import io
    import tokenize

    try:
        # The declaration is what counts, even on a line that tokenize cannot read as UTF-8.
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        readable = mark + data.removeprefix(mark).translate(_NOT_ASCII_MASKED)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(readable).readline)
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        data.decode(encoding, "surrogateescape")
    except SyntaxError as problem:
        return ("utf-8", None) if "invalid or missing" in str(problem) else ("utf-8", str(problem))
    except (LookupError, UnicodeError, ValueError) as problem:
        return "utf-8", f"cannot be decoded: {problem}"
    return encoding, None
