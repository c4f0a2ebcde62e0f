"""What the top level of a module binds, and where an imported name comes from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from relax_lint.flow.scopes import changed_by
from relax_lint.kept import Kept
from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.sources.python import PythonSource, walk

if TYPE_CHECKING:
    from relax_lint.project import Project

_DYNAMIC = pattern(
    r"\bglobals\s*\(|\bdef\s+__getattr__\b|\bexec\s*\(|\bsys\.modules\s*\[\s*__name__|\bvars\s*\(\s*\)",
    words=("globals", "__getattr__", "exec", "sys.modules", "vars"),
)

Answer = TypeVar("Answer")
BindingKind = Literal["definition", "import", "value", "other"]


@record
class Import:
    """Where an import takes a name from: a module, or an attribute of one (or a submodule)."""

    module: str
    attribute: str | None = None


@record
class Binding:
    """One place that binds a name at a module's top level.

    ``node`` is the definition, the import statement or the expression assigned; ``certain`` says that it is reached
    whenever the module is imported.
    """

    name: str
    kind: BindingKind
    node: ast.AST
    certain: bool
    imported: Import | None = None


class ModuleNames:
    """The names of one module, in the order they are bound when it is imported.

    ``package`` is the dotted name that relative imports start from; ``stars`` are the modules of ``import *``;
    ``gone`` the names that it has deleted in the end, ``deleted`` those that it may have.
    """

    def __init__(self, source: PythonSource, package: str) -> None:
        self.source = source
        self.package = package
        self.bindings: dict[str, list[Binding]] = {}
        self.stars: list[str] = []
        self.gone: set[str] = set()
        self.deleted: set[str] = set()

    @cached_property
    def dynamic(self) -> bool:
        """Whether the module may bind names that cannot be seen."""
        return bool(_DYNAMIC.search(self.source.text))

    @cached_property
    def set_by_functions(self) -> frozenset[str]:
        """The names that functions say they bind themselves."""
        return frozenset(name for statement in self.source.nodes(ast.Global) for name in statement.names)

    def of(self, name: str, before: ast.AST | None = None) -> list[Binding]:
        """What a name can be bound to once the module is imported, or when what stands there runs: the last certain
        binding and what follows it."""
        found: list[Binding] = []
        for binding in self.bindings.get(name, ()):
            if before is not None and _where(binding.node) >= _where(before):
                break
            if binding.certain:
                found.clear()
            found.append(binding)
        return found

    @property
    def exported(self) -> set[str] | None:
        """``__all__``, when it is a plain list of names."""
        bindings = self.of("__all__")
        if len(bindings) != 1 or not isinstance(bindings[0].node, (ast.List, ast.Tuple)):
            return None
        return {item.value for item in bindings[0].node.elts if isinstance(item, ast.Constant)}  # type: ignore[misc]

    def gives_to_star(self, name: str) -> bool:
        """Whether ``import *`` of this module brings a name along."""
        if "__all__" in self.bindings:
            exported = self.exported
            return exported is None or name in exported
        return not name.startswith("_")


def module_names(source: PythonSource, root: Path) -> ModuleNames:
    """Read the top level of a module."""
    names = ModuleNames(source, package_around(source.path, root))
    if source.tree is not None:
        _Reader(names).statements(source.tree.body)
    return names


def dotted_name(path: Path, root: Path) -> str:
    """The module path of a file below a root; empty for files elsewhere."""
    try:
        parts = path.relative_to(root).with_suffix("").parts
    except ValueError:
        return ""
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _where(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def package_around(path: Path, root: Path) -> str:
    """The package that relative imports of a file start from."""
    dotted = dotted_name(path, root)
    return dotted if path.name == "__init__.py" else dotted.rpartition(".")[0]


def import_target(node: ast.ImportFrom, package: str) -> str:
    """The absolute module path of a ``from`` import in a module of ``package``; empty when it leaves the root."""
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    if node.level - 1 > len(parts):
        return ""
    base = parts[: len(parts) - (node.level - 1)]
    return ".".join([*base, node.module] if node.module else base)


def imports_of(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, Import]]:
    """The names that an import statement binds, ``*`` apart."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, Import(alias.name)
            else:
                top = alias.name.partition(".")[0]
                yield top, Import(top)
        return
    target = import_target(node, package)
    for alias in node.names:
        if alias.name != "*":
            yield alias.asname or alias.name, Import(target, alias.name)


def target_names(target: ast.expr) -> Iterator[str]:
    """The plain names that an assignment to ``target`` binds."""
    for node in walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id


def is_type_checking(test: ast.expr) -> bool:
    """Whether this is the condition that only type checkers take for true."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _never_true_on_import(test: ast.expr) -> bool:
    if is_type_checking(test) or (isinstance(test, ast.Constant) and not test.value):
        return True
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


class _Reader:
    """Collects the bindings of a module's statements, nested blocks included, without recursion limits to fear:
    Python itself allows no more than a hundred levels of blocks."""

    def __init__(self, names: ModuleNames) -> None:
        self.names = names

    def statements(self, body: Iterable[ast.stmt], certain: bool = True) -> None:
        for node in body:
            self.statement(node, certain)

    def statement(self, node: ast.stmt, certain: bool) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bind(node.name, "definition", node, certain)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.imports(node, certain)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.assign(target, node.value, certain)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.assign(node.target, node.value, certain)
        elif isinstance(node, ast.AugAssign):
            for name in target_names(node.target):
                self.bind(name, "other", node, certain)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                (self.names.gone if certain else self.names.deleted).update(target_names(target))
        elif isinstance(node, ast.If):
            self.condition(node, certain)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            for name in target_names(node.target):
                self.bind(name, "other", node, False)
            self.statements([*node.body, *node.orelse], False)
        elif isinstance(node, ast.While):
            self.statements([*node.body, *node.orelse], False)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                for name in target_names(item.optional_vars) if item.optional_vars is not None else ():
                    self.bind(name, "other", node, certain)
            self.statements(node.body, certain)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                self.statements(case.body, False)
        elif hasattr(node, "handlers"):
            self.attempt(node, certain)
        for name in _walrus_names(node):
            self.bind(name, "other", node, False)

    def imports(self, node: ast.Import | ast.ImportFrom, certain: bool) -> None:
        for name, imported in imports_of(node, self.names.package):
            self.bind(name, "import", node, certain, imported)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            self.names.stars.append(import_target(node, self.names.package))

    def assign(self, target: ast.expr, value: ast.expr, certain: bool) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, "value", value, certain)
            return
        for name in target_names(target):
            self.bind(name, "other", target, certain)

    def condition(self, node: ast.If, certain: bool) -> None:
        if _never_true_on_import(node.test):
            self.statements(node.orelse, certain)
            return
        self.statements(node.body, False)
        self.statements(node.orelse, False)

    def attempt(self, node: ast.stmt, certain: bool) -> None:
        handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
        # A handler that raises again leaves nothing behind: what the body binds is then certain.
        rescued = any(not isinstance(handler.body[-1], ast.Raise) for handler in handlers)
        self.statements(getattr(node, "body", []), certain and not rescued)
        for handler in handlers:
            self.statements(handler.body, False)
        self.statements(getattr(node, "orelse", []), False)
        self.statements(getattr(node, "finalbody", []), certain)

    def bind(self, name: str, kind: BindingKind, node: ast.AST, certain: bool, imported: Import | None = None) -> None:
        if name in self.names.gone:
            self.names.gone.discard(name)
            if not certain:
                self.names.deleted.add(name)
        self.names.bindings.setdefault(name, []).append(Binding(name, kind, node, certain, imported))


def _walrus_names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.Expr, ast.Assign, ast.If, ast.While)):
        top = node.test if isinstance(node, (ast.If, ast.While)) else node.value
        for part in walk(top):
            if isinstance(part, ast.NamedExpr):
                yield part.target.id


class Names:
    """The names of a project's modules, read once each."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._read = Kept()
        self._changed = Kept()
        self._changed_names: dict[ast.stmt, frozenset[str]] = {}
        self._firm = Kept()
        self._modules = Kept()
        self._packages: dict[str, bool] = {}

    def of(self, source: PythonSource) -> ModuleNames:
        """The names of a module."""
        return self._read.ask(source, lambda: module_names(source, self.project.root))

    def firmly(self, source: PythonSource, question: object, answer: Callable[[], Answer]) -> Answer:
        """An answer about a file that most changes of that file leave as it is."""
        if source.changes:
            return self._firm.ask_firmly((source.path, question), answer)
        return answer()

    def module(self, dotted: str) -> PythonSource | None:
        """The file of a module that is part of the repository."""
        return self._modules.ask(dotted, lambda: self.project.module(dotted) if dotted else None)

    def is_package(self, dotted: str) -> bool:
        """Whether a dotted name is a directory of the repository, with or without an ``__init__.py``."""
        if dotted not in self._packages:
            directory = self.project.root.joinpath(*dotted.split("."))
            self._packages[dotted] = bool(dotted) and self.project.is_dir(directory)
        return self._packages[dotted]

    def changed_after_import(self, source: PythonSource) -> frozenset[str]:
        """The module's names that functions rebind or whose value something changes in place."""

        def answer() -> frozenset[str]:
            body = [] if source.tree is None else source.tree.body
            return frozenset().union(*map(self._changed_by, body))

        return self._changed.ask(source, answer)

    def _changed_by(self, statement: ast.stmt) -> frozenset[str]:
        known = self._changed_names.get(statement)
        if known is None:
            known = self._changed_names[statement] = frozenset(_changed_names(statement))
        return known

    def may_differ(self, source: PythonSource, name: str, *, in_place: bool) -> bool:
        """Whether functions may give a module's name another value; or change it, if it can be changed ``in_place``."""

        def answer() -> bool:
            return (in_place or "global " in source.text) and name in self.changed_after_import(source)

        return self.firmly(source, ("may differ", name, in_place), answer)


def _changed_names(statement: ast.stmt) -> Iterator[str]:
    for node in walk(statement):
        if isinstance(node, ast.Global):
            yield from node.names
        else:
            yield from changed_by(node)


@record
class Found:
    """What a name of a module leads to: a binding in the file that really holds it."""

    source: PythonSource
    binding: Binding
    earlier: Resolution | None = None
    """What the name has been before, where its new value is made of that: ``score = timed(score)``."""


@record
class Resolution:
    """Everything that a name can be. ``complete`` when there is nothing else; ``external`` names what it comes from
    when that is no file of the repository."""

    found: tuple[Found, ...] = ()
    complete: bool = True
    external: str | None = None
    module: str | None = None
    """The name is this module."""

    @property
    def missing(self) -> bool:
        """Whether nothing at all binds the name."""
        return self.complete and not self.found and self.external is None and self.module is None


_Read = tuple[Path, str, "tuple[int, int] | None"]
"""A name of a file that was looked up: where it is read, ``None`` once the file is imported."""


class Resolver:
    """Follows names through imports, re-exports and star imports."""

    def __init__(self, project: Project) -> None:
        self.names = Names(project)

    def resolve(self, source: PythonSource, name: str) -> Resolution:
        """What a module's top-level name leads to."""
        return self.names.firmly(source, ("leads to", name), lambda: self._resolve(source, name, frozenset()))

    def _resolve(self, source: PythonSource, name: str, seen: frozenset[_Read]) -> Resolution:
        key = (source.path, name, None)
        if key in seen or len(seen) > 40 or source.tree is None:
            return Resolution(complete=False)
        names = self.names.of(source)
        if name in names.gone:
            return Resolution(complete=not (names.dynamic or names.stars))
        return self._bound(names, name, seen)

    def _bound(
        self, names: ModuleNames, name: str, seen: frozenset[_Read], before: ast.AST | None = None
    ) -> Resolution:
        """What the statements of a module that bind a name lead to; those that run before something, if any does."""
        key = (names.source.path, name, None if before is None else _where(before))
        bindings = (names.of(name, before) if before is not None else []) or names.of(name)
        parts = [self._binding(names, binding, seen | {key}) for binding in bindings]
        if not any(binding.certain for binding in bindings):
            parts += [self._star(star, name, seen | {key}) for star in names.stars]
        result = _together(parts)
        is_defined = any(binding.kind == "definition" for binding in bindings)
        if name in names.set_by_functions and (is_defined or result.missing):
            return Resolution(result.found, complete=False)  # what holds data is asked by may_differ
        if name in names.deleted or (result.missing and names.dynamic):
            return Resolution(result.found, complete=False)
        return result

    def attribute(self, module: str, name: str, seen: frozenset[_Read] = frozenset()) -> Resolution:
        """What ``from module import name`` gives."""
        source = self.names.module(module)
        dotted = f"{module}.{name}"
        if source is not None:
            inside = self._resolve(source, name, seen)
            if not inside.missing:
                return inside
        if self.names.module(dotted) is not None or self.names.is_package(dotted):
            return Resolution(module=dotted)
        if source is not None:
            return inside
        if self.names.is_package(module):
            return Resolution()
        return Resolution(external=dotted)

    def _binding(self, names: ModuleNames, binding: Binding, seen: frozenset[_Read]) -> Resolution:
        if binding.kind == "import" and binding.imported is not None:
            imported = binding.imported
            if imported.attribute is not None:
                return self.attribute(imported.module, imported.attribute, seen)
            if self.names.module(imported.module) is not None or self.names.is_package(imported.module):
                return Resolution(module=imported.module)
            return Resolution(external=imported.module)
        if binding.kind == "value" and isinstance(binding.node, ast.Name) and binding.node.id != binding.name:
            alias = self._alias(names, binding.node, seen)
            if not alias.missing:
                return alias
        return Resolution((Found(names.source, binding, self._earlier(names, binding, seen)),))

    def _alias(self, names: ModuleNames, read: ast.Name, seen: frozenset[_Read]) -> Resolution:
        """What a name of the module led to when another was bound to it; it may be another or gone since."""
        if (names.source.path, read.id, _where(read)) in seen or len(seen) > 40:
            return Resolution(complete=False)
        return self._bound(names, read.id, seen, read)

    def _earlier(self, names: ModuleNames, binding: Binding, seen: frozenset[_Read]) -> Resolution | None:
        if binding.kind != "value" or not any(
            isinstance(part, ast.Name) and part.id == binding.name for part in walk(binding.node)
        ):
            return None
        earlier = names.of(binding.name, binding.node)
        return _together([self._binding(names, one, seen) for one in earlier]) if earlier else None

    def _star(self, module: str, name: str, seen: frozenset[_Read]) -> Resolution:
        source = self.names.module(module)
        if source is None or source.tree is None:
            return Resolution(complete=False)
        if not self.names.of(source).gives_to_star(name):
            return Resolution()
        return self._resolve(source, name, seen)


def _together(parts: list[Resolution]) -> Resolution:
    present = [part for part in parts if not part.missing]
    if len(present) == 1:
        return present[0]
    found = tuple(dict.fromkeys(item for part in present for item in part.found))
    followed = all(part.complete and part.external is None and part.module is None for part in present)
    return Resolution(found, complete=followed)
