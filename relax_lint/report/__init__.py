"""What is shown of a run: one module a format, each ``render(outcome) -> str``, imported when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.diagnostics import Diagnostic, Severity
from relax_lint.records import node

if TYPE_CHECKING:
    from relax_lint.baseline import Entry
    from relax_lint.engine import Report
    from relax_lint.project import Project
    from relax_lint.rules import Rule
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.text import SourceFile

FORMATS = ("text", "json", "github", "sarif", "junit")
WITH_EDITS = ("json", "sarif")
"""The formats that hold the edits of fixes, and by what findings were judged."""
FROM_ROOT = ("sarif", "github")
"""The formats whose readers know files by their path from the repository's root."""

DOCUMENTATION = "docs/rules/"
"""Where the rules' manual pages are, from the repository's root."""


@node
class Outcome:
    """A finished run: what the rules say now, what was fixed, and by what it was judged.

    ``fixed`` are the findings that are gone, ``show_fixes`` asks for a list of them.
    ``encode`` turns an offset into the text of a file into one into its bytes, ``source`` finds a file as it was
    judged. ``strict`` says that advice counts, ``baselined`` that known findings were told from new ones; ``stale`` is
    what baselines remember in vain. ``demands`` are those that are not met; ``root`` is the repository around the
    working directory.
    """

    report: Report
    encode: Callable[[Path, int], int]
    fixed: Sequence[Diagnostic] = ()
    judged_by: Mapping[str, str] = MappingProxyType({})
    show_suppressed: bool = False
    show_fixes: bool = False
    quiet: bool = False
    colour: bool = False
    unsafe: bool = False
    strict: bool = False
    baselined: bool = False
    source: Callable[[Path], SourceFile | None] = lambda path: None
    checked: Sequence[Path] = ()
    rules: Mapping[str, Rule] = MappingProxyType({})
    root: Path | None = None
    demands: Sequence[str] = ()
    stale: Sequence[Entry] = ()
    status: int = 0

    @property
    def shown(self) -> list[Diagnostic]:
        """The diagnostics that are to be seen."""
        return self.report.diagnostics if self.show_suppressed else self.report.standing

    @property
    def grave(self) -> list[Diagnostic]:
        """The standing diagnostics that make the exit status 1."""
        return [found for found in self.report.standing if self.counts(found)]

    def counts(self, found: Diagnostic) -> bool:
        """Whether a finding is grave enough for the exit status."""
        return self.strict or found.severity is not Severity.ADVICE

    def count(self, severity: Severity) -> int:
        """How many findings of a severity stand."""
        return sum(found.severity is severity for found in self.report.standing)

    def would_fix(self, found: Diagnostic) -> bool:
        """Whether ``--fix``, with the options of this run, would mend a finding."""
        return found.fix is not None and (found.fix.safe or self.unsafe)

    @property
    def unjudged(self) -> int:
        """What could not be judged: rules that kept silent, and launchers not followed to their ends."""
        return len(self.report.not_checked) + sum(found.code == "RLX003" for found in self.report.standing)


class Shown(NamedTuple):
    """A script with what it launches, and the project by whose Relax that is judged; ``is_whole`` says whether it was
    followed to its end."""

    path: Path
    launches: list[Launch]
    project: Project
    is_whole: bool = True


def shown_path(path: Path) -> str:
    """A path as reports print it: from the working directory, with ``/``."""
    return Path(os.path.relpath(path)).as_posix()


def url_of(code: str) -> str:
    """A rule's manual page."""
    return f"{DOCUMENTATION}{code}.md"


def plural(count: int, noun: str) -> str:
    """``1 error``, ``2 errors``, ``2 launches``; advice has no plural."""
    if count == 1 or noun == "advice":
        return f"{count} {noun}"
    if noun.endswith("y"):
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}{'es' if noun.endswith('ch') else 's'}"
