"""Names for entries of the config YAML: Relax sets each of them on the arguments, over whatever has its name there."""

from __future__ import annotations

import argparse
from collections.abc import Container, Iterator
from itertools import count
from typing import TYPE_CHECKING

from relax_lint.catalog.args_attributes import READ_IF_SET, SET_BY_RELAX, set_by_relax
from relax_lint.catalog.flags import embedded

if TYPE_CHECKING:
    from relax_lint.project import Project

_OF_RECIPES = frozenset(
    "max_turns rollout_interaction_env_path tool_parallel_calls tool_response_length tool_response_keeps "
    "tool_answers_broken_calls tool_instance_per reward_timeout reward_at_once".split()
)
"""What the files of a recipe read, whether the config has it or not."""


def free_name(name: str, taken: Container[str], project: Project | None) -> str:
    """A name for what a user calls so, that neither a flag, Relax, the recipe nor another entry goes by."""
    return next(each for each in _names(name) if each not in taken and not _means_something(each, project))


def _names(name: str) -> Iterator[str]:
    yield from (name, f"reward_{name}", f"reward_kwargs_{name}")
    yield from (f"reward_kwargs_{name}_{number}" for number in count(2))


def _means_something(name: str, project: Project | None) -> bool:
    by_relax = SET_BY_RELAX if project is None else set_by_relax(project)
    catalogue = embedded() if project is None else project.catalogue
    known = name in _OF_RECIPES or name in READ_IF_SET or name in by_relax
    return known or catalogue.sets(name) or hasattr(argparse.Namespace(), name)
