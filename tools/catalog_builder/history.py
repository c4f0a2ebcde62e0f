"""Flags that earlier versions of Relax, or of its patches, had."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from relax_lint.catalog.reading.modules import parsed
from relax_lint.catalog.reading.patches import added_flags, flags_in

_PATCH_PREFIXES = {"megatron": ("--",), "sglang": ("--sglang-", "--teacher-sglang-")}


def _git(relax: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(relax), *words], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def version_of(relax: Path) -> str:
    """The commit that is checked out, and its day."""
    return _git(relax, "log", "-1", "--format=%h (%as)").strip() or "unknown"


def earlier_flags(relax: Path, known: set[str]) -> dict[str, str]:
    """The flags that are not accepted any more: what had them last."""
    found: dict[str, str] = {}
    for when, name in (*_in_patches(relax), *_in_sources(relax)):
        if name not in known:
            found.setdefault(name, when)
    return found


def _in_patches(relax: Path) -> Iterator[tuple[str, str]]:
    """The flags that patch files add, those of today first."""
    for path in sorted((relax / "docker/patch").glob("*/*.patch"), reverse=True):
        target = "sglang" if "sglang" in path.as_posix() else "megatron"
        where = "latest" if path.parent.name == "latest" else path.stem
        for flag in added_flags(path.read_text(errors="replace")):
            for prefix in _PATCH_PREFIXES[target]:
                yield f"Relax's {target} patch {where}", prefix + flag[2:]


def _in_sources(relax: Path) -> Iterator[tuple[str, str]]:
    """The flags that Relax registered at some commit, the newest first: each is one that went later."""
    paths = [":(glob)relax/**/*arguments*.py", ":(glob)relax/**/opd*.py"]
    log = _git(relax, "log", "--format=%x00%h %as", "--name-only", "--no-renames", "--diff-filter=AM", "--", *paths)
    for entry in log.split("\0")[1:]:
        head, *files = entry.split("\n")
        commit, day = head.split()
        for path in filter(None, files):
            for flag in flags_in(parsed(_git(relax, "show", f"{commit}:{path}").encode())):
                yield f"Relax of {day} ({commit})", flag
