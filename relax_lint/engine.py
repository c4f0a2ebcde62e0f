"""Run rules over a project: what is found, what could not be judged, and what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.diagnostics import Diagnostic, Finding, NotChecked, Site
from relax_lint.discovery import is_launcher, walk
from relax_lint.selection import selected

if TYPE_CHECKING:
    from relax_lint.config import Settings
    from relax_lint.project import Project, Recipe
    from relax_lint.rules import Rule
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A rule that kept silent, where, and because of what."""

    code: str
    path: Path
    line: int
    because: str


@dataclass(slots=True)
class Report:
    """The outcome of a run. ``failures`` are rules that raised, by what they were looking at."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    not_checked: list[Unjudged] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    files: int = 0
    recipes: int = 0
    launches: int = 0


def lint(
    project: Project,
    rules: Mapping[str, Rule],
    settings: Settings | None = None,
    targets: Iterable[Path] | None = None,
) -> Report:
    """What the selected rules find in the targets (all files of the project when none are given)."""
    settings = settings or project.settings
    chosen = selected(settings.selection, rules)
    scope = _Scope(project, targets)
    report = Report(files=len(scope.targets), recipes=len(scope.recipes), launches=len(scope.launches))
    seen: set[tuple[object, ...]] = set()
    for rule in (rules[code] for code in sorted(chosen)):
        for subject, origin in scope.subjects(rule):
            for outcome in _run(rule, subject, project, report):
                path = outcome.place.source.path
                if not scope.shows(path, origin):
                    continue
                if isinstance(outcome, NotChecked):
                    line, _ = outcome.place.source.position(outcome.place.start)
                    silence = Unjudged(rule.code, path, line, outcome.because)
                    if silence not in report.not_checked:
                        report.not_checked.append(silence)
                    continue
                key = (rule.code, path, outcome.place.start, outcome.place.end, outcome.message)
                if key not in seen:
                    seen.add(key)
                    report.diagnostics.append(diagnostic(rule, outcome))
    report.diagnostics.sort(key=_order)
    report.not_checked.sort(key=lambda silence: (str(silence.path), silence.line, silence.code, silence.because))
    return report


def diagnostic(rule: Rule, finding: Finding) -> Diagnostic:
    """A finding as reports show it."""
    source = finding.place.source
    line, column = source.position(finding.place.start)
    end_line, end_column = source.position(finding.place.end)
    return Diagnostic(
        code=rule.code,
        name=rule.name,
        severity=finding.severity or rule.severity,
        message=finding.message,
        path=source.path,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        start=finding.place.start,
        end=finding.place.end,
        excerpt=source.line_text(line),
        fix=finding.fix,
        related=tuple(
            Site(note.place.source.path, note.place.source.position(note.place.start)[0], note.message)
            for note in finding.related
        ),
        launch=None if finding.launch is None else _launch_site(finding.launch),
        subject=finding.subject,
    )


def _launch_site(launch: Launch) -> Site:
    return Site(
        launch.site.source.path, launch.site.source.position(launch.site.start)[0], conditions=launch.conditions
    )


def _order(found: Diagnostic) -> tuple[str, int, int, str, str]:
    return str(found.path), found.line, found.column, found.code, found.message


def _run(rule: Rule, subject: Any, project: Project, report: Report) -> Iterator[Finding | NotChecked]:
    try:
        yield from rule.check(subject, project)
    except Exception as problem:  # a rule must never end the run
        report.failures.append(f"{rule.code} {rule.name} on {subject!r}: {type(problem).__name__}: {problem}")


class _Scope:
    """What is judged: the targets, and what of their recipes bears on them."""

    def __init__(self, project: Project, targets: Iterable[Path] | None) -> None:
        self.project = project
        self.targets = list(walk(project.root, project.files) if targets is None else targets)
        self._targets = set(self.targets)
        recipes = {id(recipe): recipe for recipe in map(project.recipe_of, self.targets) if recipe is not None}
        self.recipes: list[Recipe] = list(recipes.values())
        scripts = [path for path in self.targets if is_launcher(path, project.files)]
        self.outside = [
            source
            for source in (project.launcher(path) for path in scripts if project.recipe_of(path) is None)
            if source is not None
        ]

    @property
    def launches(self) -> list[Launch]:
        """The launches of the targets."""
        found = [launcher for recipe in self.recipes for launcher in recipe.launchers if launcher.path in self._targets]
        return [launch for launcher in (*found, *self.outside) for launch in launcher.launches]

    def subjects(self, rule: Rule) -> Iterator[tuple[Any, Path | None]]:
        """What a rule is called with, and the launcher that stands behind it."""
        if rule.on == "python":
            for recipe in self.recipes:
                yield from ((source, None) for source in recipe.python if source.path in self._targets)
        elif rule.on == "recipe":
            yield from ((recipe, None) for recipe in self.recipes)
        elif rule.on == "reward":
            from relax_lint.rewards import reward_uses

            for launcher in self._launchers(everywhere=False):
                for launch in launcher.launches:
                    yield from ((use, launcher.path) for use in reward_uses(launch, self.project))
        elif rule.on == "launcher":
            yield from ((launcher, launcher.path) for launcher in self._launchers(rule.everywhere))
        elif rule.on == "launch":
            for launcher in self._launchers(rule.everywhere):
                yield from ((launch, launcher.path) for launch in launcher.launches)

    def _launchers(self, everywhere: bool) -> Iterator[LauncherSource]:
        for recipe in self.recipes:
            yield from recipe.launchers
        if everywhere:
            yield from self.outside

    def shows(self, path: Path, origin: Path | None) -> bool:
        """Whether a finding at ``path`` that a launcher gave rise to is one of the targets' findings."""
        if path in self._targets:
            return True
        return origin in self._targets and is_launcher(path, self.project.files)
