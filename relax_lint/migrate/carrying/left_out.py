"""What carried code leaves out of the modules that it comes from, as it is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.code import bound_by

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.closure import Copied, Part


def left_out(copied: Copied, by: str) -> Iterator[str]:
    """A sentence for each module of the user's that is cut down, since what is named ``by`` does not need the rest. Of
    verl's modules the rest is not the recipe's, and what is taken of them is told file by file."""
    for part in copied.parts:
        if part.is_whole or part.code.origin.of_verl:
            continue
        left = list(_left(part))
        if left:
            yield f"left out of {part.code.origin.path.name}, since {by} not reach it: {', '.join(left)}"


def _left(part: Part) -> Iterator[str]:
    """What a module has beside its part, by its names, or by its line."""
    for statement in part.code.statements:
        if statement.index in part.indices or statement.idle or statement.is_import:
            continue
        for each in statement.nodes:
            yield ", ".join(sorted(bound_by(each))) or f"line {part.code.line(each.lineno)}"
