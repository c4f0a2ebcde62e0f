"""Measure the conversion of data beside the guide's pandas template: time and peak memory, on text and on images.

Files of one row group are made in a temporary directory. Both sides run as programs of their own, in turns, so that a
slow moment of the machine falls on both; the best of each is compared. The memory of the conversion is also compared
with that for a quarter of the rows: what is bounded by a batch does not grow.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tools.benchmarks.budgets import CONVERTED, MEMORY, Result, result, table

ROOT = Path(__file__).resolve().parents[1]
MB = 1 << 20
IMAGE_BYTES = (40_000, 160_000)
TEMPLATE = """\
import sys
import pandas as pd

def convert_row(row):
    result = {"prompt": row["prompt"], "label": row["reward_model"]["ground_truth"]}
    if "images" in row:
        result["images"] = [image["bytes"] for image in row["images"]]
    if "extra_info" in row:
        result["extra_info"] = row["extra_info"]
    return result

df = pd.read_parquet(sys.argv[1])
pd.DataFrame([convert_row(row) for _, row in df.iterrows()]).to_parquet(sys.argv[2], index=False)
"""


@dataclass(frozen=True)
class Cost:
    """What a program took: seconds, seconds of processors, and the most memory at once."""

    seconds: float
    processor: float
    peak: float


def text_rows(count: int, first: int) -> list[dict[str, Any]]:
    """Rows as of gsm8k, of words that are made up."""
    pick = random.Random(first)
    words = ["".join(pick.choices("etaoinshrdlu", k=pick.randint(2, 10))) for _ in range(20_000)]
    rows = []
    for number in range(first, first + count):
        question, answer = (" ".join(pick.choices(words, k=pick.randint(30, 90))) for _ in range(2))
        rows.append(
            {
                "data_source": "openai/gsm8k",
                "prompt": [{"role": "user", "content": question}],
                "ability": "math",
                "reward_model": {"style": "rule", "ground_truth": str(number)},
                "extra_info": {"split": "train", "index": number, "answer": answer, "question": question},
            }
        )
    return rows


def image_rows(count: int, first: int) -> list[dict[str, Any]]:
    """The same with an image each, which no compression makes smaller."""
    pick = random.Random(first)
    rows = text_rows(count, first)
    for row in rows:
        row["images"] = [{"bytes": pick.randbytes(pick.randint(*IMAGE_BYTES)), "path": None}]
        del row["extra_info"]["answer"], row["extra_info"]["question"]
    return rows


def make_file(path: Path, kind: str, size: int) -> None:
    """A file of about so many bytes, in one row group. Text repeats, too far apart for a compressor to see it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables: list[Any] = []
    total, step = 0, 20_000 if kind == "text" else 500
    while total < size:
        table = pa.Table.from_pylist((text_rows if kind == "text" else image_rows)(step, len(tables) * step))
        copies = 1 if kind == "images" else 5
        tables += [table] * copies
        total += copies * (table.nbytes if kind == "images" else int(table.nbytes * 0.75))
    table = pa.concat_tables(tables)
    pq.write_table(table, path, row_group_size=len(table))


def measured(command: list[str]) -> Cost:
    """Run a program to its end."""
    began = time.monotonic()
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)})
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode:
        raise SystemExit(f"exit status {program.returncode}: {' '.join(command)}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * unit / MB)


def best(costs: list[Cost]) -> Cost:
    """The least of each."""
    return Cost(
        min(cost.seconds for cost in costs), min(cost.processor for cost in costs), max(cost.peak for cost in costs)
    )


def compare(kind: str, size: int, rounds: int, scratch: Path) -> tuple[Result, Result]:
    """Measure one kind of data, print it, and tell of the time and of the memory."""
    source, quarter, target = (scratch / f"{name}.parquet" for name in ("source", "quarter", "target"))
    for path, wanted in ((source, size), (quarter, size // 4)):
        # In a process of its own: what a program starts with counts what its parent held.
        maker = get_context("spawn").Process(target=make_file, args=(path, kind, wanted))
        maker.start()
        maker.join()
    ours = [sys.executable, "-m", "relax_lint", "data", "convert"]
    commands = {
        "convert": [*ours, str(source), str(target)],
        "template": [sys.executable, "-c", TEMPLATE, str(source), str(target)],
        "quarter": [*ours, str(quarter), str(target)],
    }
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            target.unlink(missing_ok=True)
            costs[name].append(measured(command))
    convert, template, part = (best(costs[name]) for name in commands)
    print(f"{kind}, {source.stat().st_size / MB:,.0f} MB in one row group, best of {rounds}")
    for name, cost in (("conversion", convert), ("the guide's template", template)):
        print(
            f"  {name:<21} {cost.seconds:7.2f} s  {cost.processor:7.2f} s of processors  {cost.peak:8,.0f} MB at most"
        )
    for path in (source, quarter, target):
        path.unlink(missing_ok=True)
    return result(CONVERTED[kind], convert.seconds, template.seconds), result(MEMORY, convert.peak, part.peak, "MB")


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1024, metavar="MB", help="(default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="(default: %(default)s)")
    parser.add_argument("--kind", choices=tuple(CONVERTED), action="append", help="(default: all)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        kinds = options.kind or list(CONVERTED)
        found = [each for kind in kinds for each in compare(kind, options.size * MB, options.rounds, Path(scratch))]
    print(table(found))
    return int(not all(each.holds for each in found))


if __name__ == "__main__":
    sys.exit(main())
