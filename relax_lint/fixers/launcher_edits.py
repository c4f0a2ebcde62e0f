"""Edits of flags where they stand: in arrays and in continued commands, with the indentation found there.

Every function answers ``None`` where the text does not allow a certain edit: words that were computed, flags and values
from different places, strings that are split later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from relax_lint.diagnostics import Edit, Place
from relax_lint.patterns import pattern
from relax_lint.shell.launch import Argument, Word
from relax_lint.shell.nodes import ArrayLiteral, Assignment, SimpleCommand
from relax_lint.shell.nodes import Word as WrittenWord
from relax_lint.shell.walk import array_literals, command_at, command_lists, nodes_of
from relax_lint.sources.script import ScriptFile
from relax_lint.sources.text import SourceFile

_BLANKS = " \t"
_BETWEEN = pattern(r"(?:[ \t\r\n]|\\\r?\n)*")
_REST_OF_ELEMENT_LINE = pattern(r"[ \t]*(?:#.*)?\r?")
_JOINED = pattern(r"[ \t]*\\\r?")


def holder(place: Place) -> ArrayLiteral | SimpleCommand | None:
    """The array literal, or else the command, in which a word is written."""
    if not isinstance(place.source, ScriptFile):
        return None
    command = command_at(place.source, place.start)
    if command is None:
        return None
    arrays = (array for _, array in array_literals(command) if array.start <= place.start < array.end)
    return next(arrays, command)


def whole(argument: Argument) -> Place | None:
    """From a flag that is written out to the last of its values, if nothing else stands between them."""
    place = argument.word.place
    if place is None or not _names(place, argument.word):
        return None
    if argument.inline:
        return place
    text, end = place.source.text, place.end
    for value in argument.own_values:
        if value.place is None or value.place.source is not place.source:
            return None
        if value.place.start >= end:
            if not _BETWEEN.fullmatch(text, end, value.place.start):
                return None
            end = value.place.end
        elif value.place.end != end:  # not several words of one expansion
            return None
    return Place(place.source, place.start, end)


def _names(place: Place, flag: Word) -> bool:
    """Whether the name of a flag stands where it is said to be written, and no expansion that gives it."""
    written = place.source.text[place.start : place.end]
    return written.lstrip("\"'").startswith(flag.text.partition("=")[0])


def is_word(place: Place) -> bool:
    """Whether a place begins and ends where words of a command or an array do."""
    inside = holder(place)
    return inside is not None and _is_a_word_of(inside, place)


def remove(argument: Argument) -> Edit | None:
    """Take a flag away with its values, and with its line when it has one of its own."""
    place = whole(argument)
    inside = None if place is None else holder(place)
    if place is None or inside is None or not _is_a_word_of(inside, place):
        return None
    text, start, end = place.source.text, place.start, place.end
    line_start, line_end = _line_start(text, start), _line_end(text, end)
    first_on_line = not text[line_start:start].strip(_BLANKS)
    if isinstance(inside, ArrayLiteral):
        alone = first_on_line and _REST_OF_ELEMENT_LINE.fullmatch(text, end, line_end)
        if alone:
            return Edit(place.source.path, line_start, min(line_end + 1, len(text)), "")
        if first_on_line or text[start - 1] == "(":
            return Edit(place.source.path, start, _after_blanks(text, end), "")
        return Edit(place.source.path, _before_blanks(text, start), end, "")
    if first_on_line:
        if _JOINED.fullmatch(text, end, line_end):
            return Edit(place.source.path, line_start, min(line_end + 1, len(text)), "")
        if not text[end:line_end].strip("\r \t"):
            return Edit(place.source.path, _end_of_previous_line(text, line_start), end, "")
        return Edit(place.source.path, start, _after_blanks(text, end), "")
    return Edit(place.source.path, _before_blanks(text, start), end, "")


def insert_after(argument: Argument, items: Sequence[str]) -> Edit | None:
    """Write more flags behind one, on lines of their own where that one has its own."""
    place = whole(argument)
    inside = None if place is None else holder(place)
    if (
        place is None
        or inside is None
        or not _is_a_word_of(inside, place)
        or _is_joined_to_nothing(place.source, place.end)
    ):
        return None
    if isinstance(inside, ArrayLiteral) and _is_glued(place.source, inside):
        return None
    text, path = place.source.text, place.source.path
    line_start, line_end = _line_start(text, place.start), _line_end(text, place.end)
    indent = text[line_start : place.start]
    if not indent.strip(_BLANKS):
        at = line_end - (text[line_end - 1] == "\r")
        if isinstance(inside, ArrayLiteral):
            if _REST_OF_ELEMENT_LINE.fullmatch(text, place.end, line_end):
                return Edit(path, at, at, "".join(f"\n{indent}{item}" for item in items))
        elif _JOINED.fullmatch(text, place.end, line_end):
            return Edit(path, at, at, "".join(f"\n{indent}{item} \\" for item in items))
        elif not text[place.end : line_end].strip("\r \t"):
            return Edit(path, place.end, place.end, "".join(f" \\\n{indent}{item}" for item in items))
    return Edit(path, place.end, place.end, "".join(f" {item}" for item in items))


def append_to_array(source: SourceFile, array: ArrayLiteral, items: Sequence[str]) -> Edit | None:
    """Write more elements at an array's end."""
    if _is_glued(source, array):
        return None
    text, close = source.text, array.end - 1
    line_start = _line_start(text, close)
    if text[line_start:close].strip(_BLANKS) or line_start <= array.start:
        gap = " " if array.elements and text[close - 1] not in _BLANKS else ""
        return Edit(source.path, close, close, gap + " ".join(items))
    indent = text[line_start:close] + "    "
    if array.elements:
        first = array.elements[0].value.start
        before = text[_line_start(text, first) : first]
        indent = indent if before.strip(_BLANKS) else before
    return Edit(source.path, line_start, line_start, "".join(f"{indent}{item}\n" for item in items))


def append_to_command(source: SourceFile, command: SimpleCommand, items: Sequence[str]) -> Edit | None:
    """Write more words at a command's end, in front of its redirections."""
    if not command.words or _is_joined_to_nothing(source, command.words[-1].end):
        return None
    text, last = source.text, command.words[-1]
    indent = text[_line_start(text, last.start) : last.start]
    if last is not command.words[0] and not indent.strip(_BLANKS):
        return Edit(source.path, last.end, last.end, "".join(f" \\\n{indent}{item}" for item in items))
    return Edit(source.path, last.end, last.end, "".join(f" {item}" for item in items))


def replace_value(argument: Argument, new: str) -> Edit | None:
    """Write another value for a flag whose only value is written out where the flag is."""
    place, old = argument.word.place, argument.value
    if place is None or old is None:
        return None
    source = place.source
    if argument.inline:
        written = source.text[place.start : place.end]
        flag, _, value = written.partition("=")
        if flag != argument.flag or value.strip("'\"") != old:
            return None
        return Edit(source.path, place.end - len(value), place.end, new)
    return replace_word(argument.values[0], new)


def replace_word(word: Word, new: str) -> Edit | None:
    """Write another word in the place of one that is written out, quoted or not."""
    place = word.place
    if place is None or place.source.text[place.start : place.end].strip("'\"") != word.text:
        return None
    return Edit.at(place, new)


def rename_flag(word: Word, old: str, new: str) -> Edit | None:
    """Write another name for a flag that is written out, quoted or not; a value behind ``=`` stays."""
    place = word.place
    if place is None:
        return None
    written = place.source.text[place.start : place.end]
    start = len(written) - len(written.lstrip("\"'"))
    end = start + len(old)
    if written[start:end] != old or written[end : end + 1] not in ("", "=", '"', "'"):
        return None
    return Edit(place.source.path, place.start + start, place.start + end, new)


def lines_before(source: ScriptFile, offset: int, lines: Sequence[str]) -> Edit | None:
    """Write whole lines above the one that holds ``offset``, as far indented as it is; that line must not begin within
    another command, as after ``done;``."""
    text = source.text
    start = _line_start(text, offset)
    commands = (one for several in command_lists(source.script) for one in several)
    if any(one.start < start < one.end <= offset for one in commands):
        return None
    indent = text[start : _after_blanks(text, start)]
    return Edit(source.path, start, start, "".join(f"{indent}{line}\n" for line in lines))


def _is_a_word_of(inside: ArrayLiteral | SimpleCommand, place: Place) -> bool:
    """Whether a place begins and ends where words of its holder do: not a piece of a string, nor the whole command that
    runs a string."""
    if isinstance(inside, ArrayLiteral):
        words = [element.value for element in inside.elements]
        starts = {word.start for word in words}
    else:
        starts = {word.start for word in inside.words[1:]}
        words = [word for word in inside.words if not hasattr(word, "name")]
    return place.start in starts and place.end in {word.end for word in words}


def _is_glued(source: SourceFile, array: ArrayLiteral) -> bool:
    """Whether something stands in one word with all elements of an array, and so behind the last one, be that another
    then; or whether only some of its elements are passed."""
    if not isinstance(source, ScriptFile):
        return False
    name = next((one.name for one in nodes_of(source, Assignment) if one.value is array), None)
    whole = {f"${{{name}[@]}}", f"${{{name}[*]}}"}
    words = (source.text[word.start : word.end] for word in nodes_of(source, WrittenWord))
    naming = [word for word in words if re.search(rf"\$(?:\{{{name}\[|\{{?{name}\b)", word)]
    every = [word for word in naming if any(map(word.__contains__, whole))]
    return bool(naming) and not (every and all(word.strip('"') in whole for word in every))


def _is_joined_to_nothing(source: SourceFile, end: int) -> bool:
    """Whether a word ends in a backslash that the file ends with, which would join it to what is written there."""
    text = source.text
    return end == len(text) and (end - len(text.rstrip("\\"))) % 2 == 1


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def _after_blanks(text: str, offset: int) -> int:
    while offset < len(text) and text[offset] in _BLANKS:
        offset += 1
    return offset


def _before_blanks(text: str, offset: int) -> int:
    while offset > 0 and text[offset - 1] in _BLANKS:
        offset -= 1
    return offset


def _end_of_previous_line(text: str, line_start: int) -> int:
    """Where the words end that were joined to this line by backslashes."""
    at = line_start
    while at > 0 and text[at - 1] in " \t\r\n\\":
        at -= 1
    return at
