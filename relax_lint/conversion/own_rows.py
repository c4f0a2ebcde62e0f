"""What a recipe's own preprocessing does to a row, taken out of its script and put into the conversion script."""

from __future__ import annotations

import ast
import builtins
import io
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.records import node, record
from relax_lint.sources.python import called_name

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import Origin, VerlSources

_LOADS = frozenset({"load_dataset", "load_from_disk"})
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__"}
_INDENT = "    "


class NotUnderstood(Exception):
    """A script whose rows cannot be had out of its text: where, and why."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(reason)
        self.path, self.line, self.reason = path, line, reason


@record
class OwnRows:
    """The text of the function ``own_rows`` for the conversion script, the splits that it knows, and what is to be told
    of it."""

    text: str
    splits: tuple[str, ...]
    told: tuple[str, ...] = ()


@node
class _Chain:
    """A split on its way through the script."""

    split: str
    maps: tuple[ast.Call, ...] = ()
    file: str = ""


def is_preprocessing(text: str) -> bool:
    """Whether a script may be one that makes data for verl."""
    return "reward_model" in text and ".to_parquet(" in text


def own_rows(path: Path, text: str, shown: str, sources: VerlSources | None = None) -> OwnRows:
    """The row function of a script that maps the splits of a data set. Raises :class:`NotUnderstood`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as problem:
        raise NotUnderstood(path, getattr(problem, "lineno", None) or 1, "cannot be read as Python") from None
    return _Reader(path, text, tree, sources).read(shown)


class _Reader:
    def __init__(self, path: Path, text: str, tree: ast.Module, sources: VerlSources | None) -> None:
        self._path, self._text, self._sources = path, text, sources
        self._lines = text.splitlines(keepends=True)
        self._statements = list(_flat(tree.body))
        self._inside_strings = _inside_strings(text)
        self._loaded: set[str] = set()
        self._chains: dict[str, _Chain] = {}
        self._copied: dict[Origin, set[str]] = {}

    def read(self, shown: str) -> OwnRows:
        for statement in self._statements:
            self._follow(statement)
        written = [chain for chain in self._chains.values() if chain.maps and chain.file]
        if not written:
            self._refuse(1, "no split of a data set that is mapped by a row function and written to parquet")
        needed = self._needed([chain.maps[0] for chain in written])
        parts = [*self._copies(), *((_looks(statement), self._moved(statement)) for statement in needed)]
        lines = ["def own_rows() -> dict[str, tuple[str, Callable[[dict[str, Any], int], dict[str, Any]]]]:"]
        lines += [f'{_INDENT}"""The splits of the raw data, with the rows that {shown} makes."""', ""]
        lines += [*_spaced(parts), "", f"{_INDENT}return {{"]
        for chain in written:
            lines += [f'{_INDENT * 2}"{chain.split}": ("{chain.file}", {self._function(chain.maps[0])}),']
        return OwnRows("\n".join([*lines, f"{_INDENT}}}"]) + "\n", tuple(chain.split for chain in written))

    def _refuse(self, line: int, reason: str) -> None:
        raise NotUnderstood(self._path, line, reason)

    # ------------------------------------------------------------ the way of the data

    def _follow(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.If):
            for inner in (*statement.body, *statement.orelse):
                self._follow(inner)
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                self._assign(target.id, statement.value)
        elif isinstance(statement, ast.Expr):
            self._write(statement.value)

    def _assign(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Call) and called_name(value) in _LOADS:
            split = next((word.value for word in value.keywords if word.arg == "split"), None)
            self._loaded.add(name)
            if isinstance(split, ast.Constant) and isinstance(split.value, str):
                self._chains[name] = _Chain(split.value)
            return
        chain = self._chain(value)
        if chain is not None:
            self._chains[name] = chain

    def _chain(self, value: ast.expr) -> _Chain | None:
        """The split that an expression is, mapped or not."""
        if isinstance(value, ast.Name):
            return self._chains.get(value.id)
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
            if isinstance(value.value, ast.Name) and value.value.id in self._loaded:
                return _Chain(str(value.slice.value))
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            before = self._chain(value.func.value)
            if before is None:
                return None
            if value.func.attr != "map":
                self._refuse(value.lineno, f"what {value.func.attr} does to the rows is not carried over")
            if before.maps:
                self._refuse(value.lineno, "the rows are mapped twice")
            if any(word.arg == "batched" for word in value.keywords):
                self._refuse(value.lineno, "the rows are mapped in batches")
            return _Chain(before.split, (value,))
        return None

    def _write(self, value: ast.expr) -> None:
        if not isinstance(value, ast.Call) or called_name(value) != "to_parquet":
            return
        holder = value.func.value if isinstance(value.func, ast.Attribute) else value
        if not isinstance(holder, ast.Name) or holder.id not in self._chains:
            return
        texts = [part.value for part in ast.walk(value) if isinstance(part, ast.Constant)]
        texts += ["".join(str(getattr(part, "value", "")) for part in each.values) for each in _f_strings(value)]
        names = [str(text).rpartition("/")[2] for text in texts if str(text).endswith(".parquet")]
        chain = self._chains[holder.id]
        self._chains[holder.id] = _Chain(chain.split, chain.maps, names[-1] if names else f"{chain.split}.parquet")

    def _function(self, call: ast.Call) -> str:
        """What is called with a row and its number."""
        function = _row_function(call)
        text = ast.get_source_segment(self._text, function) or ""
        if any(word.arg == "with_indices" and getattr(word.value, "value", True) for word in call.keywords):
            return text
        return f"lambda row, _: ({text})(row)" if isinstance(function, ast.Lambda) else f"lambda row, _: {text}(row)"

    # ------------------------------------------------------------ what the function needs

    def _needed(self, calls: Sequence[ast.Call]) -> list[ast.stmt]:
        """The statements that bind what the row functions need, in their order."""
        bound: dict[str, list[ast.stmt]] = {}
        for statement in self._statements:
            for name in _binds(statement):
                bound.setdefault(name, []).append(statement)
        pending = [name for call in calls for name in _reads(_row_function(call))]
        done, found = set[str](), set[int]()
        while pending:
            name = pending.pop()
            if name in done or (name in _BUILTINS and name not in bound):
                continue
            done.add(name)
            if name not in bound:
                self._refuse(calls[0].lineno, f"{name} is not bound where it can be seen")
            for statement in bound[name]:
                if id(statement) in found or self._is_copied(statement, name):
                    continue
                self._check(statement, name)
                found.add(id(statement))
                pending += _reads(statement)
        return [statement for statement in self._statements if id(statement) in found]

    def _check(self, statement: ast.stmt, name: str) -> None:
        movable = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign)
        if not isinstance(statement, movable):
            self._refuse(statement.lineno, f"{name} depends on what the script is told or finds")
        if name in self._chains or name in self._loaded:
            self._refuse(statement.lineno, f"the rows depend on the whole data set {name}")
        for part in ast.walk(statement):
            if isinstance(part, ast.Global):
                self._refuse(part.lineno, f"{name} changes what is global")
            if isinstance(part, ast.Call) and called_name(part) in ("parse_args", "parse_known_args", "ArgumentParser"):
                self._refuse(part.lineno, "the rows depend on the command line")

    def _is_copied(self, statement: ast.stmt, name: str) -> bool:
        """Whether a name is of verl, or of another file of the user's, and its definition is copied."""
        if not isinstance(statement, ast.ImportFrom) or statement.level or statement.module is None:
            if isinstance(statement, ast.Import) and any(
                alias.name.split(".")[0] == "verl" for alias in statement.names
            ):
                self._refuse(statement.lineno, "the rows need a module of verl")
            return False
        origin = self._sources.origin(statement.module, self._path) if self._sources is not None else None
        alias = next(each for each in statement.names if (each.asname or each.name) == name)
        if origin is None or alias.asname is not None:
            if statement.module.split(".")[0] == "verl":
                self._refuse(statement.lineno, f"the rows need {statement.module}, which is not at hand")
            return False
        self._copied.setdefault(origin, set()).add(alias.name)
        return True

    def _copies(self) -> Iterator[tuple[str, str]]:
        """Definitions of other modules."""
        from relax_lint.migrate.carrying.closure import closure
        from relax_lint.migrate.carrying.naming import Names
        from relax_lint.migrate.carrying.writing import carried_text

        for origin, names in self._copied.items():
            assert self._sources is not None
            copied = closure(self._sources.code(origin), sorted(names), self._sources, Names(""))
            if copied.problems or len(copied.parts) > 1:
                where = copied.problems[0] if copied.problems else None
                why = where.message if where else "it needs other modules in turn"
                raise NotUnderstood(where.path if where else self._path, where.line if where else 1, why)
            text = carried_text(copied, copied.root)
            tree = ast.parse(text)
            first = next(each for each in tree.body if not _is_heading(each))
            kept = "".join(
                text.splitlines(keepends=True)[first.lineno - 1 - len(getattr(first, "decorator_list", ())) :]
            )
            yield "definition", _shifted(kept.rstrip("\n"), len(_INDENT), _inside_strings(kept))

    def _moved(self, statement: ast.stmt) -> str:
        """The text of a statement, with the comments above it, as it stands in a function."""
        first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])
        while first > 1 and self._lines[first - 2].lstrip().startswith("#") and not self._is_licence(first - 1):
            first -= 1
        last = statement.end_lineno or statement.lineno
        text = "".join(self._lines[first - 1 : last]).rstrip("\n")
        inside = frozenset(line - first + 1 for line in self._inside_strings)
        return _shifted(text, len(_INDENT) - statement.col_offset, inside)

    def _is_licence(self, line: int) -> bool:
        return all(not text.strip() or text.startswith("#") for text in self._lines[:line])


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a script, those of its main part included."""
    for statement in body:
        is_main = isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)
        is_program = isinstance(statement, ast.FunctionDef) and any(
            isinstance(part, ast.Call) and called_name(part) == "to_parquet" for part in ast.walk(statement)
        )
        if (is_main or is_program) and isinstance(statement, (ast.If, ast.FunctionDef)):
            yield from _flat(statement.body)
        else:
            yield statement


def _binds(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in statement.names)
    else:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def _reads(part: ast.AST) -> list[str]:
    """Names that may be read from outside; some are bound within, and looking for those does no harm."""
    stores = {each.arg for each in ast.walk(part) if isinstance(each, ast.arg)}
    names = [each for each in ast.walk(part) if isinstance(each, ast.Name)]
    if not isinstance(part, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        stores |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
        stores |= {each.name for each in ast.walk(part) if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
        stores |= {each.name for each in ast.walk(part) if isinstance(each, ast.ExceptHandler) and each.name}
        imports = (each for each in ast.walk(part) if isinstance(each, (ast.Import, ast.ImportFrom)))
        stores |= {name for each in imports for name in _binds(each)}
    return [each.id for each in names if isinstance(each.ctx, ast.Load) and each.id not in stores]


def _looks(statement: ast.stmt) -> str:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return "import"
    return "definition" if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else "other"


def _spaced(parts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Texts with an empty line around definitions, and behind imports."""
    before = ""
    for kind, text in parts:
        if before and (kind != before or kind == "definition"):
            yield ""
        yield text
        before = kind


def _row_function(call: ast.Call) -> ast.expr:
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "function")]
    return given[0] if given else call


def _f_strings(value: ast.expr) -> list[ast.JoinedStr]:
    return [part for part in ast.walk(value) if isinstance(part, ast.JoinedStr)]


def _is_heading(statement: ast.stmt) -> bool:
    """A docstring, or an import of the future."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _inside_strings(text: str) -> frozenset[int]:
    """The lines that begin inside a string, counted from 1: their indentation is a part of it."""
    found, started = set[int](), list[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            found.update(range(token.start[0] + 1, token.end[0] + 1))
        elif kind == "FSTRING_START":
            started.append(token.start[0])
        elif kind == "FSTRING_END":
            found.update(range(started.pop() + 1, token.end[0] + 1))
    return frozenset(found)


def _shifted(text: str, by: int, inside: frozenset[int]) -> str:
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if number in inside or not line.strip():
            lines.append(line)
        elif by >= 0:
            lines.append(" " * by + line)
        else:
            lines.append(line[min(-by, len(line) - len(line.lstrip())) :])
    return "\n".join(lines)
