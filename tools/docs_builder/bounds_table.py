"""What an evaluation of a launcher may cost, for the page that explains it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from relax_lint.shell import bounds
from tools.docs_builder.blocks import table

PAGE = Path("docs/explanation/launch-evaluation.md")


def rows() -> str:
    """A row for each bound, with what its docstring says."""
    return table(("at most", "of what"), [(f"{value:,}", what) for value, what in _bounds()])


def _bounds() -> Iterator[tuple[int, str]]:
    body = ast.parse(Path(bounds.__file__).read_text(encoding="utf-8")).body
    for statement, docstring in pairwise(body):
        if isinstance(statement, ast.Assign) and isinstance(docstring, ast.Expr):
            [name] = statement.targets
            assert isinstance(name, ast.Name)
            yield getattr(bounds, name.id), str(ast.literal_eval(docstring.value)).removesuffix(".")
