"""As much of the library `datasets` as preprocessing scripts use, over rows that are all in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json as pj
import pyarrow.parquet as pq

Row = dict[str, Any]


class Dataset:
    """A table of rows; every method gives a new one."""

    root = Path()

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: list[Row] = pa.Table.from_pylist(list(rows)).to_pylist()

    @staticmethod
    def from_list(rows: list[Row]) -> Dataset:
        return Dataset(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @property
    def column_names(self) -> list[str]:
        return list(self._rows[0])

    def map(
        self,
        function: Callable[..., Any],
        with_indices: bool = False,
        input_columns: str | Sequence[str] = (),
        remove_columns: str | Sequence[str] = (),
        fn_kwargs: Mapping[str, Any] | None = None,
        num_proc: int | None = None,
        desc: str = "",
    ) -> Dataset:
        removed = [remove_columns] if isinstance(remove_columns, str) else remove_columns
        rows = []
        for number, row in enumerate(self._rows):
            given = dict(row)
            made = function(*_given(given, number, with_indices, input_columns), **(fn_kwargs or {}))
            if made is None:
                rows.append(row)
                continue
            before = {name: value for name, value in given.items() if name not in removed}
            if made is given:
                made = {name: value for name, value in made.items() if name in before or row.get(name) is not value}
            rows.append({**before, **made})
        return Dataset(rows)

    def filter(
        self,
        function: Callable[..., Any],
        with_indices: bool = False,
        input_columns: str | Sequence[str] = (),
        fn_kwargs: Mapping[str, Any] | None = None,
        num_proc: int | None = None,
    ) -> Dataset:
        words = fn_kwargs or {}
        numbered = list(enumerate(self._rows))
        kept = [n for n, row in numbered if function(*_given(dict(row), n, with_indices, input_columns), **words)]
        return self.select(kept)

    def select(self, indices: Iterable[int]) -> Dataset:
        return Dataset([self._rows[number] for number in indices])

    def take(self, n: int) -> Dataset:
        return self.select(range(n))

    def skip(self, n: int) -> Dataset:
        return self.select(range(n, len(self)))

    def shuffle(self, seed: int | None = None) -> Dataset:
        return self.select(sorted(range(len(self)), key=lambda number: (number * 7919) % 13))

    def rename_column(self, old: str, new: str) -> Dataset:
        return self.rename_columns({old: new})

    def rename_columns(self, names: Mapping[str, str]) -> Dataset:
        return Dataset([{names.get(name, name): value for name, value in row.items()} for row in self._rows])

    def remove_columns(self, names: str | Sequence[str]) -> Dataset:
        left = [names] if isinstance(names, str) else names
        return Dataset([{name: value for name, value in row.items() if name not in left} for row in self._rows])

    def select_columns(self, names: Sequence[str]) -> Dataset:
        return Dataset([{name: row[name] for name in names} for row in self._rows])

    def to_parquet(self, path: str) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(self._rows), path)


class DatasetDict(dict[str, Dataset]):
    """Splits by their names."""

    def map(self, *given: Any, **words: Any) -> DatasetDict:
        return DatasetDict({name: each.map(*given, **words) for name, each in self.items()})

    def filter(self, *given: Any, **words: Any) -> DatasetDict:
        return DatasetDict({name: each.filter(*given, **words) for name, each in self.items()})

    def rename_column(self, old: str, new: str) -> DatasetDict:
        return DatasetDict({name: each.rename_column(old, new) for name, each in self.items()})

    @property
    def column_names(self) -> dict[str, list[str]]:
        return {name: each.column_names for name, each in self.items()}


def _given(row: Row, number: int, with_indices: bool, columns: str | Sequence[str]) -> list[Any]:
    names = [columns] if isinstance(columns, str) else columns
    return [*([row[name] for name in names] or [row]), *([number] if with_indices else [])]


def load_dataset(
    path: str, name: str | None = None, data_files: Any = None, split: str | None = None
) -> Dataset | DatasetDict:
    """The files below the root that are named after the data set's splits; or those that are given."""
    files = {"train": data_files} if isinstance(data_files, str) else data_files
    home = Dataset.root / path.rpartition("/")[2]
    found = {file.stem: file for file in home.glob("*.jsonl")} if files is None else files
    wanted, _, part = (split or "").partition("[")
    tables = DatasetDict({each: Dataset(pj.read_json(str(file)).to_pylist()) for each, file in found.items()})
    if not wanted:
        return tables
    first, _, last = part.rstrip("]").partition(":")
    return tables[wanted].select(range(int(first or 0), int(last or len(tables[wanted]))))


def concatenate_datasets(dsets: Sequence[Dataset]) -> Dataset:
    """The rows of several tables."""
    return Dataset([row for each in dsets for row in each])
