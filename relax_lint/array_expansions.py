"""How scripts expand arrays in launches: whole, by their first element alone, or with all elements in one word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from relax_lint.attached import attached
from relax_lint.diagnostics import Place
from relax_lint.records import record
from relax_lint.shell.nodes import Parameter, Word
from relax_lint.shell.walk import array_literals, commands_of, find
from relax_lint.sources.script import ScriptFile
from relax_lint.unused_arrays import PRINTS

_TESTS = frozenset({"[", "test"})
_JOINED = re.compile(r'"\$\{(?P<name>\w+)\[\*\]\}"')
_INDEX_OUTSIDE = re.compile(r'"?\$(?:(?P<name>\w+)|\{(?P<braced>\w+)\})"?\[[@*]\]"?')


@record
class Misspelt:
    """A word of a launch that was meant to be all elements of an array; ``joined``: it is all of them, as one."""

    written: str
    name: str
    joined: bool


def misspelt(place: Place) -> Misspelt | None:
    """What is written in a place, if it is an array with ``*`` in quotes or with its index outside of the braces."""
    written = place.source.text[place.start : place.end]
    found = _JOINED.fullmatch(written)
    if found is not None:
        return Misspelt(written, found["name"], joined=True)
    found = _INDEX_OUTSIDE.fullmatch(written)
    return None if found is None else Misspelt(written, found["name"] or found["braced"], joined=False)


def is_misspelt(place: Place | None) -> bool:
    """Whether a word is such an array, which RLX421 reports."""
    return place is not None and misspelt(place) is not None


def whole_array(word: Word) -> str | None:
    """The name of the array that a word expands whole."""
    part = word.parts[0] if len(word.parts) == 1 else None
    if not isinstance(part, Parameter) or part.operator or part.length or part.indirect or part.subscript is None:
        return None
    return part.name if part.subscript.literal in ("@", "*") else None


@attached
def without_index(source: ScriptFile) -> Mapping[str, Sequence[tuple[Word | None, Parameter]]]:
    """By name, every ``$name`` outside of tests and prints, with its word when that is an argument or an element and no
    more."""
    found: dict[str, list[tuple[Word | None, Parameter]]] = {}
    for command in commands_of(source):
        first = command.words[0] if command.words else None
        if isinstance(first, Word) and first.literal in PRINTS | _TESTS:
            continue
        elements = [element.value for _, array in array_literals(command) for element in array.elements]
        alone = {
            word.parts[0].start: word
            for word in (*command.words, *elements)
            if isinstance(word, Word) and len(word.parts) == 1
        }
        for part in find(command, Parameter):
            if _is_bare(part):
                found.setdefault(part.name, []).append((alone.get(part.start), part))
    return found


def _is_bare(part: Parameter) -> bool:
    return part.subscript is None and not (part.operator or part.length or part.indirect)
