"""The values of ``--rm-type`` that this Relax knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relax_lint.catalog.rewards import BOXED, BUILT_IN_DICTS, BUILT_IN_SCALARS

if TYPE_CHECKING:
    from relax_lint.project import Project

OTHERS = frozenset({"remote_rm", "dummy"})
"""Built-in rewards that return what a server, or nobody, says."""
BUILT_IN = frozenset({*BUILT_IN_DICTS, *BUILT_IN_SCALARS, *OTHERS})
_MODULE = "relax/engine/rewards/__init__.py"


def plain_type(text: str) -> str:
    """A type without what Relax takes off it."""
    return text.strip().removeprefix(BOXED)


def is_reward_type(text: str, project: Project) -> bool:
    """Whether Relax has this reward; a checkout has what its module spells as a text."""
    name = plain_type(text)
    if name in BUILT_IN:
        return True
    root = project.relax_root
    module = None if root is None else project.text(root / _MODULE)
    return module is not None and re.search(rf"""(["']){re.escape(name)}\1""", module.text) is not None
