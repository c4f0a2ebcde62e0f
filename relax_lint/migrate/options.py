"""Where things are that a migration needs, and what it is to write."""

from __future__ import annotations

from pathlib import Path

from relax_lint.records import record

PAGE = "MIGRATION.md"


@record
class Options:
    """Where things are: ``verl_root`` the checkout whose defaults count, ``hf_config`` the model's config.json,
    ``into`` the directory of the recipes below the root, ``launcher`` the path of the main launcher in the recipe (else
    ``run_NAME.sh``), ``page`` the name of the page that says all about it. With ``spare``, further files never have the
    names of files that are there. ``first`` is something to do before all else. ``recipe`` is verl's directory of the
    recipe, where all of it is migrated."""

    verl_root: Path | None = None
    hf_config: Path | None = None
    into: str = "examples"
    launcher: str = ""
    page: str = PAGE
    spare: bool = False
    first: str = ""
    recipe: Path | None = None
