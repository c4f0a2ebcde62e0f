"""Fixes that would add a flag which is there already under a name that is not quite its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from relax_lint.catalog.proposals import proposals
from relax_lint.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lint.diagnostics import Edit, Finding
    from relax_lint.project import Project
    from relax_lint.shell.launch import Word

_FLAG = pattern(r"(?<![\w-])--[A-Za-z][\w-]*")


def without_second_spelling(finding: Finding, project: Project) -> Finding:
    """The finding, without its fix where that adds a flag to a launch of which a word may be that flag, misspelt: which
    of the two is wanted only a person knows. The fix that gives this word its right name stays."""
    fix = finding.fix
    if fix is None or finding.launch is None or finding.launch.kind != "relax":
        return finding
    proposed = proposals(finding.launch, project)
    if not proposed:
        return finding
    edits = partial(_edits, fix.edits, proposed, project)
    if fix.why_not is None and not edits() and not fix.migrates:
        return finding._replace(fix=None)
    return finding._replace(fix=fix._replace(edits=edits))


def _edits(
    made: Callable[[], Sequence[Edit]], proposed: Mapping[str, Sequence[Word]], project: Project
) -> Sequence[Edit]:
    """The edits of a fix; none where it would add a flag that is proposed."""
    edits = made()
    return () if any(_adds(edit, proposed, project) for edit in edits) else edits


def _adds(edit: Edit, proposed: Mapping[str, Sequence[Word]], project: Project) -> bool:
    written = flags_added([edit], project) & proposed.keys()
    return any(not any(_replaces(edit, word) for word in proposed[flag]) for flag in written)


def flags_added(edits: Sequence[Edit], project: Project) -> set[str]:
    """The flags that edits write into files that there are, where they are not yet."""
    written: set[str] = set()
    gone: set[str] = set()
    for edit in edits:
        source = project.source(edit.path) if not edit.create else None
        if source is not None:
            written.update(_FLAG.findall(edit.text))
            gone.update(_FLAG.findall(source.text[edit.start : edit.end]))
    return written - gone


def _replaces(edit: Edit, word: Word) -> bool:
    place = word.place
    return place is not None and place.source.path == edit.path and edit.start < place.end and place.start < edit.end
