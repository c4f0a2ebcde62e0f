"""Where an expression's value comes from: what outside of the repository, or which class of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.flow.names import Found, Import, Resolution, imports_of, package_around
from relax_lint.flow.scopes import own_nodes
from relax_lint.records import field, record
from relax_lint.sources.python import called_name

if TYPE_CHECKING:
    from relax_lint.flow.names import Resolver
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

_DEEPEST = 12
_MOST_CLASSES = 40
_IMPORT_FUNCTIONS = frozenset({"import_module", "__import__"})


@record
class Defined:
    """A class of the repository."""

    source: PythonSource = field(compare=False)
    node: ast.ClassDef


Origin = str | Defined
"""The dotted name of something from elsewhere, or a class."""


class Origins:
    """Follows expressions of a project to where they come from. Every way counts: an import that may fail and its
    stand-in, both branches of a condition."""

    def __init__(self, project: Project) -> None:
        from relax_lint.flow.interpreter import interpreter_of

        self._project = project
        self._resolver: Resolver = interpreter_of(project).resolver

    def of(self, source: PythonSource, node: ast.expr, depth: int = 0) -> frozenset[Origin]:
        """All that an expression may come from."""
        return frozenset(self._of(source, node, depth)) if depth < _DEEPEST else frozenset()

    def _of(self, source: PythonSource, node: ast.expr, depth: int) -> Iterator[Origin]:
        if isinstance(node, ast.Name):
            yield from self._name(source, node, depth + 1)
        elif isinstance(node, ast.Attribute):
            for holder in self._modules(source, node.value, depth + 1):
                yield from self._attribute(holder, node.attr, depth + 1)
        elif isinstance(node, ast.Subscript):
            yield from self.of(source, node.value, depth + 1)
        elif isinstance(node, ast.IfExp):
            yield from self.of(source, node.body, depth + 1) | self.of(source, node.orelse, depth + 1)
        elif isinstance(node, ast.Call):
            made = (name for name in self.of(source, node.func, depth + 1) if isinstance(name, str))
            yield from (f"{name}()" for name in made if name.rpartition(".")[2] not in _IMPORT_FUNCTIONS)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                yield from self.of(source, value, depth + 1)

    def _modules(self, source: PythonSource, node: ast.expr, depth: int) -> Iterator[str]:
        """The modules that an expression may be, those of the repository included."""
        if isinstance(node, ast.Call):
            function = called_name(node)
            first = node.args[0] if node.args else None
            if function in _IMPORT_FUNCTIONS and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value
        elif isinstance(node, ast.Name):
            for resolution in self._resolutions(source, node):
                if resolution.module is not None:
                    yield resolution.module
                for found in resolution.found:
                    if isinstance(found.binding.node, ast.expr) and depth < _DEEPEST:
                        yield from self._modules(found.source, found.binding.node, depth + 1)
            yield from (origin for origin in self.of(source, node, depth) if isinstance(origin, str))
        elif isinstance(node, ast.Attribute):
            for holder in self._modules(source, node.value, depth + 1):
                resolution = self._resolver.attribute(holder, node.attr)
                yield resolution.module or f"{holder}.{node.attr}"

    def _attribute(self, module: str, name: str, depth: int) -> Iterator[Origin]:
        for resolution in self._of_import(Import(module, name), depth):
            yield from self._resolved(resolution, depth)

    def _name(self, source: PythonSource, node: ast.Name, depth: int) -> Iterator[Origin]:
        for resolution in self._resolutions(source, node):
            yield from self._resolved(resolution, depth)

    def _resolutions(self, source: PythonSource, node: ast.Name) -> Iterator[Resolution]:
        """Everything that a name is bound to: by an import in the functions around it, else by the module."""
        local = list(self._local_imports(source, node))
        if not local:
            yield from self._of_module(source, node.id)
        for imported in local:
            yield from self._of_import(imported)

    def _of_module(self, source: PythonSource, name: str, depth: int = 0) -> Iterator[Resolution]:
        names = self._resolver.names.of(source)
        bindings = names.of(name)
        for binding in bindings:
            if binding.imported is not None:
                yield from self._of_import(binding.imported, depth + 1)
            else:
                yield Resolution((Found(source, binding),))
        if not any(binding.certain for binding in bindings):
            for star in names.stars:
                yield from self._of_import(Import(star, name), depth + 1)

    def _of_import(self, imported: Import, depth: int = 0) -> Iterator[Resolution]:
        names = self._resolver.names
        if imported.attribute is None:
            inside = names.module(imported.module) is not None or names.is_package(imported.module)
            yield Resolution(module=imported.module) if inside else Resolution(external=imported.module)
            return
        source = names.module(imported.module)
        if source is not None and names.of(source).of(imported.attribute) and depth < _DEEPEST:
            yield from self._of_module(source, imported.attribute, depth)
        else:
            yield self._resolver.attribute(imported.module, imported.attribute)

    def _local_imports(self, source: PythonSource, node: ast.Name) -> Iterator[Import]:
        package = package_around(source.path, self._project.root)
        for holder in source.ancestors(node):
            if not isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for part in own_nodes(holder):
                if isinstance(part, (ast.Import, ast.ImportFrom)):
                    yield from (found for name, found in imports_of(part, package) if name == node.id)

    def _resolved(self, resolution: Resolution, depth: int) -> Iterator[Origin]:
        if resolution.external is not None:
            yield resolution.external
        for found in resolution.found:
            node = found.binding.node
            if isinstance(node, ast.ClassDef):
                yield Defined(found.source, node)
            elif isinstance(node, ast.expr):
                yield from self.of(found.source, node, depth + 1)

    def bases(self, source: PythonSource, node: ast.ClassDef) -> list[str]:
        """The classes from elsewhere that a class derives from, through those of the repository, nearest first."""
        return self.bases_of(source, node.bases)

    def bases_of(self, source: PythonSource, bases: list[ast.expr]) -> list[str]:
        """What classes with these bases derive from elsewhere."""
        outside: dict[str, None] = {}
        pending = [(source, base) for base in bases]
        seen: set[ast.ClassDef] = set()
        while pending and len(seen) < _MOST_CLASSES:
            holder, base = pending.pop(0)
            for origin in sorted(self.of(holder, base), key=str):
                if isinstance(origin, str):
                    outside[origin] = None
                elif origin.node not in seen:
                    seen.add(origin.node)
                    pending += [(origin.source, base) for base in origin.node.bases]
        return list(outside)
