"""The subcommands, one module each: ``add_arguments(parser)`` and ``run(options) -> exit status``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.project import Project

USAGE_ERROR = 2


def complain(message: str) -> None:
    """Say something that is no part of the report. Names and texts of files are in it, which must not reach a terminal
    as they are."""
    from relax_lint.report.columns import printable

    print("relax-lint:", printable(message, keep="\n\t"), file=sys.stderr)


def say_unread(projects: Iterable[Project]) -> None:
    """Say of which Relax checkouts the flags could not be read, where launches were judged by them."""
    from relax_lint.report import shown_path

    for path in dict.fromkeys(project.unread_flags for project in projects if "catalogue" in vars(project)):
        if path is not None:
            complain(f"{shown_path(path)} cannot be read as Relax's: the flags are those of the built-in catalogue")


def absolute(path: str | Path) -> Path:
    """An absolute path with ``..`` taken out and links kept, as the user wrote it."""
    import os

    return Path(os.path.abspath(path))  # noqa: PTH100 -- resolve() would follow links


def given(path: Path | None) -> Path | None:
    """The same of a path that need not be given."""
    return None if path is None else absolute(path)


def pairs(items: list[str]) -> dict[str, str]:
    """``K=V`` arguments; :class:`ValueError` names one that is none."""
    for item in items:
        name, equals, _ = item.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"--env wants NAME=VALUE, not {item!r}")
    return dict(item.split("=", 1) for item in items)
