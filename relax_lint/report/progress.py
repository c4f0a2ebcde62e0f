"""How far a long reading has come: one line on standard error, on a terminal only."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType

_EVERY = 0.1
_BAR = 20


class Progress:
    """A line that is written over; nothing where standard error is no terminal."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._shown_at = 0.0
        self._began = time.monotonic()
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def show(self, name: str, share: float, rows: int) -> None:
        """A file, the share of it that is read, and the rows so far."""
        now = time.monotonic()
        if not self._on or now - self._shown_at < _EVERY:
            return
        self._shown_at = now
        share = min(max(share, 0.0), 1.0)
        filled = int(share * _BAR)
        speed = rows / max(now - self._began, 0.001)
        tail = f" [{'#' * filled}{'.' * (_BAR - filled)}] {share:4.0%} {rows:,} rows, {speed:,.0f}/s"
        room = max(8, self._width() - len(tail) - 1)
        shown = name if len(name) <= room else "…" + name[1 - room :]
        sys.stderr.write(f"\r\033[K{shown}{tail}")
        sys.stderr.flush()
        self._drawn = True

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._drawn = False

    @staticmethod
    def _width() -> int:
        try:
            return os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except (OSError, ValueError):
            return 80
