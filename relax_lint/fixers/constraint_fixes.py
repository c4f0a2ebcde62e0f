"""The repair that a constraint names, where the text that it changes goes to no launch that does not need it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.diagnostics import Fix
from relax_lint.fixers.launcher_edits import insert_after, remove, replace_value
from relax_lint.shell.queries import is_own, other_launches

if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lint.constraints.engine import Violation
    from relax_lint.constraints.reporting import Judged
    from relax_lint.diagnostics import Edit
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch


def named_fix(
    violation: Violation, launch: Launch, project: Project, *, wanted: str | None = None, reason: str | None = None
) -> Fix | None:
    """``drop --flag``, ``set --flag`` or ``set --flag VALUE``, by the constraint or as ``wanted``; safe without a
    ``reason`` why it is not."""
    verb, _, rest = (wanted or violation.constraint.fix or "").partition(" ")
    flag, _, value = rest.partition(" ")
    passed = launch.all(flag)
    anchors = passed or [one for one in (violation.argument,) if one is not None and verb == "set"]
    if not flag or not anchors or not all(may_change(one, violation, launch, project) for one in anchors):
        return None
    edits: list[Edit | None]
    if verb == "drop":
        edits = [remove(argument) for argument in passed]
    else:
        edits = [replace_value(passed[-1], value) if passed else insert_after(anchors[0], [rest])]
    made = [edit for edit in edits if edit is not None]
    if len(made) < len(edits):
        return None
    title = f"{verb if passed else 'add'} {rest}"
    return Fix(title, lambda: made, safe=reason is None, reason=reason)


def may_change(
    argument: Argument,
    violation: Violation,
    launch: Launch,
    project: Project,
    same: Callable[[Violation, Judged], bool] = lambda violation, about: True,
) -> bool:
    """Whether a flag is written in the launcher's own files, and all launches that it goes to have the same fault."""
    from relax_lint.constraints.reporting import judged

    place = argument.word.place
    if place is None or not is_own(project, launch, place):
        return False
    others = [judged(other, project) for other in other_launches(launch, project, argument)]
    constraint = violation.constraint
    return all(
        any(one.constraint is constraint and same(one, about) for one in about.judgement.violations) for about in others
    )
