"""The page of the benchmarks, made of the run that is on record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.benchmarks.budgets import HEADINGS
from tools.benchmarks.record import EDITOR_HEADINGS, RECORD, editor_rows, results_in
from tools.docs_builder.blocks import GENERATED, cell, code, table

PAGE = Path("docs/benchmarks.md")
_ROOT = Path(__file__).resolve().parents[2]
_INTRODUCTION = """\
`make bench CORPUS=/path/to/Relax` measures everything on this page in one run: relax-lint with all of its rules, its
peers, and the bare cost of starting Python and parsing the same files with `ast` and tree-sitter. Each has an
environment of its own, rounds are interleaved, and medians are compared. These are the figures of the run in
[benchmarks.json](benchmarks.json), which `make bench RECORD=1` writes and `make docs` makes this page of.
"""
_WORDS = """\
- **check** judges examples/ and scripts/ with nothing kept between runs; **check again** is the next one.
- **flake8 F** is `flake8 --select=F` on the Python files, **fixit** is `fixit lint` with its own rules on them, and
  **shellcheck** runs on the launchers.
- **flake8 + plugin** is flake8 with relax-lint's rules in it; **again** when it has seen the files before.
- **a change in an editor**: a file is typed into and the language server is asked for its findings, which takes the
  whole recipe into account; beside it, parsing the files of that recipe in a program that runs already.
- **data convert** beside the migration guide's pandas template, on files of one row group.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([GENERATED, "# Benchmarks\n", *_parts(json.loads((_ROOT / RECORD).read_text(encoding="utf-8")))])


def _parts(recorded: Mapping[str, Any]) -> Iterator[str]:
    yield _INTRODUCTION
    yield table(HEADINGS, [tuple(map(cell, each.cells())) for each in results_in(recorded)]) + "\n"
    yield _WORDS
    yield "## In an editor\n"
    rows = [(code(path), *others) for path, *others in editor_rows(recorded)]
    yield table(EDITOR_HEADINGS, rows) + "\n"
    yield "## Where\n"
    yield "\n".join(f"- {fact}" for fact in _facts(recorded)) + "\n"


def _facts(recorded: Mapping[str, Any]) -> Iterator[str]:
    if recorded["clock"] == "processors":
        yield "of commands, what processors worked for them is compared, since others used the machine"
    machine, corpus = recorded["machine"], recorded["corpus"]
    yield f"relax-lint {recorded['version']}, Python {machine['python']}, {machine['system']}"
    yield f"{machine['processors']} processors ({machine['processor']}), {machine['memory_gb']} GB"
    tree = "Relax's own tree" if corpus["name"] == "Relax" else "a written tree of the size of Relax's own"
    yield f"{tree}: {corpus['python']} Python files, {corpus['launchers']} launchers"
    yield ", ".join(f"{name} {version}" for name, version in recorded["versions"].items())
