"""All that some names of a module need: the statements that define them, here and in other modules that are carried."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.code import Code, Statement, Unparsable
from relax_lint.migrate.carrying.imports import (
    ALL,
    Alias,
    External,
    Missing,
    OfModule,
    OfName,
    Resolver,
    Target,
    aliases,
    stars,
)
from relax_lint.migrate.carrying.naming import Names
from relax_lint.migrate.plan import Piece
from relax_lint.records import node, record
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import Origin, VerlSources

MOST_MODULES = 60
"""More than this is no scoring of an answer, but the half of verl."""
_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__package__", "__builtins__"}
_OPTIONAL = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_DYNAMIC = frozenset({"import_module", "__import__"})


@record
class Problem:
    """Something that stands in the way of carrying code over: where, and what."""

    path: Path
    line: int
    message: str


@record
class Requirement:
    """A package that the carried code imports and Relax may lack; ``optional`` where the code does without it."""

    package: str
    path: Path
    line: int
    optional: bool = False


@record
class Part:
    """What is carried of one module: the indices of its statements, and the names that they need of it."""

    code: Code
    indices: frozenset[int]
    needed: frozenset[str]


@node
class Copied:
    """The parts of all modules, the first that of the module that was asked for; ``names`` says what their files are
    called. Nothing of it can be written when there are ``problems``."""

    parts: Sequence[Part]
    names: Names
    requires: Sequence[Requirement]
    problems: Sequence[Problem]
    resolver: Resolver
    beside: Sequence[Problem] = ()
    """What may need something that is not carried: files that lie beside the code."""

    @property
    def root(self) -> Part:
        """The part of the module that was asked for."""
        return self.parts[0]

    def piece(self, part: Part) -> Piece:
        """What is carried of a module, as it is told: functions and classes, or values where there are none."""
        statements = [each for each in part.code.statements if each.index in part.indices and not each.is_import]
        defined = [
            each.name
            for statement in statements
            for each in statement.nodes
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ]
        return Piece(
            part.code.origin.path,
            tuple(defined or dict.fromkeys(name for statement in statements for name in sorted(statement.binds))),
        )

    def left_out(self) -> list[str]:
        """The functions and classes of the first module that nothing of it needs."""
        root = self.root
        return [
            each.name
            for statement in root.code.statements
            if statement.index not in root.indices
            for each in statement.nodes
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ]


def closure(
    start: Code,
    wanted: Collection[str],
    sources: VerlSources,
    names: Names,
    supplied: Mapping[str, str] | None = None,
) -> Copied:
    """What the names ``wanted`` of a module need. ``supplied`` are dotted names of verl that the recipe has elsewhere,
    with the modules that they are imported from."""
    return _Closure(start, wanted, sources, names, supplied).run()


class _Closure:
    """One search."""

    def __init__(
        self,
        start: Code,
        wanted: Collection[str],
        sources: VerlSources,
        names: Names,
        supplied: Mapping[str, str] | None,
    ) -> None:
        self.start = start
        self.sources = sources
        self.names = names
        self.resolver = Resolver(sources, supplied)
        self.codes: dict[Origin, Code] = {start.origin: start}
        self.wanted: dict[Origin, set[str]] = {start.origin: set(wanted)}
        self.indices: dict[Origin, frozenset[int]] = {}
        self.needed: dict[Origin, frozenset[str]] = {}
        self.problems: dict[Problem, None] = {}
        self.beside: dict[Problem, None] = {}
        self.requires: dict[str, Requirement] = {}

    def run(self) -> Copied:
        pending = [self.start.origin]
        while pending and not self.problems:
            origin = pending.pop()
            for other, name in self._within(origin):
                known = self.wanted.setdefault(other, set())
                if name is not None and name not in known:
                    known.add(name)
                    pending.append(other)
                elif name is None and other not in self.indices:
                    pending.append(other)
            if len(self.wanted) > MOST_MODULES:
                self._problem(self.start, 1, f"this needs more than {MOST_MODULES} modules of verl")
        parts = [Part(self.codes[each], self.indices[each], self.needed[each]) for each in self.indices]
        for part in parts:
            if part.code is not self.start:
                self.names.of(part.code.origin)
        return Copied(
            parts, self.names, list(self.requires.values()), list(self.problems), self.resolver, list(self.beside)
        )

    # ------------------------------------------------------------ one module

    def _within(self, origin: Origin) -> Iterator[tuple[Origin, str | None]]:
        """The statements of one module that its wanted names need; yields what those need of other modules."""
        code = self._code(origin)
        if code is None:
            return
        try:
            statements = code.statements
        except Unparsable as problem:
            self._problem(code, problem.line, problem.reason)
            return
        needed, indices = set(self.wanted[origin]), set[int]()
        needed.update(code.binding if ALL in needed else ())
        needed.discard(ALL)
        before = -1
        while before != len(indices):
            before = len(indices)
            for statement in statements:
                if statement.index not in indices and self._is_needed(code, statement, needed, indices):
                    indices.add(statement.index)
                    needed |= statement.uses
        self.indices[origin], self.needed[origin] = frozenset(indices), frozenset(needed)
        for index in sorted(indices):
            yield from self._outward(code, statements[index], needed)

    def _is_needed(self, code: Code, statement: Statement, needed: set[str], indices: set[int]) -> bool:
        if statement.idle:
            return False
        if not statement.effect or statement.is_import:
            elsewhere = self.resolver.supplied_of(code.origin.dotted).keys()
            return bool(statement.binds & needed - elsewhere) or self._star_gives(code, statement, needed)
        own = statement.uses - _BUILTINS
        bound = {name for name in own if name in code.binding}
        if bound - needed and not all(self._is_plain_import(code, name) for name in bound - needed):
            return False
        return bool(own)

    def _star_gives(self, code: Code, statement: Statement, needed: set[str]) -> bool:
        if not statement.is_import:
            return False
        return any(alias.name == ALL for each in statement.nodes for alias in aliases(each)) and any(
            name not in code.binding and name not in _BUILTINS for name in needed
        )

    def _is_plain_import(self, code: Code, name: str) -> bool:
        """Whether a name is that of a package that stays a package."""
        return all(
            statement.is_import
            and all(
                isinstance(self.resolver.target(code, alias), External)
                for each in statement.nodes
                for alias in aliases(each)
                if alias.bound == name
            )
            for statement in code.binding[name]
        )

    def _code(self, origin: Origin) -> Code | None:
        if origin not in self.codes:
            try:
                self.codes[origin] = self.sources.code(origin)
            except Unparsable as problem:
                self.problems[Problem(problem.path, problem.line, problem.reason)] = None
                return None
        return self.codes[origin]

    # ------------------------------------------------------------ what is imported

    def _outward(self, code: Code, statement: Statement, needed: set[str]) -> Iterator[tuple[Origin, str | None]]:
        guarded = {id(each) for part in statement.nodes for each in _guarded(part)}
        logged = {id(each) for part in statement.nodes for each in _names_of_loggers(part)}
        for part in statement.nodes:
            for each in walk(part):
                if isinstance(each, ast.Call):
                    self._dynamic(code, each)
                elif isinstance(each, ast.Name) and each.id == "__file__" and id(each) not in logged:
                    message = "this looks for a file beside the code, which is not copied"
                    self.beside[Problem(code.origin.path, code.line(each.lineno), message)] = None
                for alias in aliases(each):
                    if each in statement.nodes and alias.bound not in needed and alias.name != ALL:
                        continue
                    yield from self._imported(code, alias, needed, optional=id(each) in guarded)

    def _imported(
        self, code: Code, alias: Alias, needed: set[str], *, optional: bool
    ) -> Iterator[tuple[Origin, str | None]]:
        target: Target = self.resolver.target(code, alias)
        if isinstance(target, External):
            self._require(code, target.package, alias.line, optional=optional)
        elif isinstance(target, Missing):
            shown = ".".join(filter(None, ("." * alias.level + alias.module, alias.name)))
            self._problem(code, alias.line, f"{shown} cannot be carried over: {target.reason}")
        elif isinstance(target, OfModule):
            yield from self._of_module(code, alias, target.origin)
        elif isinstance(target, OfName) and target.name == ALL:
            other = self._code(target.origin)
            if other is not None:
                for name in sorted(needed):
                    if name not in code.binding and (name in other.binding or stars(other)):
                        yield target.origin, name
        elif isinstance(target, OfName):
            yield target.origin, target.name

    def _of_module(self, code: Code, alias: Alias, origin: Origin) -> Iterator[tuple[Origin, str | None]]:
        if alias.name is None and alias.asname is None:
            chains = {name for each in walk(code.tree) if (name := dotted_name(each)) is not None}
            attributes: Iterable[str] | None = {
                each.removeprefix(f"{origin.dotted}.").partition(".")[0]
                for each in chains
                if each.startswith(f"{origin.dotted}.")
            }
        else:
            attributes = code.attributes_of(alias.bound)
        other = self._code(origin)
        if other is None:
            return
        yield origin, None
        for name in sorted(other.binding if attributes is None else attributes):
            if name in other.binding or stars(other):
                yield origin, name

    def _require(self, code: Code, package: str, line: int, *, optional: bool) -> None:
        if package in sys.stdlib_module_names or package in ("relax", "__future__"):
            return
        known = self.requires.get(package)
        if known is None or (known.optional and not optional):
            self.requires[package] = Requirement(package, code.origin.path, code.line(line), optional)

    def _dynamic(self, code: Code, call: ast.Call) -> None:
        """Imports by a call: of a name that is known, and not verl's, it is an import like any other."""
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name not in _DYNAMIC:
            return
        first = call.args[0] if call.args else None
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            self._problem(code, call.lineno, "what this imports is known only when it runs")
        elif first.value.partition(".")[0] == "verl" or first.value.startswith("."):
            self._problem(code, call.lineno, f"{first.value} is imported by a call: import it by a statement")
        else:
            self._require(code, first.value.partition(".")[0], call.lineno, optional=False)

    def _problem(self, code: Code, line: int, message: str) -> None:
        self.problems[Problem(code.origin.path, code.line(line), message)] = None


def dotted_name(expression: ast.AST) -> str | None:
    """``a.b.c`` as it is written, and nothing for any other expression."""
    parts: list[str] = []
    while isinstance(expression, ast.Attribute):
        parts.append(expression.attr)
        expression = expression.value
    if not isinstance(expression, ast.Name) or not parts:
        return None
    return ".".join([expression.id, *reversed(parts)])


def _names_of_loggers(statement: ast.stmt) -> Iterator[ast.AST]:
    """What loggers are called, often after their file."""
    for each in walk(statement):
        if isinstance(each, ast.Call) and getattr(each.func, "attr", "") == "getLogger":
            yield from each.args


def _guarded(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes in ``try`` blocks that do without what cannot be imported."""
    for each in walk(statement):
        if not isinstance(each, ast.Try):
            continue
        caught = {
            name.id
            for handler in each.handlers
            for name in walk(handler.type or ast.Name("Exception"))
            if isinstance(name, ast.Name)
        }
        if caught & _OPTIONAL:
            for part in each.body:
                yield from walk(part)
