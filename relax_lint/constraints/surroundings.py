"""What a launch finds around it: its environment, files and checkpoints."""

from __future__ import annotations

from relax_lint.catalog.hidden import UNKNOWN


class Surroundings:
    """Knows nothing: every answer is hidden. Who has the files at hand overrides what can be told.

    Paths are as the launch spells them.
    """

    def variable(self, name: str) -> object:
        """The value of a variable of the driver's environment; ``None`` when it is unset."""
        return UNKNOWN

    def exists(self, path: str) -> object:
        """Whether there is such a path."""
        return UNKNOWN

    def is_directory(self, path: str) -> object:
        """Whether there is such a directory."""
        return UNKNOWN

    def is_readable(self, path: str) -> object:
        """Whether there is such a file."""
        return UNKNOWN

    def document(self, path: str) -> object:
        """What a YAML file holds."""
        return UNKNOWN

    def possible_keys(self, path: str | None) -> frozenset[str]:
        """The keys that a YAML file may have which is there but cannot be read, or, without a path, may be any."""
        return frozenset()

    def checkpoint(self, path: str) -> object:
        """The ``config.json`` of a checkpoint in Hugging Face's form, as a mapping."""
        return UNKNOWN
