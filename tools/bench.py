"""Measure relax-lint beside its peers and bare parsing, against the budgets.

The peers are flake8, shellcheck, Fixit, and for data the guide's pandas template, each in an environment of its own
under ``.bench/``. Repetitions are interleaved, so that a slow moment of the machine falls on all of them, and medians
are compared. ``--corpus`` names a Relax checkout; without it a corpus of the same size is written. Nothing in a corpus
is changed. The exit status is 1 when a budget does not hold.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.bench_conversion import MB, compare
from tools.benchmarks import budgets, editor, record
from tools.benchmarks.commands import PEERS, commands, environment, measure, run, scope, write_corpus

ROUNDS_OF_DATA = 2


def measured(options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Everything that is measured, as it goes on record."""
    corpus = options.corpus.resolve() if options.corpus else scratch / "corpus"
    if options.corpus is None:
        write_corpus(corpus)
    _, python, launchers = scope(corpus)
    about = {"name": "Relax" if options.corpus else "written", "python": len(python), "launchers": len(launchers)}
    print(f"{corpus.name}: {len(python)} Python files, {len(launchers)} launchers", file=sys.stderr)
    cache = scratch / "cache"
    timed = commands(corpus, scratch)
    times = measure(
        timed, options.repetitions, lambda command: run(command, corpus, cache, of_processors=options.processors)
    )
    found = [*budgets.results({name: statistics.median(taken) for name, taken in times.items()})]

    server: list[str | Path] = [environment("relax-lint") / "relax-lint", "lsp"]
    answers = editor.measure(server, environment("parsers") / "python", corpus, cache, options.repetitions)
    found.append(
        budgets.result(budgets.EDITED, sum(each.answer for each in answers), sum(each.parsing for each in answers))
    )
    if options.data:
        for kind in budgets.CONVERTED:
            found += compare(kind, options.data * MB, ROUNDS_OF_DATA, scratch)
    versions = record.versions_in([Path(sys.executable), *(environment(peer) / "python" for peer in PEERS)])
    clock = "processors" if options.processors else "wall"
    return record.document(found, times, answers, about, versions, clock)


def main() -> int:
    """Measure, print, keep; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="a Relax checkout (default: a written corpus of its size)")
    parser.add_argument("--repetitions", type=int, default=9, help="rounds (default: %(default)s)")
    parser.add_argument("--data", metavar="MB", type=int, default=1024, help="size of parquet files; 0: none")
    parser.add_argument(
        "--processors",
        action="store_true",
        help="compare what processors work for commands, not how long they take: where others use the machine",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write everything that was measured there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="relax-lint-bench-") as scratch:  # outside: peers skip what git ignores
        found = measured(options, Path(scratch))
    results = record.results_in(found)
    print(budgets.table(results))
    print()
    for name, taken in found["seconds"].items():
        print(f"{name:25} median {statistics.median(taken):.3f} s, {min(taken):.3f} to {max(taken):.3f}")
    print()
    print(record.editor_table(found))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return int(not all(each.holds for each in results))


if __name__ == "__main__":
    sys.exit(main())
