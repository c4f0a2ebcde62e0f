"""SARIF 2.1.0, for code scanning: one run with the rules that found something, their results and their fixes.

What GitHub takes at most is kept to: texts of rules are cut, and of very many results the gravest are told.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint import __version__
from relax_lint.baseline import REASON
from relax_lint.diagnostics import Diagnostic, Edit, Severity, Site
from relax_lint.report import Outcome, plural
from relax_lint.report.conditions import joined, one_line, whole
from relax_lint.report.line_hashes import LineHashes

if TYPE_CHECKING:
    from relax_lint.engine import Unjudged
    from relax_lint.sources.text import SourceFile

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
MOST_RESULTS = 25_000
"""What GitHub takes of a run; a file with more is refused whole."""
MOST_OF_A_DESCRIPTION = 1024

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "recommendation"}
_ORDER = list(Severity)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_STATUSES = {
    0: "nothing is left that counts",
    1: "something is left that counts, or a demand is not met",
    2: "wrong usage, a file that --fix cannot write, or an internal failure",
}
_NOTIFICATIONS = {
    "internal-error": "A rule failed; the others have judged everything.",
    "not-checked": "A rule kept silent because a word is not known.",
    "stale": "A baseline remembers what is found no more; --prune-baseline takes it out.",
    "left-out": f"GitHub takes {MOST_RESULTS} results; the gravest are here.",
}


def render(outcome: Outcome) -> str:
    """One SARIF log with one run."""
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [_Run(outcome).content()]}, indent=2) + "\n"


class _Run:
    """One run of the program."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.root = outcome.root or Path.cwd()
        found = outcome.shown
        self.left_out = max(0, len(found) - MOST_RESULTS)
        if self.left_out:
            gravest = sorted(range(len(found)), key=lambda index: _ORDER.index(found[index].severity))[:MOST_RESULTS]
            found = [found[index] for index in sorted(gravest)]
        self.found = found
        self.codes = sorted({one.code for one in found})
        self._lines: dict[Path, LineHashes | None] = {}

    def content(self) -> dict[str, Any]:
        return {
            "tool": {"driver": self._driver()},
            "invocations": [self._invocation()],
            "originalUriBaseIds": {
                ROOT: {"uri": _directory(self.root), "description": {"text": "the root of the repository"}}
            },
            "columnKind": "unicodeCodePoints",
            "defaultEncoding": "utf-8",
            "results": [self._result(found) for found in self.found],
            "properties": {"judgedBy": dict(self.outcome.judged_by)},
        }

    def _driver(self) -> dict[str, Any]:
        return {
            "name": "relax-lint",
            "version": __version__,
            "semanticVersion": __version__,
            "language": "en",
            "shortDescription": {"text": "Checks and fixes recipes moved from verl to Relax, launchers included."},
            "rules": [self._rule(code) for code in self.codes],
            "notifications": [
                {"id": name, "name": name, "shortDescription": {"text": text}} for name, text in _NOTIFICATIONS.items()
            ],
        }

    def _rule(self, code: str) -> dict[str, Any]:
        rule = self.outcome.rules[code]
        page = rule.doc.strip()
        title, _, rest = page.partition("\n\n")
        return {
            "id": code,
            "name": rule.name,
            "shortDescription": {"text": _cut(one_line(title))},
            "fullDescription": {"text": _cut("\n\n".join([one_line(title), *_first_section(rest)]))},
            "help": {"text": page, "markdown": page},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            "properties": {
                "tags": ["relax", rule.on],
                "precision": "high",
                "problem.severity": _PROBLEMS[rule.severity],
            },
        }

    # ------------------------------------------------------------ what happened

    def _invocation(self) -> dict[str, Any]:
        outcome = self.outcome
        return {
            "executionSuccessful": outcome.status in (0, 1),
            "exitCode": outcome.status,
            "exitCodeDescription": _STATUSES[outcome.status],
            "workingDirectory": {"uri": _directory(Path.cwd())},
            "toolExecutionNotifications": list(self._notifications()),
        }

    def _notifications(self) -> Iterator[dict[str, Any]]:
        report = self.outcome.report
        for failure in report.failures:
            yield _notification("internal-error", "error", failure)
        for silence in report.not_checked:
            yield self._silence(silence)
        for entry in self.outcome.stale:
            message = f"found no more: {entry.code} {entry.message}"
            place = {"physicalLocation": {"artifactLocation": self._artifact(entry.path)}}
            yield {**_notification("stale", "note", message), "locations": [place]}
        if self.left_out:
            message = f"{plural(self.left_out, 'result')} of the least severity are left out"
            yield _notification("left-out", "warning", message)

    def _silence(self, silence: Unjudged) -> dict[str, Any]:
        message = f"{silence.code} could not judge this because of {silence.because}"
        return {
            **_notification("not-checked", "note", message),
            "associatedRule": self._reference(silence.code),
            "locations": [self._location(Site(silence.path, silence.line))],
        }

    def _reference(self, code: str) -> dict[str, Any]:
        return {"id": code, "index": self.codes.index(code)} if code in self.codes else {"id": code}

    # ------------------------------------------------------------ what was found

    def _result(self, found: Diagnostic) -> dict[str, Any]:
        outcome = self.outcome
        result: dict[str, Any] = {
            "ruleId": found.code,
            "ruleIndex": self.codes.index(found.code),
            "level": _LEVELS[found.severity],
            "message": {"text": _text(found.message)},
            "locations": [{"physicalLocation": self._place(found)}],
            "partialFingerprints": self._fingerprints(found),
        }
        related = [self._location(note, number) for number, note in enumerate(_explaining(found), 1)]
        if related:
            result["relatedLocations"] = related
        if found.fix is not None and outcome.would_fix(found):
            changes = list(self._changes(found.fix.edits()))
            if changes:
                result["fixes"] = [{"description": {"text": _text(found.fix.title)}, "artifactChanges": changes}]
        if outcome.baselined:
            result["baselineState"] = "unchanged" if found.suppressed == REASON else "new"
        if outcome.show_suppressed:
            result["suppressions"] = list(self._suppressions(found))
        if found.launch is not None and found.launch.conditions:
            result["properties"] = {"conditions": [_text(whole(each)) for each in found.launch.conditions]}
        return result

    def _fingerprints(self, found: Diagnostic) -> dict[str, str]:
        """Our own name of a finding, and GitHub's of its line."""
        if found.path not in self._lines:
            source = self.outcome.source(found.path)
            self._lines[found.path] = None if source is None else LineHashes(source.data)
        lines = self._lines[found.path]
        line = None if lines is None else lines.of(found.line)
        ours = {"relaxLintFingerprint/v1": found.fingerprint}
        return ours if line is None else {"primaryLocationLineHash": line, **ours}

    def _place(self, found: Diagnostic) -> dict[str, Any]:
        region: dict[str, Any] = {
            "startLine": found.line,
            "startColumn": found.column,
            "endLine": found.end_line,
            "endColumn": found.end_column,
        }
        source = self.outcome.source(found.path)
        if source is not None:
            region.update(_bytes(source, found.start, found.end))
        place: dict[str, Any] = {"artifactLocation": self._artifact(found.path), "region": region}
        if found.excerpt.strip():
            line = {"startLine": found.line, "snippet": {"text": _text(found.excerpt.removeprefix("\ufeff"))}}
            place["contextRegion"] = line
        return place

    def _location(self, site: Site, number: int | None = None) -> dict[str, Any]:
        place = {"artifactLocation": self._artifact(site.path), "region": {"startLine": site.line}}
        location: dict[str, Any] = {} if number is None else {"id": number}
        location["physicalLocation"] = place
        if site.message:
            location["message"] = {"text": _text(site.message)}
        return location

    def _artifact(self, path: Path) -> dict[str, str]:
        """A file by its path from the repository's root, or by an absolute one when it lies elsewhere."""
        from urllib.parse import quote_from_bytes

        if not path.is_relative_to(self.root):
            return {"uri": path.as_uri()}
        return {"uri": quote_from_bytes(os.fsencode(path.relative_to(self.root).as_posix())), "uriBaseId": ROOT}

    def _suppressions(self, found: Diagnostic) -> Iterator[dict[str, Any]]:
        if found.suppressed is None:
            return
        suppression: dict[str, Any] = {"kind": "external", "status": "accepted"}
        if found.suppressed_by is not None:
            suppression.update(kind="inSource", location=self._location(found.suppressed_by))
        if found.suppressed:
            suppression["justification"] = _text(found.suppressed)
        yield suppression

    def _changes(self, edits: Iterable[Edit]) -> Iterator[dict[str, Any]]:
        """What a fix does to each of its files."""
        by_path: dict[Path, list[Edit]] = {}
        for edit in edits:
            by_path.setdefault(edit.path, []).append(edit)
        for path, there in by_path.items():
            source = self.outcome.source(path)
            replacements = [_replacement(edit, source) for edit in sorted(there, key=lambda edit: edit.start)]
            yield {"artifactLocation": self._artifact(path), "replacements": replacements}


def _replacement(edit: Edit, source: SourceFile | None) -> dict[str, Any]:
    """A span and what takes its place; of a file that is not there yet, all of it."""
    if edit.create or source is None:
        region = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1, "byteOffset": 0, "byteLength": 0}
    else:
        (line, column), (end_line, end_column) = source.position(edit.start), source.position(edit.end)
        region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
        region.update(_bytes(source, edit.start, edit.end))
    return {"deletedRegion": region, "insertedContent": _content(edit.text, source)}


def _content(text: str, source: SourceFile | None) -> dict[str, str]:
    """What is inserted: text, or bytes where these are no text."""
    if not _LONE_SURROGATE.search(text):
        return {"text": text}
    from base64 import b64encode

    data = text.encode("utf-8" if source is None else source.encoding, "surrogateescape")
    return {"binary": b64encode(data).decode()}


def _bytes(source: SourceFile, start: int, end: int) -> dict[str, int]:
    first = source.to_byte(start)
    return {"byteOffset": first, "byteLength": source.to_byte(end) - first}


def _explaining(found: Diagnostic) -> Sequence[Site]:
    """The other places of a finding; of its launch with what must hold for it."""
    if found.launch is None:
        return found.related
    conditions = found.launch.conditions
    message = "the launch" + (f", when {joined(conditions)}" if conditions else "")
    return (*found.related, found.launch._replace(message=message))


def _notification(name: str, level: str, message: str) -> dict[str, Any]:
    index = list(_NOTIFICATIONS).index(name)
    return {"descriptor": {"id": name, "index": index}, "level": level, "message": {"text": _text(message)}}


def _directory(path: Path) -> str:
    return f"{path.as_uri().rstrip('/')}/"


def _first_section(page: str) -> list[str]:
    """The first paragraph below the first heading of a manual page."""
    return [one_line(part) for part in page.split("\n\n") if not part.startswith("#")][:1]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_OF_A_DESCRIPTION else f"{text[: MOST_OF_A_DESCRIPTION - 1]}…"


def _text(text: str) -> str:
    """A text without bytes that are none, which JSON cannot hold."""
    return _LONE_SURROGATE.sub("\ufffd", text)
