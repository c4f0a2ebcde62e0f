"""Give the front ends of relax-lint inputs made at random, and tell what must not come of one.

    python -m tools.fuzz [FRONT…] [--inputs N] [--seed N] [--jobs N] [--json FILE]
    python -m tools.fuzz FRONT --only INDEX [--seed N]      one input again: what it is, and what comes of it
    python -m tools.fuzz FRONT --replay FILE                one that was kept
    python -m tools.fuzz [FRONT…] --branches                the branches that the inputs reach, by coverage.py

An input is always the same for the same front end, seed and number. Those that something comes of that must not be are
kept below .fuzz/, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.fuzz import handlers

KEPT = Path(".fuzz")
TURN = 20_000
"""Inputs of a front end after which the next has its turn, so that a run that is ended early has tried all."""


def main() -> int:
    """Fuzz, and say what was found; the exit status."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("fronts", nargs="*", metavar="FRONT")
    parser.add_argument("--inputs", type=int, default=1_000_000, metavar="N", help="for each front end (%(default)s)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other inputs for another seed")
    parser.add_argument("--every", type=int, default=16, metavar="N", help="one of N goes to the rules (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go")
    parser.add_argument("--only", type=int, metavar="INDEX", help="this input alone")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="an input that was kept")
    parser.add_argument("--branches", action="store_true", help="measure the branches that are reached")
    options = parser.parse_args()
    if not options.branches:
        handlers.install()
    from tools.fuzz.fronts import NAMES

    unknown = [name for name in options.fronts if name not in NAMES]
    if unknown:
        parser.error(f"no front end {', '.join(unknown)}: there are {', '.join(NAMES)}")
    names = options.fronts or NAMES
    if options.only is not None or options.replay is not None:
        return _one(names[0], options)
    if options.branches:
        from tools.fuzz.branches import measure

        return measure(names, options.seed, range(options.first, options.first + options.inputs), options.json)
    return _all(names, options)


def _all(names: Sequence[str], options: argparse.Namespace) -> int:
    from tools.fuzz.figures import Figures, table
    from tools.fuzz.fronts import load
    from tools.fuzz.running import Task, run

    inputs = range(options.first, options.first + options.inputs)
    tasks = [Task(load(name), name, options.seed, options.every) for name in names]
    done = {name: Figures() for name in names}
    for at in range(0, len(inputs), TURN):
        for task in tasks:
            done[task.name].add(run(task, inputs[at : at + TURN], options.jobs))
            if options.json is not None:
                data = {"seed": options.seed, **{name: figures.as_data() for name, figures in done.items()}}
                options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(table(done.items()), end="", flush=True)
    for task in tasks:
        figures = done[task.name]
        for (kind, cause), found in sorted(figures.examples.items()):
            print(f"{task.name}: {kind}: {cause} ({figures.troubles[kind, cause]} times; input {found[0].number})")
            _keep(task.front, task.name, options.seed, found[0].number, kind, cause)
    return int(any(figures.troubles for figures in done.values()))


def _keep(front: object, name: str, seed: int, index: int, kind: str, cause: str) -> None:
    from tools.fuzz.watching import made

    tree = made(front, name, seed, index)  # type: ignore[arg-type]
    digest = hashlib.sha256(f"{kind} {cause}".encode()).hexdigest()[:10]
    KEPT.mkdir(exist_ok=True)
    files = {path: data.decode("latin-1") for path, data in tree.items()}
    content = {"kind": kind, "cause": cause, "seed": seed, "index": index, "files": files}
    (KEPT / f"{name}-{digest}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _one(name: str, options: argparse.Namespace) -> int:
    from tools.fuzz.fronts import load
    from tools.fuzz.outcome import Depth
    from tools.fuzz.watching import made, prepare, watched

    front = load(name)
    if options.replay is not None:
        content = json.loads(options.replay.read_text(encoding="utf-8"))
        tree = {path: text.encode("latin-1") for path, text in content["files"].items()}
    else:
        tree = made(front, name, options.seed, options.only)
    for path, data in tree.items():
        print(f"=== {path}\n{data.decode('utf-8', 'backslashreplace')}")
    prepare()
    outcome, seconds = watched(front, tree, Depth.CLOSELY)
    print(f"=== {outcome.signature}, {seconds:.3f} s")
    for trouble in outcome.troubles:
        print(f"--- {trouble.kind}: {trouble.cause}\n{trouble.detail}")
    return int(bool(outcome.troubles))


if __name__ == "__main__":
    sys.exit(main())
