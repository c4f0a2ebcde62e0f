"""Rows that are converted one by one: of JSON lines, or as a recipe's own code makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from relax_lint.conversion.columns import ENCODED, NO_TRUTH, Wanted, as_text, assembled, columns_of
from relax_lint.conversion.refusals import BadRows, counted_from
from relax_lint.conversion.unfit import as_column


class Misfit(Exception):
    """Rows of types that the rows before did not have."""


class Rows:
    """Converts rows one by one. Their ground truths may differ in type; of all else ``schema`` is what was seen."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._schema: Any = None

    def convert(self, rows: Sequence[Mapping[str, Any]], home: Path) -> Any:
        """Rows of verl's as Relax reads them."""
        wanted = self._wanted
        models = [row.get("reward_model") for row in rows]
        truths = [model.get("ground_truth") if isinstance(model, dict) else None for model in models]
        lacking = {number for number, truth in enumerate(truths) if truth is None}
        if lacking and wanted.without_truth == "refuse":
            raise BadRows(NO_TRUTH, sorted(lacking))
        taken = [number for number in range(len(rows)) if wanted.without_truth == "null" or number not in lacking]
        found = [truths[number] for number in taken]
        told = [truth if isinstance(truth, str) else as_text(truth) for truth in found]
        unasked = [number for number in taken if rows[number].get(wanted.prompt) is None]
        if unasked:
            raise BadRows(f"no {wanted.prompt}", unasked)
        names = [name for name in columns_of(wanted) if any(name in row for row in rows)]
        values = {name: [rows[number].get(name) for number in taken] for name in names}
        values[ENCODED] = [None if isinstance(truth, str) else "json" for truth in found]
        with counted_from(taken):
            label = as_column("reward_model.ground_truth", told, pa.string())
            arrays = self._fitted(values)
            encoding = arrays[ENCODED]
            return assembled(arrays, wanted, home, label, None if pa.types.is_null(encoding.type) else encoding)

    def _fitted(self, values: dict[str, list[Any]]) -> dict[str, Any]:
        """Columns of the types that all rows so far have."""
        arrays = {}
        for name, column in values.items():
            arrays[name] = as_column(name, column)
            if "struct<>" in str(arrays[name].type):
                values[name] = list(map(without_empty, column))
                arrays[name] = as_column(name, values[name])
        seen = pa.schema([(name, array.type) for name, array in arrays.items()])
        known = seen if self._schema is None else self._schema
        try:
            merged = pa.unify_schemas([known, seen], promote_options="permissive")
        except pa.ArrowException:
            for part in known:
                as_column(part.name, values.get(part.name, ()), part.type)
            raise
        self._schema = merged
        if merged != known:
            raise Misfit
        size = len(values[ENCODED])
        for part in merged:
            if part.name not in arrays or arrays[part.name].type != part.type:
                arrays[part.name] = as_column(part.name, values.get(part.name, [None] * size), part.type)
        return arrays


def without_empty(value: Any) -> Any:
    """A value without empty dictionaries, for which parquet has no form."""
    if isinstance(value, dict):
        return {name: without_empty(part) for name, part in value.items()} or None
    return list(map(without_empty, value)) if isinstance(value, list) else value
