"""Flags that the code names exist: no table and no rule speaks of one that Relax has not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import relax_lint
from relax_lint.catalog.flags import embedded

PACKAGE = Path(relax_lint.__file__).parent
FLAG = re.compile(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
OF_OTHERS = {
    "--rollout-interaction-env-path",  # a key of the config only
    "--runtime-env-json",
    "--teacher-sglang",
}
"""Flags of Ray and of nobody, and the beginnings of flags."""
PARTS = ("rules", "catalog", "constraints", "calls", "flow")


def named_in(path: Path) -> set[str]:
    """The texts of a file that are one flag and nothing else."""
    constants = (node.value for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str) and FLAG.fullmatch(value)}


def test_every_flag_that_is_named_is_one_of_relax() -> None:
    files = [path for part in PARTS for path in sorted((PACKAGE / part).rglob("*.py")) if "reading" not in path.parts]
    named = {path: named_in(path) for path in files}
    assert sum(map(len, named.values())) > 150
    unknown = {
        path.relative_to(PACKAGE).as_posix(): sorted(left)
        for path, flags in named.items()
        if (left := {flag for flag in flags - OF_OTHERS if not embedded().flags(flag)})
    }
    assert unknown == {}
