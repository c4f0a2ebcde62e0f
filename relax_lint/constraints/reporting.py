"""What the table of constraints says of a launch, for the rules that report it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.launches import namespace_of
from relax_lint.constraints.engine import Judgement, Table, Undecided, Violation, judge
from relax_lint.constraints.facts import Facts
from relax_lint.constraints.on_disk import ProjectSurroundings
from relax_lint.constraints.same_words import told_of, words_of
from relax_lint.constraints.schema import STOPS
from relax_lint.constraints.tables import builtin
from relax_lint.constraints.team import repair
from relax_lint.diagnostics import Finding, NotChecked, Severity
from relax_lint.kept import follows_changes, kept_property
from relax_lint.rules import REGISTRY
from relax_lint.shell.queries import is_broken_off, place_of, start_of, why_unknown

if TYPE_CHECKING:
    from relax_lint.constraints.schema import Constraint
    from relax_lint.diagnostics import Fix, Place
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch

_FROM_FILES = ("custom_config", "eval_config_fault")
_SEVERITIES = {"E": Severity.ERROR, "W": Severity.WARNING, "A": Severity.ADVICE}


class Judged:
    """A launch, its facts, and all that the constraints say of it; what Relax would not come to, too, since who mends
    the first refusal wants to know of the second."""

    def __init__(self, launch: Launch, project: Project) -> None:
        self.launch = launch
        self.project = project

    @kept_property
    def facts(self) -> Facts:
        """What is known of the launch before Relax reads ``--custom-config-path``."""
        namespace = namespace_of(self.launch, self.project)
        facts = Facts(namespace, ProjectSurroundings(self.project, self.launch.script))
        if follows_changes():
            # They are kept with what they are asked later: all of it is forgotten when one of these files changes.
            for name in _FROM_FILES:
                facts.get(name)
        return facts

    @kept_property
    def judgement(self) -> Judgement:
        """Relax's own constraints, then the team's."""
        if not follows_changes():
            return self._judge()
        # Most of what is typed into a script leaves the words of its launches as they are.
        question = ("said of", words_of(self.launch))
        said, before = self.project.once(question, lambda: (self._judge(), self.launch))
        told = said if before is self.launch else told_of(said, before, self.launch)
        return self._judge() if told is None else told

    def _judge(self) -> Judgement:
        found = judge(self.facts, builtin(), past_refusals=True)
        team = self.project.settings.constraint
        if team:
            more = judge(self.facts, Table(team), past_refusals=True)
            violations, undecided = found.violations + more.violations, found.undecided + more.undecided
            found = Judgement(violations, undecided, found.refused or more.refused)
        return found

    def violations(self, code: str) -> list[Violation]:
        """What a rule has to report."""
        return [one for one in self.judgement.violations if self._code(one.constraint) == code]

    def undecided(self, code: str) -> list[Undecided]:
        """What a rule cannot tell."""
        return [one for one in self.judgement.undecided if self._code(one.constraint) == code]

    def _code(self, constraint: Constraint) -> str:
        """The rule that reports a constraint: what Relax refuses is said of launchers outside recipes too."""
        rule = REGISTRY.get(constraint.code)
        is_for_recipes = rule is not None and not rule.everywhere
        if is_for_recipes and constraint.kind in STOPS and self.project.recipe_of(self.launch.script) is None:
            return "RLX505"
        return constraint.code


def judged(launch: Launch, project: Project) -> Judged:
    """What is known of a launch; worked out once for all rules."""
    return project.once(("judged", launch), lambda: Judged(launch, project))


def outcomes(
    launch: Launch,
    project: Project,
    code: str,
    *,
    named: bool = False,
    fix: Callable[[Violation], Fix | None] | None = None,
    at: Callable[[Violation, Launch], Argument | None] | None = None,
) -> Iterator[Finding | NotChecked]:
    """All that a rule has to say of a launch by the table.

    ``named`` puts the constraint's name behind each message; with a ``fix`` each violation is one finding, else one for
    each flag that is void. ``at`` says where, and what else the rule says of the same text in another launch of the
    script is not told.
    """
    if launch.kind != "relax":
        return
    if is_broken_off(launch):
        yield NotChecked(start_of(launch), "a broken continuation")
        return
    about = judged(launch, project)
    for violation in about.violations(code):
        if fix is not None:
            argument = violation.argument if at is None else at(violation, launch)
            if not _is_told_of_another(violation, argument, about, at):
                yield finding(violation, launch, argument, fix(violation))
            continue
        for found in findings(violation, launch, project):
            yield found._replace(message=f"{found.message} [{violation.constraint.id}]") if named else found
    yield from silences(about, code)


def _is_told_of_another(
    violation: Violation,
    argument: Argument | None,
    about: Judged,
    at: Callable[[Violation, Launch], Argument | None] | None,
) -> bool:
    """Whether an earlier launch of the script is told the same of the same text, with other numbers."""
    if argument is None:
        return False
    constraint = violation.constraint
    for other in launches_with(argument, about.launch, about.project):
        if other is about.launch:
            return False
        for told in judged(other, about.project).violations(constraint.code):
            if told.constraint is constraint or (at is not None and _is_at(at(told, other), argument)):
                return True
    return False


def _is_at(argument: Argument | None, other: Argument) -> bool:
    return argument is not None and argument.word.place == other.word.place


def launches_with(argument: Argument, launch: Launch, project: Project) -> Iterator[Launch]:
    """The launches of the script to which a written flag goes, in their order."""
    script, place = project.launcher(launch.script), argument.word.place
    for other in script.launches if script is not None and place is not None else (launch,):
        if other is launch or any(given.word.place == place for given in other.all(argument.flag)):
            yield other


def silences(about: Judged, code: str) -> Iterator[NotChecked]:
    """What keeps a rule silent about a launch, each word once."""
    told: set[tuple[Place, str]] = set()
    for undecided in about.undecided(code):
        for place, because in _reasons(undecided, about.launch):
            if (place, because) not in told:
                told.add((place, because))
                yield NotChecked(place, because)


def _reasons(undecided: Undecided, launch: Launch) -> Iterator[tuple[Place, str]]:
    if undecided.because is not None:
        yield start_of(launch), f"{undecided.constraint.id}: {undecided.because}"
    for word in undecided.words[:1]:
        yield place_of(launch, word), why_unknown(word)


def findings(violation: Violation, launch: Launch, project: Project) -> Iterator[Finding]:
    """A violation as its rule reports it, at each of the flags that are void."""
    fix = repair(violation, launch, project) if violation.constraint.stage == "team" else None
    for argument in violation.arguments or (None,):
        yield finding(violation, launch, argument, fix)


def finding(violation: Violation, launch: Launch, argument: Argument | None, fix: Fix | None = None) -> Finding:
    """A violation as its rule reports it: at a flag that a user must edit, or else at the launch."""
    flag = "" if argument is None else argument.flag
    return Finding(
        start_of(launch) if argument is None else place_of(launch, argument.word),
        violation.message,
        severity=severity(violation),
        fix=fix,
        launch=launch,
        subject=flag or violation.constraint.id,
    )


def severity(violation: Violation) -> Severity:
    """How bad it is."""
    return _SEVERITIES[violation.constraint.level]
