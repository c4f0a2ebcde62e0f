"""A team's own constraints: what the configuration asks for beyond Relax's checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.config import ConfigError
from relax_lint.constraints.expressions import Expression
from relax_lint.constraints.facts import unknown_names
from relax_lint.constraints.schema import NO_EFFECT
from relax_lint.diagnostics import Fix
from relax_lint.fixers.launcher_edits import insert_after, remove, replace_value
from relax_lint.shell.queries import is_own

if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lint.constraints.engine import Violation
    from relax_lint.diagnostics import Edit
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch


def refuse_unknown_names(project: Project) -> None:
    """:class:`ConfigError` when a constraint asks for what is neither an argument of Relax nor derived from some."""
    for constraint in project.settings.constraint:
        for name in unknown_names(Expression(constraint.when), project.catalogue):
            raise ConfigError(
                f"{project.settings.source}: constraint {constraint.id}: when: there is no {name}{_near(project, name)}"
            )


def _near(project: Project, name: str) -> str:
    """A suggestion in the place of a name that is none."""
    near = [name.lstrip("-").replace("-", "_") for name in project.catalogue.near(f"--{name.lstrip('-')}")]
    if name.startswith("--"):
        near = ["--" + other.replace("_", "-") for other in near]
    return f"; did you mean {near[0]!r}?" if near else ""


def repair(violation: Violation, launch: Launch, project: Project) -> Fix | None:
    """What a constraint says is to be done: ``drop --flag`` or ``set --flag VALUE``."""
    verb, _, rest = (violation.constraint.fix or "").partition(" ")
    flag, _, value = rest.partition(" ")
    passed = launch.all(flag)
    if not flag or any(not _is_ours(argument, launch, project) for argument in passed):
        return None
    if verb == "drop":
        return _fix(f"drop {flag}", violation, map(remove, passed)) if passed else None
    if passed:
        return _fix(f"set {flag} {value}", violation, [replace_value(passed[-1], value)])
    anchor = violation.argument
    if anchor is None or not _is_ours(anchor, launch, project):
        return None
    return _fix(f"add {rest}", violation, [insert_after(anchor, [rest])])


def _is_ours(argument: Argument, launch: Launch, project: Project) -> bool:
    return argument.word.place is not None and is_own(project, launch, argument.word.place)


def _fix(title: str, violation: Violation, edits: Iterable[Edit | None]) -> Fix | None:
    """A fix where every place can be edited; safe when it only takes away what does nothing."""
    made = [edit for edit in edits if edit is not None]
    if not made:
        return None
    safe = title.startswith("drop") and violation.constraint.kind in NO_EFFECT
    reason = None if safe else "what a team asks for may change what is learned"
    return Fix(title, lambda: made, safe, reason)
