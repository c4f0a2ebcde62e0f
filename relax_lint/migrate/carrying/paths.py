"""Which paths an expression may be: made of constants, of the path of its own file, of both."""

from __future__ import annotations

import ast
import os.path
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.imports import Alias, OfModule, OfName, Resolver, aliases
from relax_lint.records import record
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.code import Code
    from relax_lint.migrate.carrying.sources import VerlSources

MOST = 64
"""Values that one expression may have; of more nothing is known."""
_SAME = frozenset(
    "os.path.abspath os.path.realpath os.path.normpath os.path.expanduser os.path.normcase os.fspath str".split()
)
_SAME_BY_METHOD = frozenset("resolve absolute expanduser as_posix __str__ __fspath__".split())
_PATHS = frozenset("pathlib.Path pathlib.PurePath pathlib.PosixPath pathlib.PurePosixPath".split())
_OF_PACKAGE = frozenset(
    "pkgutil.get_data importlib.resources.read_text importlib.resources.read_binary importlib.resources.open_text "
    "importlib.resources.open_binary importlib.resources.path".split()
)
"""Functions that take a package, and the name of a file in it."""
_OWN_PACKAGE = frozenset({"__package__", "__name__"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@record
class Known:
    """One value: ``text``, or what begins with that when it is ``open``. ``base`` is the directory whose files come to
    lie beside the copy of the module, when the text is a path that begins with that of the module."""

    text: str
    base: Path | None = None
    open: bool = False


class Paths:
    """The values of a module's expressions. ``across`` follows constants into the modules that they come from."""

    def __init__(self, code: Code, sources: VerlSources, *, across: bool = True) -> None:
        self.code, self.sources, self.across = code, sources, across
        self.pending: set[int] = set()
        self.known: dict[int, list[Known]] = {}
        self.elsewhere: dict[tuple[str, str | None], list[Known]] = {}

    def values(self, expression: ast.expr) -> list[Known]:
        """All that an expression may be; nothing when that is not known."""
        key = id(expression)
        if key in self.known:
            return self.known[key]
        if key in self.pending:
            return []
        self.pending.add(key)
        found = list(dict.fromkeys(self._values(expression)))
        self.pending.discard(key)
        if not self.pending:
            self.known[key] = found if len(found) <= MOST else []
        return found if len(found) <= MOST else []

    def name_of(self, function: ast.expr) -> str:
        """What is called, by the name that it was imported from."""
        first, _, rest = ast.unparse(function).partition(".")
        return ".".join(filter(None, (self._imported.get(first, first), rest)))

    def is_own_package(self, expression: ast.expr) -> bool:
        """Whether an expression names the package of its module."""
        if isinstance(expression, ast.Name):
            return expression.id in _OWN_PACKAGE
        return isinstance(expression, ast.Constant) and expression.value == self.code.origin.package != ""

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that a node is a part of."""
        return self._parents.get(id(node))

    # ------------------------------------------------------------ by the form of an expression

    def _values(self, expression: ast.expr) -> Iterator[Known]:
        if isinstance(expression, ast.Constant):
            if isinstance(expression.value, str):
                yield Known(expression.value)
        elif isinstance(expression, ast.Name):
            yield from self._of_name(expression)
        elif isinstance(expression, ast.Attribute):
            yield from self._of_attribute(expression)
        elif isinstance(expression, ast.Call):
            yield from self._of_call(expression)
        elif isinstance(expression, ast.Subscript):
            yield from self._of_subscript(expression)
        elif isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Div):
            if self.values(expression.left):
                yield from self._joined([expression.left, expression.right])
        elif isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Add):
            yield from self._put_together([expression.left, expression.right])
        elif isinstance(expression, ast.JoinedStr):
            yield from self._put_together(expression.values)
        elif isinstance(expression, ast.FormattedValue) and expression.format_spec is None:
            yield from self.values(expression.value)
        elif isinstance(expression, ast.IfExp):
            yield from self._any_of([expression.body, expression.orelse])

    def _of_name(self, name: ast.Name) -> Iterator[Known]:
        bindings = list(self._bindings(name))
        if bindings:
            yield from self._any_of(bindings)
        elif name.id == "__file__":
            yield Known(str(self.code.origin.path), self.code.origin.path.parent)
        elif self.across and name.id in self._imported:
            yield from self._from_elsewhere(name.id, None)

    def _of_attribute(self, expression: ast.Attribute) -> Iterator[Known]:
        owner = expression.value
        if expression.attr == "parent":
            yield from _changed(self.values(owner), os.path.dirname)
        elif expression.attr in ("name", "stem") and (known := self.values(owner)):
            yield from (Known(_last(each.text, expression.attr)) for each in known if not each.open)
        elif isinstance(owner, ast.Name) and expression.attr in self._attributes and not self._is_path(owner):
            yield from self._any_of(self._attributes[expression.attr])
        elif self.across and isinstance(owner, ast.Name) and owner.id in self._imported:
            yield from self._from_elsewhere(owner.id, expression.attr)

    def _of_subscript(self, expression: ast.Subscript) -> Iterator[Known]:
        owner, index = expression.value, expression.slice
        number = index.value if isinstance(index, ast.Constant) else None
        if isinstance(owner, ast.Attribute) and owner.attr == "parents" and isinstance(number, int) and number >= 0:
            for each in self.values(owner.value):
                parents = Path(each.text).parents
                if number < len(parents) and not each.open:
                    yield Known(str(parents[number]), each.base)
        elif isinstance(owner, ast.Call) and self.name_of(owner.func) == "os.path.split" and number == 0:
            yield from _changed(self.values(owner.args[0]), os.path.dirname)
        elif (items := self._items(owner)) is not None:
            yield from self._any_of(items)

    def _of_call(self, call: ast.Call) -> Iterator[Known]:
        if any(isinstance(each, ast.Starred) for each in call.args):
            return
        function, arguments = self.name_of(call.func), call.args
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if function == "os.path.dirname" and arguments:
            yield from _changed(self.values(arguments[0]), os.path.dirname)
        elif function == "os.path.basename" and arguments:
            yield from (Known(_last(each.text, "name")) for each in self.values(arguments[0]) if not each.open)
        elif function in _SAME and arguments:
            yield from self.values(arguments[0])
        elif (function == "os.path.join" or function in _PATHS) and arguments:
            yield from self._joined(arguments)
        elif function == "importlib.resources.files" and arguments:
            if self.is_own_package(arguments[0]):
                yield self._package
        elif function in _OF_PACKAGE and len(arguments) > 1 and self.is_own_package(arguments[0]):
            yield from _extended([self._package], self.values(arguments[1]))
        elif owner is not None and method in _SAME_BY_METHOD:
            yield from self.values(owner)
        elif owner is not None and method == "joinpath" and self.values(owner):
            yield from self._joined([owner, *arguments])
        elif owner is not None and method == "with_name" and arguments:
            yield from _extended(_changed(self.values(owner), os.path.dirname), self.values(arguments[0]))
        elif owner is not None and method == "with_suffix" and arguments:
            for stem, suffix in product(self.values(owner), self.values(arguments[0])):
                yield Known(str(Path(stem.text).with_suffix("")) + suffix.text, stem.base, stem.open or suffix.open)

    @property
    def _package(self) -> Known:
        directory = self.code.origin.path.parent
        return Known(str(directory), directory)

    def _joined(self, parts: Sequence[ast.expr]) -> Iterator[Known]:
        found = self.values(parts[0])
        for part in parts[1:]:
            found = list(_extended(found, self.values(part)))
            if len(found) > MOST:
                return
        yield from map(self._moved, found)

    def _moved(self, known: Known) -> Known:
        """The path of the file of a module, as :mod:`own_files` writes it: where the file was, below its copy's
        directory."""
        path = self.code.origin.path
        if known.open or known.base != path.parent or Path(known.text).name != path.name:
            return known
        inside = os.path.relpath(known.text, path.parent)
        depth = len(Path(inside).parts)
        if depth == 1 or inside.startswith("..") or path.parts[-depth:] != Path(inside).parts:
            return known
        return Known(str(path), path.parents[depth - 1])

    def _put_together(self, parts: Sequence[ast.expr]) -> Iterator[Known]:
        """Pieces of text, one after another."""
        found = [Known("")]
        for part in parts:
            values = self.values(part) or [Known("", open=True)]
            found = [
                one if one.open else Known(one.text + each.text, one.base or each.base, each.open)
                for one, each in product(found, values)
            ]
            if len(found) > MOST:
                return
        yield from (each for each in found if each.text)

    def _is_path(self, expression: ast.expr) -> bool:
        """Whether anything is known of an expression."""
        return any(each.text for each in self.values(expression))

    def _any_of(self, expressions: Sequence[ast.expr]) -> Iterator[Known]:
        """The values of several expressions; one that is not known may be anything."""
        for each in expressions:
            yield from self.values(each) or [Known("", open=True)]

    # ------------------------------------------------------------ by what binds a name

    def _bindings(self, name: ast.Name) -> Iterator[ast.expr]:
        """What a name may be; an expression that is nothing known where that is not to be told."""
        scope: ast.AST | None = name
        while scope is not None:
            scope = self._scope(scope)
            found = self._bound.get((id(scope), name.id))
            if found:
                yield from found
                return
            if scope is self.code.tree:
                return

    def _scope(self, node: ast.AST) -> ast.AST | None:
        above = self.parent(node)
        while above is not None and not isinstance(above, (*_FUNCTIONS, *_COMPREHENSIONS, ast.Module)):
            above = self.parent(above)
        return above

    @cached_property
    def _parents(self) -> dict[int, ast.AST]:
        return {id(child): each for each in walk(self.code.tree) for child in ast.iter_child_nodes(each)}

    @cached_property
    def _imported(self) -> dict[str, str]:
        """The dotted names that names stand for."""
        found = {}
        for each in walk(self.code.tree):
            for alias in aliases(each):
                dotted = ".".join(filter(None, (alias.module, alias.name)))
                found[alias.bound] = dotted if alias.asname or alias.name else alias.bound
        return found

    @cached_property
    def _attributes(self) -> dict[str, list[ast.expr]]:
        """The values of attributes that classes and methods set."""
        found: dict[str, list[ast.expr]] = {}
        for each in walk(self.code.tree):
            if not isinstance(each, (ast.Assign, ast.AnnAssign)) or each.value is None:
                continue
            for target in each.targets if isinstance(each, ast.Assign) else [each.target]:
                if isinstance(target, ast.Attribute):
                    found.setdefault(target.attr, []).append(each.value)
                elif isinstance(target, ast.Name) and isinstance(self.parent(each), ast.ClassDef):
                    found.setdefault(target.id, []).append(each.value)
        return found

    @cached_property
    def _bound(self) -> dict[tuple[int, str], list[ast.expr]]:
        found: dict[tuple[int, str], list[ast.expr]] = {}

        def bind(name: str, scope: ast.AST | None, values: Sequence[ast.expr]) -> None:
            found.setdefault((id(scope), name), []).extend(values)

        for each in walk(self.code.tree):
            if isinstance(each, _FUNCTIONS):
                for argument, values in self._parameters(each):
                    bind(argument, each, values)
            elif isinstance(each, ast.Name) and isinstance(each.ctx, (ast.Store, ast.Del)):
                above = self.parent(each)
                if not isinstance(self.parent(above) if above is not None else None, ast.ClassDef):
                    bind(each.id, self._scope(each), self._stored(each, above))
        return found

    def _stored(self, name: ast.Name, above: ast.AST | None) -> Sequence[ast.expr]:
        if isinstance(above, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and above.value is not None:
            return [above.value]
        if isinstance(above, (ast.For, ast.AsyncFor, ast.comprehension)) and above.target is name:
            return self._items(above.iter) or [_ANYTHING]
        return [_ANYTHING]

    def _items(self, expression: ast.expr) -> Sequence[ast.expr] | None:
        """The items of what is written as a list, or the values of what is written as a dict."""
        if isinstance(expression, ast.Name):
            found = list(self._bindings(expression)) if "_bound" in self.__dict__ else self._assigned(expression.id)
            expression = found[0] if len(found) == 1 else expression
        if isinstance(expression, (ast.List, ast.Tuple, ast.Set)):
            return expression.elts
        return expression.values if isinstance(expression, ast.Dict) else None

    def _assigned(self, name: str) -> list[ast.expr]:
        """The values that are given to a name at the top of the module."""
        return [
            each.value
            for each in self.code.tree.body
            if isinstance(each, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
        ]

    def _parameters(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    ) -> Iterator[tuple[str, list[ast.expr]]]:
        """The parameters of a function, each with its default and what calls give for it."""
        spec = function.args
        positional = [*spec.posonlyargs, *spec.args]
        name = getattr(function, "name", None)
        in_class = isinstance(self.parent(function), ast.ClassDef)
        calls = [] if name is None else self._calls.get(name, [])
        if name == "__init__":
            calls = self._calls.get(getattr(self.parent(function), "name", ""), [])
        offset = 1 if in_class else 0
        defaults: dict[str, ast.expr] = {
            argument.arg: default
            for argument, default in [
                *zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=True),
                *((each, value) for each, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value),
            ]
        }
        for number, argument in enumerate([*positional, *spec.kwonlyargs]):
            place = number - offset if number < len(positional) else None
            given = [_given(call, argument.arg, place) or defaults.get(argument.arg, _ANYTHING) for call in calls]
            yield argument.arg, given or [defaults.get(argument.arg, _ANYTHING)]
        for each in filter(None, (spec.vararg, spec.kwarg)):
            yield each.arg, [_ANYTHING]

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        """The calls in the module, by the last name of what they call."""
        found: dict[str, list[ast.Call]] = {}
        for each in walk(self.code.tree):
            if isinstance(each, ast.Call):
                name = getattr(each.func, "attr", getattr(each.func, "id", ""))
                found.setdefault(name, []).append(each)
        return found

    # ------------------------------------------------------------ in other modules

    def _from_elsewhere(self, name: str, attribute: str | None) -> list[Known]:
        """A constant of another module that is carried; it is looked up once for all places that read it."""
        question = (name, attribute)
        if question not in self.elsewhere:
            self.elsewhere[question] = list(self._constants(name, attribute))
        return self.elsewhere[question]

    def _constants(self, name: str, attribute: str | None) -> Iterator[Known]:
        alias = self._aliases.get(name)
        target = None if alias is None else Resolver(self.sources).target(self.code, alias)
        if isinstance(target, OfModule) and attribute is not None:
            yield from self._constant(target.origin, attribute)
        elif isinstance(target, OfName) and attribute is None:
            yield from self._constant(target.origin, target.name)

    @cached_property
    def _aliases(self) -> dict[str, Alias]:
        """What binds each imported name first."""
        found: dict[str, Alias] = {}
        for each in walk(self.code.tree):
            for alias in aliases(each):
                found.setdefault(alias.bound, alias)
        return found

    def _constant(self, origin: object, name: str) -> Iterator[Known]:
        from relax_lint.migrate.carrying.code import Unparsable
        from relax_lint.migrate.carrying.sources import Origin

        assert isinstance(origin, Origin)
        if origin.of_verl:
            return
        try:
            other = Paths(self.sources.code(origin), self.sources, across=False)
        except Unparsable:
            return
        values = other._assigned(name)
        if values:
            yield from other._any_of(values)


_ANYTHING = ast.Constant(None)
"""What nothing is known of."""


def _given(call: ast.Call, name: str, place: int | None) -> ast.expr | None:
    """What a call gives for a parameter."""
    for each in call.keywords:
        if each.arg == name:
            return each.value
        if each.arg is None:
            return _ANYTHING
    if place is not None and any(isinstance(each, ast.Starred) for each in call.args[: place + 1]):
        return _ANYTHING
    return call.args[place] if place is not None and 0 <= place < len(call.args) else None


def _changed(values: Sequence[Known], change: Callable[[str], str]) -> list[Known]:
    return [Known(change(each.text), each.base, each.open) for each in values if not each.open]


def _extended(values: Sequence[Known], parts: Sequence[Known]) -> Iterator[Known]:
    """Paths with further parts; those of parts that are not known are open."""
    for one, part in product(values, parts or [Known("", open=True)]):
        if one.open:
            yield one
        elif Path(part.text).is_absolute():
            yield part
        else:
            text = str(Path(one.text, part.text)) if part.text else one.text
            yield Known(os.path.normpath(text) if one.base else text, one.base, part.open)


def _last(path: str, what: str) -> str:
    return str(getattr(Path(path), what))
