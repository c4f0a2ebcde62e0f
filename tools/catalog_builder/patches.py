"""The patches of ``docker/patch``: what they make of a file, and which flags they add."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

_HEADER = re.compile(r"^diff --git a/(\S+) b/(\S+)$")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


class Hunk(NamedTuple):
    """One place of a file: where it was, the lines there before and after."""

    line: int
    before: list[str]
    after: list[str]
    added: list[str]


class DoesNotApply(Exception):
    """A patch and a file that do not fit."""


def hunks_of(patch: str) -> dict[str, list[Hunk]]:
    """The hunks of a patch by the file that they change."""
    files: dict[str, list[Hunk]] = {}
    current = Hunk(0, [], [], [])
    path, before, after = "", 0, 0
    for line in patch.split("\n"):
        header, hunk = _HEADER.match(line), _HUNK.match(line)
        if before > 0 or after > 0:
            if line[:1] != "+":
                current.before.append(line[1:])
                before -= 1
            if line[:1] != "-":
                current.after.append(line[1:])
                after -= 1
            if line[:1] == "+":
                current.added.append(line[1:])
        elif header:
            path = header[2]
        elif hunk:
            current = Hunk(int(hunk[1]), [], [], [])
            before, after = int(hunk[2] or 1), int(hunk[3] or 1)
            files.setdefault(path, []).append(current)
    return files


def apply(hunks: list[Hunk], text: str) -> str:
    """The text with its hunks applied; those that are in it already stay as they are."""
    lines = text.splitlines()
    moved = 0
    for hunk in hunks:
        at = _find(hunk.before, lines, hunk.line - 1 + moved)
        if at is not None:
            lines[at : at + len(hunk.before)] = hunk.after
            moved += len(hunk.after) - len(hunk.before)
        elif _find(hunk.after, lines, hunk.line - 1) is None:
            raise DoesNotApply(f"line {hunk.line}")
    return "\n".join(lines) + "\n"


def _find(wanted: list[str], lines: list[str], near: int) -> int | None:
    """Where a run of lines is, the nearest one to a guess."""
    if not wanted:
        return near
    found = [at for at, line in enumerate(lines) if line == wanted[0] and lines[at : at + len(wanted)] == wanted]
    return min(found, key=lambda at: abs(at - near), default=None)


class Patch:
    """A patch, applied to the files that are read; ``strip`` is left off the paths in it."""

    def __init__(self, text: str, strip: str = "") -> None:
        self._hunks = {path.removeprefix(strip): hunks for path, hunks in hunks_of(text).items()}

    def __call__(self, path: str, data: bytes) -> bytes:
        """The file as the patch leaves it."""
        if path not in self._hunks:
            return data
        try:
            return apply(self._hunks[path], data.decode()).encode()
        except DoesNotApply as problem:
            raise DoesNotApply(f"{path}: {problem}") from None


def added_flags(patch: str) -> list[str]:
    """The flags that the added lines of a patch register."""
    return [flag for hunks in hunks_of(patch).values() for hunk in hunks for flag in _registered(hunk.added)]


def _registered(added: list[str]) -> Iterator[str]:
    for number, line in enumerate(added):
        if "add_argument(" in line:
            yield from flags_in(_statement(added[number:]))


def _statement(lines: list[str]) -> ast.AST | None:
    """The statement that some lines begin with."""
    for end in range(1, len(lines) + 1):
        try:
            return ast.parse(textwrap.dedent("\n".join(lines[:end])))
        except SyntaxError:
            continue
    return None


def flags_in(tree: ast.AST | None) -> Iterator[str]:
    """The flags that calls of ``add_argument`` and ``reset_arg`` in a tree name."""
    for node in [] if tree is None else ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in ("add_argument", "reset_arg"):
            continue
        for argument in node.args:
            if isinstance(argument, ast.Constant) and str(argument.value).startswith("--"):
                yield str(argument.value)
