"""All that some names of a module need: the statements that define them, here and in other modules that are carried."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.beside import Beside
from relax_lint.migrate.carrying.code import Code, Statement, Unparsable
from relax_lint.migrate.carrying.imports import (
    ALL,
    Alias,
    External,
    Missing,
    OfModule,
    OfName,
    Resolver,
    Supplied,
    Target,
    aliases,
    stars,
)
from relax_lint.migrate.carrying.naming import Names
from relax_lint.migrate.carrying.sources import VERL, Origin
from relax_lint.migrate.plan import Piece
from relax_lint.records import node, record
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources

MOST_MODULES = 60
"""More than this is no scoring of an answer, but the half of verl."""
_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__package__", "__builtins__"}
_OF_MODULES = frozenset({"__file__", "__name__", "__doc__", "__package__", "__dict__", "__all__"})
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
        self.codes: dict[Origin, Code] = {start.origin: start}
        self.wanted: dict[Origin, set[str]] = {start.origin: set(wanted)}
        self.indices: dict[Origin, frozenset[int]] = {}
        self.needed: dict[Origin, frozenset[str]] = {}
        self.problems: dict[Problem, None] = {}
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
        needed, indices = self._reached(code, statements)
        self.whole.discard(origin)
        if not origin.of_verl and origin not in self.cut and not self._wants_more_of_verl(code, needed, indices):
            self.whole.add(origin)
            needed, indices = self._all(code, needed)
        self.indices[origin], self.needed[origin] = frozenset(indices), frozenset(needed)
        for statement in statements:
            if statement.index in indices or statement.is_import:
                yield from self._outward(code, statement, needed)

    def _reached(self, code: Code, statements: Sequence[Statement]) -> tuple[set[str], set[int]]:
        """What the wanted names of a module need, with all that may change it: its names and statements."""
        needed, indices = set(self.wanted[code.origin]), set[int]()
        needed.update(code.binding if ALL in needed else ())
        needed.discard(ALL)
        before = -1
        while before != len(indices):
            before = len(indices)
            scanned = any(statements[each].scans for each in indices) and not code.origin.of_verl
            for statement in statements:
                if statement.index in indices or statement.idle:
                    continue
                if (scanned and not statement.is_import) or self._is_needed(code, statement, needed):
                    indices.add(statement.index)
                    needed |= statement.uses
        return needed, indices

    def _all(self, code: Code, needed: set[str]) -> tuple[set[str], set[int]]:
        """All names and statements of a module, but for what no copy wants, and verl's names that nothing uses."""
        kept = [each for each in code.statements if not each.idle]
        used = needed | {name for each in kept for name in each.uses}
        kept += [each for each in code.statements if each.idle and each.binds & used]
        bound = {name for each in kept for name in each.binds if not self._is_of_verl(code, each, name)}
        return used | bound, {each.index for each in kept}

    def _wants_more_of_verl(self, code: Code, needed: set[str], indices: set[int]) -> bool:
        """Whether what nothing reaches in a module wants parts of verl by itself: those are no part of the scoring."""
        for statement in code.statements:
            if statement.index in indices or statement.idle or statement.is_import:
                continue
            names = {name for name in statement.uses if name in code.binding and name not in needed}
            if any(self._is_of_verl(code, each, name) for name in names for each in code.binding[name]):
                return True
            inner = (alias for part in statement.nodes for each in walk(part) for alias in aliases(each))
            if any(not alias.level and alias.module.partition(".")[0] == VERL for alias in inner):
                return True
        return False

    def _is_of_verl(self, code: Code, statement: Statement, name: str) -> bool:
        """Whether a name is imported from verl."""
        return statement.is_import and any(
            alias.bound == name and not alias.level and alias.module.partition(".")[0] == VERL
            for each in statement.nodes
            for alias in aliases(each)
        )

    def _is_needed(self, code: Code, statement: Statement, needed: set[str]) -> bool:
        elsewhere = self.resolver.supplied_of(code.origin.dotted).keys()
        if statement.binds & needed - elsewhere or self._star_gives(code, statement, needed):
            return True
        if statement.is_import or statement.binds & elsewhere:
            return False
        return self._reaches(code, statement, needed)

    def _reaches(self, code: Code, statement: Statement, needed: set[str]) -> bool:
        """Whether running a statement may change what is needed. Of verl, plain definitions and values do not."""
        if code.origin.of_verl and statement.is_plain:
            return False
        names = {name for name in statement.runs if name in code.binding and not self._is_plain_import(code, name)}
        changed = {name for name in code.reached(names) & needed if not self._is_plain_import(code, name)}
        if changed and code.origin.of_verl and not statement.effect:
            return not all(code.is_function(name) for name in changed)
        if changed:
            return True
        if not code.origin.of_verl and any(self._is_of_user(code, name) for name in names):
            return True
        return statement.effect and not names and bool(statement.uses - _BUILTINS)

    def _is_of_user(self, code: Code, name: str) -> bool:
        """Whether a name is imported from another module of the user's."""
        return any(
            alias.bound == name and origin is not None and not origin.of_verl
            for statement in code.binding[name]
            if statement.is_import
            for each in statement.nodes
            for alias in aliases(each)
            for origin in [self.resolver.origin_of(code, alias)]
        )

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
                isinstance(self.resolver.target(code, alias), (External, Supplied))
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
        for part in statement.nodes:
            self._beside(code, part)
            for each in walk(part):
                if isinstance(each, ast.Call):
                    self._dynamic(code, each)
                for alias in aliases(each):
                    if each in statement.nodes and alias.bound not in needed and alias.name != ALL:
                        yield from self._run_only(code, alias)
                        continue
                    yield from self._imported(code, alias, needed, optional=id(each) in guarded)

    def _beside(self, code: Code, statement: ast.stmt) -> None:
        """The files that a statement reads beside its module: those that can come along."""
        if code.origin not in self.readers:
            self.readers[code.origin] = Beside(code, self.sources, self.names.package)
        for seen in self.readers[code.origin].of(statement):
            told = seen.told
            for name, path in seen.files:
                data = self.sources.project.read(path) or b""
                if self.data.setdefault(name, (path, data.decode("utf-8", "surrogateescape")))[0] != path:
                    told = f"{name} beside the code is not copied: another file of its name is"
            if told:
                self.beside[Problem(code.origin.path, code.line(seen.line), told)] = None

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
            other = self._code(target.origin)
            if other is not None:
                if not target.origin.of_verl:
                    yield target.origin, None
                for name in sorted(needed):
                    if name not in code.binding and (name in other.binding or stars(other)):
                        yield target.origin, name
        elif isinstance(target, OfName):
            yield target.origin, target.name

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
            elif name in other.binding or stars(other):
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
