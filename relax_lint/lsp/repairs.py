"""What can be done about findings: fixes, one or all, and comments that silence, as files with other contents.

Each is what the command line would write: single fixes are applied as ``--fix`` applies them, all of them to the same
fixed point, and comments are those of ``--add-suppressions``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from relax_lint.diagnostics import Diagnostic
from relax_lint.fixing import Plan, apply_edits, files_after, fix
from relax_lint.groups import Group
from relax_lint.lsp.workspace import Workspace
from relax_lint.project import Project
from relax_lint.report.fixes import unrest
from relax_lint.rules import load_rules
from relax_lint.suppression import additions

Changes = Mapping[Path, bytes]


def fixed(project: Project, found: Diagnostic) -> Changes:
    """The files that a finding's fix changes; none where it turns out to have no edits, or would break a file."""
    edits = () if found.fix is None else tuple(found.fix.edits())
    return (files_after(project, [Plan(found, edits)]) or {}) if edits else {}


def silenced(project: Project, found: Diagnostic) -> Changes:
    """The file with a comment that silences a finding; none where no comment can."""
    source = project.source(found.path)
    edits = [] if source is None else additions(source, [found], "")
    return {found.path: apply_edits(source, edits)} if source is not None and edits else {}


def all_fixed(workspace: Workspace, group: Group, path: Path) -> tuple[Changes, Sequence[str]]:
    """The files that the safe fixes change in the recipe of a file, or in what the file alone is judged with; and what
    is to be said of fixes that do not come to rest there."""
    recipe = group.project.recipe_of(path)
    targets = [each for each in group.targets if recipe is not None and group.project.recipe_of(each) is recipe]
    result = fix(
        group.project,
        load_rules(),
        group.settings,
        judge=lambda project: workspace.judge(group, project, targets or [path]),
    )
    return result.changes, list(unrest(result))
