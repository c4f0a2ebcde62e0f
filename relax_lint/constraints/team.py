"""A team's own constraints: what the configuration asks for beyond Relax's checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.config import ConfigError
from relax_lint.constraints.derived import DERIVED
from relax_lint.constraints.engine import shown_names
from relax_lint.constraints.expressions import Expression
from relax_lint.constraints.facts import unknown_names
from relax_lint.constraints.schema import NO_EFFECT
from relax_lint.fixers.constraint_fixes import named_fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lint.constraints.engine import Violation
    from relax_lint.constraints.schema import Constraint
    from relax_lint.diagnostics import Fix
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch


def refuse_unknown_names(project: Project) -> None:
    """:class:`ConfigError` when a constraint speaks of what is neither an argument of Relax nor derived from some."""
    for constraint in project.settings.constraint:
        for key, fault in _faults(constraint, project):
            raise ConfigError(f"{project.settings.source}: constraint {constraint.id}: {key}: {fault}")


def _faults(constraint: Constraint, project: Project) -> Iterator[tuple[str, str]]:
    """The keys of a constraint that name what is not there, and how."""
    catalogue, more = project.catalogue, project.settings.extra_flags
    for name in unknown_names(Expression(constraint.when), catalogue):
        yield "when", f"there is no {name}{_near(project, name)}"
    for name in shown_names(constraint.message):
        if name not in DERIVED and not catalogue.by_dest(name):
            yield "message", f"there is no {name}{_near(project, name)}"
    for flag in constraint.flags:
        if catalogue.flag(flag) is None and flag not in more:
            yield "flags", f"there is no {flag}{_near(project, '--' + flag.lstrip('-'))}"
    verb, _, rest = (constraint.fix or "").partition(" ")
    option, _, value = rest.partition(" ")
    known = catalogue.flag(option) if option else None
    if option and known is None and option not in more:
        yield "fix", f"there is no {option}{_near(project, option)}"
    elif known is not None and verb == "set" and known.is_switch is bool(value) and known.nargs not in ("?", "*"):
        yield "fix", f"{option} takes {'no' if value else 'a'} value"


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
