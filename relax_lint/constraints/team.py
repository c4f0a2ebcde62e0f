"""A team's own constraints: what the configuration asks for beyond Relax's checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.config import ConfigError
from relax_lint.constraints.expressions import Expression
from relax_lint.constraints.facts import unknown_names
from relax_lint.constraints.schema import NO_EFFECT
from relax_lint.fixers.constraint_fixes import named_fix

if TYPE_CHECKING:
    from relax_lint.constraints.engine import Violation
    from relax_lint.diagnostics import Fix
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch


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
    """What a team says is to be done; safe when it only takes away what does nothing."""
    constraint = violation.constraint
    is_safe = constraint.kind in NO_EFFECT and (constraint.fix or "").startswith("drop ")
    reason = None if is_safe else "what a team asks for may change what is learned"
    return named_fix(violation, launch, project, reason=reason)
