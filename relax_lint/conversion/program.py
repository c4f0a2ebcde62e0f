"""The program: what it is told, what it tells."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from relax_lint.conversion.columns import NO_TRUTH, Wanted, raw_rows
from relax_lint.conversion.jobs import SUFFIXES, Job, jobs_for, parts_of
from relax_lint.conversion.media import said_of_media
from relax_lint.conversion.on_ray import convert_on_ray, start_ray
from relax_lint.conversion.reading import opened, row_count
from relax_lint.conversion.recipe_data import KEEP, own_rows
from relax_lint.conversion.refusals import PROBLEMS, Occupied, Refused, said
from relax_lint.conversion.writing import Done, Unwritten, published, write

CLEARED = "\r\033[K"
ABOUT = """\
Convert data of verl into data that Relax reads: --input-dir /verl/train.parquet --output-dir /relax/train.parquet, or a
directory into a directory. Every .parquet and .jsonl file becomes a parquet file. Rows get a column label, the ground
truth as text: a string as it is, anything else as JSON, and then relax_label_encoding is "json" in their extra_info.
That is kept and gets data_source, or verl_data_source where it has one of its own. The prompt is kept; images become
lists of their bytes. Nothing is written over, and nothing half written: a file with rows that cannot be converted is
told with them and left out.

Exit status: 0 all is converted; 1 something is not; 2 there is nothing to convert.
"""


def run(given: Path, wanted_at: Path, wanted: Wanted, ray: bool = False, raw: bool | None = None) -> int:
    """Convert all that is given; the exit status."""
    if not given.exists():
        return told(f"{given}: no such file or directory", 2)
    try:
        jobs = jobs_for(given, wanted_at, raw)
        if not jobs:
            splits = dict.fromkeys(split for file in own_rows().values() for split, _ in file.parts)
            what = " or ".join((*SUFFIXES, *splits))
            return told(f"{given}: there is nothing to convert in it: no {what} file", 2)
        with interruptible():
            if ray:
                start_ray()
            return max([convert_job(job, wanted, convert_on_ray if ray else convert_here) for job in jobs])
    except (Refused, *PROBLEMS) as problem:
        return told(f"{given}: {said(problem)}", 1)
    except KeyboardInterrupt as stopped:
        number = next(iter(stopped.args), signal.SIGINT)
        return told("interrupted: nothing is half written", 128 + int(number))


def convert_job(job: Job, wanted: Wanted, convert: Callable[..., Done]) -> int:
    """Convert one file and say what came of it; the exit status."""
    shown = ", ".join(map(str, dict.fromkeys(job.sources)))
    try:
        for name in dropped(job, wanted):
            told(f"{shown}: {name} is not kept: Relax is given the media alone", 0)
        progress = Progress(sum(row_count(source) for source in job.sources))
        done = convert(job, wanted, progress)
    except Unwritten as unwritten:
        return told_rows(unwritten.done, job)
    except Occupied as problem:
        return told(f"{shown}: {said(problem)}", 1)
    except (Refused, *PROBLEMS) as problem:
        told(f"{shown}: {said(problem)}", 1)
        return told(f"{job.target} is not written", 1)
    progress.clear()
    left_out, why = done.rows - done.written, "without ground truth " * (job.own is None)
    also = f", {left_out:,} {why}left out" if left_out else ""
    print(f"{shown} -> {job.target}: {done.written:,} rows{also}")
    return 0


def dropped(job: Job, wanted: Wanted) -> list[str]:
    """What verl's data says of media beside themselves."""
    if job.own is not None or job.sources[0].suffix != ".parquet":
        return []
    with opened(job.sources[0]) as file:
        schema = file.schema_arrow
    named = [(name, kind) for name, kind in wanted.media.items() if name in schema.names]
    return [f"{name}.{part}" for name, kind in named for part in said_of_media(schema.field(name).type, kind)]


def convert_here(job: Job, wanted: Wanted, seen: Callable[[int], None]) -> Done:
    """Convert on this machine."""
    with published(job.target) as path:
        done = write(path, list(parts_of(job)), wanted, seen)
        if done.bad:
            raise Unwritten(done)
    return done


def told_rows(done: Done, job: Job) -> int:
    """Say which rows cannot be converted, counted from 1, those with the same reason together."""
    reasons: dict[tuple[Path, str], list[int]] = {}
    for source, row, reason in done.bad:
        reasons.setdefault((source, reason), []).append(row)
    lacking = sum(len(rows) for (_, reason), rows in reasons.items() if reason == NO_TRUTH)
    hint = " (--without-truth skip leaves such rows out)" if lacking < done.rows else no_row_has_truth(job)
    for (source, reason), rows in reasons.items():
        rows.sort()
        first = ", ".join(str(row + 1) for row in rows[:5])
        more = f" and {len(rows) - 5:,} more" if len(rows) > 5 else ""
        where = f"row{'s' * (len(rows) > 1)} {first}{more}: " if rows[0] >= 0 else ""
        told(f"{source}: {where}{reason}{hint if reason == NO_TRUTH else ''}", 1)
    return told(f"{job.target} is not written", 1)


def no_row_has_truth(job: Job) -> str:
    """What to do where leaving out the rows without ground truth would leave none."""
    if job.own is not None:
        return ": the recipe's own code gives no row one"
    return f", as no row here has: {raw_rows()}"


def told(message: str, status: int) -> int:
    """Say what is wrong; the exit status."""
    name = "relax-lint: " if __package__ else ""  # in a recipe this is a script of its own
    print(f"{CLEARED if on_terminal() else ''}{name}{message}", file=sys.stderr)
    return status


def on_terminal() -> bool:
    """Whether somebody watches."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class Progress:
    """A line on standard error, on a terminal only."""

    def __init__(self, total: int) -> None:
        self._total, self._rows, self._began, self._shown = total, 0, time.monotonic(), 0.0
        self._on = on_terminal()

    def __call__(self, rows: int) -> None:
        """So many more rows are done."""
        self._rows += rows
        now = time.monotonic()
        if self._on and now - self._shown > 0.1:
            self._shown = now
            share = min(1.0, self._rows / self._total) if self._total else 0.0
            bar = f"[{'#' * int(20 * share):.<20}] {share:4.0%} " if self._total else ""
            sys.stderr.write(f"{CLEARED}{bar}{self._rows:,} rows, {self._rows / (now - self._began + 1e-6):,.0f}/s")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write(CLEARED)
            sys.stderr.flush()


@contextmanager
def interruptible() -> Iterator[None]:
    """Have a request to end end this program as Ctrl-C does: what is half written goes."""

    def stop(number: int, _: object) -> None:
        raise KeyboardInterrupt(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input-dir", type=Path, required=True, metavar="PATH", help="a file or a directory")
    parser.add_argument("--output-dir", type=Path, required=True, metavar="PATH", help="a file or a directory")
    parser.add_argument("--keep", nargs="+", default=KEEP, metavar="COLUMN", help="columns to keep as they are")
    parser.add_argument(
        "--without-truth",
        choices=("refuse", "skip", "null"),
        default="refuse",
        help="rows without ground truth: name them and write nothing (default), leave them out, or make the label null",
    )
    if own_rows():
        parser.add_argument("--raw", action="store_true", default=None, help="the rows are those of the raw data set")
    parser.add_argument("--ray", action="store_true", help="on Ray Data; a file becomes a directory of files")
    options = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    wanted = Wanted(keep=tuple(options.keep), without_truth=options.without_truth)
    return run(options.input_dir, options.output_dir, wanted, options.ray, getattr(options, "raw", None))
