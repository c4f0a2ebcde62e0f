"""When to judge: soon after something was typed, never twice for the same text, never by a queue of stale wishes.

Everything that looks at files runs in one thread of its own, in the order in which it was asked for, so the server
goes on reading what the editor says meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from relax_lint.lsp.workspace import Checked, Workspace

Answer = TypeVar("Answer")

log = logging.getLogger("relax_lint")

LONGEST_PAUSE = 0.5
"""Seconds after a keystroke within which a check begins, however long it takes."""
_STACK = 64 * 1024 * 1024
"""Bytes of the thread's stack: parsers recurse, and some systems give threads much less than programs."""


class Checks:
    """Judges what is open whenever something happened, and tells ``done`` of the outcome unless it is stale.

    ``pause`` is how long to wait for more to be typed: as long as the last check took, so that half of the time at most
    goes into checks.
    """

    def __init__(self, done: Callable[[Checked], None]) -> None:
        self._told = done
        self._workspace = Workspace()
        size = threading.stack_size(_STACK)
        self._worker = ThreadPoolExecutor(1, "relax-lint")
        self._worker.submit(len, ())  # the thread starts now, with its stack
        threading.stack_size(size)
        self._happened = self._judged = 0
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None
        self.pause = 0.0

    def happened(self, what: Callable[[Workspace], None]) -> None:
        """Something happened; the workspace is told what, and judged when nothing more happens for a while."""
        self._worker.submit(what, self._workspace)
        self._happened += 1
        self._begin_later()

    async def ask(self, question: Callable[[Workspace], Answer]) -> Answer:
        """What the workspace answers, after everything that happened so far; nothing is asked for who has given up."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, question, self._workspace)

    async def current(self) -> None:
        """Wait until everything that happened is judged."""
        while self._judged < self._happened:
            await asyncio.shield(self._begin())

    def stop(self) -> None:
        """Begin nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _begin_later(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self.pause, self._begin)

    def _begin(self) -> asyncio.Task[None]:
        """The check that runs, or a new one."""
        if self._running is None or self._running.done():
            if self._timer is not None:
                self._timer.cancel()
            self._running = asyncio.get_running_loop().create_task(self._check())
        return self._running

    async def _check(self) -> None:
        wanted, began = self._happened, time.monotonic()
        try:
            checked = await self.ask(Workspace.check)
        except Exception as problem:  # the server goes on: the next text may be one that can be judged
            from relax_lint.engine import fault

            log.exception("a check failed")
            checked = Checked({}, (f"internal error: {fault(problem)}",))
        self.pause = min(time.monotonic() - began, LONGEST_PAUSE)
        self._judged = wanted
        if wanted == self._happened:
            self._told(checked)
            with suppress(RuntimeError):  # the server is leaving
                self._worker.submit(self._workspace.settle)
        else:
            self._begin_later()


def refreshed(paths: list[Path] | None) -> Callable[[Workspace], None]:
    """That files changed on disk; ``None``: perhaps, nobody knows which."""
    return lambda workspace: workspace.refresh(paths)
