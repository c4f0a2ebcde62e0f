"""Files that are there when they are whole."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from relax_lint.conversion.columns import Wanted
from relax_lint.conversion.reading import BATCH_BYTES, MB, Part, course_of, pieces
from relax_lint.conversion.refusals import PROBLEMS, BadRows, NoRows, Occupied, Refused, said
from relax_lint.conversion.row_by_row import Misfit, Rows

CODEC = "lz4"
_LEFT_BEHIND = 3_600
"""Seconds after which nobody is still writing a part that has not grown."""


@dataclass
class Done:
    """What came of rows."""

    rows: int = 0
    written: int = 0
    bad: list[tuple[Path, int, str]] = field(default_factory=list)
    misfit: bool = False


class Unwritten(Exception):
    """A file that is left out for some of its rows."""

    def __init__(self, done: Done) -> None:
        super().__init__()
        self.done = done


def write(path: str, parts: Sequence[Part], wanted: Wanted, seen: Callable[[int], None]) -> Done:
    """Convert parts into one file."""
    rows = Rows(wanted)
    while True:
        done, writer, course = Done(), Writer(path, wanted), course_of(parts)
        for part in parts:
            for first, size, convert in pieces(part, wanted, rows, course):
                done.rows += size
                try:
                    batch = convert()
                    if batch is not None and not (done.bad or done.misfit):
                        writer.add(batch)
                        done.written += len(batch)
                except BadRows as problem:
                    done.bad += [(part.source, first + number, problem.reason) for number in problem.rows]
                except Misfit:
                    done.misfit = True
                except (Refused, *PROBLEMS) as problem:
                    where = f" (in the {size} rows from here)" if size > 1 else ""
                    done.bad.append((part.source, first, f"{said(problem)}{where}"))
                seen(size)
        writer.close()
        if done.bad:
            return done
        if not done.misfit:
            if not writer.begun:
                raise NoRows(done.rows)
            return done


class Writer:
    """Writes batches as row groups of bounded size: Relax reads one of them at a time."""

    def __init__(self, path: str, wanted: Wanted) -> None:
        self._path, self._media = path, wanted.media
        self._file: Any = None
        self._held: list[Any] = []

    def add(self, batch: Any) -> None:
        """Write a batch, or hold it until there are more."""
        if self._file is None:
            self._file = pq.ParquetWriter(pa.OSFile(self._path, "wb"), batch.schema, **self._options(batch))
        self._held.append(batch)
        if sum(each.nbytes for each in self._held) >= BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._file.write_table(pa.Table.from_batches(self._held))
            self._held = []

    @property
    def begun(self) -> bool:
        """Whether there is a file."""
        return self._file is not None

    def close(self) -> None:
        """Write what is held, and the end."""
        self._flush()
        if self._file is not None:
            self._file.close()

    def _options(self, batch: Any) -> dict[str, Any]:
        """Columns are compressed where that saves something: media are compressed already. A try shows it."""
        tried = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_batches([batch]), tried, compression=CODEC)
        group = pq.ParquetFile(tried.getvalue()).metadata.row_group(0)
        leaves = [group.column(number) for number in range(group.num_columns)]
        of_media = {leaf.path_in_schema for leaf in leaves if leaf.path_in_schema.partition(".")[0] in self._media}
        others = [leaf.path_in_schema for leaf in leaves if leaf.path_in_schema not in of_media]
        return {
            "compression": {leaf.path_in_schema: CODEC if shrinks(leaf) else "none" for leaf in leaves},
            "use_dictionary": others,
            "write_statistics": others,
            "dictionary_pagesize_limit": MB // 8,
        }


def shrinks(leaf: Any) -> bool:
    """Whether compression made a column notably smaller."""
    return bool(leaf.total_compressed_size < 0.8 * leaf.total_uncompressed_size)


@contextmanager
def published(target: Path) -> Iterator[str]:
    """The path to write to: what is there becomes ``target`` when all is done, and nothing when it is not."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() or target.is_symlink():
        raise Occupied(f"{target} is there already, and is not written over")
    _sweep(target)
    directory = os.open(target.parent, os.O_RDONLY)
    nameless, part = -1, target.with_name(f"{_beginning(target)}{os.getpid()}.part")
    try:
        with suppress(OSError, AttributeError):  # a file without a name, where the system has such
            nameless = os.open(target.parent, os.O_TMPFILE | os.O_RDWR, 0o666)
        here = f"/proc/self/fd/{nameless}"
        if nameless >= 0 and Path(here).exists():
            yield here
            os.fsync(nameless)
            os.link(here, os.fsencode(target), src_dir_fd=directory, follow_symlinks=True)
        else:
            yield os.fsdecode(part)
            with part.open("rb") as written:
                os.fsync(written.fileno())
            os.link(part, target)
        with suppress(OSError):
            os.fsync(directory)
    except FileExistsError:
        raise Occupied(f"{target} has come to be meanwhile, and is not written over") from None
    finally:
        for descriptor in (directory, nameless):
            if descriptor >= 0:
                os.close(descriptor)
        part.unlink(missing_ok=True)


def _beginning(target: Path) -> str:
    """How the names of its parts begin; behind it stands which process writes it."""
    return f".{target.name[:200]}."


def _sweep(target: Path) -> None:
    """Remove what processes have left that were ended. One of another machine may still be at work: it has written not
    long ago."""
    for path in target.parent.glob(f"{escape(_beginning(target))}*.part"):
        process = path.name[:-5].rpartition(".")[2]
        try:
            if process.isdecimal() and time.time() - path.stat().st_mtime > _LEFT_BEHIND:
                os.kill(int(process), 0)
        except ProcessLookupError:
            path.unlink(missing_ok=True)
        except (OSError, OverflowError):
            continue
