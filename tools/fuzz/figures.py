"""What many inputs come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any, NamedTuple

from tools.fuzz.outcome import Depth, Outcome, Trouble

SLOWEST = 5
EXAMPLES = 3


class Found(NamedTuple):
    """A trouble with the number of the input that it comes of."""

    number: int
    trouble: Trouble


@dataclass
class Figures:
    """Counts of one front end; those of several processes can be added up."""

    inputs: int = 0
    unparsed: int = 0
    fixable: int = 0
    fixed: int = 0
    against_bash: int = 0
    launches_compared: int = 0
    looked_closely: int = 0
    judged: int = 0
    dropped: int = 0
    seconds: float = 0.0
    wall: float = 0.0
    megabytes: float = 0.0
    signatures: Counter[str] = field(default_factory=Counter)
    troubles: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str], list[Found]] = field(default_factory=dict)
    expected: Counter[str] = field(default_factory=Counter)
    slowest: list[tuple[float, int]] = field(default_factory=list)

    def take(self, index: int, outcome: Outcome, seconds: float, depth: Depth) -> None:
        """Count an input."""
        self.inputs += 1
        self.seconds += seconds
        self.unparsed += not outcome.parses
        self.fixable += outcome.fixable
        self.fixed += outcome.fixed
        self.against_bash += outcome.against_bash
        self.launches_compared += outcome.launches_compared
        self.looked_closely += depth is Depth.CLOSELY
        self.judged += outcome.judged
        self.dropped += outcome.dropped
        self.signatures[outcome.signature] += 1
        if len(self.slowest) < SLOWEST or seconds > self.slowest[-1][0]:
            self.slowest = nlargest(SLOWEST, [*self.slowest, (seconds, index)])
        self.expected.update(set(outcome.expected))
        for trouble in outcome.troubles:
            key = trouble.kind, trouble.cause
            self.troubles[key] += 1
            known = self.examples.setdefault(key, [])
            if len(known) < EXAMPLES:
                known.append(Found(index, trouble))

    def add(self, other: Figures) -> None:
        """Take what another process counted."""
        for name in (
            "inputs",
            "unparsed",
            "fixable",
            "fixed",
            "against_bash",
            "launches_compared",
            "looked_closely",
            "judged",
            "dropped",
            "seconds",
            "wall",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.megabytes = max(self.megabytes, other.megabytes)
        self.signatures += other.signatures
        self.troubles += other.troubles
        self.expected += other.expected
        self.slowest = nlargest(SLOWEST, [*self.slowest, *other.slowest])
        for key, found in other.examples.items():
            self.examples[key] = sorted([*self.examples.get(key, ()), *found])[:EXAMPLES]

    def as_data(self) -> dict[str, Any]:
        """For a JSON file."""
        return {
            "inputs": self.inputs,
            "distinct outcomes": len(self.signatures),
            "not parsed": self.unparsed,
            "judged by all rules": self.judged,
            "with fixes": self.fixable,
            "fixed": self.fixed,
            "fixes left out since the result would not parse": self.dropped,
            "fixed and asked of bash -n": self.against_bash,
            "launches compared across fixes": self.launches_compared,
            "looked at closely": self.looked_closely,
            "cpu seconds": round(self.seconds, 1),
            "seconds": round(self.wall, 1),
            "inputs per cpu second": round(self.inputs / self.seconds, 1) if self.seconds else 0,
            "slowest": [{"input": index, "cpu seconds": round(seconds, 3)} for seconds, index in self.slowest],
            "most memory of a process, MB": round(self.megabytes),
            "inputs that came to a bound that is meant": dict(sorted(self.expected.items())),
            "findings": [
                {
                    "kind": kind,
                    "cause": cause,
                    "times": times,
                    "inputs": [found.number for found in self.examples[kind, cause]],
                    "detail": self.examples[kind, cause][0].trouble.detail,
                }
                for (kind, cause), times in sorted(self.troubles.items())
            ],
        }


_HEADINGS = ("", "inputs", "outcomes", "unparsed", "judged", "fixed", "CPU s", "inputs/s", "slowest")


def table(rows: Iterable[tuple[str, Figures]]) -> str:
    """One line a front end."""
    lines = [_line(*_HEADINGS, "findings")]
    for name, one in rows:
        counts = (one.inputs, len(one.signatures), one.unparsed, one.judged, one.fixed)
        rate = one.inputs / one.seconds if one.seconds else 0.0
        slowest = one.slowest[0][0] if one.slowest else 0.0
        cells = [name, *(f"{count:,}" for count in counts), f"{one.seconds:,.1f}", f"{rate:,.0f}", f"{slowest:.2f} s"]
        lines.append(_line(*cells, str(sum(one.troubles.values()))))
    return "\n".join(lines) + "\n"


def _line(name: str, *cells: str) -> str:
    return f"{name:<10}{''.join(f'{cell:>10}' for cell in cells)}"
