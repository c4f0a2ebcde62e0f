"""Modules of verl that code reaches through packages above them (``verl.utils.reward_score.gsm8k.compute_score``),
imported by statements of their own: a copy has no packages to go through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.code import Code
from relax_lint.migrate.carrying.imports import Alias, aliases
from relax_lint.migrate.carrying.sources import VERL
from relax_lint.records import record
from relax_lint.sources.python import PythonSource, walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources

_IMPORTS = re.compile(rf"^\s*(?:import|from)\s[^\n]*\b{VERL}\b", re.MULTILINE)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Import = ast.Import | ast.ImportFrom


@record
class _Bound:
    """A module of verl by the name that it has somewhere: in a function, or in the whole module."""

    name: str
    dotted: str
    scope: ast.AST
    statement: _Import

    @property
    def key(self) -> tuple[int, str]:
        """Its scope and its name."""
        return id(self.scope), self.name


def with_own_imports(code: Code, sources: VerlSources) -> Code:
    """The code with an import of each module that it reaches through a package of verl's."""
    if not _IMPORTS.search(code.text):
        return code
    return _Chains(code, sources).run()


class _Chains:
    def __init__(self, code: Code, sources: VerlSources) -> None:
        self.code, self.sources = code, sources
        self.source = PythonSource(code.origin.path, code.text.encode("utf-8", "surrogateescape"))
        self.tree = self.source.tree or ast.Module([], [])
        self.taken = {name for each in walk(self.tree) for name in _bound_or_used(each)}
        self.bound = list(self._bound())
        self.edits: dict[tuple[int, int], str] = {}
        self.added: dict[int, list[str]] = {}
        """The imports that are new, by the ``id`` of the statement that they take the place of."""
        self.names: dict[tuple[int, str], str] = {}
        self.rewritten: set[tuple[int, str]] = set()
        self.left: set[tuple[int, str]] = set()
        """What is used in chains that are shortened, and what as it is: by the ``id`` of its scope, and its name."""

    def run(self) -> Code:
        for each in walk(self.tree):
            bound = self._meant(each) if isinstance(each, ast.Name) else None
            if bound is not None and isinstance(each, ast.Name):
                chain = self._chain(each, bound)
                (self.left if chain is None else self.rewritten).add(bound.key)
                if chain is not None:
                    place = self.source.place(chain)
                    path = ast.unparse(chain).partition(".")[2]
                    self.edits[place.start, place.end] = self._named(f"{bound.dotted}.{path}", bound)
        if not self.edits:
            return self.code
        for statement in {id(each.statement): each.statement for each in self.bound}.values():
            self._rewrite(statement)
        text = self.code.text
        for (start, end), new in sorted(self.edits.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return Code(self.code.origin, text, self.code.original or self.code.text)

    def _bound(self) -> Iterator[_Bound]:
        for each in walk(self.tree):
            if isinstance(each, (ast.Import, ast.ImportFrom)):
                scope = next((one for one in self.source.ancestors(each) if isinstance(one, _FUNCTIONS)), self.tree)
                for alias in aliases(each):
                    dotted = self._module(alias)
                    if dotted is not None:
                        yield _Bound(alias.bound, dotted, scope, each)

    def _module(self, alias: Alias) -> str | None:
        """The module of verl that a name stands for."""
        if alias.level or alias.module.partition(".")[0] != VERL:
            return None
        if alias.name is None:
            return alias.module if alias.asname else VERL
        dotted = f"{alias.module}.{alias.name}"
        return dotted if self.sources.origin(dotted) is not None else None

    def _meant(self, name: ast.Name) -> _Bound | None:
        """What a name stands for, where it is nothing but an imported module."""
        known = [each for each in self.bound if each.name == name.id]
        for scope in (*(one for one in self.source.ancestors(name) if isinstance(one, _FUNCTIONS)), self.tree):
            found = next((each for each in known if each.scope is scope), None)
            if found is not None:
                return found
        return None

    def _chain(self, name: ast.Name, bound: _Bound) -> ast.Attribute | None:
        """The longest chain from a name on that leads to a module, when something of that is read."""
        dotted, found = bound.dotted, None
        node: ast.AST | None = self.source.parent(name)
        while isinstance(node, ast.Attribute):
            dotted = f"{dotted}.{node.attr}"
            if self.sources.origin(dotted) is None:
                return found
            found, node = node, self.source.parent(node)
        return None

    def _named(self, dotted: str, bound: _Bound) -> str:
        key = (id(bound.scope), dotted)
        if key not in self.names:
            above, _, last = dotted.rpartition(".")
            name = last
            while name in self.taken:
                name = f"{name}_2" if name != last else f"{above.rpartition('.')[2]}_{last}"
            self.taken.add(name)
            self.names[key] = name
            alias = "" if name == last else f" as {name}"
            self.added.setdefault(id(bound.statement), []).append(f"from {above} import {last}{alias}")
        return self.names[key]

    def _rewrite(self, statement: _Import) -> None:
        """Have a statement import what is needed of it now."""
        known = {each.name: each.key for each in self.bound if each.statement is statement}
        gone = {name for name, key in known.items() if key in self.rewritten and key not in self.left}
        kept = [
            written
            for alias, written in zip(aliases(statement), statement.names, strict=True)
            if alias.bound not in gone
        ]
        made = self.added.get(id(statement), [])
        if len(kept) == len(statement.names) and not made:
            return
        if kept:
            head = f"from {statement.module} " if isinstance(statement, ast.ImportFrom) else ""
            listed = ", ".join(f"{each.name} as {each.asname}" if each.asname else each.name for each in kept)
            made = [f"{head}import {listed}", *made]
        place = self.source.place(statement)
        before = self.code.text[: place.start].rpartition("\n")[2]
        joint = "; " if before.strip() else f"\n{before}"
        after = self.code.text[place.end :].partition("\n")[0]
        if made or before.strip() or after.strip() or self._stands_for_all(statement):
            self.edits[place.start, place.end] = joint.join(made or ["pass"])
        else:
            self.edits[place.start - len(before), place.end + len(after) + 1] = ""

    def _stands_for_all(self, statement: _Import) -> bool:
        """Whether a block may have nothing left when a statement goes."""
        above = self.source.parent(statement)
        blocks = [getattr(above, name, []) for name in ("body", "orelse", "finalbody")]
        block = next((each for each in blocks if statement in each), [])
        return above is not self.tree and all(isinstance(each, (ast.Import, ast.ImportFrom)) for each in block)


def _bound_or_used(node: ast.AST) -> Iterator[str]:
    """The names that a node binds or uses."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (each.bound for each in aliases(node))
    for name in ("id", "name", "arg"):
        value = getattr(node, name, None)
        if isinstance(value, str) and not isinstance(node, ast.alias):
            yield value
