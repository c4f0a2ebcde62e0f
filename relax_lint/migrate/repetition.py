"""Launches that a verl script makes again and again, or side by side: what the launcher of Relax does instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.shell.launch import Launch

_WIDTH = 60


def told_of_repetition(launches: Sequence[Launch]) -> Iterator[str]:
    """What differs in how often, and when, the launches of a script run."""
    loops = dict.fromkeys(launch.loop for launch in launches if launch.loop is not None)
    for loop in loops:
        line, head = named(loop)
        yield (
            f"nobody can tell how often the loop at line {line}, `{head}`, goes round: here its training runs once, "
            "start the launcher again for each further round, with the variables of that round"
        )
    for loop in dict.fromkeys(launch.again for launch in launches if launch.again is not None):
        line, head = named(loop)
        yield f"the loop at line {line}, `{head}`, runs the same training again and again: here it runs once"
    together = [launch for launch in launches if launch.background]
    if together and (len(launches) > 1 or loops):
        lines = dict.fromkeys(str(named(launch.site)[0]) for launch in together)
        yield (
            f"the script does not wait for its training at line {', '.join(lines)} before the next begins (`&`): here "
            "each has all GPUs, and they run one after another"
        )


def named(loop: Place) -> tuple[int, str]:
    """The line of a loop, and how it begins."""
    line = loop.source.position(loop.start)[0]
    head = " ".join(loop.source.text[loop.start :].partition("\n")[0].partition("; do")[0].split())
    return line, head if len(head) <= _WIDTH else f"{head[: _WIDTH - 1]}…"
