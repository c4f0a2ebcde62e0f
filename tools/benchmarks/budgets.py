"""The budgets: what may cost how much beside what, and which of them hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Budget:
    """What one thing may cost beside another: their ratio, measured over allowed."""

    work: str
    measured: str
    against: str
    allowed: float
    wording: str


BUDGETS = (
    Budget("examples/ and scripts/", "check", "bare parsing", 2.0, "at most 2x"),
    Budget("examples/ and scripts/", "check", "flake8 F", 1 / 2, "2x faster"),
    Budget("examples/ and scripts/", "check", "shellcheck", 1 / 8, "8x faster"),
    Budget("examples/ and scripts/", "check", "fixit", 1 / 12, "12x faster"),
    Budget("the same, one process", "check -j1", "bare parsing", 2.0, "at most 2x"),
    Budget("the same, one process", "check -j1", "flake8 F -j1", 1 / 2, "2x faster"),
    Budget("the same, one process", "check -j1", "shellcheck", 1 / 8, "8x faster"),
    Budget("the same, unchanged", "check again", "python -c pass", 4.0, "at most 4x"),
    Budget("one launcher", "check launcher", "python -c pass", 12.0, "at most 12x"),
    Budget("one reward", "check reward", "python -c pass", 12.0, "at most 12x"),
    Budget("flake8 on examples/", "flake8 + plugin again", "flake8", 1.1, "at most 1.10x"),
    Budget("the same, one process", "flake8 + plugin again -j1", "flake8 -j1", 1.1, "at most 1.10x"),
    Budget("the same, nothing kept", "flake8 + plugin", "flake8", 1.1, "at most 1.10x"),
)
EDITED = Budget("a change in an editor", "answer", "parsing the recipe", 3.0, "at most 3x")
CONVERTED = {
    "text": Budget("parquet of text", "data convert", "pandas template", 1 / 10, "10x faster"),
    "images": Budget("parquet of images", "data convert", "pandas template", 1 / 2, "2x faster"),
}
MEMORY = Budget("memory for it", "all rows", "a quarter of them", 1.25, "at most 1.25x")
UNITS = {"s": 1.0, "ms": 1000.0, "MB": 1.0}


@dataclass(frozen=True)
class Result:
    """A budget with its two figures."""

    work: str
    measured: str
    figure: float
    against: str
    beside: float
    unit: str
    budget: str
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether it costs no more than is allowed."""
        return self.figure / self.beside <= self.allowed

    @property
    def ratio(self) -> str:
        """The ratio as the budget words it."""
        if self.allowed < 1:
            return f"{self.beside / self.figure:.1f}x faster"
        return f"{self.figure / self.beside:.2f}x"

    def cells(self) -> tuple[str, ...]:
        """A row of the table."""
        figure, beside = (f"{value * UNITS[self.unit]:,.0f} {self.unit}" for value in (self.figure, self.beside))
        verdict = "holds" if self.holds else "OVER"
        return self.work, f"{self.measured} {figure}", f"{self.against} {beside}", self.ratio, self.budget, verdict

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "ratio": round(self.figure / self.beside, 4), "holds": self.holds}


HEADINGS = ("work", "figure", "beside", "ratio", "budget", "")


def result(budget: Budget, figure: float, beside: float, unit: str = "ms") -> Result:
    """What was measured for a budget: seconds, or MB."""
    return Result(
        budget.work, budget.measured, figure, budget.against, beside, unit, budget.wording, round(budget.allowed, 6)
    )


def results(medians: Mapping[str, float]) -> Iterator[Result]:
    """The budgets of what is timed as a command."""
    return (result(budget, medians[budget.measured], medians[budget.against]) for budget in BUDGETS)


def table(found: Iterable[Result]) -> str:
    """The budgets, for a terminal."""
    return aligned([HEADINGS, *(each.cells() for each in found)])


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Columns, aligned."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
