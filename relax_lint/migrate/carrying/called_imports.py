"""Imports by a call (``importlib.import_module(f"{__name__}.{name}")``): of which modules, as far as that is written
out or follows from what lies beside the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from importlib.util import resolve_name
from typing import TYPE_CHECKING, Any

from relax_lint.migrate.carrying.constants import LISTING, Evaluator, Unknown, assign
from relax_lint.records import node
from relax_lint.sources.python import called_name, children, walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.code import Code
    from relax_lint.project import Project

IMPORTING = frozenset({"import_module", "__import__"})
_LOADING = frozenset({"exec_module", "load_module", "load_source", "run_path", "run_module"})
"""What runs a file as a module of any name."""
_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(IMPORTING | _LOADING | {'__all__'}))})\b")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Goes(IntEnum):
    """How a round goes on behind a statement: out of the loop, with the next round, on if something is true that is not
    known, or on."""

    OUT = 0
    NEXT = 1
    PERHAPS = 2
    ON = 3


@node
class Site:
    """One place that imports by a call: ``given`` are the names that it asks for, and ``modules`` the absolute ones,
    in order; nothing where they are known only when it runs. ``is_value`` says that something is done with what it
    gives, and ``attributes`` what is read of that, where this is all."""

    node: ast.expr
    given: list[str]
    modules: list[str] | None
    is_value: bool = True
    attributes: frozenset[str] | None = None

    @property
    def has_twins(self) -> bool:
        """Whether modules that it asks for are called the same, in different packages."""
        return len({each.rpartition(".")[2] for each in self.given}) < len(self.given)


@node
class Facts:
    """What is known of a module without running it: its ``sites`` by the ``id`` of their nodes, its ``__all__``
    (nothing where it has none, or ``is_open``), and what lies beside it, by the ``id`` of the call that asks."""

    sites: dict[int, Site]
    all: list[str] | None
    is_open: bool
    found: dict[int, list[Any]]

    def replaced(self, call: ast.AST) -> list[Any] | None:
        """The one answer that a call gets which asks for what lies beside the code; a list with nothing in it where it
        gets several."""
        answers = self.found.get(id(call))
        return None if answers is None else answers if len(answers) == 1 else []


def facts(code: Code, project: Project) -> Facts:
    """What is known of a module without running it."""

    def found() -> Facts:
        return Facts({}, None, False, {}) if _WORDS.search(code.text) is None else _Run(code, project).facts()

    return project.once((facts, code), found)


class _Run:
    """One module, gone through statement by statement with the names that are known."""

    def __init__(self, code: Code, project: Project) -> None:
        self.code = code
        self.evaluator = Evaluator(code.origin, project)
        self.sites: dict[int, Site] = {}
        self.above = {id(below): each for each in walk(code.tree) for below in children(each)}
        self.called = IMPORTING | {
            alias.asname
            for each in walk(code.tree)
            if isinstance(each, ast.ImportFrom) and each.module == "importlib"
            for alias in each.names
            if alias.name == "import_module" and alias.asname
        }

    def facts(self) -> Facts:
        names = self.evaluator.module_names()
        self._block(self.code.tree.body, names)
        for each in walk(self.code.tree):
            if isinstance(each, (*_FUNCTIONS, ast.Lambda)):
                inner = dict(names)
                self._forget(each, inner)
                self._block(each.body if isinstance(each.body, list) else [ast.Expr(each.body)], inner)
        for each in walk(self.code.tree):
            if self._imports(each) and id(each) not in self.sites and isinstance(each, ast.expr):
                self.sites[id(each)] = Site(each, [], None)
        if any(called_name(each) in LISTING for each in self._listings()):
            for site in self.sites.values():
                if isinstance(site.node, ast.Call) and called_name(site.node) in _LOADING:
                    site.modules = None
        value = names.get("__all__")
        is_known = isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)
        has_all = "__all__" in names
        texts = [str(each) for each in value or ()] if is_known else None
        return Facts(self.sites, texts, has_all and not is_known, self.evaluator.found)

    def _listings(self) -> Iterator[ast.Call]:
        """The calls that were found to ask for what lies beside the code."""
        for each in walk(self.code.tree):
            if isinstance(each, ast.Call) and id(each) in self.evaluator.found:
                yield each

    def _imports(self, each: ast.AST) -> bool:
        """Whether a node imports by a call, or names what does so without calling it."""
        if isinstance(each, ast.Call):
            return called_name(each) in self.called | _LOADING
        above = self.above.get(id(each))
        if isinstance(above, ast.Call) and above.func is each:
            return False
        name = each.id if isinstance(each, ast.Name) else each.attr if isinstance(each, ast.Attribute) else ""
        return name in self.called and isinstance(getattr(each, "ctx", None), ast.Load)

    # ------------------------------------------------------------ statements

    def _block(self, statements: Sequence[ast.stmt], names: dict[str, Any], goes: _Goes = _Goes.ON) -> _Goes:
        """Go through statements as far as a round does."""
        for each in statements:
            if isinstance(each, (ast.Continue, ast.Break, ast.Return, ast.Raise)):
                self._seen(each, names, goes)
                return _Goes.NEXT if isinstance(each, ast.Continue) else _Goes.OUT
            goes = self._statement(each, names, goes)
            if goes < _Goes.PERHAPS:
                return goes
        return goes

    def _statement(self, statement: ast.stmt, names: dict[str, Any], goes: _Goes) -> _Goes:
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            names[statement.name] = Unknown
            for each in statement.decorator_list:
                self._seen(each, names, goes)
            if isinstance(statement, ast.ClassDef):
                self._block(statement.body, dict(names), goes)
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            self._loop(statement, names, goes)
        elif isinstance(statement, ast.If):
            return self._branches(statement, names, goes)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            for item in statement.items:
                self._seen(item.context_expr, names, goes)
                if item.optional_vars is not None:
                    assign(item.optional_vars, Unknown, names)
            return self._block(statement.body, names, goes)
        elif isinstance(statement, ast.Try):
            for handler in statement.handlers:
                self._block(handler.body, dict(names), goes)
            goes = self._block([*statement.body, *statement.orelse, *statement.finalbody], names, goes)
            for inner in (inner for handler in statement.handlers for inner in handler.body):
                self._forget(inner, names)
            return goes
        elif isinstance(statement, ast.While):
            self._forget(statement, names)
            self._block(statement.body, dict(names), _Goes.PERHAPS)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                names.pop(alias.asname or alias.name.partition(".")[0], None)
        else:
            self._seen(statement, names, goes)
            self._simple(statement, names)
        return goes

    def _simple(self, statement: ast.stmt, names: dict[str, Any]) -> None:
        if isinstance(statement, ast.Assign) or (isinstance(statement, ast.AnnAssign) and statement.value is not None):
            value = self._value(statement.value, names)
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                assign(target, value, names)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            joined = ast.BinOp(ast.Name(statement.target.id, ast.Load()), statement.op, statement.value)
            names[statement.target.id] = self._value(joined, names)
        elif isinstance(statement, ast.Delete):
            for target in statement.targets:
                names.pop(getattr(target, "id", ""), None)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._changed(statement.value, names)

    def _changed(self, call: ast.Call, names: dict[str, Any]) -> None:
        """What a call does to lists that are known: it puts something in, or nobody knows."""
        function = call.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            known = names.get(function.value.id)
            if isinstance(known, (list, set, dict)):
                given = self._value(call.args[0], names) if len(call.args) == 1 else Unknown
                if given is Unknown or function.attr not in ("append", "extend", "add", "update"):
                    names[function.value.id] = Unknown
                else:
                    names[function.value.id] = _with(known, function.attr, given)
        for each in call.args:
            if isinstance(each, ast.Name) and isinstance(names.get(each.id), (list, set, dict)):
                names[each.id] = Unknown

    def _branches(self, statement: ast.If, names: dict[str, Any], goes: _Goes) -> _Goes:
        self._seen(statement.test, names, goes)
        test = self._value(statement.test, names)
        if test is not Unknown:
            return self._block(statement.body if test else statement.orelse, names, goes)
        other = dict(names)
        one, two = self._block(statement.body, names, goes), self._block(statement.orelse, other, goes)
        if one < _Goes.PERHAPS <= two:
            names.update(other)
        elif one >= _Goes.PERHAPS <= two:
            for name in names.keys() | other.keys():
                if names.get(name, Unknown) != other.get(name, Unknown):
                    names[name] = Unknown
        if max(one, two) < _Goes.PERHAPS or min(one, two) >= _Goes.PERHAPS:
            return min(one, two)
        return _Goes.PERHAPS if self._is_in_loop(statement) else max(one, two)

    def _is_in_loop(self, statement: ast.stmt) -> bool:
        return self._is_below(statement, (ast.For, ast.AsyncFor, ast.While))

    def _is_below(self, statement: ast.stmt, kinds: tuple[type[ast.stmt], ...]) -> bool:
        """Whether something of a kind stands around a statement, in its function."""
        above = self.above.get(id(statement))
        while above is not None and not isinstance(above, (*kinds, *_FUNCTIONS)):
            above = self.above.get(id(above))
        return isinstance(above, kinds)

    def _loop(self, statement: ast.For | ast.AsyncFor, names: dict[str, Any], goes: _Goes) -> None:
        self._seen(statement.iter, names, goes)
        try:
            items = self.evaluator.items(statement.iter, names)
        except Unknown:
            self._forget(statement, names)
            items = [Unknown]
        going = goes
        for item in items:
            assign(statement.target, item, names)
            ended = self._block(statement.body, names, going)
            going = _Goes.PERHAPS if ended is _Goes.PERHAPS and _breaks(statement) else goes
            if ended is _Goes.OUT:
                return
        self._block(statement.orelse, names, goes)

    def _forget(self, below: ast.AST, names: dict[str, Any]) -> None:
        """Names that are given values below are not known any more."""
        for each in walk(below):
            if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
                names[each.id] = Unknown
            elif isinstance(each, ast.arg):
                names[each.arg] = Unknown

    # ------------------------------------------------------------ expressions

    def _value(self, expression: ast.expr | None, names: dict[str, Any]) -> Any:
        try:
            return self.evaluator.value(expression, names)
        except Unknown:
            return Unknown

    def _seen(self, below: ast.AST, names: dict[str, Any], goes: _Goes) -> None:
        """Note the imports in a simple statement or an expression, in each round of its comprehensions."""
        if isinstance(below, ast.Lambda):
            return
        if isinstance(below, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            parts = [below.key, below.value] if isinstance(below, ast.DictComp) else [below.elt]
            if not any(self._imports(each) for part in parts for each in walk(part)):
                return
            try:
                rounds = list(self.evaluator.rounds(below.generators, names))
            except (Unknown, TypeError, ValueError, LookupError):
                inner = dict(names)
                self._forget(below, inner)
                rounds = [inner]
            for inner in rounds:
                for part in parts:
                    self._seen(part, inner, goes)
            return
        if isinstance(below, ast.Call) and self._imports(below):
            self._note(below, names, goes)
        for each in children(below):
            self._seen(each, names, goes)

    def _note(self, call: ast.Call, names: dict[str, Any], goes: _Goes) -> None:
        if id(call) not in self.sites:
            above = self.above.get(id(call))
            is_value = not isinstance(above, ast.Expr)
            self.sites[id(call)] = Site(call, [], [], is_value, self._attributes(call, above))
        site = self.sites[id(call)]
        if called_name(call) in _LOADING:
            return
        name = self._value(_argument(call, 0, "name"), names)
        module = self._absolute(call, name, names) if goes is _Goes.ON and isinstance(name, str) else None
        if module is None or (called_name(call) == "__import__" and site.is_value and not self._is_last(call, module)):
            site.modules = None
        elif site.modules is not None and name not in site.given:
            site.given.append(name)
            site.modules.append(module)

    def _absolute(self, call: ast.Call, name: str, names: dict[str, Any]) -> str | None:
        if called_name(call) == "__import__":
            return name if len(call.args) < 5 and all(each.arg != "level" for each in call.keywords) else None
        package = _argument(call, 1, "package")
        above = self._value(package, names) if package is not None else None
        if not name.startswith("."):
            return name
        try:
            return resolve_name(name, above) if isinstance(above, str) else None
        except (ImportError, ValueError):
            return None

    def _is_last(self, call: ast.Call, module: str) -> bool:
        """Whether ``__import__`` gives the module that it names, not the package above."""
        return "." not in module or len(call.args) > 3 or any(each.arg == "fromlist" for each in call.keywords)

    def _attributes(self, call: ast.Call, above: ast.AST | None) -> frozenset[str] | None:
        """What is read of the module, where it is nothing else."""
        if isinstance(above, ast.Attribute):
            return frozenset({above.attr})
        if isinstance(above, ast.Expr):
            return frozenset()
        if isinstance(above, ast.Call) and called_name(above) == "getattr" and len(above.args) > 1:
            name = above.args[1]
            if above.args[0] is call and isinstance(name, ast.Constant) and isinstance(name.value, str):
                return frozenset({name.value})
        if (
            isinstance(above, ast.Assign)
            and len(above.targets) == 1
            and isinstance(above.targets[0], ast.Name)
            and self._is_below(above, _FUNCTIONS)
        ):
            return self._read(above.targets[0].id)
        return None

    def _read(self, name: str) -> frozenset[str] | None:
        found: set[str] = set()
        for each in walk(self.code.tree):
            if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load):
                above = self.above.get(id(each))
                if not isinstance(above, ast.Attribute):
                    return None
                found.add(above.attr)
        return frozenset(found)


def _argument(call: ast.AST, index: int, keyword: str) -> ast.expr | None:
    assert isinstance(call, ast.Call)
    if len(call.args) > index:
        return call.args[index]
    return next((each.value for each in call.keywords if each.arg == keyword), None)


def _breaks(loop: ast.For | ast.AsyncFor) -> bool:
    return any(isinstance(each, (ast.Break, ast.Return)) for each in walk(loop))


def _with(known: Any, method: str, given: Any) -> Any:
    """A list, set or dict with more in it."""
    if isinstance(known, list):
        return [*known, given] if method == "append" else [*known, *given]
    if isinstance(known, set):
        return known | ({given} if method == "add" else set(given))
    return {**known, **given} if isinstance(given, dict) else Unknown
