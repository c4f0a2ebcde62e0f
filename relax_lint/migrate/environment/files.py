"""The file that a setting names, seen from where a launch may run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.sources import RECIPES
from relax_lint.migrate.values import Template

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources
    from relax_lint.migrate.values import Data

_DEFAULT = re.compile(r"\$\{\w+:?-([^${}]+)\}")


def named_file(data: Data, sources: VerlSources, launcher: Path) -> Path | None:
    """The file of a setting that is a path. What only bash knows of it may be any directory."""
    for written in _with_recipes(_written(data)):
        for root in (*_roots(sources, launcher), Path("/")):
            path = root / written
            if sources.project.is_file(path):
                return path
    return _moved(data, sources)


def _moved(data: Data, sources: VerlSources) -> Path | None:
    """The file in the recipe's directory, where this was moved away from where the launcher has it."""
    parts = [part for part in data.split("/") if part not in ("", ".", "..")] if isinstance(data, str) else []
    paths = (sources.home.joinpath(*parts[start:]) for start in range(len(parts)) if sources.home is not None)
    return next((path for path in paths if sources.project.is_file(path)), None)


def shown_path(path: Path, sources: VerlSources) -> str:
    """A path as its reader knows it: from the root of the project or of verl."""
    roots = [sources.project.root, *([] if sources.package is None else [sources.package.parent])]
    inside = next((root for root in roots if path.is_relative_to(root)), None)
    return (path if inside is None else path.relative_to(inside)).as_posix()


def _roots(sources: VerlSources, launcher: Path) -> Iterator[Path]:
    root = sources.project.root
    yield root
    yield from (each for each in launcher.parents if each.is_relative_to(root))
    if sources.package is not None:
        yield sources.package.parent


def _with_recipes(written: Iterable[str]) -> Iterator[str]:
    """The paths, and each as it is in a checkout of verl's recipes, which is mounted as ``recipe`` in one of verl."""
    for path in written:
        yield path
        parts = path.split("/")
        if RECIPES in parts[:-1]:
            yield "/".join(parts[parts.index(RECIPES) + 1 :])


def _written(data: Data) -> Iterator[str]:
    """What is known of a path, the longest first."""
    if isinstance(data, str) and data:
        yield data.removeprefix("./")
    elif isinstance(data, Template):
        last = data.parts[-1]
        tail = last.lstrip("/") if isinstance(last, str) else ""
        if not isinstance(last, str):
            found = _DEFAULT.fullmatch(last.text)
            tail = found[1] if found else ""
        parts = [part for part in tail.split("/") if part not in ("", ".")]
        yield from ("/".join(parts[start:]) for start in range(len(parts)))
