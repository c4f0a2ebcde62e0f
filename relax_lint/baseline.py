"""Findings that a tree is known to have: they are remembered by fingerprint and do not count."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relax_lint import looks
from relax_lint.config import ConfigError, read_named
from relax_lint.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from relax_lint.engine import Report
    from relax_lint.rules import Rule

REASON = "baseline"
_VERSION = 1


class Entry(NamedTuple):
    """A finding that a baseline remembers. ``path`` is absolute; ``severity`` is empty where it is not remembered."""

    fingerprint: str
    code: str
    path: Path
    message: str
    severity: str
    baseline: Path


def read(path: Path) -> frozenset[str]:
    """The fingerprints that a baseline file holds."""
    return frozenset(entry.fingerprint for entry in entries(path))


def entries(path: Path) -> list[Entry]:
    """What a baseline file remembers."""
    return _entries(read_named(path), path)


def write(path: Path, diagnostics: Iterable[Diagnostic], checked: Collection[Path]) -> int:
    """Remember what was found. Entries of files that were not looked at, and are still there, are kept; how many
    entries there are now."""
    before = read_named(path) if path.exists() else None
    kept = [] if before is None else _entries(before, path)
    kept = [entry for entry in kept if entry.path not in checked and entry.path.exists()]
    new = [
        Entry(found.fingerprint, found.code, found.path, found.message, found.severity.value, path)
        for found in diagnostics
    ]
    return _replace(path, before, [*kept, *new])


def apply(diagnostics: Iterable[Diagnostic], known: frozenset[str]) -> None:
    """Silence what is known."""
    for found in diagnostics:
        if found.suppressed is None and found.fingerprint in known:
            found.suppressed = REASON


def stale(path: Path, report: Report, rules: Mapping[str, Rule], named: Collection[Path], profile: str) -> list[Entry]:
    """The entries of a baseline file that silenced nothing in a run that was in a position to find what they remember;
    and those of files below a ``named`` path that are gone."""
    used = {found.fingerprint for found in report.diagnostics if found.suppressed == REASON}

    def is_stale(entry: Entry) -> bool:
        if entry.fingerprint in used:
            return False
        if not looks.lexists(str(entry.path)):
            return any(one == entry.path or one in entry.path.parents for one in named)
        rule = rules.get(entry.code)
        severity = entry.severity or (rule.severity.value if rule is not None else "")
        shown = profile != "runtime" or severity == Severity.ERROR.value
        return shown and entry.code in report.decided.get(entry.path, ())

    return [entry for entry in entries(path) if is_stale(entry)]


def prune(path: Path, gone: Collection[Entry]) -> int:
    """Take entries out of a baseline file; how many there were."""
    before = read_named(path)
    now = _entries(before, path)
    kept = [entry for entry in now if entry not in gone]
    if len(kept) < len(now):
        _replace(path, before, kept)
    return len(now) - len(kept)


def _replace(path: Path, before: bytes | None, remembered: Iterable[Entry]) -> int:
    """Write a baseline file, whole or not at all; how many entries it has now."""
    from relax_lint.writing import NotWritten, put_over

    unique = {entry.fingerprint: entry for entry in remembered}
    ordered = sorted(
        (_row(entry) for entry in unique.values()), key=lambda row: (row["path"], row["code"], row["fingerprint"])
    )
    text = json.dumps({"baseline": _VERSION, "findings": ordered}, indent=1, ensure_ascii=False)
    try:
        put_over(path, f"{text}\n".encode("utf-8", "surrogateescape"), before)
    except (NotWritten, OSError) as problem:
        raise ConfigError(f"{path}: cannot be written: {getattr(problem, 'strerror', None) or problem}") from problem
    return len(ordered)


def _row(entry: Entry) -> dict[str, str]:
    row = {
        "fingerprint": entry.fingerprint,
        "code": entry.code,
        "path": Path(os.path.relpath(entry.path, entry.baseline.parent)).as_posix(),
        "message": entry.message,
    }
    return {**row, "severity": entry.severity} if entry.severity else row


def _entries(data: bytes, path: Path) -> list[Entry]:
    try:
        content = json.loads(data.decode("utf-8", "surrogateescape"))
    except ValueError as problem:
        raise ConfigError(f"{path}: not valid JSON: {problem}") from problem
    findings = content.get("findings") if isinstance(content, dict) and content.get("baseline") == _VERSION else None
    if not isinstance(findings, list) or not all(_is_entry(entry) for entry in findings):
        raise ConfigError(f"{path}: no baseline; `relax-lint --write-baseline {path}` writes one")
    return [
        Entry(
            one["fingerprint"],
            one["code"],
            Path(os.path.normpath(path.parent / one["path"])),
            str(one.get("message", "")),
            str(one.get("severity", "")),
            path,
        )
        for one in findings
    ]


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("fingerprint", "code", "path"))
