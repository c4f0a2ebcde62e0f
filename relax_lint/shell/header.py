"""The head of a script: the comments before its first command, which tell users what to do first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place

if TYPE_CHECKING:
    from relax_lint.sources.script import ScriptFile


def header_comments(source: ScriptFile) -> Iterator[Place]:
    """The comments before the first command, without the line that names the interpreter. A byte-order mark makes a
    first line that is a comment a command to bash."""
    script, text = source.script, source.text
    commands, first = script.commands, text.partition("\n")[0]
    if first.startswith("\ufeff#"):
        commands = tuple(command for command in commands if command.start > len(first))
        if not first.startswith("\ufeff#!"):
            yield Place(source, 1, len(first))
    end = commands[0].start if commands else len(text)
    for start, stop in script.comments:
        if stop <= end and not (start == 0 and text.startswith("#!")):
            yield Place(source, start, stop)
