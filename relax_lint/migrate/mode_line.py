"""Where a launcher decides its mode: the guide's line, in the place of what there is or as a new one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit
from relax_lint.fixers.launcher_edits import lines_before
from relax_lint.shell.nodes import (
    Assignment,
    BinaryTest,
    Case,
    Command,
    Conditional,
    Function,
    Parameter,
    SimpleCommand,
    Word,
)  # fmt: skip
from relax_lint.shell.walk import commands_of, find, nodes_of

if TYPE_CHECKING:
    from relax_lint.sources.launcher import LauncherSource

GUIDES = '${1:-${MODE:-"sync"}}'
_LINE = f"MODE={GUIDES}    # the first argument, else the environment, else sync"
_SHIFT = ('if [ "$#" -gt 0 ]; then', "    shift", "fi")
_NAMES_A_MODE = re.compile(r"mode", re.IGNORECASE)
_OTHER_NAMES = re.compile(r"[\"']?(?:\w*[-_]?a-?sync\w*|sync\w+|colocated?)[\"']?", re.IGNORECASE)
_OTHER_MODE = re.compile(r"(?!a?sync\Z)[A-Za-z][\w-]*")
_NO_MODE = "neither"
_DECLARES = frozenset({"export", "declare", "typeset", "readonly"})
_TESTS = frozenset({"[", "test"})


def mode_lines(launcher: LauncherSource) -> Iterator[list[Edit]]:
    """The ways to have the mode given as the guide wants it, the most natural first."""
    assigned = list(_assignments(launcher, "MODE"))
    if assigned:
        edits = _assigned(launcher, assigned)
        guard = _guard_below(launcher, assigned[0])
        if guard:
            yield [*edits, *guard]
        yield edits
        return
    positional = [one for one in _own_parameters(launcher) if one.name == "1"]
    asked = [one for one in positional if _is_asked(launcher, one)]
    modes = _by_argument(launcher)
    if modes and all(_NAMES_A_MODE.search(each.name) for each in modes):
        edits = [Edit(launcher.path, one.value.start, one.value.end, GUIDES) for one in modes if one.value is not None]
        guard = _guard_below(launcher, modes[0]) if len(modes) == 1 else []
        if guard:
            yield [*edits, *guard]
        yield edits
    if len(asked) == len(positional):
        edits = [Edit(launcher.path, one.start, one.end, "${MODE}") for one in asked]
        yield [*_new_line(launcher, shifts=_passes_all(launcher)), *edits]


def guard_lines(path: str, name: str = "MODE", *, forwards: bool = False) -> list[str]:
    """What refuses a mode that is none: a misspelt one, or a flag, which would be taken for the mode; a script that
    ``forwards`` its arguments says where flags belong."""
    flags = "; flags for Relax go behind the mode" if forwards else ""
    return [
        f'case "${{{name}}}" in',
        "    sync | async) ;;",
        "    *)",
        f'        echo "usage: bash {path} [sync|async]: no such mode: ${{{name}}}{flags}" >&2',
        "        exit 2",
        "        ;;",
        "esac",
    ]


def _guard(launcher: LauncherSource, name: str = "MODE") -> list[str]:
    """The guard, unless the script has other modes, too."""
    if any(_OTHER_MODE.fullmatch(text) and not _OTHER_NAMES.fullmatch(text) for text in _compared(launcher, name)):
        return []
    path = launcher.path
    root = launcher.project.root
    named = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return guard_lines(named, name, forwards=_passes_all(launcher))


def _guard_below(launcher: LauncherSource, assignment: Assignment) -> list[Edit]:
    """The guard behind the line of an assignment that each run comes by, where any other word starts something."""
    text = launcher.text
    own = next((one for one in launcher.script.commands if one.start <= assignment.start < one.end), None)
    at = -1 if own is None else text.find("\n", own.end)
    alone = isinstance(own, SimpleCommand) and not text[text.rfind("\n", 0, own.start) + 1 : own.start].strip()
    behind = text[own.end : at].strip() if own is not None and at >= 0 else ""
    lines = _guard(launcher, assignment.name)
    if not alone or at < 0 or (behind and not behind.startswith("#")) or not lines or not _starts_anyhow(launcher):
        return []
    if _passes_all(launcher) and not any(one.name == "1" for one in _own_parameters(launcher)):
        lines = [*lines, *_SHIFT]
    return [Edit(launcher.path, at + 1, at + 1, "".join(f"{line}\n" for line in lines))]


def _starts_anyhow(launcher: LauncherSource) -> bool:
    """Whether a mode that is none starts a training."""
    found = launcher.evaluate_with((_NO_MODE,), {"MODE": _NO_MODE})
    return any(launch.kind == "relax" for launch in found.launches)


def _compared(launcher: LauncherSource, name: str) -> Iterator[str]:
    """What a script compares its mode with."""
    asks = re.compile(rf"\$\{{?(?:{name}|1)\b")
    text = launcher.text
    for command in commands_of(launcher):
        words = [word for word in command.words if isinstance(word, Word)]
        if words and words[0].literal in _TESTS and asks.search(text[command.start : command.end]):
            yield from (text[word.start : word.end].strip("\"'") for word in words[1:] if word.literal)
    for test in nodes_of(launcher, BinaryTest):
        if asks.search(text[test.left.start : test.left.end]):
            yield text[test.right.start : test.right.end].strip("\"'")
    for case in nodes_of(launcher, Case):
        if asks.search(text[case.subject.start : case.subject.end]):
            yield from (text[one.start : one.end].strip("\"'") for item in case.items for one in item.patterns)


def usual_names(launcher: LauncherSource) -> list[Edit]:
    """``sync`` and ``async`` where a launcher compares with other names for them."""
    edits: list[Edit] = []
    names = "|".join(["MODE", "1", *(one.name for one in _by_argument(launcher))])
    asks = re.compile(rf"\$\{{?(?:{names})\b")
    for command in commands_of(launcher):
        words = [word for word in command.words if isinstance(word, Word)]
        if words and words[0].literal in _TESTS and asks.search(launcher.text[command.start : command.end]):
            edits += [edit for word in words[1:] for edit in _renamed(launcher, word)]
    for test in nodes_of(launcher, BinaryTest):
        if asks.search(launcher.text[test.left.start : test.left.end]):
            edits += _renamed(launcher, test.right)
    for case in nodes_of(launcher, Case):
        if asks.search(launcher.text[case.subject.start : case.subject.end]):
            edits += [edit for item in case.items for each in item.patterns for edit in _renamed(launcher, each)]
    return edits


def _renamed(launcher: LauncherSource, word: Word) -> Iterator[Edit]:
    written = launcher.text[word.start : word.end]
    plain = written.strip("\"'")
    if plain in ("sync", "async") or not _OTHER_NAMES.fullmatch(written):
        return
    name = "async" if re.search(r"a-?sync", plain, re.IGNORECASE) else "sync"
    yield Edit(launcher.path, word.start, word.end, written.replace(plain, name))


def _assigned(launcher: LauncherSource, assigned: Sequence[Assignment]) -> list[Edit]:
    """The guide's value for the first, and no other fixed one behind it that is not asked for."""
    first = assigned[0]
    edits = []
    if first.value is None:
        edits.append(Edit(launcher.path, first.end, first.end, f"={GUIDES}"))
    elif launcher.text[first.value.start : first.value.end].replace('"', "") != GUIDES.replace('"', ""):
        edits.append(Edit(launcher.path, first.value.start, first.value.end, GUIDES))
    starts = {command.start for command in launcher.script.commands}
    for other in assigned[1:]:
        if other.start in starts and isinstance(other.value, Word) and other.value.literal is not None:
            edits.append(_whole_line(launcher, other))
    return edits


def _whole_line(launcher: LauncherSource, assignment: Assignment) -> Edit:
    text = launcher.text
    start = text.rfind("\n", 0, assignment.start) + 1
    end = text.find("\n", assignment.end)
    end = len(text) if end < 0 else end
    if text[start : assignment.start].strip() or text[assignment.end : end].strip():
        return Edit(launcher.path, assignment.start, assignment.end, ":")
    return Edit(launcher.path, start, min(end + 1, len(text)), "")


def _new_line(launcher: LauncherSource, *, shifts: bool) -> list[Edit]:
    """The line below the strict-mode lines that a script begins with, else above its first command."""
    lines = [_LINE, *_guard(launcher), *(_SHIFT if shifts else ())]
    last: Command | None = None
    for command in launcher.script.commands:
        if not _is_set(command):
            break
        last = command
    if last is None:
        first = launcher.script.commands[0]
        above = lines_before(launcher, first.start, lines)
        return [] if above is None else [above]
    text = launcher.text
    at = text.find("\n", last.end)
    if at < 0:
        return []
    blank = "" if text[at + 1 : at + 2] in ("\n", "") else "\n"
    return [Edit(launcher.path, at + 1, at + 1, f"{'' if blank else chr(10)}{chr(10).join(lines)}\n{blank}")]


def _is_set(command: Command) -> bool:
    first = command.words[0] if isinstance(command, SimpleCommand) and command.words else None
    return isinstance(first, Word) and first.literal == "set"


def _assignments(launcher: LauncherSource, name: str) -> Iterator[Assignment]:
    return (each for each in _all_assignments(launcher) if each.name == name)


def _all_assignments(launcher: LauncherSource) -> Iterator[Assignment]:
    """What sets variables of the script, not of one command."""
    for command in commands_of(launcher):
        first = command.words[0] if command.words else None
        declares = isinstance(first, Word) and first.literal in _DECLARES
        if not command.words or declares:
            yield from (each for each in (*command.assignments, *command.words) if isinstance(each, Assignment))


def _by_argument(launcher: LauncherSource) -> list[Assignment]:
    """The variables that get the script's first argument."""
    positional = [one for one in _own_parameters(launcher) if one.name == "1"]
    return [
        each for each in _all_assignments(launcher) if isinstance(each.value, Word) and _reads(each.value, positional)
    ]


def _own_parameters(launcher: LauncherSource) -> list[Parameter]:
    """What is expanded outside of functions, whose arguments are their own."""
    functions = nodes_of(launcher, Function)
    return [
        one
        for one in find(launcher.script, Parameter)
        if not any(function.start <= one.start < function.end for function in functions)
    ]


def _passes_all(launcher: LauncherSource) -> bool:
    return any(one.name in ("@", "*") for one in _own_parameters(launcher))


def _reads(word: Word, parameters: Sequence[Parameter]) -> bool:
    return any(word.start <= one.start < word.end for one in parameters)


def _is_asked(launcher: LauncherSource, parameter: Parameter) -> bool:
    """Whether an expansion is what a test or a choice asks about."""
    for case in nodes_of(launcher, Case):
        if case.subject.start <= parameter.start < case.subject.end:
            return True
    for test in nodes_of(launcher, Conditional):
        if test.start <= parameter.start < test.end:
            return True
    for command in commands_of(launcher):
        first = command.words[0] if command.words else None
        if isinstance(first, Word) and first.literal in _TESTS and command.start <= parameter.start < command.end:
            return True
    return False
