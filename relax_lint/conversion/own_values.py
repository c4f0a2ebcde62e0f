"""What the values of a preprocessing script are, as far as its text says."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from relax_lint.records import node, record


@record
class Unknown:
    """A value that the text does not say: where it comes from, and what to say of it when rows depend on it."""

    line: int
    reason: str


@record
class Tail:
    """A text of which only the end is known."""

    text: str


@node
class Length:
    """The number of rows of a data set, or that and ``most`` at most."""

    most: int | None = None


@node
class Op:
    """A step of a data set: the function of :mod:`steps`, what is given to it as it is, and the expressions of the
    script that are given to it, with where and when they are evaluated."""

    name: str
    line: int
    scope: int = 0
    time: int = 0
    function: ast.expr | None = None
    given: ast.expr | None = None
    literal: tuple[str, ...] = ()
    counts: bool = False
    leaves_out: bool = False


@node
class Load:
    """A data set that is loaded: what names it and the part of it that is taken, whether that is the name of a
    file; the whole ``source``, and the files of splits that are named."""

    name: str
    line: int
    config: str = ""
    is_file: bool = False
    source: str = ""
    splits: Mapping[str, tuple[str, ...]] | None = None


@record
class Part:
    """A split of a data set, with the steps that it went through. ``files`` are names of its own that it may have."""

    load: Load
    split: str
    ops: tuple[Op, ...] = ()


@record
class Data:
    """A table of rows: of parts, and after steps that all of them take together."""

    parts: tuple[Part, ...]
    then: tuple[Op, ...] = ()
    shuffled: int = 0

    def after(self, op: Op) -> Data:
        """The same after one more step."""
        if len(self.parts) == 1:
            (part,) = self.parts
            return Data((Part(part.load, part.split, (*part.ops, op)),), (), self.shuffled)
        return Data(self.parts, (*self.then, op), self.shuffled)


@record
class Splits:
    """All the splits of a data set, after the same steps."""

    load: Load
    ops: tuple[Op, ...] = ()
    shuffled: int = 0

    def of(self, split: str) -> Data:
        """One of them."""
        return Data((Part(self.load, split, self.ops),), (), self.shuffled)


@record
class Grown:
    """A list of rows that a loop over a table made."""

    data: Data


@record
class Columns:
    """The names of the columns of a table."""

    of: Data | Splits


@node
class Parser:
    """A parser of the command line, with the defaults of its options; an :class:`Unknown` is one that has none."""

    options: dict[str, Any]


@node
class Arguments:
    """What a parser makes of a command line that says nothing."""

    options: dict[str, Any]
    as_dict: bool = False


@node
class Function:
    """A function of the script, and where it is defined."""

    definition: ast.FunctionDef
    scope: int


def holds_data(value: Any) -> bool:
    """Whether a value is a table of rows, or has such."""
    if isinstance(value, (Data, Splits, Grown)):
        return True
    if isinstance(value, Mapping):
        return any(map(holds_data, value.values()))
    return isinstance(value, (list, tuple)) and any(map(holds_data, value))


def is_plain(value: Any) -> bool:
    """Whether a value is one of Python's own, known to the last part."""
    if isinstance(value, (list, tuple, set)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    return value is None or isinstance(value, (str, int, float, bool, range))


_TYPES: Mapping[str, Callable[[str], Any]] = {"int": int, "float": float, "str": str}


def option(call: ast.Call, value: Callable[[ast.expr], Any]) -> tuple[str, Any] | None:
    """An option that ``add_argument`` adds: its name, and what it is when it is not given."""
    flags = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    words = {word.arg: word.value for word in call.keywords if word.arg is not None}
    if not flags or len(flags) != len(call.args):
        return None
    named = next((flag for flag in flags if flag.startswith("--")), flags[0])
    name = value(words["dest"]) if "dest" in words else named.lstrip("-").replace("-", "_")
    action = value(words["action"]) if "action" in words else "store"
    unknown = Unknown(call.lineno, f"the rows depend on {named}, which has no default")
    if "default" in words:
        default = value(words["default"])
        kind = words.get("type")
        if isinstance(default, str) and kind is not None:
            convert = _TYPES.get(ast.unparse(kind))
            try:
                default = Unknown(call.lineno, f"the rows depend on {named}") if convert is None else convert(default)
            except ValueError:
                default = Unknown(call.lineno, f"the rows depend on {named}")
        return name, default
    if "required" in words or not named.startswith("-"):
        return name, unknown
    return name, {"store_true": False, "store_false": True}.get(action)
