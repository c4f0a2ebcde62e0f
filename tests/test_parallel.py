"""Parts that are judged side by side give what one process gives."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from relax_lint import parallel
from relax_lint.cli import main
from relax_lint.diagnostics import Finding, Fix, Place, Related
from relax_lint.engine import Report, lint
from relax_lint.fixing import plans_of
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.shell.launch import Launch
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


def shared(recipes: int = 6) -> dict[str, str | bytes]:
    """Recipes of which all launch with the same faulty arguments, the heaviest last."""
    files: dict[str, str | bytes] = {"scripts/models/m.sh": "MODEL_ARGS=(--no-such-flag 1)\n"}
    for number in range(recipes):
        for copy in range(number + 1):
            files[f"examples/r{number}/run_{copy}.sh"] = (
                "source scripts/models/m.sh\n"
                'if [ -n "$B" ]; then python3 relax/entrypoints/train.py "${MODEL_ARGS[@]}"; fi\n'
                'if [ -n "$A" ]; then python3 relax/entrypoints/train.py "${MODEL_ARGS[@]}"; fi\n'
            )
    return files


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_launch_that_is_told_does_not_depend_on_the_number_of_processes(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in shared().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(str(text))
    monkeypatch.chdir(tmp_path)
    printed = []
    for jobs in (1, 2, 3, 4, 6):
        main(["check", f"-j{jobs}", "--no-cache", "--format", form, "."])
        printed.append(capsys.readouterr().out)
    assert "no-such-flag" in printed[0]
    assert "examples/r0/run_0.sh" in printed[0]
    assert set(printed) == {printed[0]}


def about_launches(launch: Launch, project: Project) -> Iterator[Finding]:
    """Something of each launch in a shared file, worded alike or not, with other notes each time."""
    path = launch.site.source.path
    source = project.text(MEMORY_ROOT / "scripts/models/m.sh")
    assert source is not None
    note = Related(launch.site, f"of {path.parent.name}")
    fix = Fix(f"as {path.parent.name}", list)
    yield Finding(Place(source, 0, 5), "alike", launch=launch, related=(note,), fix=fix)
    yield Finding(Place(source, 0, 5), "without a launch", subject=path.parent.name, related=(note,))
    yield Finding(Place(source, 0, 4 + len(path.parent.name)), f"of {path.parent.name}")
    if path.parent.name != "r0":
        raise KeyError(path.parent.name)


def test_what_launches_say_alike_is_told_as_of_the_first_whoever_judges_them() -> None:
    rules = by_code(toy("RLX199", "about-launches", about_launches, on="launch"))
    reports = []
    for jobs in (1, 2, 3, 4, 6):
        project = Project.from_files(shared())
        targets = [MEMORY_ROOT / path for path in sorted(shared())]
        reports.append(parallel.judge(project, targets, lambda part: lint(project, rules, targets=part), jobs=jobs))  # noqa: B023
    for report in reports:
        alike = next(found for found in report.diagnostics if found.message == "alike")
        assert alike.launch is not None
        assert (alike.launch.path, alike.launch.line) == (MEMORY_ROOT / "examples/r0/run_0.sh", 2)
        assert alike.fix is not None
        assert alike.fix.title == "as r0"
        assert told(report) == told(reports[0])
        assert [found.related for found in report.diagnostics] == [found.related for found in reports[0].diagnostics]
        assert report.failures == reports[0].failures
    assert len({found.fingerprint for found in reports[0].diagnostics}) == len(reports[0].diagnostics)


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
