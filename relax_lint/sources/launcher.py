"""A bash launcher: its text, its syntax tree, and what it launches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.kept import kept_property, note
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.courses import Course
    from relax_lint.shell.evaluate import Evaluation
    from relax_lint.shell.launch import Launch


class LauncherSource(ScriptFile):
    """A script of a project; files that it sources come from the same project."""

    def __init__(self, path: Path, data: bytes, project: Project) -> None:
        super().__init__(path, data)
        self.project = project

    @kept_property
    def evaluation(self) -> Evaluation:
        """What the script can launch when nothing is known of its environment but the configured site variables."""
        found = self.evaluate_with(None, {})
        for source in (self, *found.sourced):
            note(source.path)  # what sourcing a file does may be known from another launcher
        return found

    @property
    def launches(self) -> list[Launch]:
        """Every launch of a training, one for each call site and argv."""
        return self.evaluation.launches

    def sources(self, path: Path) -> bool:
        """Whether it sources a file."""
        if "evaluation" not in vars(self) and not self.project.reach.may_reach(self.path, (path,)):
            return False
        return any(source.path == path for source in self.evaluation.sourced)

    def evaluate_each(self, calls: Iterable[tuple[Sequence[str], Mapping[str, str | None]]]) -> list[Evaluation]:
        """What the script can launch in each of several ways to call it, with these arguments and variables."""
        from relax_lint.shell.courses import Course

        courses: list[Course] = []
        found = []
        for args, env in calls:
            courses.append(Course(courses))
            found.append(self.evaluate_with(args, env, course=courses[-1]))
        return found

    def evaluate_with(
        self,
        args: Sequence[str] | None,
        env: Mapping[str, str | None],
        *,
        trainings_succeed: bool = False,
        course: Course | None = None,
    ) -> Evaluation:
        """What the script can launch with these arguments (None: not known) and variables (None: certainly unset);
        ``trainings_succeed``: without what it does when a training fails."""
        from relax_lint.shell.evaluate import Reading, evaluate

        reading = Reading(
            env={**self.project.settings.env, **env},
            args=None if args is None else tuple(args),
            root=self.project.root,
            read=self.project.launcher,
            memory=self.project.shell_memory,
            only_trainings=True,
            trainings_succeed=trainings_succeed,
        )
        return evaluate(self, reading, course)
