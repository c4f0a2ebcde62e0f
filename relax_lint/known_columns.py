"""What is known of the columns that a launch trains on: by the data where it is here, else by what converts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.converted_columns import conversions_for, is_conversation
from relax_lint.kept import kept_property

if TYPE_CHECKING:
    from relax_lint.converted_columns import Conversion
    from relax_lint.datasets import DatasetUse
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.columns import ColumnType

ANSWERS = ("label", "answer", "ground_truth", "solution")
"""Names of columns with the answer."""


class KnownColumns:
    """The columns of a launch's training data."""

    def __init__(self, launch: Launch, project: Project) -> None:
        self._launch = launch
        self._project = project

    @kept_property
    def use(self) -> DatasetUse | None:
        """The data, where it is here and can be read."""
        from relax_lint.datasets import datasets_of

        uses = (use for use in datasets_of(self._launch, self._project) if use.role == "train" and use.columns)
        return next(uses, None)

    @kept_property
    def scripts(self) -> list[Conversion]:
        """What converts the data, where that is not here."""
        return [] if self.use is not None else conversions_for(self._launch, self._project)

    @property
    def types(self) -> dict[str, ColumnType]:
        """The columns of the data that is here."""
        return {} if self.use is None else self.use.columns

    @kept_property
    def names(self) -> frozenset[str] | None:
        """All columns; ``None`` where there may be others."""
        if self.use is not None:
            return frozenset(self.use.columns)
        if not self.scripts or not all(made.complete for made in self.scripts):
            return None
        return frozenset(name for made in self.scripts for name in made.columns)

    @property
    def where(self) -> str:
        """What has these columns, for people."""
        return self.use.files[0].text if self.use is not None else f"what {self.scripts[0].source.path.name} writes"

    @property
    def answers(self) -> list[str]:
        """The columns that may be meant by a label: texts in the data, or what the script calls so."""
        if self.use is not None:
            return [name for name in ANSWERS if name in self.types and self.types[name].kind == "string"]
        return [ANSWERS[0]] if self.scripts and all(ANSWERS[0] in made.columns for made in self.scripts) else []

    def holds_conversations(self, column: str) -> bool:
        """Whether certainly all values of a column are lists of messages."""
        if self.use is not None:
            values = [row.get(column) for row in self.use.sample(column)]
            return bool(values) and all(isinstance(one, list) and one and isinstance(one[0], dict) for one in values)
        written = [(made.source, made.columns.get(column)) for made in self.scripts]
        return bool(written) and all(one is not None and is_conversation(source, one.value) for source, one in written)
