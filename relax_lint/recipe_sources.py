"""The data sources of a recipe: the values of ``data_source`` that its conversion scripts write, or its data holds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.datasets import datasets_of
from relax_lint.diagnostics import Place
from relax_lint.discovery import walk
from relax_lint.files import Unreadable
from relax_lint.sources.python import called_name

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.datasets import DatasetUse
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.dataset import DataFile, Row
    from relax_lint.sources.python import PythonSource

COLUMN = "data_source"
MOST_ROWS = 200_000
"""Rows that are looked through to find out whether all have one source."""

_CONVERTER = re.compile(r"scripts/tools/(process_[\w.-]+\.py)\b")
_WRITES_DATA = re.compile(r"process|prepare|convert|preprocess|build_|make_|data")
_COLUMN_METHODS = frozenset({"add_column", "append_column", "with_column", "insert"})


class Written(NamedTuple):
    """A source, and where it is written down: in a script, or by the flag that names the data."""

    name: str
    place: Place


class Sources(NamedTuple):
    """What is known of the sources of some data; ``complete`` when there are no others."""

    written: tuple[Written, ...]
    complete: bool

    @property
    def names(self) -> frozenset[str]:
        """The sources."""
        return frozenset(written.name for written in self.written)


def sources_of(recipe: Recipe, project: Project) -> tuple[Written, ...]:
    """The sources that the data of a recipe's launches has, by the data where it is here, else by the scripts."""
    in_data = _together(_in_data(recipe, project))
    return in_data.written if in_data.complete else (*in_data.written, *_in_scripts(recipe, project).written)


def only_source(recipe: Recipe, project: Project) -> Written | None:
    """The source that all data of a recipe's launches has, if it is one. No more launchers are worked out than it takes
    to see that there are others, or may be."""
    in_scripts = _in_scripts(recipe, project)
    seen: list[Sources] = []
    for one in _in_data(recipe, project):
        seen.append(one)
        in_data = _together(seen)
        names = in_data.names if in_data.complete else in_data.names | in_scripts.names
        if len(names) > 1 or not (in_data.complete or in_scripts.complete):
            return None
    in_data = _together(seen)
    found = in_data if in_data.complete else _together([*seen, in_scripts])
    return found.written[0] if len(found.names) == 1 and (in_data.complete or in_scripts.complete) else None


def _together(parts: Iterable[Sources]) -> Sources:
    """What is known of several; nothing where there are none."""
    known = list(parts)
    written = dict.fromkeys(written for one in known for written in one.written)
    return Sources(tuple(written), bool(known) and all(one.complete for one in known))


def _in_scripts(recipe: Recipe, project: Project) -> Sources:
    in_each = (written_by(script) for script in conversion_scripts(recipe, project))
    return _together(one for one in in_each if one.written or not one.complete)


# ---------------------------------------------------------------- data


def _in_data(recipe: Recipe, project: Project) -> Iterator[Sources]:
    for launch in (launch for launcher in recipe.launchers for launch in launcher.launches):
        if launch.kind == "relax" and launch.mode != "sft":
            yield from (_in_dataset(use) for use in datasets_of(launch, project))


def _in_dataset(use: DatasetUse) -> Sources:
    if use.missing or not use.files or len(use.readable) < len(use.files):
        return Sources((), False)
    metadata = use.keys.metadata if isinstance(use.keys.metadata, str) else "metadata"
    found: dict[str, None] = {}
    unfinished = [file for file in use.files if not _in_file(file, metadata, found)]
    return Sources(tuple(Written(name, use.place) for name in found), not unfinished)


def _in_file(file: DataFile, metadata: str, found: dict[str, None]) -> bool:
    """Add the sources of a file; whether each row has one, and all were looked at."""
    seen = 0
    try:
        for rows in file.batches(COLUMN, metadata):
            for row in rows:
                name = _of_row(row, metadata)
                if name is None:
                    return False
                found[name] = None
            seen += len(rows)
            if seen >= MOST_ROWS:
                return False
    except Unreadable:
        return False
    return True


def _of_row(row: Row, metadata: str) -> str | None:
    inside = row.get(metadata)
    if isinstance(inside, dict) and isinstance(inside.get(COLUMN), str):
        return str(inside[COLUMN])
    name = row.get(COLUMN)
    return name if isinstance(name, str) else None


# ---------------------------------------------------------------- scripts


def conversion_scripts(recipe: Recipe, project: Project) -> list[PythonSource]:
    """The scripts that make a recipe's data: those that its launchers name, the one of its name, and its own."""
    names = {f"process_{recipe.name}.py", f"process_{recipe.name.replace('-', '_')}.py"}
    for path in recipe.launcher_paths:
        names.update(_CONVERTER.findall((project.read(path) or b"").decode("utf-8", "replace")))
    tools = project.root / "scripts" / "tools"
    paths: list[Path] = [tools / name for name in sorted(names) if project.is_file(tools / name)]
    own = (path for path in walk(recipe.directory, project.files) if path.suffix == ".py")
    paths += [path for path in own if _WRITES_DATA.search(path.stem) and COLUMN.encode() in (project.read(path) or b"")]
    sources = (project.python(path) for path in paths)
    return [source for source in sources if source is not None and source.tree is not None]


def written_by(script: PythonSource) -> Sources:
    """The sources that a script writes into its rows; not complete where it takes one from elsewhere."""
    if COLUMN not in script.text:
        return Sources((), False)
    found: list[Written] = []
    complete = True
    for value in _values_written(script):
        names = list(_constants(script, value))
        complete = complete and all(name is not None for name in names)
        found += [name for name in names if name is not None]
    return Sources(tuple(dict.fromkeys(found)), complete and bool(found))


def _values_written(script: PythonSource) -> Iterator[ast.expr]:
    """What is given to a key, a column or an argument called ``data_source``."""
    for node in script.nodes(ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == COLUMN:
                yield value
    for statement in script.nodes(ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                if target.slice.value == COLUMN:
                    yield statement.value
    for call in script.nodes(ast.Call):
        name = called_name(call)
        if name in ("dict", "assign", "update"):
            yield from (keyword.value for keyword in call.keywords if keyword.arg == COLUMN)
        elif name in _COLUMN_METHODS:
            named = [part for part in call.args if isinstance(part, ast.Constant) and part.value == COLUMN]
            rest = [part for part in call.args if part not in named]
            if named and rest:
                yield _repeated(rest[-1])


def _repeated(value: ast.expr) -> ast.expr:
    """The item of ``[item] * length``; anything else stays what it is."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        if isinstance(value.left, ast.List) and len(value.left.elts) == 1:
            return value.left.elts[0]
    return value


def _constants(script: PythonSource, value: ast.expr, depth: int = 0) -> Iterator[Written | None]:
    """The strings that an expression can be, ``None`` among them where there may be others."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield Written(value.value, script.place(value))
    elif isinstance(value, ast.IfExp) and depth < 5:
        yield from _constants(script, value.body, depth + 1)
        yield from _constants(script, value.orelse, depth + 1)
    elif isinstance(value, ast.Name) and depth < 5:
        bound = list(_bound_to(script, value))
        if not bound:
            yield None
        for one in bound:
            if one is None:
                yield None
            else:
                yield from _constants(script, one, depth + 1)
    else:
        yield None


def _bound_to(script: PythonSource, name: ast.Name) -> Iterator[ast.expr | None]:
    """All that a name can stand for: what it is assigned, or what calls give the parameter that it is."""
    for holder in script.ancestors(name):
        if isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters = [parameter.arg for parameter in (*holder.args.args, *holder.args.kwonlyargs)]
            if name.id in parameters:
                yield from _given(script, holder, name.id, parameters)
    for node in script.nodes(ast.Name):
        if node.id == name.id and isinstance(node.ctx, ast.Store):
            statement = script.parent(node)
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and node in (
                statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            ):
                yield statement.value
            else:
                yield None


def _given(
    script: PythonSource, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str, parameters: list[str]
) -> Iterator[ast.expr | None]:
    position = parameters.index(name)
    calls = [
        call for call in script.nodes(ast.Call) if isinstance(call.func, ast.Name) and call.func.id == function.name
    ]
    for call in calls:
        keyword = next((word.value for word in call.keywords if word.arg == name), None)
        if keyword is not None:
            yield keyword
        else:
            yield call.args[position] if position < len(call.args) else None
    if not calls:
        yield None
