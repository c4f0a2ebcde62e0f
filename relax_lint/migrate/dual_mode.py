"""A launcher of Relax that starts in one mode only, or in the wrong one, made to start in both as the guide wants it.

Several ways are tried, the one that changes least first. One is taken when the rules have nothing more against the
launcher than before, and the mode that there was passes what it passed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Diagnostic, Edit, Severity
from relax_lint.migrate.mode_branches import Branch, NotDecided, branch
from relax_lint.migrate.mode_line import mode_lines, usual_names
from relax_lint.migrate.mode_statement import as_case, beside, both, refusing
from relax_lint.recipe_kinds import trains
from relax_lint.shell.queries import Way, start_of, way_of

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource

DUAL_MODE = "RLX405"
_REFUSED = "RLX505"
_CONSTRAINT = re.compile(r" \[[\w-]+\]\Z")
_CASES: tuple[tuple[tuple[str, ...], str | None, Way], ...] = (
    ((), None, "sync"),
    (("async",), None, "async"),
)
_WRITERS: tuple[Callable[[LauncherSource, Launch, Branch, Way], list[Edit]], ...] = (both, as_case, beside)


def made_dual(launcher: LauncherSource, project: Project) -> bytes | str:
    """The launcher's text for both modes, or why it is left."""
    return _Making(launcher, project).run()


class _Making:
    def __init__(self, launcher: LauncherSource, project: Project) -> None:
        self.launcher, self.project = launcher, project
        self.before = {_said(found) for found in _grave(launcher.path, project)}
        self.launches = [launch for launch in launcher.launches if trains(launch)]
        self.refusal = self.fault = ""

    def run(self) -> bytes | str:
        reason = "the mode is decided in a way that no small edit changes"
        try:
            for edits, writes in self._candidates():
                after = self._accepted(edits, writes=writes)
                if after is not None:
                    return after
        except NotDecided as problem:
            reason = str(problem)
        return f"the launcher would have another fault, {self.fault}" if self.fault else reason

    # ------------------------------------------------------------ what is tried

    def _candidates(self) -> Iterator[tuple[list[Edit], bool]]:
        """The edits, and whether launches are written by them or only reached."""
        lines = [[], *mode_lines(self.launcher)]
        names = usual_names(self.launcher)
        ways = {way_of(launch) for launch in self.launches}
        heads = [*lines, *([*line, *names] for line in lines if names)]
        yield from ((head, False) for head in heads)
        if len(ways) > 1:
            return
        missing: Way = "async" if ways == {"sync"} else "sync"
        undecided: NotDecided | None = None
        for write in self._writers(missing):
            try:
                branches = write()
            except NotDecided as problem:
                undecided = undecided or problem
                continue
            for head in heads:
                yield [*head, *branches], True
        if missing == "async" and self.refusal:
            reason = self.refusal
            guards = [edit for launch in self._sites() for edit in refusing(self.launcher, launch, missing, reason)]
            for head in heads:
                yield [*head, *guards], True
        elif undecided is not None:
            raise undecided

    def _writers(self, way: Way) -> Iterator[Callable[[], list[Edit]]]:
        made: dict[Launch, Branch] = {}
        for launch in self._sites():
            found = branch(launch, way)
            if isinstance(found, str):
                self.refusal = found
                return
            made[launch] = found
        for write in _WRITERS:
            yield lambda write=write: [  # type: ignore[misc]
                edit for launch, each in made.items() for edit in write(self.launcher, launch, each, way)
            ]

    def _sites(self) -> list[Launch]:
        """One launch of each place."""
        return list({start_of(launch): launch for launch in reversed(self.launches)}.values())[::-1]

    # ------------------------------------------------------------ what is taken

    def _accepted(self, edits: Sequence[Edit], *, writes: bool) -> bytes | None:
        from relax_lint.fixing import apply_edits

        if not edits or _overlap(edits):
            return None
        data = apply_edits(self.launcher, edits)
        after = self.project.with_changes({self.launcher.path: data})
        launcher = after.launcher(self.launcher.path)
        if launcher is None or len(launcher.script.problems) > len(self.launcher.script.problems):
            return None
        found = list(_grave(launcher.path, after))
        worse = [each for each in found if each.code == DUAL_MODE or (writes and _said(each) not in self.before)]
        if worse:
            refused = (_CONSTRAINT.sub("", each.message) for each in worse if each.code == _REFUSED)
            self.refusal = self.refusal or next(refused, "")
            self.fault = self.fault or next((f"{one.code} {one.message}" for one in worse if one.code != DUAL_MODE), "")
            return None
        return data if self._keeps(launcher) else None

    def _keeps(self, after: LauncherSource) -> bool:
        """Whether the modes that there were pass what they passed, in whatever order."""
        ways = {way_of(launch) for launch in self.launches}
        for args, mode, way in _CASES:
            if way not in ways:
                continue
            now = [launch for launch in after.evaluate_with(args, {"MODE": mode}).launches if trains(launch)]
            was = [launch for launch in self.launches if way_of(launch) == way]
            known = [sorted(_texts(launch)) for launch in was]
            if not now or any(sorted(_texts(launch)) not in known for launch in now):
                return False
        return True


def _texts(launch: Launch) -> list[str]:
    """The words of a launch; what is not known, and so may be spelt in several ways, is left out."""
    return [word.text for word in launch.argv if word.known]


def _grave(path: Path, project: Project) -> Iterator[Diagnostic]:
    from relax_lint.engine import lint
    from relax_lint.rules import load_rules

    report = lint(project, load_rules(), targets=[path])
    return (found for found in report.standing if found.path == path and found.severity is not Severity.ADVICE)


def _said(found: Diagnostic) -> tuple[str, str]:
    return found.code, found.message


def _overlap(edits: Sequence[Edit]) -> bool:
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    return any(first.end > second.start for first, second in pairwise(ordered))
