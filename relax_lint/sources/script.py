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

    @cached_property
    def has_crlf_ends(self) -> bool:
        """Whether most lines end in a carriage return and a line feed; to bash the former is a character like any."""
        return 2 * self.text.count("\r\n") > self.text.count("\n")

    @property
    def has_byte_order_mark(self) -> bool:
        """Whether the file begins with one, which to bash is the beginning of the first word."""
        return self.text.startswith("\ufeff")

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
