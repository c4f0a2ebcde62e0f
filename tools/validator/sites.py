"""The places where Relax's validation and Megatron's ``validate_args`` refuse a launch."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.validator.requests import Outcome

ALL: frozenset[str] = frozenset()
VALIDATION: dict[str, frozenset[str]] = {
    "relax/utils/arguments.py": ALL,
    "relax/backends/megatron/arguments.py": ALL,
    "relax/backends/sglang/arguments.py": ALL,
    "relax/utils/opd/opd_utils.py": frozenset(
        {"validate_opd_args", "validate_managed_opd_teacher_colocate_args", "is_managed_opd_teacher_enabled"}
    ),
    "relax/utils/training/eval_config.py": ALL,
    "megatron/training/arguments.py": frozenset(
        {
            "parse_args",
            "validate_args",
            "validate_model_config_args_from_heterogeneous_config",
            "_check_arg_is_not_none",
        }
    ),
}
"""The files with validation, and the functions that ``parse_args`` runs, where there are others besides. Converters of
Megatron's flags are left out: what they raise argparse makes its own message of."""


@dataclass(frozen=True, slots=True)
class Site:
    """A raise or assert statement: ``place`` is file and line, ``function`` what holds it."""

    place: str
    function: str


def sites_of(file: str, text: str, functions: frozenset[str]) -> Iterator[Site]:
    """The sites of a file, in its order."""
    yield from _sites(ast.parse(text), file, (), functions)


def _sites(node: ast.AST, file: str, inside: tuple[str, ...], functions: frozenset[str]) -> Iterator[Site]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inside = (*inside, node.name)
    if isinstance(node, ast.Raise | ast.Assert) and (not functions or functions.intersection(inside)):
        yield Site(f"{file}:{node.lineno}", ".".join(inside))
    for child in ast.iter_child_nodes(node):
        yield from _sites(child, file, inside, functions)


def all_sites(roots: Sequence[Path]) -> list[Site]:
    """The sites of all files with validation, each in the first directory that has it."""
    found: list[Site] = []
    for file, functions in VALIDATION.items():
        path = next((root / file for root in roots if (root / file).is_file()), None)
        if path is not None:
            found += sites_of(file, path.read_text(encoding="utf-8"), functions)
    return found


def refusals(outcomes: Iterable[Outcome]) -> Counter[str]:
    """How often Relax refused at each place."""
    return Counter(outcome.relax.place for outcome in outcomes if outcome.relax.kind == "refusal")


def elsewhere(outcomes: Iterable[Outcome], sites: Iterable[Site]) -> Counter[tuple[str, str]]:
    """How often Relax stopped where there is no site, by kind and place: argparse, crashes, other files."""
    known = {site.place for site in sites}
    return Counter(
        (outcome.relax.kind, outcome.relax.place)
        for outcome in outcomes
        if not outcome.relax.accepted and not (outcome.relax.kind == "refusal" and outcome.relax.place in known)
    )
