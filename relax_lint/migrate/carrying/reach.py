"""What of one module its wanted names need, with all that may change it: names and statements."""

from __future__ import annotations

import builtins
from collections.abc import Collection
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.called_imports import Site, facts
from relax_lint.migrate.carrying.code import run_at_once
from relax_lint.migrate.carrying.imports import ALL, Alias, External, OfName, Resolver, Supplied, aliases
from relax_lint.migrate.carrying.sources import VERL
from relax_lint.records import changed
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.code import Code, Statement
    from relax_lint.migrate.carrying.scanning import Scan

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__package__", "__builtins__"}


class Reach:
    """Looks at modules, whose imports a resolver finds."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver

    def reached(self, code: Code, wanted: Collection[str], *, scanning: bool = True) -> tuple[set[str], set[int]]:
        """What the wanted names of a module need, with all that may change it: its names and statements. Without
        ``scanning``, what may be asked for by any name is left aside."""
        needed, indices = set(wanted), set[int]()
        needed.update(code.binding if ALL in needed else ())
        needed.discard(ALL)
        statements = code.statements
        before = -1
        while before != len(indices):
            before = len(indices)
            found = self.scans(code, indices) if scanning else []
            is_open = any(each.is_open for each in found)
            needed |= {name for name in code.binding for each in found if not each.is_open and each.asks(name)}
            for statement in statements:
                if statement.index in indices or statement.idle:
                    continue
                if (is_open and not statement.is_import) or self._is_needed(code, statement, needed):
                    indices.add(statement.index)
                    needed |= statement.uses
        return needed, indices

    def scans(self, code: Code, indices: Collection[int]) -> list[Scan]:
        """Where statements of the user's ask for what they do not name. Subclasses of a class of the user's name it, so
        that they are needed anyway; of another package's, they may be anywhere."""
        if code.origin.of_verl:
            return []
        found = [each for index in sorted(indices) for each in code.statements[index].scans]
        return [
            changed(each, parts=(("", "", False),)) if not each.parts and self._is_foreign(code, each.base) else each
            for each in found
        ]

    def _is_foreign(self, code: Code, name: str) -> bool:
        """Whether a name is that of a builtin, or of something of another package."""
        return self._is_plain_import(code, name) if name in code.binding else name in _BUILTINS

    def all(self, code: Code, needed: set[str]) -> tuple[set[str], set[int]]:
        """All names and statements of a module, but for what no copy wants, and verl's names that nothing uses."""
        kept = [each for each in code.statements if not each.idle]
        used = needed | {name for each in kept for name in each.uses}
        kept += [each for each in code.statements if each.idle and each.binds & used]
        bound = {name for each in kept for name in each.binds if not self._is_of_verl(code, each, name)}
        only_idle = {name for each in code.statements if each.idle for name in each.uses} - used
        bound -= {name for name in only_idle if name in code.binding and self._is_plain_import(code, name)}
        return used | bound, {each.index for each in kept}

    def wants_more_of_verl(self, code: Code, needed: set[str], indices: set[int]) -> bool:
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
        if not code.origin.of_verl and self._imports_by_call(code, statement):
            return True
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

    def _imports_by_call(self, code: Code, statement: Statement) -> bool:
        """Whether running a statement imports modules by calls: those that are carried, or nobody knows which."""
        sites = facts(code, self.resolver.sources.project).sites
        found = {key for key, site in sites.items() if self._matters(code, site)}
        if not found:
            return False
        if any(id(each) in found for part in statement.nodes for each in run_at_once(part)):
            return True
        called = code.reached(name for name in statement.runs if name in code.binding)
        made = (part for name in called for each in code.binding[name] for part in each.nodes)
        return any(id(each) in found for part in made for each in walk(part))

    def _matters(self, code: Code, site: Site) -> bool:
        if not site.modules:
            return True
        return any(
            not isinstance(self.resolver.target(code, Alias(each, 0, None, None, site.node.lineno)), External)
            for each in site.modules
        )

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
        for star in (alias for part in statement.nodes for each in walk(part) for alias in aliases(each)):
            if star.name != ALL:
                continue
            target = self.resolver.target(code, star)
            if isinstance(target, OfName):
                if self.resolver.exports.of_star(code, star, target.origin, needed):
                    return True
            elif any(name not in code.binding and name not in _BUILTINS for name in needed):
                return True
        return False

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
