"""What stands at a place in a launcher: a word, and the words of the same command or array in front of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relax_lint.records import record
from relax_lint.shell.launch import HOLDS_FLAGS
from relax_lint.shell.nodes import Assignment, SimpleCommand, Word
from relax_lint.shell.walk import array_literals, commands_of
from relax_lint.sources.script import ScriptFile

_FLAG = re.compile(r"--[A-Za-z][\w.-]*")
_STARTS_TRAINING = re.compile(r"(?:\A|/)relax/entrypoints/train\.py\Z|\Arelax\.entrypoints\.train\Z")


@record
class Spot:
    """A word of a launcher. ``before`` are the words in front of it in the same array, called ``array``, or else in the
    same command."""

    source: ScriptFile
    word: Word
    before: tuple[Word, ...]
    array: str

    @property
    def text(self) -> str:
        """The word as it is written."""
        return self.source.text[self.word.start : self.word.end]

    def flag(self) -> tuple[str, int] | None:
        """The flag that the word is, or that it stands behind, and how many words after it: 0 for the flag itself."""
        words = [*self.before, self.word]
        for distance, word in enumerate(reversed(words)):
            found = _FLAG.match(self.source.text, word.start, word.end)
            if found is not None:
                return found[0], distance
        return None

    @property
    def takes_flags(self) -> bool:
        """Whether flags of Relax may stand here: in an array that holds some, or behind what starts a training."""
        texts = [self.source.text[word.start : word.end] for word in self.before]
        if self.array:
            return bool(HOLDS_FLAGS.search(self.array)) or any(map(_FLAG.match, texts))
        return any(_STARTS_TRAINING.search(text.strip("\"'")) for text in texts)


def spot_at(source: ScriptFile, offset: int) -> Spot | None:
    """The word that holds an offset or ends there."""
    for command in commands_of(source):
        if not command.start <= offset <= command.end:
            continue
        for assignment, literal in array_literals(command):
            if literal.start < offset <= literal.end:
                return _among(source, [element.value for element in literal.elements], offset, assignment.name)
        found = _among(source, _words(command), offset, "")
        if found is not None:
            return found
    return None


def _words(command: SimpleCommand) -> list[Word]:
    return [word for word in command.words if not isinstance(word, Assignment)]


def _among(source: ScriptFile, words: Sequence[Word], offset: int, array: str) -> Spot | None:
    for at, word in enumerate(words):
        if word.start <= offset <= word.end:
            return Spot(source, word, tuple(words[:at]), array)
    return None
