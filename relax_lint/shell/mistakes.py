"""The mistake that keeps a script from being read: the first one, and where a person has to look for it."""

from __future__ import annotations

from relax_lint.attached import attached
from relax_lint.records import record
from relax_lint.shell.nodes import Problem
from relax_lint.shell.syntax import Parser
from relax_lint.sources.script import ScriptFile

_QUOTES = {"a double quote that is never closed": '"', "a single quote that is never closed": "'"}


@record
class Mistake:
    """What is wrong, where, and where the command begins that cannot be read because of it."""

    message: str
    start: int
    end: int
    begins: int


@attached
def mistakes(source: ScriptFile) -> tuple[Mistake, ...]:
    """Every mistake in the order of reading. Those behind the first may come from it."""
    if not source.script.problems:
        return ()
    reader = _Retracing(source.text)
    reader.is_file = source.is_file
    reader.parse_script()
    found = list(zip(reader.problems, reader.begins, strict=True))
    return tuple(_mistake(source.text, found, index) for index in range(len(found)))


class _Retracing(Parser):
    """A parser that remembers where each command began that it could not read."""

    def __init__(self, text: str, position: int = 0, limit: int | None = None) -> None:
        super().__init__(text, position, limit)
        self.begins: list[int] = []

    def recover(self, message: str, offset: int, start: int, comments: int) -> None:
        """Note that too."""
        self.begins.append(start)
        super().recover(message, offset, start, comments)


def _mistake(text: str, found: list[tuple[Problem, int]], index: int) -> Mistake:
    problem, begins = found[index]
    start, end = problem.start, problem.end
    quote = _QUOTES.get(problem.message)
    if quote is not None:
        # Every quote pairs with the next one, so it is the last that has no partner. But from the line after the one
        # that should have closed its own, all do: reading failed the same way up to that line.
        last = begins
        for later, at in found[index:]:
            if (later.message, later.start) != (problem.message, problem.start):
                break
            last = at
        opened = _open_at_the_end(text, last, quote)
        if opened is not None:
            start, end = opened, opened + 1
    return Mistake(problem.message, start, end, begins)


def _open_at_the_end(text: str, start: int, quote: str) -> int | None:
    """The quote that a line leaves open."""
    stop = text.find("\n", start)
    at, opened = start, -1
    while at < (len(text) if stop < 0 else stop):
        char = text[at]
        if char == "\\" and (opened < 0 or text[opened] == '"'):
            at += 1
        elif opened >= 0:
            opened = -1 if char == text[opened] else opened
        elif char in "\"'":
            opened = at
        at += 1
    return opened if opened >= 0 and text[opened] == quote else None
