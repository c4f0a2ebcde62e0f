"""Whether the footers of parquet files can be asked all that they say of their columns.

Where one contradicts itself, Arrow ends the process that asks. So another process asks first, the same for all footers:
it is forked when the first comes, and ends with this one.
"""

from __future__ import annotations

import faulthandler
import hashlib
import os
import resource
import signal
import struct
import warnings
from typing import IO, Any, NoReturn

_MARK = b"PAR1"
_LENGTH = struct.Struct("<I")
_MOST_KNOWN = 10_000


def footer_of(stream: IO[bytes]) -> bytes:
    """The footer of a file that Arrow opens."""
    stream.seek(-8, os.SEEK_END)
    size = int.from_bytes(stream.read(4), "little")
    stream.seek(-8 - size, os.SEEK_END)
    return stream.read(size)


class Footers:
    """The footers that were asked already: every launch that names a file opens it."""

    def __init__(self) -> None:
        self._sound: dict[bytes, bool] = {}
        self._asking: _Asking | None = None

    def are_sound(self, footer: bytes) -> bool:
        """Whether a footer, which Arrow can read, can be asked everything."""
        digest = hashlib.blake2b(footer, digest_size=16).digest()
        if digest not in self._sound:
            if len(self._sound) >= _MOST_KNOWN:
                self._sound.clear()
            self._sound[digest] = self._ask(footer)
        return self._sound[digest]

    def _ask(self, footer: bytes) -> bool:
        if self._asking is None or self._asking.parent != os.getpid():
            self._asking = _Asking()
        answer = self._asking.ask(footer)
        if answer is None:
            self._asking = None
        return bool(answer)


class _Asking:
    """A process that asks one footer after the other."""

    def __init__(self) -> None:
        questions, self._questions = os.pipe()
        self._answers, answers = os.pipe()
        self.parent = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it does nothing that a thread of the parent may have to finish
            self._child = os.fork()
        if self._child == 0:
            _answer_all(questions, answers)
        os.close(questions)
        os.close(answers)

    def ask(self, footer: bytes) -> bool | None:
        """Whether a footer is sound; ``None`` where asking it ended the process."""
        question = memoryview(_LENGTH.pack(len(footer)) + footer)
        try:
            while question:
                question = question[os.write(self._questions, question) :]
            answer = os.read(self._answers, 1)
        except BrokenPipeError:
            answer = b""
        if answer:
            return answer == b"y"
        os.waitpid(self._child, 0)
        return None

    def __del__(self) -> None:
        os.close(self._questions)
        os.close(self._answers)


def _answer_all(questions: int, answers: int) -> NoReturn:
    """Answer until nobody asks any more, and end this process without a word."""
    try:
        faulthandler.disable()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's, which ends this one with itself
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _keep_open(questions, answers)
        with os.fdopen(questions, "rb") as stream:
            while size := stream.read(_LENGTH.size):
                footer = stream.read(_LENGTH.unpack(size)[0])
                os.write(answers, b"y" if _is_sound(footer) else b"n")
    finally:
        os._exit(1)


def _keep_open(*kept: int) -> None:
    """Close all other files: locks on them would be held for as long as this process is there."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    first, last = sorted(kept)
    os.closerange(3, first)
    os.closerange(first + 1, last)
    os.closerange(last + 1, max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1024))


def _is_sound(footer: bytes) -> bool:
    try:
        return _agrees(footer)
    except Exception:
        return False


def _agrees(footer: bytes) -> bool:
    import pyarrow
    from pyarrow.parquet import read_metadata

    metadata: Any = read_metadata(pyarrow.BufferReader(_MARK + footer + _LENGTH.pack(len(footer)) + _MARK))
    rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for leaf in range(row_group.num_columns):
            column = row_group.column(leaf)
            statistics = column.statistics
            _ = column.total_uncompressed_size, statistics is not None and statistics.has_null_count
    return min(rows, default=0) >= 0 and sum(rows) == metadata.num_rows
