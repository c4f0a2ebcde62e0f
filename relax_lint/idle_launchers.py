"""Launchers that launch nothing, for sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.patterns import pattern
from relax_lint.shell.nodes import SimpleCommand, Word
from relax_lint.shell.queries import why_not_whole

if TYPE_CHECKING:
    from relax_lint.sources.launcher import LauncherSource

_STARTS_NOTHING = frozenset(
    "awk basename cat chmod cp curl cut date df dirname du expr free git grep head hostname id kill killall ln ls "
    "lsof mkdir mktemp mv nproc nvidia-smi pgrep pip pip3 pkill ps readlink realpath rm sed seq sleep sort tail tee "
    "touch tr uname uniq uuidgen wc wget which whoami".split()
)
_CONVERTS = pattern(r"(?:.*/)?(?:process|preprocess|prepare|convert|download)\w*\.py\Z")


def launches_nothing(launcher: LauncherSource) -> bool:
    """Whether a launcher was followed to all its ends, and what it runs on the way is known to start no training."""
    found = launcher.evaluation
    if found.launches or found.near_launches or found.problems or found.unresolved_sources:
        return False
    if found.too_complex is not None or why_not_whole(launcher) is not None:
        return False
    return all(_starts_nothing(command) for command in found.not_followed)


def _starts_nothing(command: SimpleCommand) -> bool:
    first, second = (word.literal if isinstance(word, Word) else None for word in (*command.words, None, None)[:2])
    if first in ("python", "python3"):
        return second is not None and _CONVERTS.match(second) is not None
    return first in _STARTS_NOTHING or (first == "ray" and second in ("start", "stop", "status"))
