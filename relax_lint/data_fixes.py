"""Flags that say how data is read, written into a launcher where its data shows what they must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Fix
from relax_lint.fixers.launcher_edits import insert_after, replace_value
from relax_lint.shell.queries import is_own, other_launches
from relax_lint.shell.quoting import as_word

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch

_BESIDE = ("--label-key", "--input-key", "--prompt-data")


def with_flag(
    flag: str, value: str | None, launch: Launch, project: Project, beside: Sequence[str] = _BESIDE
) -> Fix | None:  # fmt: skip
    """A flag more, behind the others about data, or another value of one that is there; ``None`` where these go to
    launches of other data, too."""
    item = flag if value is None else f"{flag} {as_word(value)}"
    given = launch.last(flag)
    anchor = given or next((found for other in beside if (found := launch.last(other)) is not None), None)
    data = launch.last("--prompt-data")
    if anchor is None or anchor.word.place is None or not is_own(project, launch, anchor.word.place):
        return None
    others = other_launches(launch, project, anchor)
    if any((given is None and other.may_have(flag)) or not _same_data(other, data) for other in others):
        return None
    edit = insert_after(anchor, [item]) if given is None else replace_value(given, as_word(value or ""))
    return None if edit is None else Fix(f"{'add' if given is None else 'write'} {item}", lambda: [edit])


def _same_data(other: Launch, data: Argument | None) -> bool:
    own = other.last("--prompt-data")
    return own is not None and data is not None and own.value == data.value
