"""Arrays of flags that a launcher fills and that reach no launch, and names that were meant to be theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.attached import attached
from relax_lint.flag_arrays import FilledArray, arrays_in
from relax_lint.patterns import pattern
from relax_lint.shell.launch import Launch
from relax_lint.shell.nodes import ArrayLiteral, Assignment, CommandSubstitution, Parameter, SimpleCommand, Word
from relax_lint.shell.queries import unread_sources
from relax_lint.shell.walk import commands_of, nodes_of
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.sources.launcher import LauncherSource

PRINTS = frozenset({"echo", "printf", ":"})
_DECLARES = frozenset({"declare", "typeset", "local", "readonly", "export", "unset"})
_ASSIGNMENT = pattern(r"(?<![\w$])([A-Za-z_]\w*)(?:\[[^\]\n]*\])?\+?=")
# How a script comes by names of variables that it does not write out: lists of them, and names put together.
_LISTED = pattern(
    r"\$\{!(?P<prefix>\w+)[@*]\}"
    r"|\bcompgen\s+(?:-A\s+(?:variable|arrayvar|export)|-v)(?:[ \t]+(?:--[ \t]+)?[\"']?(?P<begun>\w+))?"
    r"|\b(?:declare|typeset)\s+-\w*[pa]\w*[ \t]*(?=[|)\n;])|(?<![\w-])set[ \t]*(?=\|)"
)
_PUT_TOGETHER = pattern(r"\$(?:\{\w+\}|\d)(?P<suffix>_\w+)|(?<![\w$])(?P<begun>[A-Za-z]\w*_)\$\{?\w")
_INDIRECT = pattern(r"\$\{!\w|(?<![\w-])eval\s|\b(?:declare|local|typeset)\s+-\w*n")
_LIKE_ENOUGH = 0.75


def unused_arrays(
    launcher: LauncherSource, launches: Sequence[Launch], project: Project
) -> Iterator[tuple[FilledArray, str | None]]:
    """The arrays of flags in a launcher's own files that none of its launches is given; with what may use them all the
    same, though that cannot be told."""
    passed = {place for launch in launches for place in launch.written}
    for source in own_files(launcher, project):
        readers: list[ScriptFile] | None = None
        for array, flags in _of_flags(source):
            if any((source, word.start) in passed for word in flags):
                continue
            readers = readers or _readers(source, launcher, project)
            if not any(_is_used(array.name, reader) for reader in readers):
                gathered = (_gathering(array.name, reader) for reader in readers)
                yield array, _later_source(launcher, array) or next(filter(None, gathered), None)


def misspelling_of(name: str, files: Sequence[ScriptFile]) -> str | None:
    """An array that some files expand and nothing sets, spelled so much like ``name`` that this was meant."""
    from difflib import SequenceMatcher

    expanded = {
        parameter.name
        for source in files
        for parameter in nodes_of(source, Parameter)
        if parameter.subscript is not None and parameter.subscript.literal in ("@", "*") and parameter.name != name
    }
    best: tuple[float, str] | None = None
    for other in sorted(expanded):
        alike = SequenceMatcher(None, _stem(name), _stem(other)).ratio()
        if alike >= _LIKE_ENOUGH and (best is None or alike > best[0]) and not is_set(other, files):
            best = alike, other
    return best[1] if best is not None else None


def _stem(name: str) -> str:
    """A name without the ending that most have."""
    return name.removesuffix("_ARGS")


def is_set(name: str, files: Sequence[ScriptFile]) -> bool:
    """Whether some files give a name a value, or know that it may have none."""
    return any(name in _assigned(source) or _sets(source, name) for source in files)


@attached
def _sets(source: ScriptFile, name: str) -> bool:
    """Whether a file gives a name a value other than by an assignment, or knows that it may have none."""
    text = "\n".join(line for line in source.text.split("\n") if name in line)
    if not text:
        return False
    sets = (
        rf"\$\{{{name}:?[-+=?]"
        rf"|(?<!\w)-v\s+[\"']?{name}\b"
        rf"|\b(?:read|mapfile|readarray|getopts|for|select)\b[^\n;]*(?<![\w$]){name}\b"
        rf"|\b(?:local|declare|typeset|export|readonly)\s[^\n;]*(?<![\w$]){name}\b"
    )
    return re.search(sets, text) is not None


@attached
def _assigned(source: ScriptFile) -> frozenset[str]:
    """Every name with an assignment in a file, comments included: harmless, and quick."""
    lines = (line for line in source.text.split("\n") if "=" in line)
    return frozenset(_ASSIGNMENT.findall("\n".join(lines)))


def _gathering(name: str, source: ScriptFile) -> str | None:
    """What in a file could come by an array's name without writing it out."""
    for match in _LISTED.finditer(source.text):
        if name.startswith(match["prefix"] or match["begun"] or "") and not _is_comment(match.start(), source):
            return match.group().strip()
    if _INDIRECT.search(source.text) is None:
        return None
    for match in _PUT_TOGETHER.finditer(source.text):
        if name.startswith(match["begun"] or "") and name.endswith(match["suffix"] or ""):
            if not _is_comment(match.start(), source):
                return match.group()
    return None


def _is_comment(offset: int, source: ScriptFile) -> bool:
    return any(start <= offset < end for start, end in source.script.comments)


def own_files(launcher: LauncherSource, project: Project) -> list[ScriptFile]:
    """The launcher, and what it sources from its own recipe."""
    recipe = project.recipe_of(launcher.path)
    sourced = launcher.evaluation.sourced if recipe is not None else []
    return [launcher, *(each for each in sourced if recipe is not None and recipe.directory in each.path.parents)]


def _readers(source: ScriptFile, launcher: LauncherSource, project: Project) -> list[ScriptFile]:
    """Every file in which an array of ``source`` may be expanded."""
    recipe = project.recipe_of(source.path)
    readers: list[ScriptFile] = [launcher, *launcher.evaluation.sourced]
    if source is not launcher and recipe is not None:
        for other in recipe.launchers:
            if other.sources(source.path):
                readers += [other, *other.evaluation.sourced]
    return readers


def _of_flags(source: ScriptFile) -> Iterator[tuple[FilledArray, Sequence[Word]]]:
    """The arrays that a file fills with flags, each once, with the flags that it is filled with there."""
    seen: set[str] = set()
    for array in arrays_in(source):
        if array.flags and array.name not in seen:
            seen.add(array.name)
            yield array, array.flags


def _is_used(name: str, source: ScriptFile) -> bool:
    """Whether a file does anything with an array but set, measure or print it."""
    mention = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    found = [match.start() for match in mention.finditer(source.text)]
    if not found:
        return False
    idle = _idle_spans(name, source)
    return any(not any(start <= at < end for start, end in idle) for at in found)


def _idle_spans(name: str, source: ScriptFile) -> list[tuple[int, int]]:
    """Where a name may stand without being used."""
    spans = list(source.script.comments)
    for parameter in nodes_of(source, Parameter):
        if parameter.name == name and parameter.length:
            spans.append((parameter.start, parameter.end))
    for assignment in nodes_of(source, Assignment):
        if assignment.name == name:
            own = isinstance(assignment.value, ArrayLiteral)
            spans.append((assignment.start, assignment.end if own else assignment.start + len(name)))
    for command in commands_of(source):
        first = command.words[0] if command.words else None
        if not isinstance(first, Word):
            continue
        if first.literal in _DECLARES:
            spans += [(word.start, word.end) for word in command.words if getattr(word, "literal", None) == name]
        elif first.literal in PRINTS and not command.redirects:
            spans += _printed(command)
    return spans


def _printed(command: SimpleCommand) -> list[tuple[int, int]]:
    """The words of a command that prints, but for what it substitutes."""
    return [
        (part.start, part.end)
        for word in command.words
        if isinstance(word, Word)
        for part in word.parts
        if not isinstance(part, CommandSubstitution)
    ]


def _later_source(launcher: LauncherSource, array: FilledArray) -> str | None:
    """A file that could not be read, is read after the array is set, and so may use it."""
    for place in unread_sources(launcher.evaluation):
        if place.source is not array.place.source or place.start > array.place.start:
            return place.source.text[place.start : place.end]
    return None
