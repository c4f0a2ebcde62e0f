"""What stands behind a broken continuation: verl ran without it, and its author may not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Obstacle
from relax_lint.patterns import pattern
from relax_lint.shell.continuations import break_of
from relax_lint.shell.queries import start_of
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.shell.launch import Launch

_NO_PART = pattern(r"[ \t]*(?:#.*)?\r?\Z")


def broken_off(launch: Launch) -> list[Obstacle]:
    """What a launch was to have and has not, since its command ends before; nothing where it is whole."""
    start = start_of(launch)
    found = break_of(start.source, start.start) if isinstance(start.source, ScriptFile) else None
    if found is None or (found.kind == "carriage return" and not start.start <= found.place.start <= start.end):
        return []
    lost = ", ".join(_behind(found.place))
    if not lost:
        return []
    line, _ = start.source.position(found.place.start)
    said = (
        f"{lost}: the command breaks off here, and verl ran without what stands below; if it was meant, have "
        "relax-lint check --select RLX422 --fix join the lines, and migrate again"
    )
    return [Obstacle(start.source.path, line, said)]


def _behind(place: Place) -> list[str]:
    """The lines that were to go on with a command, without their backslashes."""
    found: list[str] = []
    ends = False
    for line in place.source.text[place.end :].split("\n")[1:]:
        content = line.strip().removesuffix("\\").rstrip()
        if not _NO_PART.match(line):
            found.append(content)
            ends = not line.rstrip().endswith("\\")
        if ends:
            break
    return found
