"""Launches that a verl script makes again and again, or side by side: what the launcher of Relax does instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.shell.nodes import ArithmeticFor, For, Loop
from relax_lint.shell.walk import nodes_of

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.script import ScriptFile
    from relax_lint.sources.text import SourceFile

_WIDTH = 60


def told_of_repetition(launches: Sequence[Launch], scripts: Iterable[ScriptFile]) -> Iterator[str]:
    """What differs in how often, and when, the launches of a script run."""
    found = list(scripts)
    loops = dict.fromkeys(launch.loop for launch in launches if launch.loop is not None)
    for loop in loops:
        line, head = _named(loop.source, loop.start)
        yield (
            f"nobody can tell how often the loop at line {line}, `{head}`, goes round: here its training runs once, "
            "start the launcher again for each further round, with the variables of that round"
        )
    for line, head in dict.fromkeys(_alike(launches, found)):
        yield f"the loop at line {line}, `{head}`, runs the same training again and again: here it runs once"
    together = [launch for launch in launches if launch.background]
    if together and (len(launches) > 1 or loops):
        lines = dict.fromkeys(str(_named(launch.site.source, launch.site.start)[0]) for launch in together)
        yield (
            f"the script runs its trainings at the same time (`&` at line {', '.join(lines)}): here each has all GPUs, "
            "and they run one after another"
        )


def _alike(launches: Sequence[Launch], scripts: Sequence[ScriptFile]) -> Iterator[tuple[int, str]]:
    """The loops around a launch that is the same in every round."""
    for launch in launches:
        source = next((each for each in scripts if each is launch.site.source), None)
        if source is None or launch.loop is not None or sum(launch.site == each.site for each in launches) > 1:
            continue
        again = [each for each in nodes_of(source, For) if each.words is None or len(each.words) != 1]
        loops: list[For | ArithmeticFor | Loop] = [*again, *nodes_of(source, ArithmeticFor), *nodes_of(source, Loop)]
        for loop in loops:
            if loop.start <= launch.site.start < loop.end:
                yield _named(source, loop.start)


def _named(source: SourceFile, start: int) -> tuple[int, str]:
    """The line of a loop, and how it begins."""
    line = source.position(start)[0]
    head = " ".join(source.text[start:].partition("\n")[0].partition("; do")[0].split())
    return line, head if len(head) <= _WIDTH else f"{head[: _WIDTH - 1]}…"
