"""Flags that say how data is read, written into a launcher where its data shows what they must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Fix
from relax_lint.fixers.launcher_edits import insert_after
from relax_lint.shell.queries import is_own, other_launches

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch

_BESIDE = ("--label-key", "--input-key", "--prompt-data")


def with_flag(items: Sequence[str], launch: Launch, project: Project, beside: Sequence[str] = _BESIDE) -> Fix | None:
    """A flag more, behind the others about data; ``None`` where these go to launches of other data, too."""
    anchor = next((found for flag in beside if (found := launch.last(flag)) is not None), None)
    data = launch.last("--prompt-data")
    if anchor is None or anchor.word.place is None or not is_own(project, launch, anchor.word.place):
        return None
    flag = items[0].partition(" ")[0]
    if any(other.may_have(flag) or not _same_data(other, data) for other in other_launches(launch, project, anchor)):
        return None
    edit = insert_after(anchor, items)
    return None if edit is None else Fix(f"add {' '.join(items)}", lambda: [edit])


def _same_data(other: Launch, data: Argument | None) -> bool:
    own = other.last("--prompt-data")
    return own is not None and data is not None and own.value == data.value
