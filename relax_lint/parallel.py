"""Judge the parts of a project side by side, in forked processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint import looks
from relax_lint.diagnostics import Diagnostic, Edit, Fix
from relax_lint.discovery import is_launcher
from relax_lint.fingerprints import identify_all

if TYPE_CHECKING:
    from relax_lint.engine import Report
    from relax_lint.project import Project

WORTH_A_PROCESS = 24
"""Launchers below which starting a process takes longer than it saves."""


class WorkerFailed(Exception):
    """A process that judged a part of a project did not come to its end; the message says what happened."""


class KnownEdits:
    """Edits that are worked out already, so that a fix can travel between processes."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = tuple(edits)

    def __call__(self) -> Sequence[Edit]:
        """The edits."""
        return self._edits


def default_jobs() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def judge(
    project: Project,
    targets: Sequence[Path],
    run: Callable[[Sequence[Path]], Report],
    *,
    jobs: int | None = None,
    want_edits: bool = False,
) -> Report:
    """The merged report of ``run`` over the parts of ``targets``: one a process, this process taking the first."""
    launchers = sum(is_launcher(path, project.files) for path in targets)
    jobs = min(default_jobs(), max(1, launchers // (WORTH_A_PROCESS // 2))) if jobs is None else jobs
    parts = partition(project, targets, jobs)
    if len(parts) < 2 or not hasattr(os, "fork"):
        return run(targets)
    project.catalogue  # noqa: B018 - worked out once, not by every process
    children = [_Child(lambda part=part: _portable(run(part), want_edits)) for part in parts[1:]]  # type: ignore[misc]
    try:
        report = run(parts[0])
        for child in children:
            report.merge(child.result())
    finally:
        for child in children:
            child.close()
    report.sort()
    identify_all(report.diagnostics, project.root)  # each part has counted its own equals alone
    return report


def partition(project: Project, targets: Sequence[Path], count: int) -> list[list[Path]]:
    """At most ``count`` parts of about the same weight. A recipe is never split: its files are judged together."""
    units: dict[Path, list[Path]] = {}
    for path in targets:
        recipe = project.recipe_of(path)
        units.setdefault(path if recipe is None else recipe.directory, []).append(path)
    heaps: list[tuple[int, list[Path]]] = [(0, []) for _ in range(max(1, min(count, len(units))))]
    for paths in sorted(units.values(), key=lambda paths: (-_weight(paths), str(paths[0]))):
        lightest = min(range(len(heaps)), key=lambda index: heaps[index][0])
        weight, taken = heaps[lightest]
        heaps[lightest] = (weight + _weight(paths), taken + paths)
    return [sorted(taken, key=str) for _, taken in heaps if taken]


def _weight(paths: Sequence[Path]) -> int:
    """What judging takes, more or less: a launcher is evaluated, which costs several times a parse."""
    return sum(1 if path.suffix == ".py" else 4 for path in paths)


def _portable(report: Report, want_edits: bool) -> Report:
    report.keep_real_fixes()
    for found in report.diagnostics:
        if found.fix is not None:
            found.fix = _portable_fix(found, want_edits)
    return report


def _portable_fix(found: Diagnostic, want_edits: bool) -> Fix:
    assert found.fix is not None
    edits = KnownEdits(found.fix.edits() if want_edits else ())
    return found.fix._replace(edits=edits, why_not=None, note=None, may_migrate=None)


class _Child:
    """A forked process that computes one value and hands it back."""

    def __init__(self, compute: Callable[[], object]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        reading, writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(reading)
            _answer(writing, compute)
        os.close(writing)
        self._stream = os.fdopen(reading, "rb")

    def result(self) -> Report:
        from pickle import loads

        data = self._stream.read()
        if not data:
            raise WorkerFailed("a process that judged a part was ended from outside; -j 1 does without it")
        answer, seen = loads(data)
        if isinstance(answer, BaseException):
            raise answer
        noted = looks.noted()
        if noted is not None and seen is not None:
            noted.merge(seen)
        report: Report = answer
        return report

    def close(self) -> None:
        self._stream.close()
        os.waitpid(self._pid, 0)


def _answer(descriptor: int, compute: Callable[[], object]) -> None:
    """Compute, write the answer, and leave without running anything that belongs to the parent."""
    from pickle import HIGHEST_PROTOCOL, dumps

    status = 1
    try:
        try:
            data = dumps((compute(), looks.noted()), HIGHEST_PROTOCOL)
        except MemoryError:
            data = dumps((WorkerFailed("out of memory in one of several processes; -j 1 needs less"), None))
        except Exception as problem:
            data = dumps((RuntimeError(f"{type(problem).__name__}: {problem}"), None))
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        status = 0
    finally:
        os._exit(status)
