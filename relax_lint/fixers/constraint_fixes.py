"""The repair that a constraint names, where the text that it changes goes to no launch that does not need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from relax_lint.constraints.reporting import Judged, judged
from relax_lint.diagnostics import Fix
from relax_lint.fixers.launcher_edits import insert_after, remove, replace_value
from relax_lint.shell.queries import is_own, other_launches

if TYPE_CHECKING:
    from relax_lint.constraints.engine import Violation
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
    anchor = passed[-1] if passed else violation.argument
    if not flag or len(passed) > 1 or anchor is None or not may_change(anchor, violation, launch, project):
        return None
    edit = _edit(verb, rest, value, anchor, bool(passed))
    return None if edit is None else Fix(f"{verb} {rest}", lambda: [edit], safe=reason is None, reason=reason)


def may_change(
    argument: Argument,
    violation: Violation,
    launch: Launch,
    project: Project,
    same: Callable[[Violation, Judged], bool] = lambda violation, about: True,
) -> bool:
    """Whether a flag is written in the launcher's own files, and all launches that it goes to have the same fault."""
    place = argument.word.place
    if place is None or not is_own(project, launch, place):
        return False
    others = [judged(other, project) for other in other_launches(launch, project, argument)]
    constraint = violation.constraint
    return all(
        any(one.constraint is constraint and same(one, about) for one in about.violations(constraint.code))
        for about in others
    )


def _edit(verb: str, rest: str, value: str, anchor: Argument, passed: bool) -> Edit | None:
    if verb == "drop":
        return remove(anchor) if passed else None
    if passed:
        return replace_value(anchor, value)
    return insert_after(anchor, [rest])
