"""Edits of the words of a command that say what Python runs: a path, or ``-m`` and a module."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relax_lint.diagnostics import Edit
from relax_lint.shell.launch import Word

_BY_MODULE = re.compile(r"(?P<quote>[\"']?)-(?P<others>[A-Za-z]*)m(?P=quote)(?:[ \t]|\\\n)*")
_OPTION = re.compile(r"-[A-Za-z]*m")
_GLUED = re.compile(r"-[A-Za-z]*m.")


def module_words(argv: Sequence[Word], at: int) -> tuple[Word, Word] | None:
    """``-m`` and the module behind it, which a word names; that word twice when they are written as one; ``None`` where
    it is no module that is named."""
    word = argv[at]
    if _GLUED.match(word.text):
        return word, word
    return (argv[at - 1], word) if at > 0 and _OPTION.fullmatch(argv[at - 1].text) else None


def renamed(word: Word, wrong: str, right: str) -> Edit | None:
    """Another name for one in a word where that is spelt out, quoted or not."""
    place = word.place
    if place is None:
        return None
    written = place.source.text[place.start : place.end]
    if written.count(wrong) != 1:
        return None
    start = place.start + written.index(wrong)
    return Edit(place.source.path, start, start + len(wrong), right)


def by_path(option: Word, module: Word, wrong: str, path: str) -> Edit | None:
    """A path in place of ``-m`` and what it is given, if nothing but blanks stands between them."""
    edit = renamed(module, wrong, path)
    start, end = option.place, module.place
    if edit is None or start is None or end is None or start.source is not end.source or start.start > end.start:
        return None
    found = _BY_MODULE.match(start.source.text, start.start, end.end)
    if found is None or (option is not module and found.end() != end.start):
        return None
    others = f"-{found['others']} " if found["others"] else ""
    kept = start.source.text[found.end() : edit.start]  # a quote, or the directory in front
    return Edit(edit.path, found.start(), edit.end, f"{others}{kept}{edit.text}")
