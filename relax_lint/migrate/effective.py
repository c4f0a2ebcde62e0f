"""The settings that a verl launch really has: its command line over the recipe's configuration over verl's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Refusal
from relax_lint.shell.launch import entry_name

if TYPE_CHECKING:
    from relax_lint.migrate.candidates import Candidate
    from relax_lint.migrate.settings import Settings
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

_NO_RL = re.compile(r"sft|generation|main_eval|model_merger|evaluation", re.IGNORECASE)


def effective_settings(launch: Launch, project: Project, verl_root: Path | None = None) -> Settings:
    """What a launch really uses; raises ``Refusal`` for what Hydra refuses and for what trains nothing by rewards."""
    from relax_lint.migrate.candidates import candidate
    from relax_lint.migrate.overrides import read_command
    from relax_lint.migrate.verl_defaults import verls

    name = entry_name(launch.argv[launch.entry])
    if _NO_RL.search(name.rpartition("/")[2].removesuffix(".py").rpartition(".")[2]):
        raise Refusal(f"{name} is no training by rewards", place=launch.argv[launch.entry].place)
    command = read_command(launch)
    best: Candidate | None = None
    refused: Refusal | None = None
    for verl in verls(project, verl_root):
        try:
            found = candidate(launch, project, verl, command)
        except Refusal as refusal:
            refused = refused or refusal
            continue
        if best is None or found.strangers < best.strangers:
            best = found
        if not best.strangers:
            break
    if best is None:
        assert refused is not None
        raise refused
    return best.settings()
