"""Many inputs on several processes: one that dies or hangs is told of, and the others go on."""

from __future__ import annotations

import gc
import mmap
import multiprocessing
import os
import resource
import signal
import struct
import time
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from tools.fuzz.figures import Figures
from tools.fuzz.fronts import Front
from tools.fuzz.outcome import Depth, Outcome, Trouble
from tools.fuzz.watching import bound_memory, depth_of, made, prepare, watched

CHUNK = 1_000
PATIENCE = 120.0
"""Seconds after which a process that is at the same input still is ended."""


class Task(NamedTuple):
    """What is to be done: ``seed`` tells the inputs apart from those of other runs, ``every`` is of how many inputs one
    is judged by all rules."""

    front: Front
    name: str
    seed: int
    every: int


def run(task: Task, inputs: range, jobs: int) -> Figures:
    """Judge the inputs of these numbers."""
    total = Figures()
    began = time.monotonic()
    for figures in _several(task, inputs, jobs):
        total.add(figures)
    total.wall = time.monotonic() - began
    return total


def run_here(task: Task, inputs: range) -> Figures:
    """The same in this process, which may hang or die of it."""
    total = Figures()
    for index in inputs:
        _take(total, task, index)
    return total


def _take(total: Figures, task: Task, index: int) -> None:
    depth = depth_of(index, task.every)
    outcome, seconds = watched(task.front, made(task.front, task.name, task.seed, index), depth)
    total.take(index, outcome, seconds, depth)


def _several(task: Task, inputs: range, jobs: int) -> Iterator[Figures]:
    chunks = [inputs[at : at + CHUNK] for at in range(0, len(inputs), CHUNK)]
    chunks.reverse()
    workers = [Worker(task) for _ in range(min(jobs, len(chunks)))]
    try:
        busy: dict[Worker, range] = {}
        while chunks or busy:
            for worker in workers:
                if chunks and worker not in busy:
                    busy[worker] = chunks.pop()
                    worker.begin(busy[worker])
            ready = wait([one.pipe for one in busy], timeout=1.0)
            for worker in list(busy):
                if worker.pipe in ready:
                    chunk = busy.pop(worker)
                    found = worker.answer()
                    if found is None:
                        yield from _after_end(worker, chunk, chunks, "a process dies")
                    else:
                        yield found
            for worker in [one for one in busy if one.is_stuck]:
                worker.end()
                yield from _after_end(worker, busy.pop(worker), chunks, "does not come back")
    finally:
        for worker in workers:
            worker.end()


def _after_end(worker: Worker, chunk: range, chunks: list[range], kind: str) -> Iterator[Figures]:
    """What an input that ended its process counts as; the rest of its chunk is begun anew without it."""
    at = worker.index
    figures = Figures()
    figures.take(at, Outcome(kind, [Trouble(kind, f"status {worker.status}")]), 0.0, Depth.READ)
    chunks += [part for part in (range(at + 1, chunk.stop), range(chunk.start, at)) if part]
    worker.start()
    yield figures


class Worker:
    """A process that judges chunks."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._shared = mmap.mmap(-1, 8)
        self.status: int | None = None
        self.start()

    def start(self) -> None:
        """A new process."""
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, self._shared, self._task), daemon=True)
        gc.collect()
        gc.freeze()
        self._process.start()
        theirs.close()

    def begin(self, chunk: range) -> None:
        """Give it something to do."""
        self._seen, self._since = -1, time.monotonic()
        self.pipe.send(chunk)

    def answer(self) -> Figures | None:
        """What it has found; nothing when it died."""
        try:
            found: Figures | str = self.pipe.recv()
        except EOFError:
            self.end()
            return None
        if isinstance(found, str):
            raise RuntimeError(f"input {self.index} cannot be made or counted: {found}")
        return found

    @property
    def index(self) -> int:
        """The input that it is at."""
        return int(struct.unpack("q", self._shared[:])[0])

    @property
    def is_stuck(self) -> bool:
        """Whether it has been at one input for very long."""
        if self.index != self._seen:
            self._seen, self._since = self.index, time.monotonic()
        return time.monotonic() - self._since > PATIENCE

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self.status = self._process.exitcode
        self.pipe.close()


def _work(pipe: Connection, shared: mmap.mmap, task: Task) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prepare()
    bound_memory()
    parent = os.getppid()
    while os.getppid() == parent:
        try:
            chunk: range = pipe.recv()
        except EOFError:
            return
        figures = Figures()
        try:
            for index in chunk:
                shared[:] = struct.pack("q", index)
                _take(figures, task, index)
        except Exception:  # relax_lint is judged in there, so this is the fuzzer's own
            pipe.send(traceback.format_exc())
            return
        figures.megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        pipe.send(figures)
