"""Whether what is said of a recipe's environments may be about a file, told by texts and imports alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.project import Recipe

_BASE = b"BaseInteractionEnv"
_CLASS = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?|[\r\n])[ \t\f]*class\b")


def holds_wanted(recipe: Recipe) -> bool:
    """Whether findings are wanted of a file that an environment is written in, or takes something from."""
    if recipe.wanted is None:
        return True
    read, reached = recipe.project.read, recipe.project.imports.reached
    return any(
        recipe.wants_of(source.path) and any(_BASE in (read(path) or b"") for path in reached(source.path))
        for source in recipe.python
        if _CLASS.search(source.data)
    )
