"""The surroundings of a launch as far as the repository tells them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.hidden import UNKNOWN
from relax_lint.constraints.surroundings import Surroundings
from relax_lint.kept import note

if TYPE_CHECKING:
    from relax_lint.project import Project

LARGEST_DOCUMENT = 1 << 20
_KEY = re.compile(rb"""^["']?([A-Za-z_]\w*)["']?[ \t]*:""", re.MULTILINE | re.ASCII)


class ProjectSurroundings(Surroundings):
    """What is in the project. A path that is not there may be on the machine that trains, so nothing is said of it;
    nor of the environment, which is the cluster's."""

    def __init__(self, project: Project, script: Path | None = None) -> None:
        self._project = project
        self._script = script

    def exists(self, path: str) -> object:
        """Sure only when it is there."""
        return True if self._project.exists(self._at(path)) else UNKNOWN

    def is_directory(self, path: str) -> object:
        """Sure only when something is there."""
        place = self._at(path)
        return self._project.is_dir(place) if self._project.exists(place) else UNKNOWN

    def is_readable(self, path: str) -> object:
        """Sure only when it is there."""
        return True if self._project.is_file(self._at(path)) else UNKNOWN

    def document(self, path: str) -> object:
        """What PyYAML makes of it; hidden for a file that is no YAML, which other rules say."""
        source = self._project.yaml(self._at(path)) if self._small(self._at(path)) is not None else None
        if source is None or source.error is not None:
            return UNKNOWN
        from relax_lint.sources.config_yaml import NotLoaded

        try:
            return source.load() or {}
        except NotLoaded:
            return UNKNOWN

    def possible_keys(self, path: str | None) -> frozenset[str]:
        """What stands before a colon at the beginning of a line: of the file, or of all in the recipe."""
        recipe = self._project.recipe_of(self._script) if path is None and self._script is not None else None
        files = [self._at(path)] if path is not None else [] if recipe is None else recipe.yaml
        texts = (data for file in files if (data := self._small(file)) is not None)
        return frozenset(key.decode() for text in texts for key in _KEY.findall(text))

    def checkpoint(self, path: str) -> object:
        """Its ``config.json``, if it is in the repository."""
        data = self._small(self._at(path) / "config.json")
        try:
            config: Any = UNKNOWN if data is None else json.loads(data)
        except (ValueError, RecursionError):
            return UNKNOWN
        return config if isinstance(config, dict) else UNKNOWN

    def _at(self, path: str) -> Path:
        """Relax runs in the repository's root."""
        return self._project.root / path

    def _small(self, path: Path) -> bytes | None:
        note(path)
        data = self._project.read(path) if self._project.is_file(path) else None
        return None if data is None or len(data) > LARGEST_DOCUMENT else data
