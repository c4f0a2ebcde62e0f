"""Calls that import, as the recipe has their modules, and what they ask of the files beside them, written out."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from pkgutil import ModuleInfo
from typing import Any

import libcst as cst

from relax_lint.migrate.carrying.called_imports import IMPORTING, Facts, Site
from relax_lint.migrate.carrying.code import Code
from relax_lint.migrate.carrying.constants import ASKING, LISTING
from relax_lint.migrate.carrying.imports import Alias, OfModule, Resolver
from relax_lint.migrate.carrying.naming import Names
from relax_lint.sources.python import called_name, walk


class Calls:
    """The calls of one module at a time of its statements, as they are to be written."""

    def __init__(self, code: Code, known: Facts, resolver: Resolver, names: Names) -> None:
        self.code, self.known, self.resolver, self.names = code, known, resolver, names
        called = {called_name(each.node) for each in known.sites.values() if isinstance(each.node, ast.Call)}
        self.looked_at = called | IMPORTING | LISTING | ASKING
        self.pending: list[ast.Call] = []
        self.calls: dict[cst.Call, ast.Call] = {}

    def begin(self, statements: Sequence[ast.stmt]) -> None:
        """The statement that comes next."""
        if not self.known.sites:
            return
        calls = [each for part in statements for each in walk(part) if isinstance(each, ast.Call)]
        wanted = [each for each in calls if called_name(each) in self.looked_at]
        self.pending = sorted(wanted, key=lambda each: (each.lineno, each.col_offset), reverse=False)
        self.calls = {}

    def meet(self, call: cst.Call) -> None:
        """A call, as they come in the text: parents first."""
        if self.known.sites and _called(call) in self.looked_at:
            self.calls[call] = self.pending.pop(0)
            assert called_name(self.calls[call]) == _called(call)

    def written(self, original: cst.Call, call: cst.Call) -> cst.BaseExpression:
        """What a call becomes."""
        node = self.calls.get(original)
        if node is None:
            return call
        answers = self.known.replaced(node)
        if answers:
            return cst.parse_expression(_literal(answers[0], node))
        site = self.known.sites.get(id(node))
        return call if site is None or not site.modules else self._imported(site, call)

    def _imported(self, site: Site, call: cst.Call) -> cst.BaseExpression:
        moved = {given: self._module(each, site) for given, each in zip(site.given, site.modules or (), strict=True)}
        if all(given == new for given, new in moved.items()):
            return call
        package = _text(call.args[1].value) if len(call.args) > 1 else ""
        if package == "__package__" and all(f"{self.names.package}{given}" == new for given, new in moved.items()):
            return call
        kept = [each for each in call.args[1:] if _called(call) == "__import__"]
        if _called(call) == "__import__" and site.is_value and not kept:
            kept = list(_arguments('f(fromlist=["*"])'))
        if len(moved) == 1:
            name = f'"{next(iter(moved.values()))}"'
        else:
            table = ", ".join(f'"{given.rpartition(".")[2]}": "{new}"' for given, new in moved.items())
            name = f"{{{table}}}[{_last(call.args[0].value, site.given)}]"
        return call.with_changes(args=[*_arguments(f"f({name}{', ' if kept else ''})")[:1], *kept])

    def _module(self, module: str, site: Site) -> str:
        target = self.resolver.target(self.code, Alias(module, 0, None, "module", site.node.lineno))
        return self.names.module(target.origin) if isinstance(target, OfModule) else module


def _called(call: cst.Call) -> str:
    function = call.func
    if isinstance(function, cst.Attribute):
        return function.attr.value
    return function.value if isinstance(function, cst.Name) else ""


def _arguments(call: str) -> Sequence[cst.Arg]:
    made = cst.parse_expression(call)
    assert isinstance(made, cst.Call)
    return made.args


def _text(expression: cst.BaseExpression) -> str:
    return cst.Module([]).code_for_node(expression)


def _last(name: cst.BaseExpression, given: Sequence[str]) -> str:
    """The expression for the last part of a module's name."""
    if len({each.rpartition(".")[0] for each in given}) == 1 and "." in given[0]:
        if isinstance(name, cst.FormattedString) and len(name.parts) > 1:
            before, last = name.parts[-2:]
            if isinstance(last, cst.FormattedStringExpression) and isinstance(before, cst.FormattedStringText):
                if before.value.endswith("."):
                    return _text(last.expression)
        if isinstance(name, cst.BinaryOperation) and isinstance(name.operator, cst.Add):
            if isinstance(name.left, cst.SimpleString) and str(name.left.evaluated_value).endswith("."):
                return _text(name.right)
    return _text(name) if all("." not in each for each in given) else f'({_text(name)}).rpartition(".")[2]'


def _literal(answer: Any, call: ast.Call) -> str:
    """What lies beside the code, as an expression of what the call gives; of a path, the name."""
    if isinstance(answer, bool):
        return str(answer)
    return f"[{', '.join(_item(each, call) for each in answer)}]"


def _item(item: Any, call: ast.Call) -> str:
    function = call.func
    if isinstance(item, ModuleInfo):
        root = ast.unparse(function.value) if isinstance(function, ast.Attribute) else '__import__("pkgutil")'
        return f'{root}.ModuleInfo(None, "{item.name}", {item.ispkg})'
    if isinstance(item, Path):
        made = (each for each in walk(function) if isinstance(each, ast.Call) and called_name(each) == "Path")
        path = next(map(ast.unparse, (each.func for each in made)), '__import__("pathlib").Path')
        return f'{path}("{item.name}")'
    return f'"{Path(item).name}"'
