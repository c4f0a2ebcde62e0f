"""A Python file while it is typed into: one object throughout, with a tree of which most stays what it was.

Whoever looks at what is in it depends on the file, as :mod:`relax_lint.kept` notes it; whoever only passes it on, or
holds nodes of it, does not. A statement that nobody touched keeps its nodes, and with them all that was made of these
alone; they know their new lines.
"""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from relax_lint.kept import note
from relax_lint.sources.python import PythonSource, holders_below, nodes_by_kind, walk

if TYPE_CHECKING:
    from pathlib import Path


class ChangingPython(PythonSource):
    """A Python file that :meth:`take` gives another content."""

    changes = True

    def __init__(self, path: Path, data: bytes) -> None:  # what a file holds is held by each state of it
        self.path = path
        self._state = self._last_parsed = _State(path, data)

    def take(self, data: bytes) -> None:
        """Be the same file with another content. Nodes of statements that change are nodes of the file no more."""
        if self._state.is_parsed:
            self._last_parsed = self._state
        self._state = _State(self.path, data)
        tree = reparsed(self._last_parsed, self._state)
        if tree is not None:
            self._state = _State(self.path, data, tree)
            self._state.take_over(self._last_parsed)

    @property
    def as_it_is(self) -> PythonSource:
        """The file as it is now, whatever is typed later; its nodes go with the file."""
        note(self.path)
        return self._state

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Nothing is noted: what is around a node stays around it as long as it is one of the file's."""
        return self._state.around(node)


class _State(PythonSource):
    """What the file is for a while. What is known of a statement is what is known of it in later states."""

    def take_over(self, before: _State) -> None:
        """Have what an earlier state knows of the statements that are still there."""
        tree = self.tree
        if tree is None:
            return
        known = vars(before)
        if "_kinds" in known:
            self._kinds = {one: before._kinds.get(one) or nodes_by_kind(one) for one in tree.body}
        if "_parents" in known:
            self._parents = parents = before._parents
            for statement in tree.body:
                if statement not in parents:
                    parents.update(holders_below(statement))
                parents[statement] = tree

    @cached_property
    def _kinds(self) -> dict[ast.stmt, dict[type[ast.AST], list[ast.AST]]]:
        return {statement: nodes_by_kind(statement) for statement in (self.tree.body if self.tree is not None else ())}

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        if self.tree is not None:
            found[ast.Module].append(self.tree)
        for kinds in self._kinds.values():
            for kind, nodes in kinds.items():
                found[kind] += nodes
        return found


def _of_state(name: str) -> property:
    return property(lambda source: getattr(source.as_it_is, name))


for _name in (
    *("data", "text", "encoding", "line_starts", "_said"),
    *("_encoding_problem", "_given_tree", "_parsed", "_parents", "_by_kind", "_python_line_starts"),
):
    setattr(ChangingPython, _name, _of_state(_name))


def reparsed(before: PythonSource, after: PythonSource) -> ast.Module | None:
    """The tree of a file that was changed in one place, with the nodes of the statements before and behind that;
    ``None`` where it has to be made from the start. ``before`` has no tree of its own any more then."""
    tree = before.tree if before.is_parsed else None
    if tree is None or not (_is_plain(before) and _is_plain(after)):
        return None
    old = _Statements(before, tree.body)
    same, same_behind = _in_common(before.text, after.text)
    kept = bisect_right(old.ends, same)
    behind = bisect_right(old.begins, len(before.text) - same_behind, lo=kept)
    while not old.begins_a_line(behind):
        behind += 1
    rest = len(before.text) - old.begins[behind] if behind < len(tree.body) else 0
    # A line behind a statement may be one more of its own, or an `else` of it: then the last one is read again.
    for last in (kept, kept - 1) if kept else (kept,):
        while not old.begins_a_line(last):
            last -= 1
        between = _read(after, old.ends[last - 1] if last else 0, len(after.text) - rest)
        whole = None if between is None else ast.Module([*tree.body[:last], *between, *tree.body[behind:]], [])
        if whole is not None and after.wrong_future(whole) is None:
            _move(tree.body[behind:], len(after.line_starts) - len(before.line_starts))
            return whole
    return None


class _Statements:
    """The statements of a file's top level: where the first line of each begins, and where the line behind its last."""

    def __init__(self, source: PythonSource, body: Sequence[ast.stmt]) -> None:
        starts = [*source.line_starts, len(source.text) + 1]
        self.begins = [starts[_first_line(statement) - 1] for statement in body]
        self.ends = [starts[statement.end_lineno or 0] for statement in body]

    def begins_a_line(self, at: int) -> bool:
        """Whether a statement does not begin behind another on its line; the end of the file is none."""
        return at in (0, len(self.begins)) or self.begins[at] >= self.ends[at - 1]


def _is_plain(source: PythonSource) -> bool:
    """Whether lines and characters are what they seem, and Python takes the text for what it is."""
    return source.encoding == "utf-8" and source.is_decodable and "\r" not in source.text and "\f" not in source.text


def _in_common(one: str, other: str) -> tuple[int, int]:
    """How many characters two texts have in common at their beginnings, and at their ends behind these."""
    most = min(len(one), len(other))
    same = _longest(most, lambda length: one[:length] == other[:length])
    behind = _longest(most - same, lambda length: one[len(one) - length :] == other[len(other) - length :])
    return same, behind


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min((statement.lineno, *(decorator.lineno for decorator in decorators)))


def _read(source: PythonSource, start: int, end: int) -> list[ast.stmt] | None:
    """The statements of some whole lines, read alone; ``None`` where they are not read as they are among the others."""
    text = source.text[start:end]
    goes_on = source.text[:start].endswith("\\\n") or text.endswith("\\\n")
    if goes_on or (end < len(source.text) and not f"\n{text}".endswith("\n")):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return None
    _move(body, source.text.count("\n", 0, start))
    return body


def _move(statements: Sequence[ast.stmt], lines: int) -> None:
    """Have all nodes of statements stand some lines further down."""
    for statement in statements if lines else ():
        for node in walk(statement):
            if hasattr(node, "lineno"):
                node.lineno += lines
                node.end_lineno += lines  # type: ignore[attr-defined]
