"""Values that expressions of a module have whenever it runs: texts, numbers, and lists of them, with the modules and
files that lie beside it. Nothing of the module is run for it."""

from __future__ import annotations

import ast
import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.python_operators import BINARY, COMPARE, Operator

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import Origin
    from relax_lint.project import Project

MOST_STEPS = 1000
"""Rounds of loops that are gone through for one list."""
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sorted": sorted,
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "str": str,
    "len": len,
    "enumerate": lambda *given: list(enumerate(*given)),
    "zip": lambda *given: list(zip(*given)),  # noqa: B905  # as the code has it
    "reversed": lambda given: list(reversed(given)),
    "dirname": os.path.dirname,
    "basename": os.path.basename,
    "splitext": os.path.splitext,
    "abspath": os.path.normpath,
    "realpath": os.path.normpath,
    "join": os.path.join,
    "Path": Path,
}
_METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset(
        "startswith endswith replace split rsplit partition rpartition strip lstrip rstrip removeprefix removesuffix "
        "join lower upper format title capitalize isidentifier".split()
    ),
    dict: frozenset({"keys", "values", "items", "get"}),
    type(Path()): frozenset({"with_suffix", "joinpath", "resolve", "absolute"}),
    list: frozenset({"index", "count", "copy"}),
    set: frozenset({"union", "difference", "intersection"}),
}
_ATTRIBUTES: Mapping[type, frozenset[str]] = {
    type(Path()): frozenset({"parent", "stem", "name", "suffix"}),
    pkgutil.ModuleInfo: frozenset({"name", "ispkg"}),
}
_OPERATORS: Mapping[type, Operator] = {
    **{kind: BINARY[kind] for kind in (ast.Add, ast.Sub, ast.Mod, ast.Div, ast.BitOr)},
    **COMPARE,
}
LISTING = frozenset({"iter_modules", "walk_packages", "listdir", "glob", "iterdir"})
ASKING = frozenset({"isfile", "is_file", "isdir", "is_dir", "exists"})
_ROOTS = frozenset({"os", "path", "pathlib", "glob", "pkgutil", "osp"})


class Unknown(Exception):
    """A value that is known only when the code runs."""


class Evaluator:
    """Gives expressions of one module their values. ``found`` has what stood for files beside it, by the ``id`` of the
    call that asked for them: each with all values that it had."""

    def __init__(self, origin: Origin, project: Project) -> None:
        self.origin = origin
        self.project = project
        self.folder = origin.path.parent
        self.found: dict[int, list[Any]] = {}

    def module_names(self) -> dict[str, Any]:
        """The names that a module has by itself."""
        own: dict[str, Any] = {"__name__": self.origin.dotted, "__package__": self.origin.package}
        own["__file__"] = str(self.origin.path)
        if self.origin.is_package:
            own["__path__"] = [str(self.folder)]
        return own

    def value(self, node: ast.AST | None, names: Mapping[str, Any]) -> Any:
        """The value of an expression; raises ``Unknown``."""
        try:
            return self._value(node, names)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as problem:
            raise Unknown from problem

    def _value(self, node: ast.AST | None, names: Mapping[str, Any]) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            value = names.get(node.id, Unknown)
            if value is Unknown:
                raise Unknown
            return value
        made = _MAKERS.get(type(node))
        if made is None:
            raise Unknown
        return made(self, node, names)

    def _items(self, nodes: Sequence[ast.expr], names: Mapping[str, Any]) -> Iterator[Any]:
        for each in nodes:
            if isinstance(each, ast.Starred):
                yield from self._value(each.value, names)
            else:
                yield self._value(each, names)

    def _sequence(self, node: Any, names: Mapping[str, Any]) -> Any:
        kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
        return kind(self._items(node.elts, names))

    def _dict(self, node: ast.Dict, names: Mapping[str, Any]) -> Any:
        return {self._value(key, names): self._value(each, names) for key, each in zip(node.keys, node.values)}  # noqa: B905

    def _joined(self, node: ast.JoinedStr, names: Mapping[str, Any]) -> str:
        return "".join(self._value(each, names) for each in node.values)

    def _formatted(self, node: ast.FormattedValue, names: Mapping[str, Any]) -> str:
        if node.conversion != -1 or node.format_spec is not None:
            raise Unknown
        return str(self._value(node.value, names))

    def _binary(self, node: ast.BinOp, names: Mapping[str, Any]) -> Any:
        return _OPERATORS[type(node.op)](self._value(node.left, names), self._value(node.right, names))

    def _compared(self, node: ast.Compare, names: Mapping[str, Any]) -> bool:
        left = self._value(node.left, names)
        for each, right in zip(node.ops, node.comparators):  # noqa: B905
            value = self._value(right, names)
            if not _OPERATORS[type(each)](left, value):
                return False
            left = value
        return True

    def _bool(self, node: ast.BoolOp, names: Mapping[str, Any]) -> Any:
        value: Any = None
        for each in node.values:
            value = self._value(each, names)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _not(self, node: ast.UnaryOp, names: Mapping[str, Any]) -> Any:
        value = self._value(node.operand, names)
        return not value if isinstance(node.op, ast.Not) else -value

    def _either(self, node: ast.IfExp, names: Mapping[str, Any]) -> Any:
        return self._value(node.body if self._value(node.test, names) else node.orelse, names)

    def _subscript(self, node: ast.Subscript, names: Mapping[str, Any]) -> Any:
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            at: Any = slice(*(None if each is None else self._value(each, names) for each in parts))
        else:
            at = self._value(node.slice, names)
        return self._value(node.value, names)[at]

    def _attribute(self, node: ast.Attribute, names: Mapping[str, Any]) -> Any:
        value = self._value(node.value, names)
        if node.attr not in _ATTRIBUTES.get(type(value), ()):
            raise Unknown
        return getattr(value, node.attr)

    def _comprehension(self, node: Any, names: Mapping[str, Any]) -> Any:
        rounds = [self._value(node.elt, inner) for inner in self.rounds(node.generators, names)]
        return set(rounds) if isinstance(node, ast.SetComp) else rounds

    def _dict_comprehension(self, node: ast.DictComp, names: Mapping[str, Any]) -> Any:
        return {
            self._value(node.key, inner): self._value(node.value, inner)
            for inner in self.rounds(node.generators, names)
        }

    def rounds(self, generators: Sequence[ast.comprehension], names: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The names in each round of a comprehension."""
        if not generators:
            yield dict(names)
            return
        first = generators[0]
        for item in self.items(first.iter, names):
            inner = dict(names)
            assign(first.target, item, inner)
            if all(self._value(each, inner) for each in first.ifs):
                yield from self.rounds(generators[1:], inner)

    def items(self, node: ast.expr, names: Mapping[str, Any]) -> list[Any]:
        """What a loop goes over."""
        found = list(self._value(node, names))
        if len(found) > MOST_STEPS:
            raise Unknown
        return found

    # ------------------------------------------------------------ calls

    def _call(self, node: ast.Call, names: Mapping[str, Any]) -> Any:
        function = node.func
        name = getattr(function, "attr", getattr(function, "id", ""))
        if name in LISTING or name in ASKING:
            value = self._asked(node, name, names)
            if value not in self.found.setdefault(id(node), []):
                self.found[id(node)].append(value)
            return value
        given = list(self._items(node.args, names))
        keywords = {each.arg: self._value(each.value, names) for each in node.keywords if each.arg}
        if any(each.arg is None for each in node.keywords) or keywords.keys() & {"key"}:
            raise Unknown
        root = function.value if isinstance(function, ast.Attribute) else None
        of_module = root is None or (_root_of(root) in _ROOTS and _root_of(root) not in names)
        if of_module and name in _FUNCTIONS and name not in names:
            return _FUNCTIONS[name](*given, **keywords)
        if root is None:
            raise Unknown
        value = self._value(root, names)
        if name not in _METHODS.get(type(value), ()):
            raise Unknown
        if isinstance(value, Path) and name in ("resolve", "absolute"):
            return value
        made = getattr(value, name)(*given, **keywords)
        return list(made) if name in ("keys", "values", "items") else made

    def _asked(self, node: ast.Call, name: str, names: Mapping[str, Any]) -> Any:
        """What lies beside the module, as the code asks for it."""
        root = node.func.value if isinstance(node.func, ast.Attribute) else None
        if root is not None and _root_of(root) not in _ROOTS:
            given = [self._value(root, names), *self._items(node.args, names)]
        else:
            given = list(self._items(node.args, names))
        keywords = {each.arg: self._value(each.value, names) for each in node.keywords}
        if name in ASKING:
            path = Path(given[0])
            if not path.is_relative_to(self.folder) or path.suffix != ".py":
                raise Unknown
            return (
                self.project.is_dir(path)
                if "dir" in name
                else self.project.exists(path) and ("file" not in name or self.project.is_file(path))
            )
        if name in ("iter_modules", "walk_packages"):
            where = given[0] if given else keywords["path"]
            prefix = given[1] if len(given) > 1 else keywords.get("prefix", "")
            return list(self._modules([Path(each) for each in where], prefix, deep=name == "walk_packages"))
        if keywords:
            raise Unknown
        if name == "glob" and len(given) == 1:
            folder, pattern = os.path.split(given[0])
            names_in = self._names_in(Path(folder))
            return [f"{folder}{os.sep}{each}" for each in names_in if fnmatchcase(each, pattern)]
        folder = Path(given[0])
        if name == "listdir":
            return self._names_in(folder)
        return [folder / each for each in self._names_in(folder) if name == "iterdir" or fnmatchcase(each, given[1])]

    def _names_in(self, folder: Path) -> list[str]:
        if folder != self.folder and not folder.is_relative_to(self.folder):
            raise Unknown
        return [each.name for each in self.project.files.entries(folder)]

    def _modules(self, folders: Sequence[Path], prefix: str, *, deep: bool) -> Iterator[pkgutil.ModuleInfo]:
        for folder in folders:
            for name in self._names_in(folder):
                is_package = self.project.is_file(folder / name / "__init__.py")
                stem = name if is_package else name.removesuffix(".py")
                if stem == "__init__" or not stem.isidentifier() or (stem == name and not is_package):
                    continue
                yield pkgutil.ModuleInfo(None, f"{prefix}{stem}", is_package)  # type: ignore[arg-type]
                if is_package and deep:
                    yield from self._modules([folder / name], f"{prefix}{stem}.", deep=True)


def assign(target: ast.expr, value: Any, names: dict[str, Any]) -> None:
    """Give a target its value; what is no name, and none of a sequence of names, is passed over."""
    if isinstance(target, ast.Name):
        names[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        many = list(value) if isinstance(value, (tuple, list, str)) else []
        fits = len(many) == len(target.elts)
        for index, each in enumerate(target.elts):
            assign(each, many[index] if fits else Unknown, names)
    elif isinstance(target, ast.Starred):
        assign(target.value, Unknown, names)
    elif isinstance(target, (ast.Subscript, ast.Attribute)):
        names[_root_of(target)] = Unknown


def _root_of(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


_MAKERS: dict[type, Callable[[Evaluator, Any, Mapping[str, Any]], Any]] = {
    ast.List: Evaluator._sequence,
    ast.Tuple: Evaluator._sequence,
    ast.Set: Evaluator._sequence,
    ast.Dict: Evaluator._dict,
    ast.JoinedStr: Evaluator._joined,
    ast.FormattedValue: Evaluator._formatted,
    ast.BinOp: Evaluator._binary,
    ast.Compare: Evaluator._compared,
    ast.BoolOp: Evaluator._bool,
    ast.UnaryOp: Evaluator._not,
    ast.IfExp: Evaluator._either,
    ast.Subscript: Evaluator._subscript,
    ast.Attribute: Evaluator._attribute,
    ast.ListComp: Evaluator._comprehension,
    ast.SetComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.DictComp: Evaluator._dict_comprehension,
    ast.Call: Evaluator._call,
}
