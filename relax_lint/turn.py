"""A run's turn to write, and what is said of the runs before it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.commands import complain
from relax_lint.report import shown_path

if TYPE_CHECKING:
    from relax_lint.groups import Group
    from relax_lint.writing import Turn


@contextlib.contextmanager
def in_turn(
    groups: Sequence[Group], find_again: Callable[[], Sequence[Group]], fail: Callable[[str], None]
) -> Iterator[Sequence[Group]]:
    """The groups of a run once nobody else writes there, found again where somebody did meanwhile."""
    from relax_lint.writing import turns

    directories = {path.parent for group in groups for path in group.targets}
    roots = [group.project.root for group in groups]
    with turns(roots, sorted(directories), say_waiting) as turn:
        say_completed(turn, fail)
        yield find_again() if turn.is_late else groups


def say_waiting() -> None:
    """Say why nothing happens."""
    complain("another run is writing here: waiting for its end")


def say_completed(turn: Turn, fail: Callable[[str], None]) -> None:
    """Say what was completed of what an ended run had begun."""
    for path in turn.written:
        complain(f"{shown_path(path)} is written now: a run that was ended had begun to")
    for path, reason in turn.left:
        fail(f"{shown_path(path)} is left, which a run that was ended had begun to write: {reason}")


def say_begun(root: Path) -> None:
    """Say that a run was ended on the way, unless it is still there."""
    from relax_lint.writing import is_written_now

    if not is_written_now(root):
        complain(f"a run that was ended has left its work in {shown_path(root)} half done: --fix completes it")
