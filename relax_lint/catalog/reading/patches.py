"""Patches: their hunks, and the flags that their added lines register."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from relax_lint.catalog.reading.modules import parsed
from relax_lint.sources.python import called_name

PATCHES = {target: f"docker/patch/latest/{target}.patch" for target in ("megatron", "sglang")}
"""The patches that Relax's image applies, by what it applies them to."""
_HEADER = re.compile(r"^diff --git a/(\S+) b/(\S+)$")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


class Hunk(NamedTuple):
    """One place of a file: where it was, the lines there before and after."""

    line: int
    before: list[str]
    after: list[str]
    added: list[str]


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


def added_flags(patch: str) -> list[str]:
    """The flags that the added lines of a patch register."""
    return [flag for statement in added_registrations(patch) for flag in flags_in(statement)]


def added_registrations(patch: str) -> Iterator[ast.stmt]:
    """The statements among the added lines of a patch that register flags."""
    for hunk in (hunk for hunks in hunks_of(patch).values() for hunk in hunks):
        for number, line in enumerate(hunk.added):
            if "add_argument(" in line:
                yield from _statement(hunk.added[number:])


def _statement(lines: list[str]) -> list[ast.stmt]:
    """The statement that some lines begin with."""
    for end in range(1, len(lines) + 1):
        tree = parsed(textwrap.dedent("\n".join(lines[:end])).encode())
        if tree is not None:
            return tree.body
    return []


def flags_in(tree: ast.AST | None) -> Iterator[str]:
    """The flags that calls of ``add_argument`` and ``reset_arg`` in a tree name."""
    for node in [] if tree is None else ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = called_name(node)
        if called not in ("add_argument", "reset_arg"):
            continue
        for argument in node.args:
            if isinstance(argument, ast.Constant) and str(argument.value).startswith("--"):
                yield str(argument.value)
