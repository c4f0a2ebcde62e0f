"""What names of a module stand for: imported functions and modules, and what was made by calling them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from relax_lint.migrate.carrying.closure import dotted_name
from relax_lint.sources.python import walk


class ModuleNames:
    """The names of a module that are bound in one way only, wherever that is."""

    def __init__(self, tree: ast.Module) -> None:
        self._imported: dict[str, set[str]] = {}
        self._made: dict[str, list[ast.Call]] = {}
        self._bound: Counter[str] = Counter()
        for each in walk(tree):
            self._look_at(each)

    def dotted(self, node: ast.expr, inside: frozenset[str] = frozenset()) -> str:
        """What an expression stands for: ``requests.Session().post`` for the method of a session; empty where that is
        not known, as of what is made of itself (``text = text.strip()``). ``inside`` are the names that are asked for
        already."""
        name = node.id if isinstance(node, ast.Name) else dotted_name(node)
        if name is None:
            return ""
        first, dot, rest = name.partition(".")
        imported = self._imported.get(first)
        if imported is not None:
            known = len(imported) == 1 and not self._bound[first]
            return f"{next(iter(imported))}{dot}{rest}" if known else ""
        if first in inside:
            return ""
        made = {self.dotted(call.func, inside | {first}) for call in self._made.get(first, ())}
        if len(made) == 1 and "" not in made and self._bound[first] == len(self._made[first]):
            return f"{made.pop()}(){dot}{rest}"
        return ""

    def is_once(self, name: str) -> bool:
        """Whether a name is bound once in the whole module."""
        return self._bound[name] == 1 and name not in self._imported

    def may_import(self, module: str) -> bool:
        """Whether a name is that of the module, or can be."""
        return not self._bound[module] and self._imported.get(module, {module}) == {module}

    def is_free(self, name: str) -> bool:
        """Whether nothing has a name."""
        return not self._bound[name] and name not in self._imported

    def _look_at(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                plain = alias.name if alias.asname else alias.name.partition(".")[0]
                self._imported.setdefault(alias.asname or plain, set()).add(plain)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module = "." * node.level + (node.module or "")
                self._imported.setdefault(alias.asname or alias.name, set()).add(f"{module}.{alias.name}")
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.withitem)):
            for name, value in _bindings(node):
                self._made.setdefault(name, []).append(value)
        self._bound.update(_names(node))


def _bindings(node: ast.Assign | ast.AnnAssign | ast.withitem) -> Iterator[tuple[str, ast.Call]]:
    value = node.context_expr if isinstance(node, ast.withitem) else node.value
    if isinstance(node, ast.Assign):
        targets: list[ast.expr | None] = [*node.targets]
    else:
        targets = [node.optional_vars if isinstance(node, ast.withitem) else node.target]
    if isinstance(value, ast.Call):
        yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))


def _names(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, imports aside."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    else:
        name = getattr(node, "name", None)  # of definitions, handlers and patterns
        if isinstance(name, str) and not isinstance(node, ast.alias):
            yield name
