"""A statement that launches in one mode, written for both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Edit, Place
from relax_lint.fixers.launcher_edits import append_to_command, holder, is_word, remove, whole
from relax_lint.flag_arrays import FilledArray, arrays_in
from relax_lint.migrate.mode_branches import OF_A_MODE, UNREAD, Branch, NotDecided
from relax_lint.migrate.written import comment, word
from relax_lint.records import record
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.nodes import ArrayLiteral, Assignment, Case, Command, Redirect, SimpleCommand, Word
from relax_lint.shell.queries import Way, written_command
from relax_lint.shell.walk import command_at, command_lists, find, nodes_of

if TYPE_CHECKING:
    from relax_lint.sources.launcher import LauncherSource

_TEST = 'if [ "${MODE}" = "async" ]; then'
_STEP = "    "
_SHARED_LINE = "the launch begins behind other words of its line, as those of a condition: put it on lines of its own"
_ALWAYS = re.compile(r"(?:(?:if|then|while|until|do|time|true|:|;|!|[({])\s*|for\s+\w+\s+in\s[^;\n$`*?\[]*[;\n]\s*)*")
"""What leads to a launch that is made whatever the mode."""
_EXPANSION = re.compile(r"\$(?:\w+|\{\w+\})")


@record
class _Sides:
    """The edits of a statement's text in the branch that stays, and in the other; ``outside`` are those of arrays, and
    ``remarks`` the comments on what is moved out of these."""

    own: tuple[Edit, ...]
    other: tuple[Edit, ...]
    outside: tuple[Edit, ...]
    remarks: tuple[str, ...] = ()


def refusing(launcher: LauncherSource, launch: Launch, way: Way, reason: str) -> list[Edit]:
    """Lines above the statement of a launch that refuse a mode."""
    statement = _statement(launcher, _command(launcher, launch, _of_mode(launch)))
    text = launcher.text
    start = text.rfind("\n", 0, statement.start) + 1
    indent = text[start : statement.start]
    if indent.strip(" \t"):
        raise NotDecided(_SHARED_LINE)
    message = word(f"{way} is not possible here: {reason}")
    test = _TEST if way == "async" else 'if [ "${MODE}" != "async" ]; then'
    lines = [test, f"{_STEP}echo {message} >&2", f"{_STEP}exit 1", "fi"]
    return [Edit(launcher.path, start, start, "".join(f"{indent}{line}\n" for line in lines))]


def both(launcher: LauncherSource, launch: Launch, branch: Branch, way: Way) -> list[Edit]:
    """The statement of a launch between ``if`` and ``else``: as it is, and with the flags of the other mode."""
    of_mode = _of_mode(launch)
    command = _command(launcher, launch, of_mode)
    statement = _statement(launcher, command)
    if any(redirect.body is not None for redirect in find(statement, Redirect)):
        raise NotDecided("the launch reads a document that stands in the script")
    sides = _sides(launcher, launch, command, of_mode, branch)
    text, path = launcher.text, launcher.path
    line_start = text.rfind("\n", 0, statement.start) + 1
    indent = text[line_start : statement.start]
    end = statement.end
    if indent.strip(" \t"):
        if "\n" in text[statement.start : end]:
            raise NotDecided(_SHARED_LINE)
        own, other = (_edited(text, statement, edits) for edits in (sides.own, sides.other))
        first, second = (other, own) if way == "async" else (own, other)
        return [Edit(path, statement.start, end, f"{_TEST} {_ended(first)} else {_ended(second)} fi"), *sides.outside]
    deeper = _deeper(launcher, statement)
    own, other = (_edited(text, statement, (*edits, *_apart(deeper, edits))) for edits in (sides.own, sides.other))
    said = "\n".join(comment(branch.comment, indent + _STEP))
    other = f"{said}\n{indent}{_STEP}{other}"
    own = "".join(f"{indent}{_STEP}{remark}\n" for remark in sides.remarks) + f"{indent}{_STEP}{own}"
    first, second = (other, own) if way == "async" else (own, other)
    return [Edit(path, statement.start, end, f"{_TEST}\n{first}\n{indent}else\n{second}\n{indent}fi"), *sides.outside]


def as_case(launcher: LauncherSource, launch: Launch, branch: Branch, way: Way) -> list[Edit]:
    """Another item of the ``case`` that a launch stands in, for the mode that it has not."""
    of_mode = _of_mode(launch)
    command = _command(launcher, launch, of_mode)
    found = [
        (case, item)
        for case in nodes_of(launcher, Case)
        for item in case.items
        if item.start <= command.start < item.end
    ]
    if not found:
        raise NotDecided("the launch stands in no case of its own")
    _, item = found[-1]
    text = launcher.text
    sides = _sides(launcher, launch, command, of_mode, branch)
    if sides.outside:
        raise NotDecided("the flags of the mode are not in the case")
    line_start = text.rfind("\n", 0, item.start) + 1
    indent = text[line_start : item.start]
    after = text.find("\n", item.end)
    if indent.strip(" \t") or after < 0:
        raise NotDecided("the case does not have its lines for itself")
    body = Place(launcher, item.patterns[-1].end, item.end)
    copied = _edited_span(text, body.start, body.end, sides.other)
    return [Edit(launcher.path, after + 1, after + 1, f"{indent}{way}{copied}\n")]


def beside(launcher: LauncherSource, launch: Launch, branch: Branch, way: Way) -> list[Edit]:
    """A statement of its own for the other mode, behind the outermost one around a launch."""
    of_mode = _of_mode(launch)
    command = _command(launcher, launch, of_mode)
    statement = _statement(launcher, command)
    outer = next(one for one in launcher.script.commands if one.start <= command.start < one.end)
    sides = _sides(launcher, launch, command, of_mode, branch)
    text = launcher.text
    at = text.find("\n", outer.end)
    if (
        outer is statement
        or sides.outside
        or at < 0
        or _ALWAYS.fullmatch(text, outer.start, statement.start)
        or text[text.rfind("\n", 0, outer.start) + 1 : outer.start].strip()
    ):
        raise NotDecided("the launch stands in no choice of its own")
    copied = _edited(text, statement, sides.other)
    line_start = text.rfind("\n", 0, statement.start) + 1
    old = text[line_start : statement.start]
    if not old.strip(" \t"):
        copied = copied.replace(f"\n{old}", f"\n{_STEP}")
    said = "\n".join(comment(branch.comment, _STEP))
    test = _TEST if way == "async" else 'if [ "${MODE}" != "async" ]; then'
    return [Edit(launcher.path, at + 1, at + 1, f"{test}\n{said}\n{_STEP}{copied}\nfi\n")]


# ---------------------------------------------------------------- what stands where


def _of_mode(launch: Launch) -> list[Argument]:
    """The flags of a launch's mode. One that is only not read in the other may stay where another command has it."""
    found = [given for given in launch.arguments if given.flag in OF_A_MODE]
    inside = [holder(given.word.place) for given in found if given.flag != UNREAD and given.word.place is not None]
    if not any(isinstance(each, SimpleCommand) for each in inside) and launch.command is not None:
        inside.append(launch.command)
    return [
        given
        for given in found
        if given.flag != UNREAD or (given.word.place is not None and holder(given.word.place) in inside)
    ]


def _command(launcher: LauncherSource, launch: Launch, of_mode: Sequence[Argument]) -> SimpleCommand:
    """The command that says the mode: the one that launches, or what calls the function that does."""
    commands = []
    for given in of_mode:
        place = given.word.place
        if place is None or place.source is not launcher:
            raise NotDecided(f"{given.flag} is not written in this file")
        if isinstance(holder(place), SimpleCommand) and _string(launcher, place) is None:
            if not is_word(Place(launcher, place.start, place.end)):
                raise NotDecided(f"{given.flag} stands in a string")
            found = command_at(launcher, place.start)
            if found is not None and found not in commands:
                commands.append(found)
    if len(commands) > 1:
        raise NotDecided("the flags of the mode are in several commands")
    if commands:
        return commands[0]
    written = written_command(launch)
    if written is None or written[0] is not launcher:
        raise NotDecided("the launch is a string that another shell runs")
    return written[1]


def _statement(launcher: LauncherSource, command: SimpleCommand) -> Command:
    """The innermost statement of a list that holds a command: with its pipeline."""
    around = [
        one for listed in command_lists(launcher.script) for one in listed if one.start <= command.start < one.end
    ]
    if not around:
        raise NotDecided("the launch stands in a substitution")
    return around[-1]


def _sides(
    launcher: LauncherSource, launch: Launch, command: SimpleCommand, of_mode: Sequence[Argument], branch: Branch
) -> _Sides:
    """The edits that take the flags of one mode away and put those of the other in their place."""
    inline: list[Argument] = []
    arrays: dict[FilledArray, list[Argument]] = {}
    strings: dict[Place, list[Argument]] = {}
    for given in of_mode:
        place = given.word.place
        assert place is not None
        string = _string(launcher, place)
        if string is not None:
            strings.setdefault(string, []).append(given)
        elif isinstance(holder(place), ArrayLiteral):
            array = next((each for each in arrays_in(launcher) if each.holds(place)), None)
            if array is None:
                raise NotDecided(f"{given.flag} stands in an array that a substitution fills")
            arrays.setdefault(array, []).append(given)
        else:
            inline.append(given)
    own: list[Edit] = []
    other: list[Edit] = []
    outside: list[Edit] = []
    moved: list[str] = []
    remarks: list[str] = []
    anchor: Place | None = None
    for array, givens in arrays.items():
        expansion = _expansion(launcher, command, array)
        if _holds_only(array, givens) and expansion is not None:
            if anchor is None:
                anchor = expansion
            else:
                other.append(_without(launcher, expansion))
            continue
        for given in givens:
            moved.append(_spelt(given))
            outside.append(_removed(given))
            remarks += _remarks(launcher, outside[-1])
    for string, givens in strings.items():
        expansion = _only_these(launcher, launch, command, string, givens)
        if anchor is None:
            anchor = expansion
        else:
            other.append(_without(launcher, expansion))
    first = inline[0] if inline else None
    for given in inline[1:] if anchor is None else inline:
        other.append(_removed(given))
    if anchor is not None:
        other.append(_instead(launcher, anchor, branch.own))
    elif first is not None:
        place = whole(first)
        if place is None:
            raise NotDecided(f"{first.flag} is not written in one piece")
        other.append(_instead(launcher, place, branch.own))
    else:
        other.append(_behind_entry(launcher, launch, command, branch.own))
    if moved:
        own.append(_behind_entry(launcher, launch, command, moved))
    last = []
    for item in branch.last:
        written = _written_in(command, launch.last(item.partition(" ")[0]))
        if written is None:
            last.append(item)
        else:
            other.append(_instead(launcher, written, [item]))
    if last:
        appended = append_to_command(launcher, command, last)
        if appended is None:
            raise NotDecided("nothing can be added to the launch")
        other.append(appended._replace(text=appended.text.replace("\n", f"\n{_STEP}")))
    return _Sides(tuple(own), tuple(other), tuple(outside), tuple(remarks))


def _written_in(command: SimpleCommand, given: Argument | None) -> Place | None:
    """Where a flag is written, if that is in a command itself."""
    place = None if given is None else whole(given)
    return place if place is not None and holder(place) is command else None


def _remarks(launcher: LauncherSource, removed: Edit) -> list[str]:
    """The comments in what is taken out."""
    return [
        launcher.text[start:end].rstrip()
        for start, end in launcher.script.comments
        if removed.start <= start < removed.end
    ]


def _holds_only(array: FilledArray, givens: Sequence[Argument]) -> bool:
    words = 0
    for given in givens:
        words += 1 if given.inline else 1 + len(given.own_values)
    return not array.append and len(array.words) == words


def _expansion(launcher: LauncherSource, command: SimpleCommand, array: FilledArray) -> Place | None:
    pattern = re.compile(rf'"?\$\{{{array.name}\[[@*]\]\}}"?')
    found = [
        Place(launcher, one.start, one.end)
        for one in command.words
        if isinstance(one, Word) and pattern.fullmatch(launcher.text[one.start : one.end])
    ]
    return found[0] if len(found) == 1 else None


def _string(launcher: LauncherSource, place: Place) -> Place | None:
    """The string that a word is a piece of: where it is given to a variable, or else where that is expanded."""
    if _EXPANSION.fullmatch(launcher.text, place.start, place.end):
        return place
    for one in nodes_of(launcher, Assignment):
        if isinstance(one.value, Word) and one.value.start <= place.start < one.value.end:
            return Place(launcher, one.start, one.end)
    return None


def _only_these(
    launcher: LauncherSource, launch: Launch, command: SimpleCommand, string: Place, givens: Sequence[Argument]
) -> Place:
    """Where a string is expanded in a command, if it holds some arguments and nothing else."""
    words = [
        word
        for word in launch.argv
        if word.place is not None and word.place.source is launcher and string.start <= word.place.start < string.end
    ]
    if len(words) != sum(1 if given.inline else 1 + len(given.own_values) for given in givens):
        raise NotDecided(f"{givens[0].flag} stands in a string with others")
    if _EXPANSION.fullmatch(launcher.text, string.start, string.end):
        return string
    name = launcher.text[string.start : string.end].partition("=")[0]
    found = [
        Place(launcher, one.start, one.end)
        for one in command.words
        if isinstance(one, Word) and launcher.text[one.start : one.end] in (f"${name}", f"${{{name}}}")
    ]
    if len(found) != 1:
        raise NotDecided(f"{givens[0].flag} stands in a string")
    return found[0]


def _spelt(given: Argument) -> str:
    place = whole(given)
    if place is None:
        raise NotDecided(f"{given.flag} is not written in one piece")
    return " ".join(place.source.text[place.start : place.end].split("\n"))


def _removed(given: Argument) -> Edit:
    edit = remove(given)
    if edit is None:
        raise NotDecided(f"{given.flag} cannot be taken out where it stands")
    return edit


def _without(launcher: LauncherSource, place: Place) -> Edit:
    start = place.start
    while start > 0 and launcher.text[start - 1] in " \t":
        start -= 1
    return Edit(launcher.path, start, place.end, "")


def _instead(launcher: LauncherSource, place: Place, items: Sequence[str]) -> Edit:
    """Flags in the place of words, on lines of their own where those have theirs."""
    return Edit(launcher.path, place.start, place.end, _joint(launcher, place.start, place.end).join(items))


def _joint(launcher: LauncherSource, start: int, end: int) -> str:
    text = launcher.text
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    indent = text[line_start:start]
    alone = not indent.strip(" \t") and text[end : len(text) if line_end < 0 else line_end].strip() in ("", "\\")
    return f" \\\n{indent}{_STEP}" if alone else " "


def _behind_entry(launcher: LauncherSource, launch: Launch, command: SimpleCommand, items: Sequence[str]) -> Edit:
    """Flags right behind the program that is started, or the function that is called."""
    entry = launch.argv[launch.entry].place
    inside = entry is not None and entry.source is launcher and command.start <= entry.start < command.end
    words = [one for one in command.words if isinstance(one, Word)]
    at = entry.end if inside and entry is not None else words[0].end
    following = [one.start for one in words if one.start >= at]
    text = launcher.text
    joint = " "
    if following:
        line_start = text.rfind("\n", 0, following[0]) + 1
        if line_start > at:
            joint = f" \\\n{text[line_start : following[0]]}{_STEP}"
    return Edit(launcher.path, at, at, "".join(f"{joint}{item}" for item in items))


# ---------------------------------------------------------------- text


def _deeper(launcher: LauncherSource, statement: Command) -> list[Edit]:
    """One step more before each line of a statement but the first; not inside of words, where blanks count."""
    text = launcher.text
    words = [(one.start, one.end) for one in find(statement, Word)]
    edits = []
    at = text.find("\n", statement.start, statement.end)
    while at >= 0:
        inside = any(start <= at < end for start, end in words)
        if not inside and text[at + 1 : at + 2] not in ("\n", ""):
            edits.append(Edit(launcher.path, at + 1, at + 1, _STEP))
        at = text.find("\n", at + 1, statement.end)
    return edits


def _apart(deeper: Sequence[Edit], edits: Sequence[Edit]) -> list[Edit]:
    """The steps that no other edit takes away."""
    return [step for step in deeper if not any(edit.start <= step.start < edit.end for edit in edits)]


def _edited(text: str, statement: Command, edits: Sequence[Edit]) -> str:
    return _edited_span(text, statement.start, statement.end, edits)


def _edited_span(text: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    pieces, at = [], start
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not start <= edit.start <= edit.end <= end:
            raise NotDecided("the flags of the mode are not in one statement")
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:end]])


def _ended(text: str) -> str:
    """A statement in front of a word that ends a list."""
    return text if text.rstrip().endswith("&") else f"{text};"
