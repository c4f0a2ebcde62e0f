"""All that some names of a module need: the statements that define them, here and in other modules that are carried."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.beside import Beside
from relax_lint.migrate.carrying.called_imports import Site, facts
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
)
from relax_lint.migrate.carrying.naming import Names
from relax_lint.migrate.carrying.reach import Reach
from relax_lint.migrate.carrying.sources import Origin
from relax_lint.migrate.plan import Piece
from relax_lint.records import node, record
from relax_lint.sources.python import called_name, walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.scanning import Scan
    from relax_lint.migrate.carrying.sources import VerlSources

MOST_MODULES = 60
"""More than this is no scoring of an answer, but the half of verl."""
_OF_MODULES = frozenset({"__file__", "__name__", "__doc__", "__package__", "__dict__", "__all__"})
_READING = re.compile(r"open|read|load")
_OPTIONAL = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


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
    above: tuple[Origin, ...] = ()
    """The packages above the modules that it imports, which run before those."""
    is_whole: bool = False
    """Whether nothing is left out but what no copy wants."""


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
    data: Mapping[str, tuple[Path, str]] = MappingProxyType({})
    """The files that come along, by their paths beside the copies: where each is, and what it holds."""

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

    @property
    def imports_root(self) -> bool:
        """Whether other modules import the first one back."""
        return any(
            getattr(self.resolver.target(part.code, alias), "origin", None) == self.root.code.origin
            for part in self.parts[1:]
            for each in walk(part.code.tree)
            for alias in aliases(each)
        )


def closure(
    start: Code,
    wanted: Collection[str],
    sources: VerlSources,
    names: Names,
    supplied: Mapping[str, str] | None = None,
) -> Copied:
    """What the names ``wanted`` of a module need. ``supplied`` are dotted names of verl that the recipe has elsewhere,
    with the modules that they are imported from.

    Modules of the user's come whole, since what they do when they are imported may matter: those that do not work so
    are cut down to what the names need, and to all that reaches it.
    """
    cut: set[Origin] = set()
    while True:
        search = _Closure(start, wanted, sources, names, supplied, cut)
        copied = search.run()
        whole = search.whole
        if not copied.problems or not whole:
            break
        paths = {each.path for each in copied.problems}
        cut |= {each for each in whole if each.path in paths} or whole
    for part in copied.parts[1:]:
        names.of(part.code.origin)
    return copied


class _Closure:
    """One search."""

    def __init__(
        self,
        start: Code,
        wanted: Collection[str],
        sources: VerlSources,
        names: Names,
        supplied: Mapping[str, str] | None,
        cut: Collection[Origin],
    ) -> None:
        self.start = start
        self.sources = sources
        self.names = names
        self.cut = cut
        self.whole: set[Origin] = set()
        self.above: dict[Origin, dict[Origin, None]] = {}
        self.resolver = Resolver(sources, supplied)
        self.reach = Reach(self.resolver)
        self.codes: dict[Origin, Code] = {start.origin: start}
        self.wanted: dict[Origin, set[str]] = {start.origin: set(wanted)}
        self.indices: dict[Origin, frozenset[int]] = {}
        self.needed: dict[Origin, frozenset[str]] = {}
        self.problems: dict[Problem, None] = {}
        self.scan: Scan | None = None
        """What the statement that is looked at is needed for, where nothing names it."""
        self.beside: dict[Problem, None] = {}
        self.data: dict[str, tuple[Path, str]] = {}
        self.readers: dict[Origin, Beside] = {}
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
        parts = [
            Part(
                self.codes[each],
                self.indices[each],
                self.needed[each],
                tuple(self.above.get(each, ())),
                each in self.whole,
            )
            for each in self.indices
        ]
        return Copied(
            parts,
            self.names,
            list(self.requires.values()),
            list(self.problems),
            self.resolver,
            list(self.beside),
            self.data,
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
        needed, indices = self.reach.reached(code, self.wanted[origin])
        self.whole.discard(origin)
        if not origin.of_verl and origin not in self.cut and not self.reach.wants_more_of_verl(code, needed, indices):
            self.whole.add(origin)
            needed, indices = self.reach.all(code, needed)
        self.indices[origin], self.needed[origin] = frozenset(indices), frozenset(needed)
        scan = next((each for each in self.reach.scans(code, indices) if each.is_open), None)
        named = self.reach.reached(code, self.wanted[origin], scanning=False) if scan is not None else (needed, indices)
        for statement in statements:
            if statement.index in indices or statement.is_import:
                is_named = bool(statement.binds & named[0]) if statement.is_import else statement.index in named[1]
                self.scan = None if is_named else scan
                yield from self._outward(code, statement, needed)
        self.scan = None

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
        known = facts(code, self.sources.project)
        sites = known.sites
        for part in statement.nodes:
            self._beside(code, part)
            answered = {id(below) for each in walk(part) if known.replaced(each) for below in walk(each)}
            for each in walk(part):
                if isinstance(each, ast.Name) and each.id == "__path__" and id(each) not in answered:
                    self._problem(code, each.lineno, "__path__ is a package's, and a copy of one is a module")
                if id(each) in sites:
                    yield from self._called(code, sites[id(each)], optional=id(each) in guarded)
                for alias in aliases(each):
                    if each in statement.nodes and alias.bound not in needed and alias.name != ALL:
                        yield from self._run_only(code, alias)
                        continue
                    yield from self._imported(code, alias, needed, optional=id(each) in guarded)

    def _beside(self, code: Code, statement: ast.stmt) -> None:
        """The files that a statement reads beside its module: those that can come along."""
        if code.origin not in self.readers:
            self.readers[code.origin] = Beside(code, self.sources, self.names.package)
        for seen in self.readers[code.origin].of(statement, list(self._answered(code, statement))):
            told = seen.told
            for name, path in seen.files:
                data = self.sources.project.read(path) or b""
                if self.data.setdefault(name, (path, data.decode("utf-8", "surrogateescape")))[0] != path:
                    told = f"{name} beside the code is not copied: another file of its name is"
            if told:
                self.beside[Problem(code.origin.path, code.line(seen.line), told)] = None

    def _answered(self, code: Code, statement: ast.stmt) -> Iterator[ast.AST]:
        """What asks which modules lie beside the code: the answer takes its place."""
        known = facts(code, self.sources.project)
        for each in walk(statement):
            answers = known.replaced(each)
            if answers:
                yield statement if not _reads(statement) else each
            elif answers is not None:
                self._problem(code, getattr(each, "lineno", 1), "what lies beside this is known only when it runs")

    def _imported(
        self, code: Code, alias: Alias, needed: set[str], *, optional: bool
    ) -> Iterator[tuple[Origin, str | None]]:
        target: Target = self.resolver.target(code, alias)
        yield from self._above(code, target)
        if isinstance(target, External):
            self._require(code, target.package, alias.line, optional=optional)
        elif isinstance(target, Missing):
            shown = ".".join(filter(None, ("." * alias.level + alias.module, alias.name)))
            self._problem(code, alias.line, f"{shown} cannot be carried over: {target.reason}")
        elif isinstance(target, OfModule):
            yield from self._of_module(code, alias, target.origin)
        elif isinstance(target, OfName) and target.name == ALL:
            yield from self._all_of(code, alias, target.origin, needed)
        elif isinstance(target, OfName):
            yield target.origin, target.name

    def _all_of(self, code: Code, star: Alias, origin: Origin, needed: set[str]) -> Iterator[tuple[Origin, str | None]]:
        """What a star import gives of what is needed."""
        if not origin.of_verl:
            yield origin, None
        for each in self.resolver.exports.submodules(origin):
            yield each, None
        for name in self.resolver.exports.of_star(code, star, origin, needed):
            written = Alias(star.module, star.level, name, None, star.line)
            if isinstance(self.resolver.target(code, written), OfModule):
                yield from self._imported(code, written, needed, optional=False)
            else:
                yield origin, name

    def _run_only(self, code: Code, alias: Alias) -> Iterator[tuple[Origin, str | None]]:
        """A module of the user's that is imported, though nothing needs its names: for what it does then."""
        origin = self.resolver.run_only(code, alias)
        if origin is not None:
            yield from self._above(code, OfModule(origin))
            yield origin, None

    def _above(self, code: Code, target: Target) -> Iterator[tuple[Origin, str | None]]:
        """The packages above a module of the user's, which run when it is imported, unless the importer is in them."""
        if not isinstance(target, (OfModule, OfName)) or target.origin.of_verl:
            return
        parts = target.origin.dotted.split(".")
        for count in range(1, len(parts)):
            above = ".".join(parts[:count])
            if code is not self.start and f"{code.origin.dotted}.".startswith(f"{above}."):
                continue
            origin = self.sources.origin(above, code.origin.path)
            if origin is None or not origin.is_package or not target.origin.path.is_relative_to(origin.path.parent):
                continue
            package = self._code(origin)
            if package is not None and any(not each.idle for each in package.statements):
                self.above.setdefault(code.origin, {})[origin] = None
                yield origin, None

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
        yield from self._module(code, alias, origin, attributes)

    def _module(
        self, code: Code, alias: Alias, origin: Origin, attributes: Iterable[str] | None
    ) -> Iterator[tuple[Origin, str | None]]:
        """A module of which attributes are read: all of them where they are not known."""
        other = self._code(origin)
        if other is None:
            return
        yield origin, None
        if attributes is None and origin.of_verl and origin.is_package:
            self._problem(code, alias.line, f"{origin.dotted} is used as a value, and there are no packages in a copy")
        for name in sorted(other.binding if attributes is None else attributes):
            target = self.resolver.target(code, Alias(origin.dotted, 0, name, None, alias.line))
            if origin.of_verl and attributes is not None and name not in _OF_MODULES and isinstance(target, Missing):
                self._problem(code, alias.line, f"{origin.dotted}.{name} cannot be carried over: {target.reason}")
            elif name in other.binding or name in self.resolver.exports.bound(origin):
                yield origin, name

    def _require(self, code: Code, package: str, line: int, *, optional: bool) -> None:
        if package in sys.stdlib_module_names or package in ("relax", "__future__"):
            return
        known = self.requires.get(package)
        if known is None or (known.optional and not optional):
            self.requires[package] = Requirement(package, code.origin.path, code.line(line), optional)

    def _called(self, code: Code, site: Site, *, optional: bool) -> Iterator[tuple[Origin, str | None]]:
        """Modules that are imported by a call, like those of any other import."""
        line = site.node.lineno
        if site.modules is None:
            self._problem(code, line, "what this imports is known only when it runs")
            return
        for module in site.modules:
            alias = Alias(module, 0, None, "module", line)
            target = self.resolver.target(code, alias)
            if isinstance(target, OfModule):
                yield from self._above(code, target)
                yield from self._module(code, alias, target.origin, site.attributes)
                if site.has_twins:
                    self._problem(code, line, "this imports several modules of one name: import them by statements")
            else:
                yield from self._imported(code, alias, set(), optional=optional)

    def _problem(self, code: Code, line: int, message: str) -> None:
        if self.scan is not None:
            message += f"; nothing names it, but {self.scan.what} in line {code.line(self.scan.line)} may ask for it"
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


def _reads(statement: ast.stmt) -> bool:
    """Whether a statement may read what is in files, not only how they are called."""
    return any(isinstance(each, ast.Call) and _READING.match(called_name(each)) for each in walk(statement))


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
