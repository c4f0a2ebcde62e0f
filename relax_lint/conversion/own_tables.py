"""What the methods of a data set make of its rows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from relax_lint.conversion.own_constants import MOST
from relax_lint.conversion.own_values import Columns, Data, Length, Load, Op, Part, Splits, Tail, Unknown
from relax_lint.records import changed, record
from relax_lint.sources.python import called_name

_NO_MATTER = frozenset(
    "num_proc desc load_from_cache_file keep_in_memory writer_batch_size cache_file_name cache_file_names batch_size "
    "new_fingerprint suffix_template disable_nullable batched with_rank indices_cache_file_name".split()
)
_GIVEN = {
    "map": ("function", "with_indices", "with_rank", "input_columns", "batched", "batch_size"),
    "filter": ("function", "with_indices", "with_rank", "input_columns", "batched"),
}
_BY_ORDER = "the order that shuffle makes decides which rows these are"
_SUBSCRIPT = "]"


@record
class Call:
    """A call of a method: its arguments as values and as expressions, and where and when they are evaluated."""

    node: ast.Call
    given: Sequence[Any]
    words: Mapping[str, Any]
    scope: int
    time: int

    def value(self, place: int, name: str, default: Any = None) -> Any:
        """An argument, by its place or its name."""
        return self.given[place] if place < len(self.given) else self.words.get(name, default)

    def expression(self, place: int, name: str) -> ast.expr | None:
        """The same as it is written."""
        if place < len(self.node.args):
            return self.node.args[place]
        return next((word.value for word in self.node.keywords if word.arg == name), None)

    def refused(self, reason: str) -> Unknown:
        """A table that cannot be followed."""
        return Unknown(self.node.lineno, reason)


Table = Data | Splits


def method(table: Table, call: Call) -> Any:
    """What a method of a data set gives."""
    name = called_name(call.node)
    make = _METHODS.get(name)
    if make is None:
        return call.refused(f"what {name} does to the rows is not carried over")
    if any(word.arg is None for word in call.node.keywords) or any(isinstance(e, ast.Starred) for e in call.node.args):
        return call.refused(f"what is given to {name} is not all written out")
    made = make(table, call)
    if not isinstance(made, Op):
        return made
    if made.counts and table.shuffled:
        return call.refused(f"{_BY_ORDER} (line {table.shuffled})")
    return table.after(made) if isinstance(table, Data) else changed(table, ops=(*table.ops, made))


def _by_function(table: Table, call: Call) -> Op | Unknown:
    """The steps map and filter."""
    name = called_name(call.node)
    order = _GIVEN[name]
    function = call.expression(0, "function")
    values = {key: call.value(place, key) for place, key in enumerate(order)}
    indices, columns = values.get("with_indices") or False, values.get("input_columns")
    if function is None:
        return call.refused(f"{name} is given no function")
    if values.get("batched"):
        return call.refused("the rows are mapped in batches" if name == "map" else "the rows are filtered in batches")
    if values.get("with_rank"):
        return call.refused(f"the function is told which process of {name} it runs in")
    if not isinstance(indices, bool):
        return call.refused(f"whether {name} gives the function numbers is not written out")
    columns = [columns] if isinstance(columns, str) else columns or []
    if not isinstance(columns, (list, tuple)) or not all(isinstance(each, str) for each in columns):
        return call.refused(f"which columns {name} gives the function is not written out")
    known = {*order, *_NO_MATTER, "fn_kwargs", "remove_columns"}
    more = [word.arg for word in call.node.keywords if word.arg not in known]
    if more:
        return call.refused(f"what {more[0]} does in {name} is not carried over")
    literal = [f"columns={list(columns)!r}"] if columns else []
    removed = call.words.get("remove_columns")
    if removed is not None:
        names = _names(table, removed)
        if names is None:
            return call.refused("the columns that are removed are not written out")
        literal.append("only=True" if names == [_SUBSCRIPT] else f"remove={names!r}")
    return Op(
        {"map": "mapped", "filter": "filtered"}[name],
        call.node.lineno,
        call.scope,
        call.time,
        function,
        call.expression(99, "fn_kwargs"),
        (*(["indices=True"] if indices else []), *literal),
        indices,
        name == "filter",
    )


def _names(table: Table, value: Any) -> list[str] | None:
    """Names of columns; ``]`` alone for all that there are."""
    if isinstance(value, Columns):
        return [_SUBSCRIPT] if _way(value.of) == _way(table) else None
    names = [value] if isinstance(value, str) else value
    if isinstance(names, (list, tuple)) and all(isinstance(each, str) for each in names):
        return list(names)
    return None


def _way(table: Table) -> object:
    """What the columns of a table depend on: the splits of a data set have the same ones."""
    if isinstance(table, Splits):
        return (((table.load, table.ops),), ())
    return (tuple(dict.fromkeys((part.load, part.ops) for part in table.parts)), table.then)


def _select(_: Table, call: Call) -> Op | Unknown:
    numbers = call.value(0, "indices")
    if isinstance(numbers, (list, tuple)) and list(numbers) == sorted(set(numbers)) and len(numbers) <= MOST:
        return _taken(call, repr(list(numbers)))
    if isinstance(numbers, range) and numbers.step > 0 and numbers.start >= 0:
        return _taken(call, repr(numbers))
    return call.refused("which rows are selected is not written out, or not in their order")


def _take(_: Table, call: Call) -> Op | Unknown:
    count = call.value(0, "n")
    if not isinstance(count, int) or count < 0:
        return call.refused("how many rows are taken is not written out")
    bounds = range(count) if called_name(call.node) == "take" else range(count, MOST**3)
    return _taken(call, repr(bounds))


def _taken(call: Call, numbers: str) -> Op:
    return Op("taken", call.node.lineno, literal=(numbers,), counts=True, leaves_out=True)


def _rename(_: Table, call: Call) -> Op | Unknown:
    names = call.value(0, "column_mapping")
    if called_name(call.node) == "rename_column":
        names = {call.value(0, "original_column_name"): call.value(1, "new_column_name")}
    if not isinstance(names, dict) or not all(isinstance(each, str) for pair in names.items() for each in pair):
        return call.refused("the names that columns get are not written out")
    return Op("renamed", call.node.lineno, literal=(repr(names),))


def _columns(table: Table, call: Call) -> Op | Unknown:
    names = _names(table, call.value(0, "column_names"))
    if names is None or names == [_SUBSCRIPT]:
        return call.refused("the names of the columns are not written out")
    make = "removed" if called_name(call.node) == "remove_columns" else "chosen"
    return Op(make, call.node.lineno, literal=tuple(map(repr, names)))


def _shuffle(table: Table, call: Call) -> Table:
    return changed(table, shuffled=call.node.lineno)


def _parted(_: Table, call: Call) -> Unknown:
    return call.refused("train_test_split parts the rows by random numbers of its own")


_METHODS: Mapping[str, Callable[[Any, Call], Any]] = {
    "map": _by_function,
    "filter": _by_function,
    "select": _select,
    "take": _take,
    "skip": _take,
    "rename_column": _rename,
    "rename_columns": _rename,
    "remove_columns": _columns,
    "select_columns": _columns,
    "shuffle": _shuffle,
    "train_test_split": _parted,
    "flatten_indices": lambda table, _: table,
}


def attribute(table: Table, name: str, line: int) -> Any:
    """What an attribute of a data set is."""
    if name in ("column_names", "features"):
        return Columns(table)
    if name == "num_rows":
        return Length()
    return Unknown(line, f"what {name} of the data set is, is not carried over")


def loaded(call: Call) -> Any:
    """What ``load_dataset`` and ``load_from_disk`` give."""
    name, files, split = call.value(0, "path"), call.value(4, "data_files"), call.value(5, "split")
    if called_name(call.node) == "load_from_disk":
        name, files, split = call.value(0, "dataset_path"), None, None
    files = files[0] if isinstance(files, list) and len(files) == 1 else files
    by_split = files if isinstance(files, dict) else None
    text = files if isinstance(files, (str, Tail)) else name
    text = text.text if isinstance(text, Tail) else text if isinstance(text, str) else ""
    is_file = isinstance(files, (str, Tail))
    config = call.value(1, "name")
    name = PurePosixPath(text).name
    config = config if isinstance(config, str) else ""
    load = Load(name.split(".")[0] if is_file else name, call.node.lineno, config, is_file, text)
    if by_split is not None:
        load.splits = {key: _stems(value) for key, value in by_split.items()}
    if split is None:
        return Splits(load)
    if isinstance(split, (list, tuple)):
        return [_split(load, each, call) for each in split]
    return _split(load, split, call)


def _stems(files: Any) -> tuple[str, ...]:
    found = files if isinstance(files, (list, tuple)) else [files]
    return tuple(PurePosixPath(each).name.split(".")[0] for each in found if isinstance(each, str))


def _split(load: Load, split: Any, call: Call) -> Data | Unknown:
    """A split, or so many rows of it, as ``train[:100]`` says."""
    if not isinstance(split, str) or "+" in split:
        return call.refused("the split that is loaded is not written out")
    name, bracket, rows = split.partition("[")
    data = Data((Part(load, name),))
    if not bracket:
        return data
    first, _, last = rows.rstrip("]").partition(":")
    if not all(each.strip().isdigit() or not each.strip() for each in (first, last)):
        return call.refused(f"how many rows {split} is depends on how many there are")
    bounds = range(int(first.strip() or 0), int(last.strip() or MOST**3))
    return data.after(Op("taken", call.node.lineno, literal=(repr(bounds),), counts=True, leaves_out=True))


def concatenated(call: Call) -> Any:
    """What ``concatenate_datasets`` makes."""
    tables = call.value(0, "dsets")
    if not isinstance(tables, (list, tuple)) or not tables:
        return call.refused("which data sets are put together is not written out")
    for table in tables:
        if isinstance(table, Unknown) and table.reason:
            return table
        if not isinstance(table, Data):
            return call.refused("which data sets are put together is not written out")
    if call.value(2, "axis"):
        return call.refused("columns of several data sets are put together")
    if any(table.then for table in tables):
        return call.refused("what is put together was put together before")
    parts = tuple(part for table in tables for part in table.parts)
    return Data(parts, (), max(table.shuffled for table in tables))
