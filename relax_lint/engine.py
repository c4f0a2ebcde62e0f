"""Run rules over a project: what is found, what could not be judged, and what went wrong."""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from relax_lint.core_untouched import touched
from relax_lint.diagnostics import Diagnostic, Finding, NotChecked, Severity, Site
from relax_lint.fingerprints import identify_all
from relax_lint.patterns import pattern
from relax_lint.scope import Judged, Scope
from relax_lint.selection import matching, selected
from relax_lint.unreadable import is_followed_whole, too_complex, unreadable

if TYPE_CHECKING:
    from relax_lint.config import Settings
    from relax_lint.project import Project
    from relax_lint.rules import Rule
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.text import SourceFile
    from relax_lint.suppression import Suppressor

UNREADABLE, UNUSED, TOO_COMPLEX, CORE_TOUCHED = "RLX001", "RLX002", "RLX003", "RLX106"
_OWN: Mapping[str, Callable[[Scope], Iterator[tuple[Finding | NotChecked, Judged | None]]]] = {
    UNREADABLE: unreadable,
    TOO_COMPLEX: too_complex,
    CORE_TOUCHED: touched,
}
"""What the engine finds itself, beside what rules say."""
_ALWAYS_DECIDED = frozenset({UNREADABLE, UNUSED, TOO_COMPLEX})
_MAY_SUPPRESS = pattern(rb"noqa|relax-lint:", re.IGNORECASE, words=(b"noqa", b"relax-lint:"))
_NOQA = re.compile("noqa", re.IGNORECASE)
_MAY_BE_UNUSED = pattern(rb"\brlx\d|relax-lint:", re.IGNORECASE, words=(b"rlx", b"relax-lint:"))


class Unjudged(NamedTuple):
    """A rule that kept silent, where, and because of what."""

    code: str
    path: Path
    line: int
    because: str


class Report:
    """The outcome of a run.

    ``failures`` are rules that raised, and on what. ``without_reason`` are the suppressions that did something and
    say not why. ``seconds`` is what each rule took. ``decided`` are, for the files of which this was asked, the rules
    that could find everything in them.
    """

    def __init__(self, files: int = 0, recipes: int = 0) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.not_checked: list[Unjudged] = []
        self.failures: list[str] = []
        self.without_reason: list[Site] = []
        self.seconds: dict[str, float] = {}
        self.decided: dict[Path, frozenset[str]] = {}
        self.files = files
        self.recipes = recipes
        self.launches = 0

    @property
    def standing(self) -> list[Diagnostic]:
        """The diagnostics that nothing silences."""
        return [found for found in self.diagnostics if found.suppressed is None]

    def merge(self, other: Report) -> None:
        """Add the outcome of another part of the same run; what both found in a shared file stays one finding, told as
        one process would tell it that judged both."""
        known = {_identity(found): found for found in self.diagnostics}
        for found in other.diagnostics:
            before = known.setdefault(_identity(found), found)
            if _rank(found) < _rank(before):
                known[_identity(found)] = found
        self.diagnostics = list(known.values())
        self.not_checked = list({**dict.fromkeys(self.not_checked), **dict.fromkeys(other.not_checked)})
        self.failures += other.failures
        self.without_reason = list({**dict.fromkeys(self.without_reason), **dict.fromkeys(other.without_reason)})
        for code, seconds in other.seconds.items():
            self.seconds[code] = self.seconds.get(code, 0.0) + seconds
        self.decided.update(other.decided)
        self.files += other.files
        self.recipes += other.recipes
        self.launches += other.launches

    def keep_real_fixes(self, *, migrates: bool = True) -> None:
        """Take back what was promised before anybody looked: fixes that turn out to have no edits, and those of a
        migration where none is made."""
        for found in self.diagnostics:
            fix = found.fix
            if fix is not None and ((fix.migrates and not migrates) or not fix.is_real()):
                found.fix = None

    def sort(self) -> None:
        """The order that every report keeps."""
        self.diagnostics.sort(key=_order)
        self.failures = sorted(set(self.failures))
        self.not_checked.sort(key=lambda silence: (str(silence.path), silence.line, silence.code, silence.because))
        self.without_reason.sort(key=lambda site: (str(site.path), site.line))


def lint(
    project: Project,
    rules: Mapping[str, Rule],
    settings: Settings | None = None,
    targets: Iterable[Path] | None = None,
    asked: Iterable[Path] | None = None,
    changed: Iterable[Path] = (),
    settled: Iterable[Path] = (),
) -> Report:
    """What the selected rules find in the targets (all files of the project when none are given), which may be a part
    of all that is ``asked`` for; ``changed`` is what the git change touches that is checked, if one is. ``settled`` are
    files of which the rules are to be told that could find everything there."""
    run = _Run(project, rules, settings or project.settings, Scope(project, targets, asked, changed))
    return run.report(settled)


class _Run:
    """One pass of the selected rules over a scope."""

    def __init__(self, project: Project, rules: Mapping[str, Rule], settings: Settings, scope: Scope) -> None:
        self.project = project
        self.rules = rules
        self.settings = settings
        self.scope = scope
        self.chosen = selected(settings.selection, rules)
        self.outcome = Report(len(scope.targets), len(scope.recipes))
        self._ran: dict[str, set[Path]] = {}
        self._undecided: set[tuple[str, Path]] = set()
        self._found: dict[tuple[object, ...], Diagnostic] = {}

    def report(self, settled: Iterable[Path]) -> Report:
        for code in sorted(self.chosen):
            began = time.perf_counter()
            self._judge(self.rules[code])
            self.outcome.seconds[code] = time.perf_counter() - began
        self.outcome.diagnostics = list(self._found.values())
        self._silence()
        self.outcome.launches = self.scope.launches
        always = frozenset(self.chosen) & _ALWAYS_DECIDED
        decided = {path: always | self._decides(path) for path in settled if self.scope.is_target(path)}
        self.outcome.decided = decided
        if self.settings.profile == "runtime":
            found = self.outcome.diagnostics
            self.outcome.diagnostics = [item for item in found if item.severity is Severity.ERROR]
        self.outcome.sort()
        if self.outcome.diagnostics:
            identify_all(self.outcome.diagnostics, self.project.root)
        return self.outcome

    def _judge(self, rule: Rule) -> None:
        own = _OWN.get(rule.code)
        for finding, judged in () if own is None else own(self.scope):
            self._keep(rule, [finding], judged)
        paths: frozenset[Path] | None = None
        for judged in self.scope.subjects(rule):
            if judged.paths is not paths:
                paths = judged.paths
                self._ran.setdefault(rule.code, set()).update(paths)
            self._keep(rule, self._outcomes(rule, judged), judged)

    def _outcomes(self, rule: Rule, judged: Judged) -> Iterator[Finding | NotChecked]:
        try:
            yield from self.scope.said(rule, judged.subject, () if rule.on == "recipe" else judged.paths)
        except MemoryError:
            raise  # every other rule would try the same, for as long
        except Exception as problem:  # a rule that raises must not end the run
            self._undecided.update((rule.code, path) for path in judged.paths)
            self.outcome.failures.append(_failure(rule, judged, problem))

    def _keep(self, rule: Rule, outcomes: Iterable[Finding | NotChecked], judged: Judged | None) -> None:
        for outcome in outcomes:
            path = outcome.place.source.path
            if isinstance(outcome, NotChecked):
                self._undecided.update((rule.code, about) for about in (path, *(judged.paths if judged else ())))
            if rule.code != CORE_TOUCHED and not self.scope.shows(path, None if judged is None else judged.origin):
                continue
            if isinstance(outcome, NotChecked):
                line, _ = outcome.place.source.position(outcome.place.start)
                silence = Unjudged(rule.code, path, line, outcome.because)
                if silence not in self.outcome.not_checked:
                    self.outcome.not_checked.append(silence)
                continue
            key = (rule.code, path, outcome.place.start, outcome.place.end, outcome.message)
            known = self._found.get(key)
            site = _launch_site(outcome.launch)
            if known is None or site is None or _by_command(site) < _by_command(known.launch):
                found = diagnostic(rule, self._without_second_spelling(outcome))
                if known is None or _rank(found) < _rank(known):
                    self._found[key] = found

    def _without_second_spelling(self, finding: Finding) -> Finding:
        if finding.fix is None or finding.launch is None:
            return finding
        from relax_lint.fixers.proposed_flags import without_second_spelling

        return without_second_spelling(finding, self.project)

    # ------------------------------------------------------------ suppression

    def _silence(self) -> None:
        """Apply comments and per-file ignores; report the comments that nothing needs."""
        by_path: dict[Path, list[Diagnostic]] = {}
        for found in self.outcome.diagnostics:
            by_path.setdefault(found.path, []).append(found)
        unused = self.rules.get(UNUSED) if UNUSED in self.chosen else None
        for path in {**dict.fromkeys(self.scope.targets), **dict.fromkeys(by_path)}:
            here = by_path.get(path, [])
            if not here and unused is None:
                continue
            suppressor = self._suppressor(path, here)
            if suppressor is not None:
                suppressor.apply(here)
                self.outcome.without_reason += suppressor.without_reason
                if unused is not None and self.scope.is_target(path):
                    nothing = suppressor.unused(self._chosen, partial(self._decides, path))
                    idle = [diagnostic(unused, item) for item in (*suppressor.mistaken(self.rules), *nothing)]
                    suppressor.apply(idle)
                    self.outcome.diagnostics += idle
                    here = here + idle
            for files, codes in self._ignored(path):
                for found in here:
                    if found.suppressed is None and found.code in codes:
                        found.suppressed = f"per-file-ignores: {files}"

    @property
    def _chosen(self) -> list[Rule]:
        return [self.rules[code] for code in self.chosen]

    def _suppressor(self, path: Path, here: list[Diagnostic]) -> Suppressor | None:
        may_be_unused = self.project.holds(path, _MAY_BE_UNUSED)
        if not may_be_unused and not (here and self.project.holds(path, _MAY_SUPPRESS)):
            return None
        source = self.project.source(path)
        if source is None or (not may_be_unused and _speaks_of_others(source, here)):
            return None
        from relax_lint.suppression import Suppressor, directives

        return Suppressor(source, self.project.once(("directives", source), lambda: directives(source)))

    def _ignored(self, path: Path) -> Iterator[tuple[str, set[str]]]:
        for files, selectors in self.settings.per_file_ignores.items():
            if self.settings.matches(files, path):
                yield files, {code for selector in selectors for code in matching(selector, self.rules)}

    def _decides(self, path: Path) -> set[str]:
        """The rules that ran on a file and were in a position to find everything that they could find in it."""
        codes = {code for code, paths in self._ran.items() if path in paths and (code, path) not in self._undecided}
        recipe = self.project.recipe_of(path)
        if not is_followed_whole(self.scope, path):
            codes = set()
        elif recipe is None:
            # Whoever sources a shared file may be elsewhere; only what it launches itself is known here.
            launcher = self.project.launcher(path)
            alone = launcher is not None and bool(launcher.launches)
            codes = {code for code in codes if alone and self.rules[code].everywhere}
        elif not all(is_followed_whole(self.scope, launcher.path) for launcher in recipe.launchers):
            codes = {code for code in codes if self.rules[code].on in ("python", "yaml")}
        ignored = {code for _, found in self._ignored(path) for code in found}
        return codes - ignored


def _speaks_of_others(source: SourceFile, here: list[Diagnostic]) -> bool:
    """Whether each ``noqa`` of a Python file is in another statement of its top level than all that is found there."""
    body: list[Any] = getattr(getattr(source, "tree", None), "body", [])
    if not body or "\r" in source.text or any(one.end_lineno >= other.lineno for one, other in pairwise(body)):
        return False
    ends = [statement.end_lineno for statement in body]
    spoken_of = {bisect_left(ends, source.position(noqa.start())[0]) for noqa in _NOQA.finditer(source.text)}
    return spoken_of.isdisjoint(bisect_left(ends, found.line) for found in here)


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
        launch=_launch_site(finding.launch),
        subject=finding.subject,
        of_file=finding.of_file,
    )


def _launch_site(launch: Launch | None) -> Site | None:
    if launch is None:
        return None
    source = launch.site.source
    return Site(source.path, source.position(launch.site.start)[0], conditions=launch.conditions)


def _failure(rule: Rule, judged: Judged, problem: Exception) -> str:
    about = judged.origin or next(iter(sorted(judged.paths)), None)
    return f"{rule.code} {rule.name} failed on {about}: {fault(problem)}"


def fault(problem: Exception) -> str:
    """A crash of this program in one line that a maintainer can start from."""
    import traceback

    frame = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{type(problem).__name__}: {problem} ({Path(frame.filename).name}:{frame.lineno})"


def _identity(found: Diagnostic) -> tuple[object, ...]:
    return found.code, found.path, found.start, found.end, found.message


def _rank(found: Diagnostic) -> tuple[object, ...]:
    """The least of equal findings is told, whatever order they are judged in, and by which process; of those of one
    command, which are always judged together, the first."""
    if found.launch is not None:
        return _by_command(found.launch)
    fix = ("", False, "") if found.fix is None else (found.fix.title, found.fix.safe, found.fix.reason or "")
    related = tuple((str(note.path), note.line, note.message) for note in found.related)
    return *_by_command(None), found.severity.value, found.subject, related, fix


def _by_command(site: Site | None) -> tuple[str, int]:
    return ("", 0) if site is None else (str(site.path), site.line)


def _order(found: Diagnostic) -> tuple[str, int, int, str, str, int]:
    return str(found.path), found.line, found.column, found.code, found.message, found.end
