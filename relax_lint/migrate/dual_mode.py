"""A launcher of Relax that starts in one mode only, or in the wrong one, made to start in both as the guide wants it.

Several ways are tried, the one that changes least first. One is taken when the rules have nothing more against the
launcher than before, and the mode that there was passes what it passed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Diagnostic, Edit, Fix, Severity
from relax_lint.migrate.mode_arguments import assignments, is_behind_others, other_calls, other_meaning, reads_otherwise
from relax_lint.migrate.mode_branches import Branch, NotDecided, branch
from relax_lint.migrate.mode_line import NO_MODE, further_modes, is_guarded, mode_lines, usual_names
from relax_lint.migrate.mode_statement import as_case, beside, both, refusing
from relax_lint.recipe_kinds import trains
from relax_lint.records import record
from relax_lint.shell.nodes import Word
from relax_lint.shell.queries import Way, start_of, way_of

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.engine import Report
    from relax_lint.project import Project
    from relax_lint.shell.evaluate import Evaluation
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource

DUAL_MODE = "RLX405"
_REFUSED = "RLX505"
_APART = ("--fully-async", "--hybrid")
_CONSTRAINT = re.compile(r" \[[\w-]+\]\Z")
_CASES: tuple[tuple[tuple[str, ...], str | None, Way], ...] = (
    ((), None, "sync"),
    (("sync",), None, "sync"),
    ((), "sync", "sync"),
    (("async",), None, "async"),
    ((), "async", "async"),
)
_BY_ITSELF = {"sync": ((), None), "async": ((), "async")}
"""How each mode is asked for without a word that a launcher may take for something else."""
_Passed = list[str]
_Done = tuple[list[_Passed], list[str], object]
_Call = tuple[tuple[str, ...], dict[str, str | None]]
_UNDECIDED = (
    "the mode is decided in a way that no small edit changes: have MODE, and nothing else, say which of two branches "
    "launches"
)
_READ_OTHERWISE = (
    "its arguments are read for something else than the mode: take the mode off them first, as by "
    'case "${1:-}" in sync | async) MODE=$1; shift ;; esac'
)
_LOST = (
    "asked for {} it would start something else, without a word: have it ask for sync and async, and refuse what is "
    "none of its modes"
)
_WRITERS: tuple[Callable[[LauncherSource, Launch, Branch, Way], list[Edit]], ...] = (both, as_case, beside)


@record
class Dual:
    """A launcher's text for both modes; ``guess`` is what was chosen for the one that it had not."""

    text: bytes
    guess: str = ""


@record
class _Candidate:
    """Edits; ``writes`` says whether launches are written by them or only reached."""

    edits: tuple[Edit, ...]
    writes: bool = False
    guess: str = ""


def made_dual(launcher: LauncherSource, project: Project) -> Dual | str:
    """The launcher for both modes, or why it is left."""
    return _Making(launcher, project).run()


def fix_of(launcher: LauncherSource, project: Project, unasked: set[Way]) -> Fix:
    """The fix of a launcher that has not both modes: ``unasked`` are those that it starts by itself. What all rules
    have against it is found out when it is made."""
    title = "start sync by default, and both modes by argument or MODE"
    may_migrate = cache(_Making(launcher, project).may_succeed)
    if unasked == {"sync"}:
        return Fix(title, tuple, migrates=True, may_migrate=may_migrate)
    reason = f"it starts {' or '.join(sorted(unasked)) or 'nothing'} today when no mode is asked for, and sync then"
    return Fix(title, tuple, safe=False, reason=reason, migrates=True, may_migrate=may_migrate)


def started_unasked(launcher: LauncherSource) -> set[Way]:
    """The modes that a launcher may start without an argument and without MODE."""
    return {way_of(launch) for launch in launcher.evaluate_with((), {"MODE": None}).launches if trains(launch)}


class _Making:
    def __init__(self, launcher: LauncherSource, project: Project) -> None:
        self.launcher, self.project = launcher, project
        self.launches = [launch for launch in launcher.launches if trains(launch)]
        self.refusal = self.fault = self.lost = ""

    @cached_property
    def before(self) -> set[tuple[str, str]]:
        """What the rules have against the launcher as it is."""
        return {_said(found) for found in _grave(_report(self.launcher.path, self.project), self.launcher.path)}

    def may_succeed(self) -> bool:
        """Whether there are edits for both modes. What the launcher starts with them takes many evaluations to see, so
        only those who make them look."""
        if other_meaning(self.launcher) is not None:
            return False
        if is_behind_others(self.launcher) and reads_otherwise(self.launcher):
            return False
        heads = list(self._heads()) if len(self._ways) > 1 or self._is_fixed() else [[]]
        try:
            return any(self._may_do(candidate.edits) for candidate in self._candidates(heads))
        except NotDecided:
            return False

    def _may_do(self, edits: Sequence[Edit]) -> bool:
        """Whether edits can be made, and leave no name of a mode to be taken for the other one without a word."""
        renames = any(edit in edits for edit in usual_names(self.launcher))
        return _fits(edits) and (not renames or is_guarded(edits) or self._refuses_no_mode)

    @cached_property
    def _refuses_no_mode(self) -> bool:
        return all(map(_refuses, _done(self.launcher, [((NO_MODE,), {"MODE": NO_MODE})])))

    def run(self) -> Dual | str:
        meaning = other_meaning(self.launcher)
        if meaning is not None:
            return (
                f"MODE is {meaning} here, and none of sync and async: give that variable another name, so that MODE "
                "can be the mode to start in"
            )
        reason = ""
        try:
            for candidate in self._candidates(list(self._heads())):
                after = self._accepted(candidate)
                if after is not None:
                    return Dual(after, candidate.guess)
        except NotDecided as problem:
            reason = str(problem)
        if self.fault:
            return f"the launcher would have another fault, {self.fault}"
        if self.lost:
            return _LOST.format(self.lost)
        return reason or (_READ_OTHERWISE if reads_otherwise(self.launcher) else _UNDECIDED)

    def _is_fixed(self) -> bool:
        """Whether it launches in one mode because it sets the mode itself."""
        written = any(
            flag in source.text for source in (self.launcher, *self.launcher.evaluation.sourced) for flag in _APART
        )
        return written and any(
            each.name == "MODE" and isinstance(each.value, Word) and each.value.literal is not None
            for each in assignments(self.launcher)
        )

    # ------------------------------------------------------------ what is tried

    @cached_property
    def _ways(self) -> set[Way]:
        return {way_of(launch) for launch in self.launches}

    def _heads(self) -> Iterator[list[Edit]]:
        """The ways to have the mode asked for as the guide wants it."""
        lines = [[], *mode_lines(self.launcher)]
        names = usual_names(self.launcher)
        yield from lines
        if names:
            yield from ([*line, *names] for line in lines)

    def _candidates(self, heads: Sequence[list[Edit]]) -> Iterator[_Candidate]:
        yield from (_Candidate(tuple(head)) for head in heads)
        if len(self._ways) > 1:
            return
        missing: Way = "async" if self._ways == {"sync"} else "sync"
        undecided: NotDecided | None = None
        for number, write in enumerate(self._writers(missing)):
            try:
                branches, guess = write()
            except NotDecided as problem:
                undecided = problem if number == 0 else undecided
                continue
            for head in heads:
                yield _Candidate((*head, *branches), writes=True, guess=guess)
        if missing == "async" and self.refusal:
            reason = self.refusal
            guards = [edit for launch in self._sites() for edit in refusing(self.launcher, launch, missing, reason)]
            for head in heads:
                yield _Candidate((*head, *guards), writes=True)
        elif undecided is not None:
            raise undecided

    def _writers(self, way: Way) -> Iterator[Callable[[], tuple[list[Edit], str]]]:
        """What writes the launches of a mode, and says how their GPUs were chosen."""
        made: dict[Launch, Branch] = {}
        for launch in self._sites():
            found = branch(launch, way)
            if isinstance(found, str):
                self.refusal = found
                return
            made[launch] = found
        gpus = "; ".join(dict.fromkeys(each.gpus for each in made.values()))
        guess = f"the GPUs of the {way} mode that it has now are a guess: {gpus}"
        for write in _WRITERS:
            yield lambda write=write: (  # type: ignore[misc]
                [edit for launch, each in made.items() for edit in write(self.launcher, launch, each, way)],
                guess,
            )

    def _sites(self) -> list[Launch]:
        """One launch of each place."""
        return list({start_of(launch): launch for launch in reversed(self.launches)}.values())[::-1]

    # ------------------------------------------------------------ what is taken

    def _after(self, edits: Sequence[Edit]) -> tuple[bytes, LauncherSource] | None:
        """The launcher after edits, if they can be made and leave a script."""
        from relax_lint.fixing import apply_edits

        if not _fits(edits):
            return None
        data = apply_edits(self.launcher, edits)
        launcher = self.project.with_changes({self.launcher.path: data}).launcher(self.launcher.path)
        if launcher is None or len(launcher.script.problems) > len(self.launcher.script.problems):
            return None
        return data, launcher

    def _accepted(self, candidate: _Candidate) -> bytes | None:
        after = self._after(candidate.edits)
        if after is None:
            return None
        data, launcher = after
        report = _report(launcher.path, launcher.project)
        if any(silence.code == DUAL_MODE and silence.path == launcher.path for silence in report.not_checked):
            return None
        found = list(_grave(report, launcher.path))
        worse = [
            each for each in found if each.code == DUAL_MODE or (candidate.writes and _said(each) not in self.before)
        ]
        if worse:
            refused = (_CONSTRAINT.sub("", each.message) for each in worse if each.code == _REFUSED)
            self.refusal = self.refusal or next(refused, "")
            self.fault = self.fault or next((f"{one.code} {one.message}" for one in worse if one.code != DUAL_MODE), "")
            return None
        return data if self._keeps(launcher) else None

    def _keeps(self, after: LauncherSource) -> bool:
        """Whether each mode that there was is started where it is asked for, and no other, and passes what it passed,
        in whatever order; and whether all other arguments do what they did."""
        started: dict[Way, list[_Passed]] = {}
        for way, outcome in zip(
            (way for *_, way in _CASES),
            after.evaluate_each((args, {"MODE": mode}) for args, mode, _ in _CASES),
            strict=True,
        ):
            now = _trainings(outcome)
            if outcome.too_complex is not None or any(way_of(launch) != way for launch in now):
                return False
            if (not now and way in self._ways) or started.setdefault(way, _passed(now)) != _passed(now):
                return False
        known = self.before_by_way
        if any(started[way] != passed for way, passed in known.items()):
            return False
        said = [_known_words(launch) for launch in self.launches]
        if any(words not in said for way in self._ways - known.keys() for words in started[way]):
            return False
        return self._does_with_others(after) == self.before_with_others and self._heeds_further_modes(after)

    def _heeds_further_modes(self, after: LauncherSource) -> bool:
        """Whether each word for a mode that there was starts what it started, or is refused where that trained."""
        now = _done(after, [call for _, call, _ in self.before_by_word])
        for (word, _, before), done in zip(self.before_by_word, now, strict=True):
            if done != before and not (before[0] and _refuses(done)):
                self.lost = word
                return False
        return True

    @cached_property
    def before_by_way(self) -> dict[Way, list[_Passed]]:
        """What the launcher as it is passes where it starts a mode that is asked for."""
        found: dict[Way, list[_Passed]] = {}
        for way in self._ways:
            args, mode = _BY_ITSELF[way]
            now = _trainings(self.launcher.evaluate_with(args, {"MODE": mode}))
            if now and all(way_of(launch) == way for launch in now):
                found[way] = _passed(now)
        return found

    @cached_property
    def before_with_others(self) -> list[_Done]:
        return self._does_with_others(self.launcher)

    def _does_with_others(self, launcher: LauncherSource) -> list[_Done]:
        """What a launcher starts, or how it ends, with arguments that are no mode."""
        return _done(launcher, [(call, {"MODE": None}) for call in other_calls(self.launcher)])

    @cached_property
    def before_by_word(self) -> list[tuple[str, _Call, _Done]]:
        """What the launcher as it is does with each further word for a mode: as its argument, and as MODE if it looks
        at that."""
        words = further_modes(self.launcher)
        calls: list[tuple[str, _Call]] = [(word, ((word,), {"MODE": None})) for word in words]
        by_variable: list[tuple[str, _Call]] = [(word, ((), {"MODE": word})) for word in words]
        unasked, *asked = _done(self.launcher, [((), {"MODE": None}), *(call for _, call in by_variable)])
        if any(done != unasked for done in asked):
            calls += by_variable
        done = _done(self.launcher, [call for _, call in calls])
        return [(word, call, each) for (word, call), each in zip(calls, done, strict=True)]


def _done(launcher: LauncherSource, calls: Sequence[_Call]) -> list[_Done]:
    """What a launcher starts in each of several ways to call it, or how it ends."""
    return [
        (_passed(now), [] if now else sorted({str(status) for _, status in outcome.exits}), outcome.too_complex)
        for outcome in launcher.evaluate_each(calls)
        for now in [_trainings(outcome)]
    ]


def _refuses(done: _Done) -> bool:
    started, statuses, too_complex = done
    return too_complex is None and not started and bool(statuses) and "0" not in statuses


def _trainings(outcome: Evaluation) -> list[Launch]:
    return [launch for launch in outcome.launches if trains(launch)]


def _passed(launches: Sequence[Launch]) -> list[_Passed]:
    return sorted(map(_known_words, launches))


def _known_words(launch: Launch) -> _Passed:
    """The words of a launch in one order; what is not known, and so may be spelt in several ways, is left out."""
    return sorted(word.text for word in launch.argv if word.known)


def _report(path: Path, project: Project) -> Report:
    from relax_lint.engine import lint
    from relax_lint.rules import load_rules

    return lint(project, load_rules(), targets=[path])


def _grave(report: Report, path: Path) -> Iterator[Diagnostic]:
    return (found for found in report.standing if found.path == path and found.severity is not Severity.ADVICE)


def _said(found: Diagnostic) -> tuple[str, str]:
    return found.code, found.message


def _fits(edits: Sequence[Edit]) -> bool:
    """Whether there are edits, which can be made together."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    return bool(edits) and all(first.end <= second.start for first, second in pairwise(ordered))
