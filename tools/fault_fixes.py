"""Let everything go wrong while relax-lint writes, one thing at a time, and look at what is left.

    python tools/fault_fixes.py                          every call of every scenario, every fault: some minutes
    python tools/fault_fixes.py --at-most 10             ten places a scenario and fault, spread over the run
    python tools/fault_fixes.py --scenario migrate --fault kill

A real run is stopped in front of each system call by which it changes files. There it is killed, the call is refused
as on a full disk, or another program changes a file or runs at the same time. Then every file must be old or new and
whole, the run must have said what it left, and a second run must complete what the first began.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.faults.kinds import KINDS
from tools.faults.scenarios import SCENARIOS
from tools.faults.table import Row, table
from tools.faults.trial import Trial


def main() -> int:
    """Try what is asked for; 1 when something is lost or left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenario", action="append", choices=[*SCENARIOS], metavar="NAME", help="only this one")
    parser.add_argument("--fault", action="append", choices=[*KINDS], metavar="NAME", help="only this one")
    parser.add_argument("--at-most", type=int, metavar="N", help="places of each scenario and fault")
    parser.add_argument("--jobs", type=int, metavar="N", help="scenarios side by side (default: one a processor)")
    options = parser.parse_args()
    kinds = options.fault or [*KINDS]
    # Each scenario is tried in a process of its own, so that what one imports another does not have.
    with get_context("spawn").Pool(options.jobs, maxtasksperchild=1) as pool:
        tried = [(name, kinds, options.at_most) for name in options.scenario or SCENARIOS]
        rows = [row for each in pool.starmap(rows_of, tried, chunksize=1) for row in each]
    print(table(rows))
    return int(any(row.faults for row in rows))


def rows_of(name: str, kinds: list[str], at_most: int | None) -> list[Row]:
    """Try the faults in one scenario."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="relax-lint-faults-") as work:
        Path(work).chmod(0o755)  # others have to get at it, too
        trial = Trial(SCENARIOS[name], Path(work).resolve())
        for kind in kinds:
            rows.append(KINDS[kind](trial, at_most))
            print(f"{name}, {kind}: {rows[-1].tried} tried, {len(rows[-1].faults)} wrong", file=sys.stderr, flush=True)
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
