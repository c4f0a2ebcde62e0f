"""What comes of migrating a script: files to write, what was planned for each launch, and what was refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from relax_lint.records import node, record

if TYPE_CHECKING:
    from relax_lint.diagnostics import Diagnostic, Place
    from relax_lint.migrate.exported import Left
    from relax_lint.migrate.plan import Piece, Plan
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource


@record
class Refused:
    """A launch that is not migrated: why, because of which setting, and where that is written."""

    reason: str
    place: Place
    key: str = ""
    conditions: tuple[str, ...] = ()


@record
class Written:
    """A launch that is migrated: by which plan, into which script, what it is called there among several, and the
    script that it was in."""

    launch: Launch
    plan: Plan
    script: Path
    name: str
    origin: LauncherSource


@record
class SameAs:
    """A way through the verl script that Relax runs as another one."""

    conditions: tuple[str, ...]
    script: Path


@record
class Unused:
    """A file of verl's recipe that is not carried over, and why."""

    path: Path
    reason: str


@node
class Migrated:
    """The outcome for one script, or for a directory of them.

    ``target`` is the recipe's directory, ``files`` what is to be written; ``unwritten`` are the conditions of ways
    through the script that are too many to be written each, ``findings`` what the rules say of the files and should
    not; ``kept`` are files that are there with another text than they would have been given, and stay; ``unused`` are
    files of verl's recipe that no file of the new one was made of. ``carried`` says what its files have of others, and
    ``verl`` is the package of verl's code.
    """

    source: Path
    target: Path
    files: Mapping[Path, str]
    launches: Sequence[Written]
    refused: Sequence[Refused]
    same: Sequence[SameAs]
    left: Sequence[Left]
    unwritten: Sequence[tuple[str, ...]] = ()
    findings: Sequence[Diagnostic] = ()
    kept: Sequence[Path] = ()
    unused: Sequence[Unused] = ()
    carried: Mapping[Path, Sequence[Piece]] = MappingProxyType({})
    verl: Path | None = None
