"""The head of a script: the comments before its first command, which tell users what to do first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place

if TYPE_CHECKING:
    from relax_lint.sources.script import ScriptFile


def header_comments(source: ScriptFile) -> Iterator[Place]:
    """The comments before the first command, without the line that names the interpreter."""
    script = source.script
    end = script.commands[0].start if script.commands else len(source.text)
    for start, stop in script.comments:
        if stop <= end and not (start == 0 and source.text.startswith("#!")):
            yield Place(source, start, stop)
