"""The arrays that scripts fill, and which of their elements are flags."""

from __future__ import annotations

import re

from relax_lint.attached import attached
from relax_lint.diagnostics import Place
from relax_lint.records import record
from relax_lint.shell.nodes import ArrayLiteral, Literal, Word
from relax_lint.shell.walk import array_literals, commands_of
from relax_lint.sources.script import ScriptFile

_FLAG = re.compile("--[A-Za-z]")


@record
class FilledArray:
    """One array literal that a name is set to, or that is added to it. ``flags`` are the flags among ``words``."""

    name: str
    source: ScriptFile
    place: Place
    literal: ArrayLiteral
    append: bool
    words: tuple[Word, ...]
    flags: tuple[Word, ...]

    def holds(self, place: Place) -> bool:
        """Whether something is written in it."""
        return self.source is place.source and self.literal.start <= place.start < self.literal.end


@attached
def arrays_in(source: ScriptFile) -> tuple[FilledArray, ...]:
    """Every array literal of a script outside of substitutions, in the order of the text."""
    found = []
    for command in commands_of(source):
        for assignment, literal in array_literals(command):
            place = Place(source, assignment.start, assignment.start + len(assignment.name))
            words = tuple(element.value for element in literal.elements)
            flags = tuple(word for word in words if is_flag(word))
            found.append(FilledArray(assignment.name, source, place, literal, assignment.append, words, flags))
    return tuple(found)


def is_flag(word: Word) -> bool:
    """Whether a word begins like a flag."""
    first = word.parts[0] if word.parts else None
    return isinstance(first, Literal) and _FLAG.match(first.text) is not None
