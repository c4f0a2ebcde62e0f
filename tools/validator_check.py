"""Compare relax-lint's verdict on launches with that of Relax's own validation.

    python tools/validator_check.py RELAX --path DIR… [--mutations N] [--seed N] [--jobs N] [--launches FILE]

``RELAX`` is a checkout. Each ``--path`` is a directory that its ``relax.utils.arguments`` imports from: the tree with
``megatron``, patched by ``docker/patch`` of the checkout, the patched SGLang, its router. The interpreter needs torch
(the build for CPUs will do) and transformers; packages that merely have to be there are named with ``--stub``.

Judged are all launches of the checkout's launchers, which run under bash in the sandbox of ``bash_oracle`` (or come
from a recording), command lines that aim at one refusal each (``validator/aimed.txt``), and mutations of the launches
that Relax accepts: a flag dropped, a value changed, a flag added, spelled otherwise. Printed are all disagreements,
each refusal with how often it occurred, and the confusion matrices. Exit status 1 when real launches are judged
differently, or more than one mutation in a hundred.

Relax's image runs Python 3.12, whose argparse treats the defaults of some optional values and its messages otherwise
than that of 3.11; from 3.12.7 on abbreviations and ``--`` differ, too. ``--argparse FILE`` takes argparse from the
standard library of another version. Nothing of this runs in CI: it needs the sources of four projects.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.validator.aimed import ROWS, aimed, aimed_elsewhere, rows_in, write_files
from tools.validator.launches import launches_of, recorded
from tools.validator.mutations import Mutator
from tools.validator.real import NoRelax, Relax, use_argparse
from tools.validator.report import full
from tools.validator.requests import Outcome, Request, distinct
from tools.validator.sites import all_sites
from tools.validator.static import RelaxLint

STUBS = ("torchvision", "torch_memory_saver")
AIMED_SHARE = 0.5
"""How many mutations are edits that aim at a refusal, on a launch drawn at random."""
LEAST_AGREEMENT = 0.99

_compare: Callable[[Request], Outcome] | None = None
"""What the processes do; they are forked, since importing Relax takes long."""


def ask(request: Request) -> Outcome:
    """One comparison, in a process of its own."""
    assert _compare is not None
    return _compare(request)


def compared(compare: Callable[[Request], Outcome], requests: Sequence[Request], jobs: int) -> list[Outcome]:
    """All comparisons, in order."""
    global _compare
    _compare = compare
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return list(_noted(pool.imap(ask, requests, chunksize=16), len(requests)))


def _noted(outcomes: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    for done, outcome in enumerate(outcomes, 1):
        if sys.stderr.isatty():
            print(f"\r{done}/{total}", end="\n" if done == total else "", file=sys.stderr)
        yield outcome


def mutations(launches: Sequence[Request], mutator: Mutator, files: str, seed: int) -> Iterator[Request]:
    """Every aimed row, then mutations without end."""
    rows = list(rows_in(ROWS.read_text(encoding="utf-8")))
    rng = random.Random(seed)
    yield from aimed(rows, launches, files)
    while True:
        aims = rng.random() < AIMED_SHARE
        yield aimed_elsewhere(rows, launches, files, rng) if aims else mutator.of(rng.choice(launches))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, and print the report."""
    options = _parser().parse_args(arguments)
    root, path = options.relax.resolve(), [folder.resolve() for folder in options.path]
    launches = recorded(options.launches) if options.launches else launches_of(root)
    try:
        if options.argparse:
            use_argparse(options.argparse)
        relax = Relax(root, path, [*STUBS, *options.stub])
    except NoRelax as error:
        print(f"relax.utils.arguments of {root} cannot be imported: {error}", file=sys.stderr)
        return 2
    ours = RelaxLint(root)

    def compare(request: Request) -> Outcome:
        return Outcome(request, relax.judge(request), ours.judge(request))

    outcomes = compared(compare, launches, options.jobs)
    accepted = [outcome.request for outcome in outcomes if outcome.relax.accepted]
    with tempfile.TemporaryDirectory(prefix="validator-check-") as files:
        write_files(Path(files))
        mutator = Mutator(relax.options(), ours.named(), random.Random(options.seed))
        drawn = distinct(mutations(accepted, mutator, files, options.seed)) if accepted else iter(())
        outcomes += compared(compare, list(islice(drawn, options.mutations)), options.jobs)
    if options.save:
        lines = (json.dumps(asdict(outcome)) for outcome in outcomes)
        options.save.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for line in full(outcomes, all_sites([root, *path]), ours.not_static()):
        print(line)
    return int(_is_wrong(outcomes))


def _is_wrong(outcomes: Sequence[Outcome]) -> bool:
    """Whether a real launch is judged differently, or too many mutations."""
    if any(outcome.request.kind == "launch" and not outcome.agrees for outcome in outcomes):
        return True
    mutated = [outcome.agrees for outcome in outcomes if outcome.request.kind != "launch"]
    return sum(mutated) < LEAST_AGREEMENT * len(mutated)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("relax", type=Path, metavar="RELAX", help="checkout of Relax")
    parser.add_argument(
        "--path", nargs="+", type=Path, default=[], metavar="DIR", help="directories that it imports from"
    )
    parser.add_argument("--mutations", type=int, default=4000, metavar="N", help="how many mutations")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for what is drawn at random")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes")
    parser.add_argument("--launches", type=Path, metavar="FILE", help="recorded launches, instead of running launchers")
    parser.add_argument("--stub", nargs="+", default=[], metavar="NAME", help="further packages that may be empty")
    parser.add_argument("--argparse", type=Path, metavar="FILE", help="argparse.py of the Python to compare with")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write each comparison to a file of JSON lines")
    return parser


if __name__ == "__main__":
    sys.exit(main())
