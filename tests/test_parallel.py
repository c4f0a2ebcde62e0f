"""Parts that are judged side by side give what one process gives."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from relax_lint import parallel
from relax_lint.engine import Report, lint
from relax_lint.fixing import plans_of
from relax_lint.project import MEMORY_ROOT, Project
from tests.toy_rules import by_code, toy, word_rule

RULES = by_code(
    word_rule("RLX101", "bad", replacement="good"),
    word_rule("RLX401", "bad", on="launcher", everywhere=True, replacement="good"),
)


def tree(recipes: int = 6) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    for number in range(recipes):
        files[f"examples/r{number}/reward.py"] = "bad\nunknown_bad\n"
        files[f"examples/r{number}/run.sh"] = "source scripts/shared.sh\necho bad\n"
        files[f"scripts/training/run_{number}.sh"] = "bad\n"
    files["scripts/shared.sh"] = "echo bad\n"
    return files


def judged(jobs: int, *, want_edits: bool = True) -> Report:
    project = Project.from_files(tree())
    targets = [MEMORY_ROOT / path for path in sorted(tree())]

    def run(part: Sequence[Path]) -> Report:
        return lint(project, RULES, targets=part)

    return parallel.judge(project, targets, run, jobs=jobs, want_edits=want_edits)


def told(report: Report) -> list[tuple[object, ...]]:
    return [(found.path, found.line, found.code, found.message, found.fingerprint) for found in report.diagnostics]


@pytest.mark.parametrize("jobs", [2, 3, 8, 100])
def test_the_outcome_does_not_depend_on_the_number_of_processes(jobs: int) -> None:
    alone, together = judged(1), judged(jobs)
    assert told(together) == told(alone)
    assert together.not_checked == alone.not_checked
    assert (together.files, together.recipes, together.launches) == (alone.files, alone.recipes, alone.launches)
    edits = [[plan.edits for plan in plans_of(report, unsafe=False)] for report in (alone, together)]
    assert edits[0] == edits[1]


def test_a_recipe_is_never_split() -> None:
    project = Project.from_files(tree())
    parts = parallel.partition(project, [MEMORY_ROOT / path for path in tree()], 4)
    assert len(parts) == 4
    assert sorted(path for part in parts for path in part) == sorted(MEMORY_ROOT / path for path in tree())
    for number in range(6):
        holders = [part for part in parts if any(f"r{number}" in path.parts for path in part)]
        assert len(holders) == 1


def test_what_fails_in_a_worker_is_reported() -> None:
    def fails(subject: object, project: Project) -> list[object]:
        raise KeyError("x")

    project = Project.from_files(tree())
    targets = [MEMORY_ROOT / path for path in tree()]
    rules = by_code(toy("RLX199", "fails", fails))
    report = parallel.judge(project, targets, lambda part: lint(project, rules, targets=part), jobs=3)
    assert len(report.failures) == 6

    def explodes(part: Sequence[Path]) -> Report:
        if targets[0] not in part:
            raise OSError("disk on fire")
        return lint(project, rules, targets=part)

    with pytest.raises(RuntimeError, match="OSError: disk on fire"):
        parallel.judge(project, targets, explodes, jobs=3)


def test_a_worker_that_is_ended_or_runs_out_of_memory_is_said() -> None:
    project = Project.from_files(tree())
    targets = [MEMORY_ROOT / path for path in tree()]

    def judge(ends: Callable[[], object]) -> None:
        def run(part: Sequence[Path]) -> Report:
            if targets[0] not in part:
                ends()
            return Report()

        parallel.judge(project, targets, run, jobs=3)

    with pytest.raises(parallel.WorkerFailed, match="ended from outside"):
        judge(lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(parallel.WorkerFailed, match="out of memory"):
        judge(lambda: [0] * sys.maxsize)
