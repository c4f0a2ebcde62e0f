"""``xargs``: a command, once or several times, with the words of standard input behind it or in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.shell.commands import ELSEWHERE, SHELLS, is_recorded, run_program, unknown_program
from relax_lint.shell.state import State, merge
from relax_lint.shell.values import EMPTY, Known, Sym, Value, known
from relax_lint.shell.wrappers import is_wrapper

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell
    from relax_lint.shell.nodes import SimpleCommand

_LONG = {
    "--arg-file": "a", "--delimiter": "d", "--max-args": "n", "--max-procs": "P", "--max-chars": "s",
    "--process-slot-var": "v", "--null": "0", "--no-run-if-empty": "r", "--replace": "i", "--max-lines": "l",
}  # fmt: skip
_WITH_VALUE = "adEILnPsv"
_WITH_GLUED_VALUE = "eil"
_ITEM = pattern(r"(?:[^\s'\"\\]|\\.|'[^'\n]*'|\"[^\"\n]*\")+", re.DOTALL)
_QUOTING = pattern(r"\\(.)|'([^'\n]*)'|\"([^\"\n]*)\"", re.DOTALL)


@record
class _Plan:
    """``given``: the command; ``replaced``: what stands for a line of the input in it; ``most`` and ``lines``: how many
    words or lines a run takes; ``ends_at``: what ends a word, nothing for blanks; ``known``: the input is read, and so
    that it can be told apart here."""

    given: list[Value]
    replaced: str | None
    most: int | None
    lines: int | None
    ends_at: str | None
    known: bool
    runs_empty: bool


def run_xargs(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Every run of the command that the input makes; one with unknown words when that is not known."""
    plan = _plan(words, state)
    if plan is None or not may_launch(plan.given[0], state):
        return unknown_program(shell, node, state)
    text = state.resolve(state.stdin).likely if state.stdin is not None and plan.known else None
    if text is None:
        roots = () if state.stdin is None else state.stdin.roots
        root = shell.expander.root(node.words[0], roots)
        root.text = "$(cat)"
        runs = iter([_with_unknown(plan, Sym(root))])
    else:
        runs = _runs(plan, text)
    state.stdin = EMPTY
    states = [state]
    for run in runs:
        shell.spend(len(run))
        states = merge([end for each in states for end in run_program(shell, node, run, each)])
    for each in states:
        each.status, each.undecided = None, None
    return states


def _plan(words: list[Value], state: State) -> _Plan | None:
    options: dict[str, str] = {}
    at = 1
    while at < len(words):
        text = state.resolve(words[at]).likely
        if text is None:
            return None
        if not text.startswith("-") or text == "-":
            break
        at += 1
        if text == "--":
            break
        letters, value = text[1:], None
        if text.startswith("--"):
            name, equals, value = text.partition("=")
            letters, value = _LONG.get(name, "t"), value if equals else None
        for index, letter in enumerate(letters):
            if letter in _WITH_VALUE + _WITH_GLUED_VALUE:
                glued = letters[index + 1 :] if value is None else value
                if not glued and letter in _WITH_VALUE and at < len(words):
                    glued = state.resolve(words[at]).likely or ""
                    at += 1
                options[letter] = glued
                break
            options[letter] = ""
    if at >= len(words):
        return None
    replaced = options.get("I", (options["i"] or "{}") if "i" in options else None)
    delimiter = options.get("d")
    readable = not {"a", "0", "E", "e"} & options.keys() and delimiter in (None, "\\n", "\n", ",", ":", ";")
    return _Plan(
        words[at:], replaced, _number(options.get("n")), _number(options.get("L", options.get("l"))),
        "\n" if delimiter == "\\n" else delimiter, readable, "r" not in options,
    )  # fmt: skip


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    return max(1, int(text)) if text.isdigit() else 1


def may_launch(program: Value, state: State) -> bool:
    """Whether a command can be, or lead to, a launch. Most that xargs runs (kill, rm) cannot."""
    name = state.resolve(program).likely
    if name is None:
        return True
    base = os.path.basename(name)
    return is_recorded(base) or base in SHELLS | ELSEWHERE | {"xargs"} or is_wrapper(base) or "/" in name


def _with_unknown(plan: _Plan, part: Sym) -> list[Value]:
    if plan.replaced is None:
        return [*plan.given, Value((part,), None, many=True)]
    return [replaced(word, plan.replaced, part) for word in plan.given]


def _runs(plan: _Plan, text: str) -> Iterator[list[Value]]:
    """The command for each portion of the input."""
    if plan.replaced is not None:
        for line in text.split(plan.ends_at or "\n"):
            item = line if plan.ends_at else _unquoted(line.lstrip(" \t"))
            if item:
                yield [replaced(word, plan.replaced, Known(item)) for word in plan.given]
        return
    portions = _portions(plan, text)
    if not portions and plan.runs_empty:
        yield list(plan.given)
    for portion in portions:
        yield [*plan.given, *map(known, portion)]


def _portions(plan: _Plan, text: str) -> list[list[str]]:
    if plan.ends_at is not None:
        items = text.removesuffix(plan.ends_at).split(plan.ends_at) if text else []
        size = plan.most or plan.lines or len(items)
        return [items[at : at + size] for at in range(0, len(items), size or 1)]
    if plan.lines is not None:
        lines = [items for line in text.split("\n") if (items := _items(line))]
        return [
            [item for line in lines[at : at + plan.lines] for item in line] for at in range(0, len(lines), plan.lines)
        ]
    items = _items(text)
    return [items[at : at + (plan.most or len(items))] for at in range(0, len(items), plan.most or len(items) or 1)]


def _items(text: str) -> list[str]:
    return [_unquoted(match.group()) for match in _ITEM.finditer(text)]


def _unquoted(text: str) -> str:
    return _QUOTING.sub(lambda match: next(group for group in match.groups() if group is not None), text)


def replaced(word: Value, mark: str, part: Known | Sym) -> Value:
    """A word with something in place of each mark."""
    if not any(isinstance(chunk, Known) and mark in chunk.text for chunk in word.chunks):
        return word
    chunks: list[Known | Sym] = []
    for chunk in word.chunks:
        if not isinstance(chunk, Known):
            chunks.append(chunk)
            continue
        for number, piece in enumerate(chunk.text.split(mark)):
            chunks += [part] if number else []
            chunks += [Known(piece)] if piece else []
    return Value(tuple(chunks), word.place, word.many)
