"""Which launchers of a checkout of verl run a training by reinforcement learning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from relax_lint.shell.evaluate import Reading, evaluate
from relax_lint.shell.launch import Launch, entry_name

_NO_REINFORCEMENT = re.compile(r"sft|main_eval|generation|vla")
"""Mains that fine-tune, evaluate or generate; robots are trained in simulators, which Relax has not."""


def main_of(launch: Launch) -> str:
    """The module or file that runs."""
    return entry_name(launch.argv[launch.entry])


def trainings(script: Path, root: Path) -> list[Launch]:
    """The launches of a script that run a PPO-family main."""
    launches = evaluate(script, Reading(cwd=root, root=root)).launches
    return [launch for launch in launches if launch.kind == "verl" and not _NO_REINFORCEMENT.search(main_of(launch))]


def launchers(root: Path, paths: Iterable[Path]) -> Iterator[tuple[Path, list[Launch]]]:
    """The launchers under some paths, each with its trainings."""
    for path in paths:
        for script in sorted(path.rglob("*.sh")) if path.is_dir() else [path]:
            found = trainings(script, root)
            if found:
                yield script, found
