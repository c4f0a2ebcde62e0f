"""Findings that a tree is known to have: they are remembered by fingerprint and do not count."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from relax_lint.config import ConfigError, read_named
from relax_lint.diagnostics import Diagnostic

REASON = "baseline"
_VERSION = 1


def read(path: Path) -> frozenset[str]:
    """The fingerprints that a baseline file holds."""
    return frozenset(entry["fingerprint"] for entry in _entries(path))


def write(path: Path, diagnostics: Iterable[Diagnostic], checked: Iterable[Path]) -> int:
    """Remember what was found. Entries of files that were not looked at, and are still there, are kept; how many
    entries there are now."""
    looked_at = {_name(item, path) for item in checked}
    entries = [
        entry
        for entry in (_entries(path) if path.exists() else [])
        if entry["path"] not in looked_at and (path.parent / entry["path"]).exists()
    ]
    entries += [
        {
            "fingerprint": found.fingerprint,
            "code": found.code,
            "path": _name(found.path, path),
            "message": found.message,
        }
        for found in diagnostics
    ]
    unique = {entry["fingerprint"]: entry for entry in entries}
    ordered = sorted(unique.values(), key=lambda entry: (entry["path"], entry["code"], entry["fingerprint"]))
    text = json.dumps({"baseline": _VERSION, "findings": ordered}, indent=1, ensure_ascii=False)
    try:
        path.write_text(f"{text}\n", encoding="utf-8", errors="surrogateescape")
    except OSError as problem:
        raise ConfigError(f"{path}: cannot be written: {problem.strerror}") from problem
    return len(ordered)


def apply(diagnostics: Iterable[Diagnostic], known: frozenset[str]) -> None:
    """Silence what is known."""
    for found in diagnostics:
        if found.suppressed is None and found.fingerprint in known:
            found.suppressed = REASON


def _entry(found: Diagnostic, baseline: Path) -> dict[str, Any]:
    name = _name(found.path, baseline)
    return {"fingerprint": found.fingerprint, "code": found.code, "path": name, "message": found.message}


def _name(path: Path, baseline: Path) -> str:
    return Path(os.path.relpath(path, baseline.parent)).as_posix()


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(read_named(path).decode("utf-8", "surrogateescape"))
    except ValueError as problem:
        raise ConfigError(f"{path}: not valid JSON: {problem}") from problem
    findings = content.get("findings") if isinstance(content, dict) and content.get("baseline") == _VERSION else None
    if not isinstance(findings, list) or not all(_is_entry(entry) for entry in findings):
        raise ConfigError(f"{path}: no baseline; `relax-lint --write-baseline {path}` writes one")
    return findings


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("fingerprint", "code", "path"))
