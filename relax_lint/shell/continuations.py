"""Where a continued command breaks off before its author meant it to end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from relax_lint.attached import attached
from relax_lint.diagnostics import Edit, Place
from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.shell.nodes import ArrayLiteral, Assignment, Command, Parameter, Pipeline, Script, SimpleCommand, Word
from relax_lint.shell.walk import array_literals, command_lists, commands_of, find, first_simple, innermost
from relax_lint.sources.script import ScriptFile

Kind = Literal[
    "byte-order mark", "CRLF", "blanks", "carriage return", "comment", "blank line", "no backslash", "swallowed",
    "headless",
]  # fmt: skip
OF_A_FILE = frozenset({"byte-order mark", "CRLF"})
"""What is wrong with a file as a whole."""

_STRAY_BLANKS = pattern(r"\\[ \t\u00a0\u202f\u3000]+\r?(?:\n|\Z)")
_OVERRIDE = r"\+{1,2}[A-Za-z_][\w.]*=|~?[A-Za-z_]\w*(?:\.\w+)+="
_FLAG = pattern(rf"--?[A-Za-z]|--\Z|\{{\s*\"|{_OVERRIDE}")
_GOES_ON = pattern(rf"[ \t]*(?:--?[A-Za-z]|--[ \t\n]|\"?\$|\||&&|[12]?>|&>|<|'|\"|{_OVERRIDE})")
_FLAG_BELOW = pattern(r"[ \t]*--[A-Za-z]")
_ARRAY_OF_FLAGS = pattern(r".*ARGS\Z")


@record
class Break:
    """One break: its cause, the command that it cuts short (a span of the text), and the edits that join it again."""

    kind: Kind
    place: Place
    cut: tuple[int, int]
    edits: tuple[Edit, ...] = ()


@attached
def breaks(source: ScriptFile) -> tuple[Break, ...]:
    """Every break of a script, in the order of the text. With CRLF line ends no line joins another: said once."""
    marked = (_byte_order_mark(source),) if source.has_byte_order_mark else ()
    text = source.text
    if source.has_crlf_ends:
        return *marked, Break("CRLF", Place(source, 0, text.index("\r\n")), (0, len(text)), _without_returns(source))
    returned = text.find("\\\r\n")
    if returned >= 0:
        place = Place(source, returned, returned + 2)
        return *marked, Break("carriage return", place, (0, len(text)), _without_returns(source))
    found = [*_stray_blanks(source), *_Orphans(source).breaks()]
    return *marked, *sorted(found, key=lambda item: item.place.start)


def _byte_order_mark(source: ScriptFile) -> Break:
    end = source.text.find("\n")
    line = Place(source, 0, len(source.text) if end < 0 else end)
    return Break("byte-order mark", line, (0, 1), (Edit(source.path, 0, 1, ""),))


def _without_returns(source: ScriptFile) -> tuple[Edit, ...]:
    """The edits that end every line with a line feed alone."""
    returns = (match.start() for match in re.finditer("\r\n", source.text))
    return tuple(Edit(source.path, at, at + 1, "") for at in returns)


def cut_at(source: ScriptFile, start: int) -> Place | None:
    """Where the command at an offset ends before it was meant to."""
    found = break_of(source, start)
    return None if found is None else found.place


def break_of(source: ScriptFile, start: int) -> Break | None:
    """What cuts the command at an offset short."""
    return next((item for item in breaks(source) if item.cut[0] <= start < item.cut[1]), None)


def is_orphan(source: ScriptFile, command: Command) -> bool:
    """Whether a command begins like the middle of one, so that it is no command of its own."""
    return _Orphans(source).is_orphan(command)


def _stray_blanks(source: ScriptFile) -> Iterator[Break]:
    """Those right in front of the line that was to be joined."""
    script = source.script
    for end, start in _quoted_blanks(source).items():
        array = innermost(script, start, start + 2, ArrayLiteral)
        command = innermost(script, start, start + 2, SimpleCommand)
        if command is None or (array is None and not _GOES_ON.match(source.text, end + 1)):
            continue
        pipeline = innermost(script, command.start, command.end, Pipeline)
        lost = array is None and pipeline is not None and pipeline.commands[0].end <= command.start
        edits = () if lost and _FLAG_BELOW.match(source.text, end + 1) else (Edit(source.path, start + 1, end, ""),)
        yield Break("blanks", Place(source, start, end), (command.start, command.end), edits)


@attached
def _quoted_blanks(source: ScriptFile) -> dict[int, int]:
    """Backslashes that blanks follow up to the line's end, by that end: they quote a blank and join no two lines."""
    text, found = source.text, {}
    for match in _STRAY_BLANKS.finditer(text):
        start = match.start()
        word = innermost(source.script, start, start + 2, Word)
        if word is not None and word.end == start + 2 and text[word.start - 1 : word.start] != "=":
            found[start + len(match.group().rstrip("\r\n"))] = start
    return found


class _Orphans:
    """Commands that are no commands: lines of flags that lost the command above them."""

    def __init__(self, source: ScriptFile) -> None:
        self.source = source
        self.text = source.text
        self.script: Script = source.script
        self.joins = set(self.script.continuations)
        self.comment_at = dict(self.script.comments)
        self.quoted_blanks = _quoted_blanks(source)

    def breaks(self) -> Iterator[Break]:
        """The cause of each, but for those that a mistake before them makes."""
        unread = self.unread_from()
        for commands in command_lists(self.script):
            head: Command | None = None
            for before, command in zip((None, *commands), commands, strict=False):
                if self.is_orphan(command) or self.hangs_on(command, head):
                    found = self.cause(command.start, before, head)
                    if found is not None and command.start < unread:
                        yield found
                else:
                    head = command
        yield from self.unreadable()

    def unread_from(self) -> int:
        """Where the first command begins that cannot be read, for another reason than a break above it."""
        if self.script.problems:
            from relax_lint.shell.mistakes import mistakes

            for mistake in mistakes(self.source):
                if not self.begins_with_an_operator(mistake.start):
                    return mistake.begins
        return len(self.text)

    def begins_with_an_operator(self, start: int) -> bool:
        """Whether a line that should be joined with the one above begins with ``|`` or ``&``."""
        return self.text[start : start + 1] in ("|", "&") and self.joined_above(start)

    def is_orphan(self, command: Command) -> bool:
        """Whether a command begins like the middle of one."""
        simple = first_simple(command)
        if simple is None or simple.assignments:
            return False
        if not simple.words:
            return bool(simple.redirects) and self.joined_above(simple.start)
        word = simple.words[0]
        if isinstance(word, Assignment):
            return False
        if word.literal is not None:
            return bool(_FLAG.match(word.literal))
        parameter = word.parts[0] if len(word.parts) == 1 else None
        return isinstance(parameter, Parameter) and self.holds_flags(parameter)

    def hangs_on(self, command: Command, head: Command | None) -> bool:
        """Whether a backslash further up wants to join a line that is indented like a part of the command above."""
        if head is None or not self.joined_above(command.start):
            return False
        return len(self.indent(command.start)) > len(self.indent(head.start))

    def holds_flags(self, parameter: Parameter) -> bool:
        """Whether a whole array is expanded, and one of flags."""
        if parameter.operator or parameter.length or parameter.indirect or parameter.subscript is None:
            return False
        if parameter.subscript.literal not in ("@", "*"):
            return False
        arrays = self.arrays(parameter.name)
        if not arrays:
            return bool(_ARRAY_OF_FLAGS.match(parameter.name))
        return any(array.elements and (array.elements[0].value.literal or "").startswith("--") for array in arrays)

    def arrays(self, name: str) -> list[ArrayLiteral]:
        """The literals that an array is set to in this file."""
        return [
            array
            for command in commands_of(self.source)
            for assignment, array in array_literals(command)
            if assignment.name == name
        ]

    def unreadable(self) -> Iterator[Break]:
        """Lines that begin with an operator and so cannot be read at all."""
        for problem in self.script.problems:
            if self.begins_with_an_operator(problem.start):
                above = [command for command in commands_of(self.source) if command.end <= problem.start]
                last = max(above, key=lambda command: command.end, default=None)
                found = self.cause(problem.start, last, last)
                if found is not None:
                    yield found

    # ------------------------------------------------------------ causes

    def joined_above(self, start: int) -> bool:
        """Whether a backslash wants to join the text above with this line, comments and empty lines between."""
        content, between = self.lines_above(start)
        return bool(between) and self.ends_joined(content)

    def cause(self, start: int, before: Command | None, head: Command | None) -> Break | None:
        """Why the command at ``start`` stands alone; ``head`` is what it should belong to."""
        content, between = self.lines_above(start)
        cut = (head.start, head.end) if head is not None else (start, start)
        if before is None or head is None:
            return Break("headless", self.line_place(start), cut)
        blanks = self.quoted_blanks.get(content[1])
        if blanks is not None:
            if not between:
                return None  # found without looking for what it cuts off
            end = Edit(self.source.path, blanks + 1, content[1], "")
            joined = () if self.is_lost_to(before, start) else (end, *self.without(between, head))
            return Break("blanks", Place(self.source, blanks, content[1]), cut, joined)
        if self.ends_joined(content):
            if not between:
                return None  # the backslash belongs to a comment or a string
            comment = self.first_comment(between)
            line = comment or between[0]
            kind: Kind = "comment" if comment else "blank line"
            joined = () if self.is_lost_to(before, start) else self.without(between, head)
            return Break(kind, self.trimmed(line), cut, joined)
        if before.end < content[0] or before.end > content[1]:
            return self.commented_out(between, cut, start)
        tail = self.text[before.end : content[1]]
        joinable = isinstance(before, SimpleCommand) and bool(before.words)
        if not joinable and between and self.text[slice(*between[-1])].rstrip().endswith("\\"):
            return self.commented_out(between, cut, start)
        if tail.strip():
            return self.trailing_comment(before, content, between, head, joinable)
        edits: tuple[Edit, ...] = ()
        if joinable:
            edits = (Edit(self.source.path, before.end, content[1], " \\"), *self.without(between, head))
        return Break("no backslash", self.last_word(before), cut, edits)

    def is_lost_to(self, before: Command, start: int) -> bool:
        """Whether flags would go to the end of a pipeline, such as ``tee``, which they are not meant for."""
        piped = isinstance(before, Pipeline) and len(before.commands) > 1
        return piped and _FLAG_BELOW.match(self.text, start) is not None

    def trailing_comment(
        self, before: Command, content: tuple[int, int], between: Sequence[tuple[int, int]], head: Command,
        joinable: bool,
    ) -> Break | None:  # fmt: skip
        """A comment behind the words of a line that was to go on."""
        at = before.end + len(self.text[before.end : content[1]]) - len(self.text[before.end : content[1]].lstrip())
        if at not in self.comment_at:
            return None
        comment = self.text[at : content[1]].rstrip()
        place = Place(self.source, at, at + len(comment))
        cut = (head.start, head.end)
        kind: Kind = "swallowed" if comment.endswith("\\") else "no backslash"
        if not joinable:
            return Break(kind, place, cut)
        moved = comment.rstrip("\\").rstrip()
        join = Edit(self.source.path, before.end, content[1], " \\")
        if self.text[before.end - 2 : before.end] in ("\\ ", "\\\t"):
            kind, place = "blanks", Place(self.source, before.end - 2, place.end)
            join = Edit(self.source.path, before.end - 2, content[1], "\\")
        edits = [join, *self.without(between, head, [moved])]
        return Break(kind, place, cut, tuple(edits))

    def commented_out(self, between: Sequence[tuple[int, int]], cut: tuple[int, int], start: int) -> Break:
        """The head of the command is a comment, or there is none."""
        if between:
            last = self.text[slice(*between[-1])].rstrip()
            if last.endswith("\\"):
                return Break("swallowed", self.trimmed(between[-1]), (start, start))
        return Break("headless", self.line_place(start), (start, start))

    # ------------------------------------------------------------ lines

    def lines_above(self, start: int) -> tuple[tuple[int, int], list[tuple[int, int]]]:
        """The nearest line above with words on it, and the lines of comments or of nothing in between."""
        between: list[tuple[int, int]] = []
        end = self.text.rfind("\n", 0, start)
        while end >= 0:
            line = (self.text.rfind("\n", 0, end) + 1, end)
            content = self.text[slice(*line)].strip()
            if content and not content.startswith("#"):
                return line, between[::-1]
            between.append(line)
            end = line[0] - 1
        return (0, 0), between[::-1]

    def indent(self, offset: int) -> str:
        """The blanks that a line begins with."""
        start = end = self.text.rfind("\n", 0, offset) + 1
        while self.text[end] in " \t":
            end += 1
        return self.text[start:end]

    def ends_joined(self, line: tuple[int, int]) -> bool:
        """Whether a line ends in a backslash that joins it with the next, or would without the blanks behind it."""
        return line[1] - 1 in self.joins or line[1] in self.quoted_blanks

    def first_comment(self, lines: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        """The first of some lines that is not empty."""
        return next((line for line in lines if self.text[slice(*line)].strip()), None)

    def trimmed(self, line: tuple[int, int]) -> Place:
        """A line without the blanks around it; an empty one as it is."""
        content = self.text[slice(*line)]
        start = line[0] + len(content) - len(content.lstrip())
        if not content.strip():
            return Place(self.source, *line)
        return Place(self.source, start, line[0] + len(content.rstrip()))

    def line_place(self, start: int) -> Place:
        """The rest of a line."""
        end = self.text.find("\n", start)
        return Place(self.source, start, len(self.text) if end < 0 else end)

    def last_word(self, command: Command) -> Place:
        """The last word of a command."""
        words = [word for word in find(command, Word) if word.end == command.end and word.start < word.end]
        start = max((word.start for word in words), default=command.start)
        return Place(self.source, start, command.end)

    def without(self, lines: Sequence[tuple[int, int]], head: Command, more: Sequence[str] = ()) -> tuple[Edit, ...]:
        """Take lines out; their comments go above the command."""
        comments = [self.text[slice(*line)].strip().rstrip("\\").rstrip() for line in lines]
        kept = [*more, *(comment for comment in comments if comment)]
        edits = []
        if kept:
            start = self.text.rfind("\n", 0, head.start) + 1
            indent = self.indent(head.start)
            edits.append(Edit(self.source.path, start, start, "".join(f"{indent}{line}\n" for line in kept)))
        if lines:
            edits.append(Edit(self.source.path, lines[0][0], lines[-1][1] + 1, ""))
        return tuple(edits)
