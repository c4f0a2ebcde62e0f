"""What was tried, how often, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_SHOWN = 12


@dataclass
class Row:
    """One kind of fault in one scenario: how often it was tried, in which calls, what was left, and what was wrong."""

    scenario: str
    kind: str
    tried: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    completed: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, state: str, call: str) -> None:
        """Count a run with what it left."""
        self.tried += 1
        self.calls[call] += 1
        self.left[state] += 1


def table(rows: list[Row]) -> str:
    """For people: a line each, then what was wrong."""
    head = ("scenario", "fault", "tried", "all old", "part new", "all new", "2nd run completes", "wrong")
    lines: list[tuple[str, ...]] = [head]
    for row in rows:
        left = [row.left[state] for state in ("old", "part", "new")]
        second = f"{row.completed} of {row.tried}"
        lines.append((row.scenario, row.kind, *map(str, (row.tried, *left)), second, str(len(row.faults))))
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    text = "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines)
    calls = sum((row.calls for row in rows), Counter[str]())
    text += "\n\nin front of: " + ", ".join(f"{name} {count}" for name, count in calls.most_common())
    tried, wrong = sum(row.tried for row in rows), sum(len(row.faults) for row in rows)
    text += f"\n{tried} runs under fault, {wrong} wrong"
    for row in rows:
        shown = [f"\n{row.scenario}, {row.kind}: {fault}" for fault in row.faults[:_SHOWN]]
        text += "".join(shown) + (f"\n  and {len(row.faults) - _SHOWN} more" if len(row.faults) > _SHOWN else "")
    return text
