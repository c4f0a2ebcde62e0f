"""What may be typed next in a launcher: flags of Relax where a launch takes them, and values behind them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from relax_lint.catalog.choices import choices_that_run
from relax_lint.catalog.module_paths import MODULE_PATH_FLAGS, USUAL_NAMES
from relax_lint.catalog.reward_types import BUILT_IN
from relax_lint.lsp.spots import Spot, spot_at
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue, Flag
    from relax_lint.project import Project

MOST = 200
"""How many are told at once; the others come when more is typed."""
_HERE = "x"
"""Stands for what is to be typed while the text is parsed: every place is then in a word."""
_CONFIG_FLAGS = ("--custom-config-path", "--eval-config", "--sglang-config", "--autoscaler-config")

Kind = Literal["flag", "value", "function", "file"]


class Choice(NamedTuple):
    """Something that may be typed. ``rank`` orders choices of which one is likelier."""

    text: str
    kind: Kind
    detail: str = ""
    deprecated: bool = False
    rank: int = 0


class Choices(NamedTuple):
    """Everything that may stand in the place of ``start:end``; not all when more has to be typed first."""

    start: int
    end: int
    choices: list[Choice]
    complete: bool = True


def choices_at(path: Path, text: str, offset: int, project: Project) -> Choices | None:
    """What may be typed at an offset of a launcher; ``None`` where nothing is known of it."""
    data = f"{text[:offset]}{_HERE}{text[offset:]}".encode("utf-8", "replace")
    spot = spot_at(ScriptFile(path, data), offset)
    if spot is None or not (spot.takes_flags or spot.array):
        return None
    start, end = spot.word.start, spot.word.end - len(_HERE)
    flag = spot.flag()
    if flag is not None and flag[1] == 0 and (equals := text.find("=", start, offset)) >= 0:
        return _values(path, flag[0], text, equals + 1, end, project)
    behind = _flag_behind(spot, project.catalogue)
    if behind is not None and not text.startswith("-", start):
        return _values(path, behind, text, start, end, project)
    if spot.takes_flags and (start == offset or text.startswith("-", start)):
        return _flags(spot, text[start:offset], start, end, project.catalogue)
    return None


# ---------------------------------------------------------------- flags


def _flags(spot: Spot, typed: str, start: int, end: int, catalogue: Catalogue) -> Choices:
    there = {spot.source.text[word.start : word.end].partition("=")[0] for word in spot.before}
    part = typed.lstrip("-")
    fitting = [name for name in catalogue.words if part in name and name.startswith("--") and name not in there]
    fitting.sort(key=lambda name: not name.startswith(typed))
    choices = [_flag(flag, name) for name in fitting[:MOST] if (flag := catalogue.flag(name)) is not None]
    return Choices(start, end, choices, len(fitting) <= MOST)


def _flag(flag: Flag, name: str) -> Choice:
    from relax_lint.commands.catalog import takes

    default = "" if flag.suppressed or flag.default is None or flag.is_switch else f", default {flag.default}"
    return Choice(name, "flag", f"{flag.owner}: {takes(flag)}{default}", flag.deprecated is not None)


def _flag_behind(spot: Spot, catalogue: Catalogue) -> str | None:
    """The flag whose value stands at a spot."""
    found = Spot(spot.source, spot.before[-1], spot.before[:-1], spot.array).flag() if spot.before else None
    flag = None if found is None or "=" in spot.source.text[spot.before[-1].start : spot.before[-1].end] else found
    known = None if flag is None else catalogue.flag(flag[0])
    if flag is None or known is None or known.is_switch:
        return None
    return flag[0] if flag[1] == 0 or known.nargs in ("+", "*") else None


# ---------------------------------------------------------------- values


def _values(path: Path, name: str, text: str, start: int, end: int, project: Project) -> Choices | None:
    flag = project.catalogue.flag(name)
    choices = [] if flag is None else list(_values_of(path, name, flag, project))
    if not choices:
        return None
    if text[start : start + 1] in ("'", '"'):
        end -= text[end - 1 : end] == text[start] and end - 1 > start
        start += 1
    return Choices(start, end, choices)


def _values_of(path: Path, name: str, flag: Flag, project: Project) -> Iterator[Choice]:
    if flag.choices is not None:
        deprecated = flag.deprecated_values
        for value in choices_that_run(name, flag.choices):
            yield Choice(value, "value", f"use {deprecated[value]}" if value in deprecated else "", value in deprecated)
    elif flag.dest == "rm_type":
        yield from (Choice(value, "value") for value in sorted(BUILT_IN))
    elif name in MODULE_PATH_FLAGS:
        yield from _functions(path, project, USUAL_NAMES.get(name, ""))
    elif name in _CONFIG_FLAGS:
        recipe = project.recipe_of(path)
        yield from (Choice(_from_root(each, project), "file") for each in (() if recipe is None else recipe.yaml))


def _functions(path: Path, project: Project, usual: str) -> Iterator[Choice]:
    """The functions and classes of a recipe, by the paths that Relax imports them by."""
    from relax_lint.flow.names import dotted_name

    recipe = project.recipe_of(path)
    for source in () if recipe is None else recipe.python:
        module = dotted_name(source.path, project.root)
        for name in _public(() if source.tree is None else source.tree.body):
            detail = _from_root(source.path, project)
            yield Choice(f"{module}.{name}", "function", detail, rank=int(bool(usual) and name != usual))


def _public(body: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not statement.name.startswith("_"):
                yield statement.name


def _from_root(path: Path, project: Project) -> str:
    return path.relative_to(project.root).as_posix()
