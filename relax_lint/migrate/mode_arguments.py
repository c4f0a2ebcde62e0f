"""What a launcher reads its arguments for: the mode to start, or something else that is to stay what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from relax_lint.shell.nodes import (
    Assignment,
    BinaryTest,
    Case,
    Conditional,
    For,
    Function,
    Parameter,
    SimpleCommand,
    UnaryTest,
    Word,
)
from relax_lint.shell.walk import commands_of, find, nodes_of

if TYPE_CHECKING:
    from relax_lint.sources.launcher import LauncherSource
    from relax_lint.sources.script import ScriptFile

_Read = TypeVar("_Read", Parameter, For)
NAMES_A_MODE = re.compile(r"mode(?!l)", re.IGNORECASE)
OTHER_NAMES = re.compile(r"[\"']?(?:\w*[-_]?a-?sync\w*|sync\w+|colocated?)[\"']?", re.IGNORECASE)
TESTS = frozenset({"[", "test"})
_DECLARES = frozenset({"export", "declare", "typeset", "readonly"})
_ALL = frozenset({"@", "*"})
_TELLS = frozenset({"echo", "printf"})
_NO_MODE = re.compile(r"(?!a?sync\Z)[A-Za-z][\w-]*")
_OF_NO_MODE = frozenset({"", "*", "sync", "async", "=", "==", "!=", "-n", "-z", "-a", "-o", "!", "]"})
_DEFAULT = re.compile(r"(?:\A|:?[-=])[\"']*([A-Za-z][\w-]*)[\"'}]*\Z")
_LETTER = re.compile(r"[A-Za-z]")
_OPTION = re.compile(r"-{0,2}[A-Za-z][\w-]*=?")
_VALUE, _SECOND = "7", "8"
_MOST_WORDS = 12


def is_no_mode(text: str) -> bool:
    """Whether a word that a mode is compared with is none of the two, by whatever name."""
    return _NO_MODE.fullmatch(text) is not None and OTHER_NAMES.fullmatch(text) is None


def other_meaning(launcher: LauncherSource) -> str | None:
    """The value of ``MODE`` that no mode of starting has, where a launcher gives it one by itself."""
    for each in assignments(launcher):
        if each.name == "MODE" and isinstance(each.value, Word):
            found = _DEFAULT.search(launcher.text[each.value.start : each.value.end])
            if found is not None and is_no_mode(found[1]):
                return found[1]
    return None


def reads_otherwise(launcher: LauncherSource) -> bool:
    """Whether a script, or a file of its recipe that it sources, reads its arguments for anything but the mode."""
    return any(
        any(_program(command) == "getopts" for command in commands_of(source))
        or any(each.words is None and not each.select for each in _outside_functions(source, nodes_of(source, For)))
        or any(
            one.name in _ALL or (one.name.isdigit() and one.name != "0" and not is_of_the_mode(source, one))
            for one in own_parameters(source)
        )
        for source in _own_files(launcher)
    )


def other_calls(launcher: LauncherSource) -> list[tuple[str, ...]]:
    """Arguments that are no mode and that the script may do something with; behind the mode where that is the first."""
    if not reads_otherwise(launcher):
        return []
    words = ["--lr", *islice(_compared_words(launcher), _MOST_WORDS)]
    calls: list[tuple[str, ...]] = [(word, _VALUE) for word in words]
    own = [one for source in _own_files(launcher) for one in own_parameters(source)]
    if any(one.name.isdigit() and one.name != "0" for one in own):
        calls += [(_VALUE, _SECOND), (_VALUE, "async")]
    modes = by_argument(launcher)
    first = modes and all(NAMES_A_MODE.search(each.name) for each in modes)
    return [("sync", *call) for call in calls] if first else calls


def _compared_words(launcher: LauncherSource) -> dict[str, None]:
    """The words and options that a script compares anything with, and the letters of its ``getopts``."""
    found: dict[str, None] = {}
    for source in _own_files(launcher):
        for case in nodes_of(source, Case):
            found.update((_plain(source, each), None) for item in case.items for each in item.patterns)
        for test in nodes_of(source, BinaryTest):
            found[_plain(source, test.right)] = None
        for command in commands_of(source):
            words = [word for word in command.words if isinstance(word, Word)]
            if _program(command) in TESTS:
                found.update((_plain(source, word), None) for word in words[1:])
            elif _program(command) == "getopts" and len(words) > 1:
                found.update((f"-{letter}", None) for letter in _LETTER.findall(_plain(source, words[1])))
    return {
        word: None
        for word in found
        if _OPTION.fullmatch(word) and word not in _OF_NO_MODE and not OTHER_NAMES.fullmatch(word)
    }


def is_of_the_mode(source: ScriptFile, parameter: Parameter) -> bool:
    """Whether an argument is read at some place to learn the mode, or only to be told."""
    for each in assignments(source):
        if isinstance(each.value, Word) and _reads(each.value, [parameter]):
            return NAMES_A_MODE.search(each.name) is not None
    for case in nodes_of(source, Case):
        if _reads(case.subject, [parameter]):
            return _are_modes(source, [each for item in case.items for each in item.patterns])
    for test in nodes_of(source, BinaryTest):
        if _reads(test.left, [parameter]):
            return _are_modes(source, [test.right])
    if any(_reads(test.operand, [parameter]) for test in nodes_of(source, UnaryTest)):
        return True
    for command in commands_of(source):
        if command.start <= parameter.start < command.end and _program(command) in TESTS:
            words = [word for word in command.words[1:] if isinstance(word, Word) and not _reads(word, [parameter])]
            return _are_modes(source, words)
        if command.start <= parameter.start < command.end and _program(command) in _TELLS:
            return True
    return False


def is_behind_others(launcher: LauncherSource) -> bool:
    """Whether the mode is an argument behind the first, which stays the one that it is."""
    shifts = [
        one.end for one in launcher.script.commands if isinstance(one, SimpleCommand) and _program(one) == "shift"
    ]
    behind = [
        one
        for one in own_parameters(launcher)
        if one.name in _ALL
        or (one.name.isdigit() and (one.name not in ("0", "1") or any(end <= one.start for end in shifts)))
    ]
    named = (each.value for each in assignments(launcher) if NAMES_A_MODE.search(each.name))
    if any(isinstance(value, Word) and _reads(value, behind) for value in named):
        return True
    numbered = [one for one in behind if one.name.isdigit()]
    asked = [(each.subject, [one for item in each.items for one in item.patterns]) for each in nodes_of(launcher, Case)]
    asked += [(each.left, [each.right]) for each in nodes_of(launcher, BinaryTest)]
    for command in commands_of(launcher):
        words = [word for word in command.words[1:] if isinstance(word, Word)]
        asked += [(word, words) for word in words if _program(command) in TESTS]
    return any(
        _reads(subject, numbered) and any(OTHER_NAMES.fullmatch(_plain(launcher, word)) for word in words)
        for subject, words in asked
    )


def is_asked(launcher: LauncherSource, parameter: Parameter) -> bool:
    """Whether an expansion is what a test or a choice asks about."""
    for case in nodes_of(launcher, Case):
        if case.subject.start <= parameter.start < case.subject.end:
            return True
    for test in nodes_of(launcher, Conditional):
        if test.start <= parameter.start < test.end:
            return True
    return any(
        _program(command) in TESTS and command.start <= parameter.start < command.end
        for command in commands_of(launcher)
    )


def own_parameters(source: ScriptFile) -> list[Parameter]:
    """What is expanded outside of functions, whose arguments are their own."""
    return _outside_functions(source, list(find(source.script, Parameter)))


def are_for_relax(launcher: LauncherSource) -> bool:
    """Whether all arguments go to what is launched, at once and to nothing else."""
    launched = [launch.command for launch in launcher.launches if launch.site.source is launcher]
    given = [*filter(None, launched), *(command for command in commands_of(launcher) if _program(command) == "set")]
    passed = [one for one in own_parameters(launcher) if one.name in _ALL]
    return bool(passed) and all(any(each.start <= one.start < each.end for each in given) for one in passed)


def by_argument(launcher: LauncherSource) -> list[Assignment]:
    """The variables that get the script's first argument."""
    positional = [one for one in own_parameters(launcher) if one.name == "1"]
    return [each for each in assignments(launcher) if isinstance(each.value, Word) and _reads(each.value, positional)]


def assignments(source: ScriptFile) -> Iterator[Assignment]:
    """What sets variables of the script, not of one command."""
    for command in commands_of(source):
        if not command.words or _program(command) in _DECLARES:
            yield from (each for each in (*command.assignments, *command.words) if isinstance(each, Assignment))


def _own_files(launcher: LauncherSource) -> Iterator[ScriptFile]:
    """A script, and the files of its recipe that it sources."""
    yield launcher
    recipe = launcher.project.recipe_of(launcher.path)
    for source in launcher.evaluation.sourced:
        if source is not launcher and recipe is not None and recipe.directory in source.path.parents:
            yield source


def _outside_functions(source: ScriptFile, nodes: Sequence[_Read]) -> list[_Read]:
    functions = nodes_of(source, Function)
    return [one for one in nodes if not any(function.start <= one.start < function.end for function in functions)]


def _are_modes(source: ScriptFile, words: Sequence[Word]) -> bool:
    texts = [_plain(source, word) for word in words]
    return all(text in _OF_NO_MODE or OTHER_NAMES.fullmatch(text) for text in texts)


def _plain(source: ScriptFile, word: Word) -> str:
    return source.text[word.start : word.end].strip("\"'")


def _program(command: SimpleCommand) -> str | None:
    first = command.words[0] if command.words else None
    return first.literal if isinstance(first, Word) else None


def _reads(word: Word, parameters: Sequence[Parameter]) -> bool:
    return any(word.start <= one.start < word.end for one in parameters)
