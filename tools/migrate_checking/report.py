"""What the migrations of many launchers came to, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tools.migrate_checking.results import STEPS, Result

_SHOWN = 300


def table(results: Sequence[Result]) -> Iterator[str]:
    """The whole report."""
    yield from _launchers(results)
    yield from _refusals(results)
    yield from _failures(results)
    yield from _counts(results)


def as_data(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [asdict(result) for result in results]


def _launchers(results: Iterable[Result]) -> Iterator[str]:
    width = max((len(result.script) for result in results), default=0)
    for result in results:
        modes = {**dict.fromkeys(result.refused, "-"), **Counter(ran.mode for ran in result.ran)}
        shown = " ".join(f"{mode} {count}" for mode, count in modes.items())
        wrong = ", ".join(f"{count} {step}" for step, count in _steps([result]).items())
        verdict = wrong or ("" if result.end == "crashed" else "right")
        yield f"{result.script:{width}}  {result.end:9}{shown:30}{verdict}".rstrip()


def _refusals(results: Iterable[Result]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for result in results:
        if result.end == "refused":
            reasons.setdefault(result.reason, []).append(result.script)
    yield ""
    yield f"refused: {sum(map(len, reasons.values()))}"
    for reason, scripts in sorted(reasons.items(), key=lambda item: -len(item[1])):
        yield f"  {len(scripts)}: {reason[:_SHOWN]}"
        yield from (f"       {script}" for script in scripts)


def _failures(results: Iterable[Result]) -> Iterator[str]:
    yield ""
    for result in results:
        if result.end == "crashed":
            yield f"{result.script}: crashed: {result.reason}"
        for failure in result.failures:
            yield f"{result.script}: {failure.step}: {failure.text[:_SHOWN]}"


def _counts(results: Sequence[Result]) -> Iterator[str]:
    ends = Counter(result.end for result in results)
    wrong = sum(bool(result.failures) or result.end == "crashed" for result in results)
    ran = Counter(run.mode for result in results for run in result.ran)
    refused = Counter(mode for result in results for mode in result.refused)
    yield ""
    yield f"{len(results)} launchers: " + ", ".join(f"{ends[end]} {end}" for end in ("migrated", "refused", "crashed"))
    yield "launches that bash made: " + ", ".join(f"{mode} {count}" for mode, count in ran.items())
    yield "modes that launchers refuse: " + (", ".join(f"{mode} {count}" for mode, count in refused.items()) or "none")
    yield f"settings with a fate: {sum(result.settings for result in results)}"
    yield "failures: " + (", ".join(f"{step} {count}" for step, count in _steps(results).items()) or "none")
    yield f"launchers without any: {len(results) - wrong} of {len(results)}"


def _steps(results: Iterable[Result]) -> dict[str, int]:
    found = Counter(failure.step for result in results for failure in result.failures)
    return {step: found[step] for step in STEPS if found[step]}
