"""JUnit's XML, as Jenkins and GitLab read it: a suite for each file, a test for each rule that says something of it.

A finding that changes the exit status is a failure, any other the test's output; what is silenced, or could not be
judged, is skipped. A file of which nothing is said has one test, which passes, and so has the run as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from relax_lint.diagnostics import Diagnostic
from relax_lint.engine import Unjudged
from relax_lint.report import Outcome, plural, shown_path

_TOOL = "relax-lint"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_IN_TEXT = str.maketrans({character: _ENTITIES[character] for character in "&<>\r"})
_IN_ATTRIBUTE = str.maketrans(_ENTITIES)


class _Test(NamedTuple):
    """A test, and the elements of its outcome: their names, messages, types and texts."""

    suite: str
    name: str
    outcomes: Sequence[tuple[str, str, str, str]]

    def has(self, outcome: str) -> bool:
        return any(name == outcome for name, *_ in self.outcomes)


def render(outcome: Outcome) -> str:
    """One document; it has a test even when there is nothing to check, without which Jenkins fails."""
    suites = [[_run(outcome)], *_files(outcome)]
    tests = [test for suite in suites for test in suite]
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<testsuites{_attributes(name=_TOOL, **_counts(tests))}>"]
    for suite in suites:
        skipped = sum(test.has("skipped") for test in suite)
        lines.append(f"  <testsuite{_attributes(name=suite[0].suite, **_counts(suite), skipped=str(skipped))}>")
        lines += [line for test in suite for line in _lines(test)]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _run(outcome: Outcome) -> _Test:
    """The run itself: what failed in it, and the demands that it does not meet."""
    failures = [("error", "internal error", "error", failure) for failure in outcome.report.failures]
    unmet = [("failure", f"required: {demand}", "required", "") for demand in outcome.demands]
    return _Test(_TOOL, "run", [*failures, *unmet])


def _files(outcome: Outcome) -> Iterator[list[_Test]]:
    found: dict[Path, dict[str, list[Diagnostic]]] = {path: {} for path in outcome.checked}
    silent: dict[Path, dict[str, list[Unjudged]]] = {}
    for one in outcome.shown:
        found.setdefault(one.path, {}).setdefault(one.code, []).append(one)
    for silence in outcome.report.not_checked:
        silent.setdefault(silence.path, {}).setdefault(silence.code, []).append(silence)
    for path in sorted({*found, *silent}, key=str):
        here, unjudged = found.get(path, {}), silent.get(path, {})
        suite = shown_path(path)
        yield [
            _test(outcome, suite, code, here.get(code, ()), unjudged.get(code, ()))
            for code in sorted({*here, *unjudged})
        ] or [_Test(suite, _TOOL, ())]


def _test(outcome: Outcome, suite: str, code: str, found: Sequence[Diagnostic], silent: Sequence[Unjudged]) -> _Test:
    """What a rule says of a file: the gravest is the outcome, all else is output."""
    name = f"{code} {outcome.rules[code].name}"
    failing = [one for one in found if one.suppressed is None and outcome.counts(one)]
    silenced = [one for one in found if one.suppressed is not None]
    mild = [one for one in found if one.suppressed is None and not outcome.counts(one)]
    unjudged = [f"{suite}:{one.line}: not judged because of {one.because}" for one in silent]
    outcomes = []
    if failing:
        message = failing[0].message if len(failing) == 1 else plural(len(failing), "finding")
        outcomes.append(("failure", message, failing[0].severity.value, _text(map(_finding, failing))))
    elif silenced and not mild:
        reasons = dict.fromkeys(one.suppressed or "no reason given" for one in silenced)
        outcomes.append(("skipped", f"suppressed: {'; '.join(reasons)}", "suppressed", _text(map(_finding, silenced))))
    elif silent and not mild:
        reasons = dict.fromkeys(one.because for one in silent)
        outcomes.append(("skipped", f"not judged because of {', '.join(reasons)}", "not-checked", _text(unjudged)))
    told = [*map(_finding, mild), *unjudged]
    if told and not any(name == "skipped" for name, *_ in outcomes):
        outcomes.append(("system-out", "", "", _text(told)))
    return _Test(suite, name, outcomes)


def _finding(found: Diagnostic) -> str:
    return f"{shown_path(found.path)}:{found.line}:{found.column}: {found.severity.value}: {found.message}"


def _text(lines: Iterable[str]) -> str:
    return "".join(f"\n{line}" for line in lines) + "\n"


def _counts(tests: Sequence[_Test]) -> dict[str, str]:
    return {
        "tests": str(len(tests)),
        "failures": str(sum(test.has("failure") for test in tests)),
        "errors": str(sum(test.has("error") for test in tests)),
    }


def _lines(test: _Test) -> Iterator[str]:
    head = f"    <testcase{_attributes(classname=test.suite, name=test.name)}"
    if not test.outcomes:
        yield f"{head}/>"
        return
    yield f"{head}>"
    for name, message, kind, text in test.outcomes:
        attributes = _attributes(message=message, type=kind) if kind else ""
        body = _escaped(text).translate(_IN_TEXT)
        yield f"      <{name}{attributes}>{body}</{name}>" if body else f"      <{name}{attributes}/>"
    yield "    </testcase>"


def _attributes(**values: str) -> str:
    return "".join(f' {name}="{_escaped(value).translate(_IN_ATTRIBUTE)}"' for name, value in values.items())


def _escaped(text: str) -> str:
    """A text with what XML cannot hold as Python would write it: ``\\x1b``."""
    return _NOT_IN_XML.sub(lambda match: ascii(match[0])[1:-1], text)
