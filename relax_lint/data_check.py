"""All rows of datasets, read once: what their columns hold, and what the data rules say of every row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.catalog.hidden import is_hidden
from relax_lint.data_arguments import DataArguments
from relax_lint.data_path_faults import line_faults, own_faults
from relax_lint.data_paths import DataPlan, plan_of
from relax_lint.data_profile import Profile
from relax_lint.datasets import EVAL, TRAIN, DatasetUse, datasets_of, files_of, use_instead
from relax_lint.report import shown_path
from relax_lint.row_judges import KINDS, RowJudge
from relax_lint.sources.parquet import Unreadable

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.report.progress import Progress
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.dataset import DataFile


class Examined:
    """A dataset as it is named on the command line: what its columns hold, and why files could not be read."""

    def __init__(self, spec: str, project: Project, directory: Path) -> None:
        self.spec = spec
        self.project = project
        self.directory = directory
        self.profile = Profile()
        self.problems: list[str] = []
        self.uses: list[DatasetUse] = []

    @cached_property
    def plan(self) -> DataPlan:
        """The files and rows that it names."""
        closed = self.project.files.unlistable
        before = set(closed)
        plan = plan_of(self.spec, self.directory, self.project.files)
        self.problems += [
            f"{shown_path(path)} cannot be looked into: {why}" for path, why in closed.items() if path not in before
        ]
        return plan

    @property
    def missing(self) -> list[str]:
        """Files that are not there."""
        return [named.text for named in self.plan.paths if not named.text or not self.project.exists(named.path)]

    @cached_property
    def files(self) -> list[DataFile]:
        """The files that are there and of a kind that Relax loads."""
        return files_of(self.plan, self.project)

    # ------------------------------------------------------------ as a launch reads it

    def read_as(self, launches: Iterable[Launch]) -> None:
        """Have it judged as the launches read it that name it, by its path or at least its name; where none does, as
        what they train on."""
        paths = {named.path for named in self.plan.paths}
        names = {path.name for path in paths}
        uses = {launch: datasets_of(launch, self.project) for launch in launches}
        same = {launch: _first(known, lambda path: path in paths) for launch, known in uses.items()}
        alike = {launch: _first(known, lambda path: path.name in names) for launch, known in uses.items()}
        naming = next((found for found in (same, alike) if any(found.values())), None)
        if naming is None and any(map(self._is_for_evaluation, uses)):
            uses = {launch: known for launch, known in uses.items() if self._is_for_evaluation(launch)}
        self.uses = [
            self._use(launch, None if naming is None else naming[launch])
            for launch in uses
            if naming is None or naming[launch] is not None
        ]

    def _use(self, launch: Launch, named: DatasetUse | None) -> DatasetUse:
        if named is not None:
            use = DatasetUse(named.arguments, named.role, named.argument, self.spec)
            use.name, use.given = named.name, named.given
        else:
            arguments = DataArguments(launch, self.project)
            evaluated = self._is_for_evaluation(launch)
            argument = launch.last(EVAL if evaluated else TRAIN)
            use = DatasetUse(arguments, "eval" if evaluated else "train", argument, self.spec)
        use.directory = self.directory
        return use

    def _is_for_evaluation(self, launch: Launch) -> bool:
        argument = launch.last(EVAL)
        words = () if argument is None else argument.own_values
        names = "|".join(re.escape(named.path.name) for named in self.plan.paths)
        whole = re.compile(rf"(?<![^/'\"\[(,\s])(?:{names})(?![^@'\"\]),\s])")
        return any(whole.search(word.text) for word in words if names)

    # ------------------------------------------------------------ reading

    def read(self, progress: Progress) -> None:
        """Read all rows."""
        if self.plan.paths or not self.problems:
            self.problems += [message for message, _ in own_faults(self.plan, self.project)]
        judges = [judge for use in self.uses for judge in _judges(use)]
        for file in self.files:
            with suppress(Unreadable):
                self._read(file, judges, progress)
            if file.problem is not None:
                self.problems.append(f"{file.text} cannot be read: {file.problem}")
        if not self.uses:  # else RLX702 says it, of every launch
            self.problems += [message for file in self.files for message, _ in line_faults(file)]
            if self.files and not self.profile.rows and not self.problems:
                self.problems.append("there are no rows")

    def _read(self, file: DataFile, judges: Sequence[RowJudge], progress: Progress) -> None:
        number = file.bounds[0]
        try:
            for batch in file.batches():
                for row in batch:
                    number += 1
                    self.profile.add(row)
                    for judge in judges:
                        judge.take(row, file, number)
                progress.show(file.text, file.share_read(number), self.profile.rows)
        except Unreadable as problem:
            file.problem = file.problem or str(problem)


def _first(known: Iterable[DatasetUse], wanted: Callable[[Path], bool]) -> DatasetUse | None:
    """The first dataset of a launch with a file that is wanted."""
    return next((use for use in known if any(wanted(named.path) for named in use.plan.paths)), None)


def _judges(use: DatasetUse) -> list[RowJudge]:
    """The judges that have something to look for; they stay with the dataset for the rules to ask."""
    for kind in KINDS:
        judge = kind(use)
        if judge.applies and not any(is_hidden(getattr(use.keys, key)) for key in kind.needs):
            use.judges[kind] = judge
    return list(use.judges.values())


def judge_instead(examined: Sequence[Examined], project: Project) -> None:
    """Make these the datasets of the launches, for the rules."""
    by_launch: dict[Launch, list[DatasetUse]] = {}
    for one in examined:
        for use in one.uses:
            by_launch.setdefault(use.launch, []).append(use)
    for launch, uses in by_launch.items():
        use_instead(launch, project, uses)
