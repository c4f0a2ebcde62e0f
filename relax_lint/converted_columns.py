"""The columns that a conversion script writes, as far as its text says so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.attached import attached
from relax_lint.records import node, record
from relax_lint.sources.python import called_name, walk

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.python import PythonSource

MEDIA_COLUMNS: dict[str, str] = {
    "image": "image", "images": "image", "video": "video", "videos": "video", "audio": "audio", "audios": "audio",
}  # fmt: skip
"""Names that columns of media have, with the kind of media."""
SOURCE_MEDIA = frozenset({*MEDIA_COLUMNS, "preprocessed_images"})

_PROMPTS = frozenset({"prompt", "question", "problem", "query", "input", "messages", "instruction"})
_ANSWERS = frozenset({"label", "answer", "ground_truth", "solution", "reward_model", "extra_info", "metadata"})
_OF_A_MESSAGE = frozenset({"role", "content", "type"})
_SCRIPT = re.compile(r"scripts/tools/(process_[\w.-]+\.py)\b")
_KEEPS_COLUMNS = frozenset({"map", "assign", "add_column", "with_column", "append_column", "rename", "rename_column"})
_READS_ROWS = frozenset({"read_parquet", "read_json", "load_dataset", "read_csv", "copy"})
_ONE_ITEM = frozenset({"bytes", "path"})
_TEXTS = frozenset({"str", "join", "b64encode", "decode", "format", "strip", "abspath", "replace"})
_DEEPEST = 4


@record
class Column:
    """A column that rows get. ``always`` unless only some do; ``value`` is what one gets, where that is written."""

    name: str
    value: ast.expr | None
    place: Place
    always: bool


@node
class Conversion:
    """What a script writes. ``complete`` when its rows have no other columns; ``reads`` are columns of media that it
    takes from its source; ``drops`` is where it throws some away, by name."""

    source: PythonSource
    columns: dict[str, Column]
    complete: bool
    reads: frozenset[str]
    drops: dict[str, Place]

    def media(self, kind: str | None = None) -> list[Column]:
        """The columns of media."""
        return [
            column
            for name, column in self.columns.items()
            if name in MEDIA_COLUMNS and kind in (None, MEDIA_COLUMNS[name])
        ]  # fmt: skip


def conversions_for(launch: Launch, project: Project) -> list[Conversion]:
    """The scripts that a launcher names for its data, in the files that the launch is written in or the one that its
    recipe has its name from."""
    names: dict[str, None] = {}
    sources = {launch.site.source, *(word.place.source for word in launch.argv if word.place is not None)}
    launcher = project.launcher(launch.script)
    texts = [source.text for source in sources] + ([] if launcher is None else [launcher.text])
    for text in texts:
        names.update(dict.fromkeys(_SCRIPT.findall(text) if "process_" in text else ()))
    recipe = project.recipe_of(launch.script)
    if not names and recipe is not None:
        names = {f"process_{recipe.name}.py": None, f"process_{recipe.name.replace('-', '_')}.py": None}
    found = [project.python(project.root / "scripts/tools" / name) for name in names]
    scripts = (source for source in dict.fromkeys(found) if source is not None and source.tree is not None)
    return [made for made in map(conversion, scripts) if made.columns or made.drops]


@attached
def conversion(source: PythonSource) -> Conversion:
    """What a script writes; read once."""
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: PythonSource) -> None:
        self._source = source
        self._complete = True

    def read(self) -> Conversion:
        rows = [dict(self._of_row(node)) for node in self._rows()]
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: self._together(name, rows) for name in names}
        complete = bool(rows) and self._complete and not self._keeps_more()
        return Conversion(self._source, columns, complete, frozenset(self._reads()), dict(self._drops()))

    def _together(self, name: str, rows: list[dict[str, Column]]) -> Column:
        """One column for those of all rows that the script makes."""
        found = [row[name] for row in rows if name in row]
        first = found[0]
        always = len(found) == len(rows) and all(one.always for one in found)
        return Column(name, first.value if len(found) == 1 else None, first.place, always)

    def _rows(self) -> Iterator[ast.Dict | ast.Call]:
        """The dictionaries that are rows: with a prompt, or what answers it, and no messages or parts of them."""
        for display in self._source.nodes(ast.Dict):
            if isinstance(self._source.parent(display), ast.Dict):
                continue
            names = {key.value for key in display.keys if isinstance(key, ast.Constant)}
            if names & _PROMPTS and names & (_ANSWERS | _PROMPTS - {"input"}) and not names & _OF_A_MESSAGE:
                yield display
        for call in self._source.nodes(ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == "dict" and not call.args:
                if {word.arg for word in call.keywords} & _PROMPTS:
                    yield call

    def _of_row(self, row: ast.Dict | ast.Call) -> Iterator[tuple[str, Column]]:
        pairs: list[tuple[ast.expr | None, ast.expr]]
        if isinstance(row, ast.Dict):
            pairs = list(zip(row.keys, row.values, strict=True))
        else:
            pairs = [(ast.Constant(word.arg) if word.arg else None, word.value) for word in row.keywords]
        for key, value in pairs:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                place = self._source.place(key if hasattr(key, "lineno") else value)
                yield key.value, Column(key.value, value, place, True)
            else:
                self._complete = False
        yield from self._added(row)

    def _added(self, row: ast.expr) -> Iterator[tuple[str, Column]]:
        """The columns that the row gets later, by the name that it has."""
        statement = self._source.parent(row)
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        name = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None
        if name is None or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            return
        scope = self._scope(statement)
        for part in walk(scope):
            if isinstance(part, ast.Assign):
                for target in part.targets:
                    if isinstance(target, ast.Subscript) and getattr(target.value, "id", None) == name:
                        yield from self._set(target.slice, part.value, self._is_certain(part, statement))
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                if part.func.attr == "update" and getattr(part.func.value, "id", None) == name:
                    certain = self._is_certain(part, statement)
                    for word in part.keywords:
                        yield from self._set(ast.Constant(word.arg), word.value, certain)
                    for given in part.args:
                        if not isinstance(given, ast.Dict):
                            self._complete = False
                            continue
                        for key, value in zip(given.keys, given.values, strict=True):
                            yield from self._set(key, value, certain)

    def _set(self, key: ast.expr | None, value: ast.expr, certain: bool) -> Iterator[tuple[str, Column]]:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, Column(key.value, value, self._source.place(value), certain)
        else:
            self._complete = False

    def _scope(self, part: ast.AST) -> ast.AST:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
        return next(holder for holder in self._source.ancestors(part) if isinstance(holder, kinds))

    def _is_certain(self, part: ast.AST, row: ast.AST) -> bool:
        """Whether what is done to a row is done whenever there is one."""
        around = set(self._source.ancestors(row))
        above = self._source.ancestors(part)
        conditions = (ast.If, ast.IfExp, ast.Try, ast.For, ast.While, ast.Match)
        return not any(isinstance(holder, conditions) and holder not in around for holder in above)

    def _keeps_more(self) -> bool:
        """Whether columns may be written that no row in the text has."""
        for call in self._source.nodes(ast.Call):
            name = called_name(call)
            if name in _KEEPS_COLUMNS and isinstance(call.func, ast.Attribute):
                if not any(word.arg == "remove_columns" for word in call.keywords) and not _is_executor(call):
                    return True
            if name == "dict" and call.args:
                return True
        tables = {
            target.id
            for statement in self._source.nodes(ast.Assign)
            if isinstance(statement.value, ast.Call) and called_name(statement.value) in _READS_ROWS
            for target in statement.targets
            if isinstance(target, ast.Name)
        }
        return any(
            isinstance(target, ast.Subscript) and getattr(target.value, "id", None) in tables
            for statement in self._source.nodes(ast.Assign)
            for target in statement.targets
        )

    def _reads(self) -> Iterator[str]:
        for part in self._source.nodes(ast.Subscript):
            if isinstance(part.ctx, ast.Load) and isinstance(part.slice, ast.Constant):
                if part.slice.value in SOURCE_MEDIA:
                    yield part.slice.value
        for call in self._source.nodes(ast.Call):
            if called_name(call) == "get" and call.args and isinstance(call.args[0], ast.Constant):
                if call.args[0].value in SOURCE_MEDIA:
                    yield call.args[0].value

    def _drops(self) -> Iterator[tuple[str, Place]]:
        """The columns of media that are thrown away."""
        for call in self._source.nodes(ast.Call):
            name = called_name(call)
            given: list[ast.expr] = []
            if name in ("drop", "remove_columns", "drop_columns"):
                given = [*call.args, *(word.value for word in call.keywords if word.arg in ("columns", "labels"))]
            for value in given:
                for part in walk(value):
                    if isinstance(part, ast.Constant) and part.value in SOURCE_MEDIA:
                        yield part.value, self._source.place(part)


def _is_executor(call: ast.Call) -> bool:
    """Whether ``x.map`` is that of a pool, which has nothing to do with columns."""
    holder = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return any(word in holder.lower() for word in ("pool", "executor"))


def is_no_list(source: PythonSource, value: ast.expr | None, depth: int = 0) -> bool:
    """Whether the value of a column is certainly one item, and no list."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, (str, bytes))
    if isinstance(value, (ast.JoinedStr, ast.Dict)):
        return True
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        return value.slice.value in _ONE_ITEM
    if isinstance(value, ast.Call):
        return called_name(value) in _TEXTS
    made = _assigned(source, value) if depth < _DEEPEST else None
    return made is not None and is_no_list(source, made, depth + 1)


def is_conversation(source: PythonSource, value: ast.expr | None, depth: int = 0) -> bool:
    """Whether the value of a column is certainly a list of messages."""
    if isinstance(value, ast.List):
        first = value.elts[0] if value.elts else None
        return isinstance(first, ast.Dict) and any(
            isinstance(key, ast.Constant) and key.value == "role" for key in first.keys
        )
    made = _assigned(source, value) if depth < _DEEPEST else None
    return made is not None and is_conversation(source, made, depth + 1)


def _assigned(source: PythonSource, value: ast.expr | None) -> ast.expr | None:
    """The one thing that a name is given in its function."""
    if not isinstance(value, ast.Name):
        return None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)
    scope = next(holder for holder in source.ancestors(value) if isinstance(holder, kinds))
    bound = [part for part in walk(scope) if isinstance(part, ast.Name) and part.id == value.id]
    stores = [source.parent(part) for part in bound if isinstance(part.ctx, ast.Store)]
    if len(stores) != 1 or not isinstance(stores[0], ast.Assign) or stores[0].targets[0] not in bound:
        return None
    return stores[0].value
