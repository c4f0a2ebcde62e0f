"""A shell script: its text and its syntax tree."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.sources.text import SourceFile

if TYPE_CHECKING:
    from relax_lint.shell.nodes import Script


class ScriptFile(SourceFile):
    """A shell script, parsed when it is first asked."""

    is_file = True

    @cached_property
    def script(self) -> Script:
        """The syntax tree."""
        from relax_lint.shell.syntax import parse

        return parse(self.text, is_file=self.is_file)

    @property
    def is_shell(self) -> bool:
        """Whether running the file by its path runs bash."""
        first = self.text.partition("\n")[0]
        return "sh" in first.rsplit("/", 1)[-1] if first.startswith("#!") else "\0" not in self.text[:512]


class EvaluatedText(ScriptFile):
    """A string that a script evaluates: its places are where that is done."""

    is_file = False

    def __init__(self, text: str, origin: Place) -> None:
        super().__init__(origin.source.path, text.encode("utf-8", "surrogateescape"))
        self.origin = origin
