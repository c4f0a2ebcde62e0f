"""Which sources the data of a launch has: read from its files where they are at hand, else known by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.derived.data import FILES
from relax_lint.migrate.derived.intervals import evaluates
from relax_lint.migrate.movable import HERE
from relax_lint.migrate.readings import text
from relax_lint.migrate.values import Data, Template

if TYPE_CHECKING:
    from relax_lint.migrate.settings import Settings
    from relax_lint.project import Project

_SEARCH = ("nq", "triviaqa", "popqa", "hotpotqa", "2wikimultihopqa", "musique", "bamboogle")
_KNOWN: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"(?<![a-z])gsm8k", re.I), ("openai/gsm8k",)),
    (re.compile(r"geo(?:metry)?_?3k", re.I), ("hiyouga/geometry3k",)),
    (re.compile(r"dapo[-_]?math|math[-_]dapo|aime", re.I), ("math_dapo",)),
    (re.compile(r"search[-_]?r1", re.I), tuple(f"searchR1_{name}" for name in _SEARCH)),
    (re.compile(r"(?:\A|/)math/[\w.-]+\Z|math[-_]lighteval", re.I), ("DigitalLearningGmbH/MATH-lighteval",)),
    (re.compile(r"math[-_]?500", re.I), ("HuggingFaceH4/MATH-500",)),
)
"""Data sets that verl's own scripts prepare, by the paths that they are written to."""
_MOST = 50


def data_sources(settings: Settings, project: Project) -> tuple[str, ...]:
    """All sources of the training and evaluation data; none when those of one file are not known."""
    files = _paths(settings.value(FILES))
    if evaluates(settings):
        files += _paths(settings.value("data.val_files"))
    column = text(settings, "data.reward_fn_key") or "data_source"
    found: dict[str, None] = {}
    for file in files:
        read = _read(project, _there(file, project), column) or _by_name(file)
        if not read:
            return ()
        found.update(dict.fromkeys(read))
    return tuple(found)


def _paths(data: Data) -> list[str]:
    """The files that a setting names, as they are written where only bash knows them."""
    found = data if isinstance(data, list) else [data]
    shown = (each.quoted if isinstance(each, Template) else each for each in found)
    return [each.rstrip("\"'}") for each in shown if isinstance(each, str) and each]


def _there(path: str, project: Project) -> Path:
    """Where a file would be on this machine."""
    return Path(path.replace(HERE.text, str(project.root), 1)).expanduser()


def _by_name(path: str) -> tuple[str, ...]:
    return next((sources for name, sources in _KNOWN if name.search(path)), ())


def _read(project: Project, path: Path, column: str) -> Sequence[str]:
    """The sources in a parquet file that is on this machine."""
    path = path if path.is_absolute() else project.root / path
    if path.suffix != ".parquet" or not path.is_file():
        return ()
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        return ()
    found: set[str] = set()
    try:
        with parquet.ParquetFile(path) as file:
            if column not in file.schema_arrow.names:
                return ()
            for batch in file.iter_batches(columns=[column]):
                found.update(str(each) for each in batch.column(0).unique().to_pylist() if each is not None)
                if len(found) > _MOST:
                    return ()
    except (OSError, ValueError):
        return ()
    return sorted(found)
