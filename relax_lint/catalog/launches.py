"""What argparse makes of the launches of a project: worked out once each, by the flags of its Relax."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from relax_lint.catalog.flags import Catalogue
from relax_lint.catalog.namespace import Namespace, Parsers

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch


class Reading:
    """The parsers of a catalogue and what they have made of launches so far."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.parsers = _parsers_of(catalogue)
        self._known: dict[Launch, Namespace] = {}

    def namespace(self, launch: Launch) -> Namespace:
        """What the parsers make of a launch."""
        known = self._known.get(launch)
        if known is None:
            known = self._known[launch] = Namespace(launch, self.parsers)
        return known


@lru_cache(maxsize=4)
def _parsers_of(catalogue: Catalogue) -> Parsers:
    """The same for all projects with a catalogue: what the constraints know of them is worked out once."""
    return Parsers(catalogue)


def namespace_of(launch: Launch, project: Project) -> Namespace:
    """What argparse makes of a launch of Relax, by the flags that its project's Relax knows."""
    return project.reading.namespace(launch)
