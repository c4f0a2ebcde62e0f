"""What datasets hold and what is wrong with them, for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from relax_lint.report import Outcome
from relax_lint.report import json as check_json
from relax_lint.report.data_text import shown

if TYPE_CHECKING:
    from relax_lint.data_check import Examined
    from relax_lint.data_profile import Column, Spread


def render(examined: Sequence[Examined], outcome: Outcome) -> str:
    """One JSON object: that of `check`, and the datasets."""
    content = json.loads(check_json.render(outcome))
    content["datasets"] = [_dataset(one) for one in examined]
    content["summary"]["rows"] = sum(one.profile.rows for one in examined)
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _dataset(examined: Examined) -> dict[str, Any]:
    return {
        "name": examined.spec,
        "files": [file.text for file in examined.files],
        "rows": examined.profile.rows,
        "problems": examined.problems,
        "columns": [_column(column) for top in examined.profile.columns.values() for column in top.walk()],
    }


def _column(column: Column) -> dict[str, Any]:
    values = column.values or None
    return {
        "name": column.name,
        "types": dict(column.kinds.most_common()),
        "seen": column.seen,
        "nulls": column.nulls,
        "size": _spread(column.lengths),
        "values": None if values is None else dict(values.most_common()),
        "example": None if column.parts or column.example is None else shown(column.example),
    }


def _spread(spread: Spread) -> dict[str, float] | None:
    if not spread.count:
        return None
    numbers = {"min": spread.least, "mean": spread.mean, "max": spread.greatest}
    return {name: number for name, number in numbers.items() if number == number and abs(number) != float("inf")}
