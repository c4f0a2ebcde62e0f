"""What a report is about: recipes with their launches and findings, worked out before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.records import node, record

if TYPE_CHECKING:
    from relax_lint.diagnostics import Diagnostic
    from relax_lint.engine import Unjudged
    from relax_lint.gpu_layout import Batch, Layout
    from relax_lint.project import Project
    from relax_lint.report.effective import Effective
    from relax_lint.rules import Rule
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.text import SourceFile

PER_NODE = 8
"""GPUs of a machine where the launch does not say it."""


@record
class Placing:
    """Where a launch lies: its layout, what could still change it, GPUs of a machine, and the sizes of its steps."""

    layout: Layout
    unless: str
    per_node: int
    batch: Batch | None


@node
class Column:
    """Launches of one script with the same arguments, told apart by nothing that matters to the training.

    ``when`` are the conditions that the other launches of the script do not have; ``lost_from`` is the line at which
    the command breaks off, so that nobody knows what else it was to have: then it is placed nowhere.
    """

    launches: list[Launch]
    arguments: list[Effective]
    project: Project
    placing: Placing | None
    when: tuple[str, ...] = ()
    lost_from: int | None = None

    @property
    def launch(self) -> Launch:
        """The first of them."""
        return self.launches[0]


@node
class Part:
    """A recipe, or a directory of launchers outside of recipes: its launches, its findings, what is not known.

    ``page`` is the text of its MIGRATION.md, where it has one.
    """

    directory: Path
    is_recipe: bool
    columns: list[Column]
    findings: list[Diagnostic]
    silenced: list[Diagnostic]
    unjudged: list[Unjudged]
    verl: list[Launch]
    page: str = ""


@node
class Content:
    """All that a report shows. ``migration`` is the data of ``relax-lint migrate --format json``, if that is what it is
    about; ``source`` finds a file; ``failures`` are rules that failed."""

    title: str
    subject: str
    parts: Sequence[Part]
    rules: Mapping[str, Rule]
    judged_by: Mapping[str, str]
    source: Callable[[Path], SourceFile | None]
    files: int
    failures: Sequence[str] = ()
    migration: Mapping[str, Any] | None = None
    note: str = ""

    @property
    def findings(self) -> list[Diagnostic]:
        """The findings of all parts."""
        return [found for part in self.parts for found in part.findings]

    @property
    def launches(self) -> int:
        """How many launches of Relax there are."""
        return sum(len(column.launches) for part in self.parts for column in part.columns)

    @property
    def of_verl(self) -> int:
        """How many launches of verl there are of which it is not shown what they would become."""
        return sum(len(part.verl) for part in self.parts) if self.migration is None else 0

    @property
    def not_migrated(self) -> int:
        """Of how many launches of verl nothing would come."""
        refused = self.migration["refused"] if self.migration is not None else ()
        return len({(one["path"], *one["conditions"]) for one in refused})
