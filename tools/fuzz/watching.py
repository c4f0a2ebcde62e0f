"""One input under watch: how long it may take, how much memory it may have, what is caught meanwhile."""

from __future__ import annotations

import random
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.fuzz import handlers
from tools.fuzz.fronts import Front
from tools.fuzz.judging import trouble
from tools.fuzz.outcome import Depth, Outcome, Tree, Trouble

SECONDS = 10.0
SECONDS_A_KILOBYTE = 0.25
MEMORY = 2 << 30
"""What a process may have beyond what it has before the first input."""


class TooLong(BaseException):
    """The bound is reached; no clause of ours is meant for it."""


def made(front: Front, name: str, seed: int, index: int) -> Tree:
    """An input by its number."""
    return front.make(random.Random(f"{name}:{seed}:{index}"))


def bound_memory() -> None:
    """From now on this process gets no more than it may have."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return  # no Linux: no way to tell what it has
    used = int(statm.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def depth_of(index: int, every: int) -> Depth:
    """How far the input of a number goes: one of ``every`` is judged by all rules and fixed, one of 16 of these is
    looked at closely."""
    steps = (every, every * 16)
    return Depth(sum(index % step == 0 for step in steps))


def watched(front: Front, tree: Tree, depth: Depth) -> tuple[Outcome, float]:
    """What comes of an input, and the seconds of this processor that it took."""
    handlers.take()
    size = sum(map(len, tree.values()))
    began = time.process_time()
    try:
        with _at_most(SECONDS + SECONDS_A_KILOBYTE * size / 1000):
            outcome = front.judge(tree, depth)
    except TooLong as problem:
        outcome = Outcome("too long", [trouble("takes too long", problem)])
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as problem:
        outcome = Outcome("raises", [trouble("raises", problem)])
    seconds = time.process_time() - began
    caught = handlers.take()
    outcome.expected = [one.clause for one in caught if one.clause in handlers.EXPECTED]
    outcome.troubles += _kept_silent(caught, outcome.signature)
    return outcome, seconds


def _kept_silent(caught: list[handlers.Caught], signature: str) -> Iterator[Trouble]:
    """What was caught and not told: a want of stack or memory is told by RLX001 or RLX003 or as not checked."""
    told = "told:" in signature
    for one in caught:
        if one.clause in handlers.EXPECTED:
            continue
        if one.want and not told:
            yield Trouble("out of stack or memory, silently", one.clause, one.trace)
        elif not one.want:
            yield Trouble("caught in silence", f"{one.clause} {one.problem.partition(':')[0]} {one.raised}", one.trace)


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def prepare() -> None:
    """Have the bound of time raise."""

    def ring(number: int, frame: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, ring)
