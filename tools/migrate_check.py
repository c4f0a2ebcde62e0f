"""Migrate every launcher of a checkout of verl, or of its recipes, and look at all that comes of it.

    python tools/migrate_check.py CHECKOUT [PATH…] --relax RELAX [--verl VERL] [--path DIR…] [--jobs N] [--json FILE]

Judged are all launchers under the paths that run a PPO-family main. Each is migrated by ``relax-lint migrate`` into a
tree of its own of the Relax checkout, which is never written to. Then: bash accepts what was written (``bash -n``);
every mode that is not said to be refused runs under real bash in the sandbox of ``bash_oracle``, and what it launches
is what the evaluator predicts; relax-lint finds nothing;
Relax's own validators accept the command lines (with ``--path``, as in ``validator_check``); every setting stands in
MIGRATION.md; the settings are, by key and value, those that Hydra itself composes from the checkout's files.

``--verl`` is a checkout of verl for recipes that are not in one. Printed are a line for each launcher, all refusals
with their reasons, all failures and the counts; exit status 1 when something fails. Linux and root are needed, for the
sandbox. Nothing of this runs in CI: it needs the sources of others.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from relax_lint.shell.launch import Launch
from tools.bash_oracle import Oracle
from tools.migrate_checking.judging import Judge
from tools.migrate_checking.launchers import launchers
from tools.migrate_checking.report import as_data, table
from tools.migrate_checking.results import Result
from tools.migrate_checking.trees import Trees
from tools.validator.real import NoRelax, Relax, use_argparse
from tools.validator.requests import Request
from tools.validator_check import STUBS

Work = tuple[Path, Sequence[Launch], str]

_judge: Callable[[int], Result] | None = None
"""What the processes do; each is forked for one launcher, so that nothing is remembered of the one before."""


def judge_one(number: int) -> Result:
    """One migration, in a process of its own."""
    assert _judge is not None
    return _judge(number)


def judged(judge: Judge, work: Sequence[Work], jobs: int) -> Iterator[Result]:
    """All migrations, in order."""
    global _judge
    _judge = lambda number: judge.judge(*work[number])  # noqa: E731
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=1) as pool:
        yield from pool.imap(judge_one, range(len(work)), chunksize=1)


def named(found: Iterable[tuple[Path, Sequence[Launch]]]) -> Iterator[Work]:
    """A name for the recipe of each launcher, each another one."""
    for number, (script, launches) in enumerate(found):
        yield script, launches, f"r{number}_" + re.sub(r"\W", "_", script.stem).lower()


def validate(relax: Relax, trees: Trees, results: Iterable[Result]) -> None:
    """Let Relax judge what bash launched, each command line once."""
    for result in results:
        relax.root = trees.folder / result.name
        for words in dict.fromkeys(run.words for run in result.ran):
            verdict = relax.judge(Request(result.script, "launch", words))
            if not verdict.accepted:
                mode = next(run.mode for run in result.ran if run.words == words)
                result.fail("relax", f"{mode}: {verdict.kind} at {verdict.place}: {verdict.message}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Migrate, judge, and print the report."""
    options = _parser().parse_args(arguments)
    root = options.checkout.resolve()
    paths = [(root / path).resolve() for path in options.paths] or [root]
    verl = (options.verl or root).resolve()
    work = list(named(launchers(root, paths)))
    with tempfile.TemporaryDirectory(prefix="migrate-check-") as folder, Oracle() as oracle:
        trees = Trees(Path(folder), options.relax.resolve())
        results = list(_noted(judged(Judge(root, verl, trees, oracle), work, options.jobs), len(work)))
        if options.path:
            try:
                if options.argparse:
                    use_argparse(options.argparse)
                relax = Relax(trees.original, [path.resolve() for path in options.path], [*STUBS, *options.stub])
            except NoRelax as error:
                print(f"relax.utils.arguments of {options.relax} cannot be imported: {error}", file=sys.stderr)
                return 2
            validate(relax, trees, results)
    if options.json:
        options.json.write_text(json.dumps(as_data(results), indent=1) + "\n", encoding="utf-8")
    for line in table(results):
        print(line)
    return int(any(result.failures or result.end == "crashed" for result in results))


def _noted(results: Iterable[Result], total: int) -> Iterator[Result]:
    for done, result in enumerate(results, 1):
        if sys.stderr.isatty():
            print(f"\r{done}/{total}", end="\n" if done == total else "", file=sys.stderr)
        yield result


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="checkout of verl or of its recipes")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="launchers or folders of it (default: all)")
    parser.add_argument("--relax", type=Path, required=True, metavar="RELAX", help="checkout of Relax")
    parser.add_argument("--verl", type=Path, metavar="VERL", help="checkout of verl (default: CHECKOUT)")
    parser.add_argument(
        "--path", nargs="+", type=Path, default=[], metavar="DIR", help="directories Relax imports from"
    )
    parser.add_argument("--stub", nargs="+", default=[], metavar="NAME", help="further packages that may be empty")
    parser.add_argument("--argparse", type=Path, metavar="FILE", help="argparse.py of the Python to compare with")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results as JSON, too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
