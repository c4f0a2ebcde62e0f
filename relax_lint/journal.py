"""What a run is about to do to several files, so that the next run completes it when this one is killed.

The journal lies in the tree, where a stranger may have put one. So it says nothing that is done unseen: only files are
put in place that lie beside it, in directories that are not hidden, over files that are just what the journal says they
were; content comes from nowhere else.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from relax_lint.files import BEGUN
from relax_lint.records import record
from relax_lint.replacing import (
    BESIDE,
    CHANGED,
    JOURNAL,
    UNFINISHED,
    Change,
    NotWritten,
    content,
    free_name,
    named,
    sync_directory,
    why,
    write_new,
)
from relax_lint.store import digest

_VERSION = 1
_LARGEST = 4 * 1024 * 1024


@record
class Completed:
    """What was done of what an ended run had begun: files as they were to be, and those that were left, with the
    reason."""

    written: tuple[Path, ...]
    left: tuple[tuple[Path, str], ...]


def begin(changes: Sequence[Change], root: Path) -> Path:
    """Write down what is to be done; from here on it will be."""
    home = os.path.realpath(root)
    entries = [
        {
            "path": os.fsdecode(os.path.relpath(change.target, home)),
            "beside": change.beside.name,
            "before": digest(change.before),
            "after": digest(change.after),
        }
        for change in changes
    ]
    text = json.dumps({"relax-lint": _VERSION, "changes": entries}, indent=1)
    for change in changes:
        sync_directory(change.beside.parent)
    refused: OSError | None = None
    for directory in dict.fromkeys((root, *(change.target.parent for change in changes))):
        unfinished = free_name(directory)
        first = directory / BEGUN
        path = unfinished.with_suffix(JOURNAL) if os.path.lexists(first) else first
        try:
            write_new(unfinished, f"{text}\n".encode())
            _named_for_good(unfinished, path)
        except OSError as problem:
            refused = refused or problem
            continue
        sync_directory(directory)
        return path
    raise refused or OSError("nothing is to be done")


def _named_for_good(unfinished: Path, path: Path) -> None:
    try:
        unfinished.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def complete(directory: Path, root: Path) -> Completed:
    """Do what is written down in a directory, and remove what an ended run has left in it. Nobody else may be writing
    below the root."""
    written: list[Path] = []
    left: list[tuple[Path, str]] = []
    needed: set[Path] = set()
    for journal in sorted(named(directory, JOURNAL)):
        refused: list[Path] = []
        for told in _changes(journal, root):
            try:
                written += [told.target] if _is_done_now(told) else []
            except NotWritten as problem:
                left.append((told.target, str(problem)))
            except OSError as problem:
                left.append((told.target, why(problem)))
                refused.append(told.beside)
                continue
            with contextlib.suppress(OSError):
                told.beside.unlink(missing_ok=True)
        needed.update(refused)
        if not refused:
            with contextlib.suppress(OSError):
                journal.unlink()
    for path in named(directory, UNFINISHED):
        if path not in needed:
            with contextlib.suppress(OSError):
                path.unlink()
    return Completed(tuple(written), tuple(left))


@record
class _Written:
    """A change as a journal tells it: the contents by their digests."""

    target: Path
    beside: Path
    before: str | None
    after: str | None


def _is_done_now(told: _Written) -> bool:
    """Do a change that is not done yet; :class:`NotWritten` when the file is another one by now."""
    held, laid = content(told.target), content(told.beside)
    if digest(held) == told.after:
        if None not in (told.before, told.after, laid) and digest(laid) not in (told.before, told.after):
            # It was done, and what it replaced was another program's, which the ended run had not seen yet.
            Change(told.target, held, laid, told.beside).apply()
            raise NotWritten(CHANGED)
        return False
    data = None if told.after is None else laid
    if digest(held) != told.before or digest(data) != told.after:
        raise NotWritten(CHANGED)
    Change(told.target, held, data, told.beside).apply()
    return True


def _changes(journal: Path, root: Path) -> Iterator[_Written]:
    """What a journal says that is fit to be done."""
    for entry in _entries(journal):
        if not isinstance(entry, dict):
            continue
        name, beside, before, after = (entry.get(key) for key in ("path", "beside", "before", "after"))
        digests = all(one is None or isinstance(one, str) for one in (before, after))
        if isinstance(name, str) and isinstance(beside, str) and digests and _is_fit(name, beside, root):
            target = root / name
            yield _Written(target, target.with_name(beside), before, after)


def _entries(journal: Path) -> Iterable[Any]:
    try:
        descriptor = os.open(journal, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                return []
            told = json.loads(stream.read())
    except (OSError, ValueError, RecursionError):
        return []
    changes = told.get("changes") if isinstance(told, dict) and told.get("relax-lint") == _VERSION else None
    return changes if isinstance(changes, list) else []


def _is_fit(name: str, beside: str, root: Path) -> bool:
    """Whether a file is one that a fix may write: below the root, reached by no link, and not among what git or others
    hide."""
    path = PurePosixPath(name)
    plain = not path.is_absolute() and path.parts and not any(part.startswith(".") for part in path.parts)
    fit = "\0" not in name + beside and name.isprintable()
    ours = PurePosixPath(beside).name == beside and beside.startswith(BESIDE) and beside.endswith(UNFINISHED)
    if not (plain and fit and ours):
        return False
    target = root / path
    return Path(os.path.realpath(target)) == Path(os.path.realpath(root), path) and not target.is_dir()
