"""The branches of a front end's modules that its inputs reach, by coverage.py."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import coverage

import relax_lint
from tools.fuzz.fronts import load
from tools.fuzz.running import Task, run_here
from tools.fuzz.watching import prepare

PACKAGE = Path(relax_lint.__file__).parent
EVERY = 4
"""One of so many inputs is judged by all rules."""


def measure(names: Sequence[str], seed: int, inputs: range, to: Path | None) -> int:
    """Print for each front end how many branches there are, and how many of them some input takes."""
    told: dict[str, dict[str, Any]] = {}
    for name in names:
        front = load(name)
        tracer = coverage.Coverage(branch=True, source_pkgs=["relax_lint"], data_file=None, config_file=False)
        prepare()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is imported already is measured, too, but for what importing does
            tracer.start()
        run_here(Task(front, name, seed, EVERY), inputs)
        tracer.stop()
        told[name] = {"inputs": len(inputs), "modules": _by_module(tracer, front.modules)}
        taken, there = (sum(row[at] for row in told[name]["modules"].values()) for at in (0, 1))
        told[name] |= {"taken": taken, "there": there}
        print(f"{name}: {taken:,} of {there:,} branches ({taken / max(there, 1):.0%}) by {len(inputs):,} inputs")
        for module, (some, all_) in told[name]["modules"].items():
            print(f"  {module:<24}{some:>7,} of {all_:>7,}")
        if to is not None:
            to.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0


def _by_module(tracer: coverage.Coverage, modules: Sequence[str]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for module in modules:
        place = PACKAGE / module
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        counts = [_branches(tracer, path) for path in files]
        found[module] = (sum(taken for taken, _ in counts), sum(there for _, there in counts))
    return found


def _branches(tracer: coverage.Coverage, path: Path) -> tuple[int, int]:
    """The branches of a file that were taken, and all of them."""
    by_line = tracer.branch_stats(str(path))
    return sum(taken for _, taken in by_line.values()), sum(there for there, _ in by_line.values())
