"""Where a launcher decides its mode: the guide's line, in the place of what there is or as a new one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit
from relax_lint.fixers.launcher_edits import lines_before
from relax_lint.migrate.mode_arguments import (
    NAMES_A_MODE,
    OTHER_NAMES,
    TESTS,
    are_for_relax,
    assignments,
    by_argument,
    is_asked,
    is_no_mode,
    is_of_the_mode,
    own_parameters,
    reads_otherwise,
)
from relax_lint.shell.nodes import Assignment, BinaryTest, Case, Command, SimpleCommand, Word
from relax_lint.shell.walk import commands_of, nodes_of

if TYPE_CHECKING:
    from relax_lint.sources.launcher import LauncherSource

GUIDES = '${1:-${MODE:-"sync"}}'
_LINE = f"MODE={GUIDES}    # the first argument, else the environment, else sync"
_BY_ENVIRONMENT = '${MODE:-"sync"}'
_LINE_BESIDE = f"MODE={_BY_ENVIRONMENT}    # the first argument where that is a mode, else the environment, else sync"
NO_MODE = "neither"
_REFUSAL = "no such mode"
_WORD = re.compile(r"[A-Za-z][\w-]*")
_NO_FLAG, _A_MODE = '"" | -*', "sync | async"


def mode_lines(launcher: LauncherSource) -> Iterator[list[Edit]]:
    """The ways to have the mode given as the guide wants it, the most natural first. Where the arguments are read for
    something else, too, the mode is taken off them, and nothing but that."""
    assigned = [each for each in assignments(launcher) if each.name == "MODE"]
    modes = by_argument(launcher)
    for_modes = bool(modes) and all(NAMES_A_MODE.search(each.name) for each in modes)
    if reads_otherwise(launcher) and not for_modes:
        yield from _beside_others(launcher, assigned)
        return
    if assigned:
        edits = _assigned(launcher, assigned)
        guard = _guard_below(launcher, assigned[0])
        if guard:
            yield [*edits, *guard]
        yield edits
        return
    positional = [one for one in own_parameters(launcher) if one.name == "1"]
    asked = [one for one in positional if is_asked(launcher, one)]
    if for_modes:
        edits = [Edit(launcher.path, one.value.start, one.value.end, GUIDES) for one in modes if one.value is not None]
        guard = _guard_below(launcher, modes[0]) if len(modes) == 1 else []
        if guard:
            yield [*edits, *guard]
        yield edits
    if len(asked) == len(positional):
        edits = [Edit(launcher.path, one.start, one.end, "${MODE}") for one in asked]
        yield [*_new_lines(launcher, [_LINE, *_guard(launcher)]), *edits]


def _beside_others(launcher: LauncherSource, assigned: Sequence[Assignment]) -> Iterator[list[Edit]]:
    """The mode as a first argument that is taken away, so that all others stay what they are. Where they go to Relax,
    a word in front of the flags can be nothing but a mode."""
    for pattern in (_NO_FLAG, _A_MODE) if are_for_relax(launcher) else (_A_MODE,):
        lines = [*_taken_off(pattern), *_guard(launcher)]
        if assigned:
            below = _below(launcher, assigned[0], lines)
            if below:
                yield [*_assigned(launcher, assigned, _BY_ENVIRONMENT), *below]
        else:
            edits = [
                Edit(launcher.path, one.start, one.end, "${MODE}")
                for one in own_parameters(launcher)
                if one.name == "1" and is_asked(launcher, one) and is_of_the_mode(launcher, one)
            ]
            yield [*_new_lines(launcher, [_LINE_BESIDE, *lines]), *edits]


def _taken_off(pattern: str) -> list[str]:
    taken = ["        MODE=$1", "        shift", "        ;;"]
    items = [f"    {pattern}) ;;", "    *)", *taken] if pattern == _NO_FLAG else [f"    {pattern})", *taken]
    return ['case "${1:-}" in', *items, "esac"]


def guard_lines(path: str, name: str = "MODE", *, forwards: bool = False) -> list[str]:
    """What refuses a mode that is none: a misspelt one, or a flag, which would be taken for the mode; a script that
    ``forwards`` its arguments says where flags belong."""
    flags = "; flags for Relax go behind the mode" if forwards else ""
    return [
        f'case "${{{name}}}" in',
        "    sync | async) ;;",
        "    *)",
        f'        echo "usage: bash {path} [sync|async]: {_REFUSAL}: ${{{name}}}{flags}" >&2',
        "        exit 2",
        "        ;;",
        "esac",
    ]


def is_guarded(edits: Sequence[Edit]) -> bool:
    """Whether edits make a script refuse a mode that is none."""
    return any(_REFUSAL in edit.text for edit in edits)


def _guard(launcher: LauncherSource, name: str = "MODE") -> list[str]:
    """The guard, unless the script has other modes, too."""
    if any(is_no_mode(_plain(launcher, word)) for word in _compared(launcher, (name, "1"))):
        return []
    path = launcher.path
    root = launcher.project.root
    named = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return guard_lines(named, name, forwards=are_for_relax(launcher))


def _guard_below(launcher: LauncherSource, assignment: Assignment) -> list[Edit]:
    """The guard below an assignment, where any other word starts something, or did so by a name that is to be usual."""
    if not _starts_anyhow(launcher) and not usual_names(launcher):
        return []
    return _below(launcher, assignment, _guard(launcher, assignment.name))


def _below(launcher: LauncherSource, assignment: Assignment, lines: Sequence[str]) -> list[Edit]:
    """Lines behind the line of an assignment that each run comes by."""
    text = launcher.text
    own = next((one for one in launcher.script.commands if one.start <= assignment.start < one.end), None)
    at = -1 if own is None else text.find("\n", own.end)
    alone = isinstance(own, SimpleCommand) and not text[text.rfind("\n", 0, own.start) + 1 : own.start].strip()
    behind = text[own.end : at].strip() if own is not None and at >= 0 else ""
    if not alone or at < 0 or (behind and not behind.startswith("#")) or not lines:
        return []
    return [Edit(launcher.path, at + 1, at + 1, "".join(f"{line}\n" for line in lines))]


def _starts_anyhow(launcher: LauncherSource) -> bool:
    """Whether a mode that is none starts a training."""
    found = launcher.evaluate_with((NO_MODE,), {"MODE": NO_MODE})
    return any(launch.kind == "relax" for launch in found.launches)


def _compared(launcher: LauncherSource, names: Iterable[str]) -> Iterator[Word]:
    """What a script compares its mode with, which one of some variables is."""
    asks = re.compile(rf"\$\{{?(?:{'|'.join(names)})\b")
    text = launcher.text
    for command in commands_of(launcher):
        words = [word for word in command.words if isinstance(word, Word)]
        if words and words[0].literal in TESTS and asks.search(text[command.start : command.end]):
            yield from words[1:]
    for test in nodes_of(launcher, BinaryTest):
        if asks.search(text[test.left.start : test.left.end]):
            yield test.right
    for case in nodes_of(launcher, Case):
        if asks.search(text[case.subject.start : case.subject.end]):
            yield from (one for item in case.items for one in item.patterns)


def _names_of_mode(launcher: LauncherSource) -> list[str]:
    return ["MODE", "1", *(one.name for one in by_argument(launcher))]


def usual_names(launcher: LauncherSource) -> list[Edit]:
    """``sync`` and ``async`` where a launcher compares with other names for them."""
    return [edit for word in _compared(launcher, _names_of_mode(launcher)) for edit in _renamed(launcher, word)]


def further_modes(launcher: LauncherSource) -> list[str]:
    """What a launcher can be asked for today beside ``sync`` and ``async``."""
    texts = (_plain(launcher, word) for word in _compared(launcher, _names_of_mode(launcher)))
    return list(dict.fromkeys(text for text in texts if _WORD.fullmatch(text) and text not in ("sync", "async")))


def _renamed(launcher: LauncherSource, word: Word) -> Iterator[Edit]:
    written, plain = launcher.text[word.start : word.end], _plain(launcher, word)
    if plain in ("sync", "async") or not OTHER_NAMES.fullmatch(written):
        return
    name = "async" if re.search(r"a-?sync", plain, re.IGNORECASE) else "sync"
    yield Edit(launcher.path, word.start, word.end, written.replace(plain, name))


def _plain(launcher: LauncherSource, word: Word) -> str:
    return launcher.text[word.start : word.end].strip("\"'")


def _assigned(launcher: LauncherSource, assigned: Sequence[Assignment], value: str = GUIDES) -> list[Edit]:
    """The guide's value for the first, and no other fixed one behind it that is not asked for."""
    first = assigned[0]
    edits = []
    if first.value is None:
        edits.append(Edit(launcher.path, first.end, first.end, f"={value}"))
    elif launcher.text[first.value.start : first.value.end].replace('"', "") != value.replace('"', ""):
        edits.append(Edit(launcher.path, first.value.start, first.value.end, value))
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


def _new_lines(launcher: LauncherSource, lines: Sequence[str]) -> list[Edit]:
    """Lines below the strict-mode lines that a script begins with, else above its first command."""
    last: Command | None = None
    for command in launcher.script.commands:
        if not _sets_options(command):
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


def _sets_options(command: Command) -> bool:
    """Whether it is ``set`` with nothing but options: what is behind ``--`` are the script's arguments from then on."""
    words = command.words if isinstance(command, SimpleCommand) else ()
    texts = [one.literal or "" if isinstance(one, Word) else "" for one in words]
    return texts[:1] == ["set"] and "--" not in texts and all(text.strip() for text in texts)
