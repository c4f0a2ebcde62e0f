"""Edits of a flag and the word behind it. Every function answers ``None`` where the text does not allow one."""

from __future__ import annotations

from relax_lint.diagnostics import Edit
from relax_lint.fixers.launcher_edits import replace_word, whole
from relax_lint.patterns import pattern
from relax_lint.shell.launch import Argument, Word

_PLAIN_WORDS = pattern(r"[\w./:@%+,= -]+")
_FLAG_AND_VALUE = pattern(r"\"(?P<flag>--[A-Za-z][\w-]*) +(?P<value>[^\s\"'`\\]+)\"")
_EXPANDED = frozenset("$`\\'")


def join_value(flag: Word, value: Word) -> Edit | None:
    """``--flag value`` as ``--flag=value``."""
    if not _stand_together(flag, value):
        return None
    assert flag.place is not None
    assert value.place is not None
    return Edit(flag.place.source.path, flag.place.end, value.place.start, "=")


def drop_word_behind(flag: Word, value: Word) -> Edit | None:
    """A flag without the word behind it."""
    if not _stand_together(flag, value):
        return None
    assert flag.place is not None
    assert value.place is not None
    return Edit(flag.place.source.path, flag.place.end, value.place.end, "")


def drop_inline_value(word: Word) -> Edit | None:
    """``--flag=value`` as ``--flag``."""
    place = word.place
    if place is None or place.source.text[place.start : place.end] != word.text:
        return None
    return Edit(place.source.path, place.start + word.text.index("="), place.end, "")


def in_single_quotes(flag: Word, first: Word, last: Word) -> Edit | None:
    """Words that are meant to be one in quotes."""
    place = whole(Argument(flag.text, (first, last), flag)) if first is not last else None
    if place is None or first.place is None or last.place is None:
        return None
    start, end = first.place.start, last.place.end
    written = place.source.text[start:end]
    return None if _EXPANDED.intersection(written) else Edit(place.source.path, start, end, f"'{written}'")


def unquoted(word: Word) -> Edit | None:
    """The words that quotes make one of, where bash takes them as they are, or as a flag and a value in quotes."""
    if word.place is None:
        return None
    written = word.place.source.text[word.place.start : word.place.end]
    if written[0] in "\"'" and _PLAIN_WORDS.fullmatch(word.text):
        plain = replace_word(word, word.text)
        if plain is not None:
            return plain
    found = _FLAG_AND_VALUE.fullmatch(written)
    return None if found is None else Edit.at(word.place, f'{found["flag"]} "{found["value"]}"')


def _stand_together(flag: Word, value: Word) -> bool:
    if flag.place is None or value.place is None or value.place.start <= flag.place.start:
        return False
    return whole(Argument(flag.text, (value,), flag)) is not None
