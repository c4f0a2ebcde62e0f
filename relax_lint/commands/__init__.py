"""The subcommands, one module each: ``add_arguments(parser)`` and ``run(options) -> exit status``."""

from __future__ import annotations

import sys
from pathlib import Path

USAGE_ERROR = 2


def complain(message: str) -> None:
    """Say something that is no part of the report."""
    print(f"relax-lint: {message}", file=sys.stderr)


def absolute(path: str | Path) -> Path:
    """An absolute path with ``..`` taken out and links kept, as the user wrote it."""
    import os

    return Path(os.path.abspath(path))  # noqa: PTH100 -- resolve() would follow links


def pairs(items: list[str]) -> dict[str, str]:
    """``K=V`` arguments; :class:`ValueError` names one that is none."""
    for item in items:
        name, equals, _ = item.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"--env wants NAME=VALUE, not {item!r}")
    return dict(item.split("=", 1) for item in items)
