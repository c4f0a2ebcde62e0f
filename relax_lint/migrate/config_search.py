"""Where the directories are that a launch tells Hydra to look for its configuration in."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from relax_lint.migrate.config_directories import ConfigDirectory, DirectoryOnDisk

if TYPE_CHECKING:
    from relax_lint.migrate.mains import Main
    from relax_lint.migrate.verl_defaults import Verl
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

_FEWEST_PARTS = 2
"""How much of an unknown directory has to be found below the root to be taken for the same."""


class ConfigSearch:
    """The ways from what a launch names to a directory. Unknown parts of a name are to be behind ``mark``."""

    def __init__(self, launch: Launch, project: Project, verl: Verl, mark: re.Pattern[str]) -> None:
        self.launch = launch
        self.project = project
        self.verl = verl
        self.mark = mark

    def of_main(self, path: str, main: Main) -> ConfigDirectory | None:
        """What ``--config-path`` names: relative to the main's file."""
        if path.startswith("pkg://"):
            return self.from_working_directory(path)
        path = path.removeprefix("file://")
        if not path.startswith("/") and not self.mark.match(path):
            joined = os.path.normpath(main.beside / path)
            found = self._on_disk(Path(joined)) if isinstance(main.beside, Path) else None
            found = found or self.verl.named(joined) or self._on_disk(self.project.root / joined)
            if found is not None:
                return found
        return self._somewhere(path)

    def from_working_directory(self, path: str) -> ConfigDirectory | None:
        """What ``--config-dir`` or an entry of Hydra's search path names."""
        scheme, separator, rest = path.partition("://")
        if not separator:
            scheme, rest = "file", path
        if scheme == "pkg":
            rest = rest.replace(".", "/")
        return self._somewhere(rest) if scheme in ("file", "pkg") else None

    def _somewhere(self, path: str) -> ConfigDirectory | None:
        """A directory by its absolute path, or seen from where the launch may run."""
        tail = self.mark.split(path)[-1].lstrip("/") if self.mark.search(path) else path
        own = self.verl.named(path)
        if own is not None:
            return own
        for place in self._places():
            found = self._on_disk(Path(os.path.normpath(place / tail)))
            if found is not None:
                return found
        parts = PurePosixPath(tail).parts
        for start in range(1, len(parts) - _FEWEST_PARTS + 1):
            for place in self._places():
                found = self._on_disk(place.joinpath(*parts[start:]))
                if found is not None:
                    return found
        return None

    def _places(self) -> Iterator[Path]:
        if self.launch.directory:
            yield Path(self.launch.directory)
        yield self.project.root
        yield self.launch.script.parent
        yield from (place for place in self.launch.script.parent.parents if place.is_relative_to(self.project.root))

    def _on_disk(self, path: Path) -> ConfigDirectory | None:
        if not self.project.is_dir(path):
            return None
        return DirectoryOnDisk(self.project, path, of_verl=self.verl.owns(path))
