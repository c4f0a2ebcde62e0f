"""What the user asks for: the settings of a run, from configuration files and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from relax_lint.selection import Layer

Profile = Literal["guide", "runtime"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that changes what is found in a file.

    ``directory`` is where the configuration file is: patterns are relative to it. ``env`` gives variables of a
    launcher's environment their values at this site.
    """

    directory: Path | None = None
    selection: tuple[Layer, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    profile: Profile = "guide"
    env: Mapping[str, str] = field(default_factory=dict)
    extra_flags: tuple[str, ...] = ()
    relax_root: Path | None = None
    verl_root: Path | None = None
