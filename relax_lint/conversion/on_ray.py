"""The same conversion on Ray Data, for data that one machine is too slow or too small for."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from relax_lint.conversion.columns import Wanted
from relax_lint.conversion.jobs import Job, parts_of
from relax_lint.conversion.reading import Part
from relax_lint.conversion.recipe_data import own_rows
from relax_lint.conversion.refusals import PROBLEMS, NoRows, Occupied, Refused, said
from relax_lint.conversion.writing import Done, Unwritten, write


def start_ray() -> None:
    """Join the cluster that runs, or start one on this machine."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray.data
    except ModuleNotFoundError as missing:
        raise Refused(f"{missing.name} is not installed: pip install 'ray[data]'") from None
    try:
        ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level=logging.ERROR)
    except RuntimeError as problem:
        raise Refused(f"Ray: {said(problem)}") from None
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    package = sys.modules.get(__name__.rpartition(".")[0])
    if package is not None:  # workers need not have it installed
        by_value: Callable[[object], None] = ray.cloudpickle.register_pickle_by_value
        by_value(package)


def convert_on_ray(job: Job, wanted: Wanted, seen: Callable[[int], None]) -> Done:
    """Convert on a cluster that sees the same files. A file becomes a directory of files, which Relax takes as well."""
    import ray

    parts = tasks_of(job)
    if job.target.exists() or job.target.is_symlink():
        raise Occupied(f"{job.target} is there already, and is not written over")
    directory = job.target.with_name(f".{job.target.name[:200]}.{os.getpid()}.parts")
    directory.mkdir(parents=True)
    try:
        task = partial(convert_part, parts=parts, directory=str(directory), wanted=wanted)
        rows = ray.data.from_items(list(range(len(parts))), override_num_blocks=len(parts)).map(task)
        done = Done()
        for row in rows.iter_rows():
            done.rows, done.written = done.rows + row["rows"], done.written + row["written"]
            done.bad += [(Path(source), number, reason) for source, number, reason in json.loads(row["bad"])]
            seen(row["rows"])
        if done.bad:
            raise Unwritten(done)
        if not any(directory.iterdir()):
            raise NoRows(done.rows)
        directory.rename(job.target)
    except ray.exceptions.RayError as problem:
        raise Refused(f"Ray: {said(problem)}") from None
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return done


def tasks_of(job: Job) -> list[list[Part]]:
    """The parts that one task converts, and the next: all of them, where rows have to go one after the other."""
    parts = list(parts_of(job, by_group=True))
    in_order = job.own is not None and own_rows()[job.own].is_in_order()
    return [parts] if in_order else [[part] for part in parts]


def convert_part(
    unit: dict[str, Any], parts: Sequence[Sequence[Part]], directory: str, wanted: Wanted
) -> dict[str, Any]:
    """One task of Ray: a part into a file of its own. What goes wrong comes back as data."""
    number = unit["item"]
    path = f"{directory}/part-{number:05}.parquet"
    try:
        done = write(path, parts[number], wanted, lambda _: None)
    except NoRows as problem:
        done = Done(problem.rows)
        if not problem.rows:
            done.bad.append((parts[number][0].source, -1, said(problem)))
    except (Refused, *PROBLEMS) as problem:
        done = Done(bad=[(parts[number][0].source, -1, said(problem))])
    bad = [[str(source), row, reason] for source, row, reason in done.bad]
    return {"rows": done.rows, "written": done.written, "bad": json.dumps(bad)}
