"""What rules say of the rows of a dataset: noted row by row, whether a sample is looked at or all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from relax_lint.catalog.hidden import is_hidden
from relax_lint.diagnostics import Finding, NotChecked, Severity
from relax_lint.records import node
from relax_lint.shell.queries import why_unknown

if TYPE_CHECKING:
    from relax_lint.datasets import DatasetUse
    from relax_lint.diagnostics import Place
    from relax_lint.sources.dataset import DataFile, Row

Fault = tuple[str, str, Severity]
"""What is wrong with a row: a word that tells faults of one kind, the message, how bad it is."""

KINDS: list[type[RowJudge]] = []
"""Every kind of judge whose rule has been loaded."""


@node
class Noted:
    """A fault that rows have: where the first was seen, and how many have it."""

    message: str
    severity: Severity
    file: DataFile
    row: int
    count: int = 1


class RowJudge:
    """Looks at the rows of one dataset of a launch and reports each kind of fault once.

    ``needs`` are the keys without which nothing can be told.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    places: ClassVar[tuple[str, ...]] = ()
    """The keys whose flags the faults are reported at, the first that is named."""

    def __init__(self, use: DatasetUse) -> None:
        self.use = use
        self.seen = 0
        self.noted: dict[str, Noted] = {}

    def __init_subclass__(cls) -> None:
        KINDS.append(cls)

    @property
    def applies(self) -> bool:
        """Whether there is anything to look for."""
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to look at."""
        raise NotImplementedError

    @property
    def counted(self) -> tuple[str, ...]:
        """Those of them of which it is enough to know how many items a list has."""
        return ()

    def faults(self, row: Row, file: DataFile) -> Iterator[Fault]:
        """What is wrong with a row."""
        raise NotImplementedError

    @property
    def place(self) -> Place:
        """Where to report."""
        return self.use.place_of(*self.places)

    @property
    def subject(self) -> str:
        """What it is about."""
        named = next((one for one in map(self.use.naming, self.places) if one is not None), None)
        return self.use.flag if named is None else named.flag

    def take(self, row: Row, file: DataFile, number: int) -> None:
        """Look at a row, by its number in its file (from 1)."""
        self.seen += 1
        told: set[str] = set()
        for kind, message, severity in self.faults(row, file):
            if kind in told:
                continue
            told.add(kind)
            noted = self.noted.get(kind)
            if noted is None:
                self.noted[kind] = Noted(message, severity, file, number)
            else:
                noted.count += 1

    def findings(self) -> Iterator[Finding | NotChecked]:
        """What there is to report."""
        for noted in self.noted.values():
            where = f"row {noted.row} of {noted.file.text}"
            if noted.count > 1:
                where += f" and {noted.count - 1:,} more of {self.seen:,} read"
            yield Finding(
                self.place,
                f"{noted.message} ({where})",
                severity=noted.severity,
                launch=self.use.launch,
                subject=self.subject,
            )


def judged(use: DatasetUse, kind: type[RowJudge]) -> Iterator[Finding | NotChecked]:
    """What a judge has to say of a dataset: of all rows where it has seen them already, else of a sample."""
    if not use.readable:
        return
    judge = use.judges.get(kind) or _of_sample(use, kind)
    if not judge.applies:
        return
    hidden = [key for key in kind.needs if is_hidden(getattr(use.keys, key))]
    if hidden:
        value = getattr(use.keys, hidden[0])
        named = use.naming(hidden[0])
        because = why_unknown(value.words[0]) if value.words else (named.flag if named is not None else hidden[0])
        yield NotChecked(use.place_of(hidden[0]), because)
        return
    yield from judge.findings()


def _of_sample(use: DatasetUse, kind: type[RowJudge]) -> RowJudge:
    judge = kind(use)
    if judge.applies and not any(is_hidden(getattr(use.keys, key)) for key in kind.needs):
        for file in use.readable:
            for number, row in enumerate(file.sample(*judge.columns, counted=judge.counted), file.bounds[0] + 1):
                judge.take(row, file, number)
    return judge


def unreadable(use: DatasetUse) -> Iterator[NotChecked]:
    """The files of a dataset that only pyarrow could read, where it is not installed."""
    for file in use.files:
        if not file.columns and file.needs_pyarrow:
            yield NotChecked(use.place, f"{file.text}: {file.problem}")
