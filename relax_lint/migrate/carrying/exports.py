"""The names that ``from module import *`` gives, as Python gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.called_imports import facts
from relax_lint.migrate.carrying.code import Unparsable, bound_by
from relax_lint.migrate.carrying.imports import ALL, Alias, OfName, Resolver, aliases
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.code import Code
    from relax_lint.migrate.carrying.sources import Origin


class Exports:
    """What star imports give, of the modules that one resolver finds."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self._bound: dict[Origin, dict[str, bool]] = {}

    def given(self, origin: Origin) -> dict[str, bool]:
        """The names that ``*`` of a module gives, and of each whether it surely does: what is bound in a branch may not
        be there. Modules below a package are names of it where ``__all__`` has them, or its own code imports them."""
        code, bound = self._code(origin), self.bound(origin)
        if code is None:
            return {}
        known = facts(code, self.resolver.sources.project)
        if known.is_open:
            return dict.fromkeys(bound, False)
        if known.all is None:
            return {name: sure for name, sure in bound.items() if not name.startswith("_")}
        below = [each.dotted.rpartition(".")[2] for each in self.submodules(origin)]
        return {name: bound[name] for name in known.all if name in bound} | dict.fromkeys(below, True)

    def submodules(self, origin: Origin) -> list[Origin]:
        """The modules that ``*`` of a package imports, since its ``__all__`` has them and nothing else binds them."""
        code, bound = self._code(origin), self.bound(origin)
        names = (facts(code, self.resolver.sources.project).all or ()) if code is not None else ()
        below = (self.resolver.below(origin, name) for name in names if name not in bound)
        return [each for each in below if each is not None]

    def of_star(self, code: Code, star: Alias, origin: Origin, needed: Iterable[str]) -> dict[str, bool]:
        """Those of the needed names that a star import in ``code`` gives it, unless it binds them itself further on."""
        lines = [alias.line for each in walk(code.tree) for alias in aliases(each) if _is_same(alias, star)]
        later = [each for each in code.tree.body if each.lineno > max(lines, default=0)]
        overruled = {name for each in later for name in _surely([each])}
        given = self.given(origin)
        return {name: given[name] for name in sorted(needed) if name in given and name not in overruled}

    def bound(self, origin: Origin) -> dict[str, bool]:
        """All names that a module has, with whether it has them whatever happens."""
        if origin not in self._bound:
            self._bound[origin] = {}
            code = self._code(origin)
            if code is not None:
                self._bound[origin] = self._names(code)
        return self._bound[origin]

    def _names(self, code: Code) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for statement in code.tree.body:
            sure = _surely([statement])
            for name in bound_by(statement) - _only_annotated(statement):
                found[name] = found.get(name, False) or name in sure
            is_import = isinstance(statement, (ast.Import, ast.ImportFrom))
            for each in walk(statement):
                for alias in aliases(each):
                    for name, is_sure in self._of_import(code, alias):
                        found[name] = found.get(name, False) or (is_sure and is_import)
            if isinstance(statement, ast.Delete):
                for target in statement.targets:
                    found.pop(getattr(target, "id", ""), None)
        return found

    def _of_import(self, code: Code, alias: Alias) -> Iterator[tuple[str, bool]]:
        """The names that an import gives beside those that it writes out."""
        if alias.name == ALL:
            target = self.resolver.target(code, alias)
            if isinstance(target, OfName) and target.origin != code.origin:
                yield from self.given(target.origin).items()
        below = self.resolver.imported_below(code, alias)
        if below:
            yield below, True

    def _code(self, origin: Origin) -> Code | None:
        try:
            return self.resolver.sources.code(origin)
        except Unparsable:
            return None


def _is_same(one: Alias, other: Alias) -> bool:
    return (one.module, one.level, one.name) == (other.module, other.level, other.name)


def _only_annotated(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.AnnAssign) and statement.value is None and isinstance(statement.target, ast.Name):
        return {statement.target.id}
    return set()


def _surely(block: Sequence[ast.stmt]) -> set[str]:
    """The names that statements bind whichever way they go."""
    found: set[str] = set()
    for each in block:
        if isinstance(each, ast.If):
            found |= _surely(each.body) & _surely(each.orelse)
        elif isinstance(each, ast.Try):
            ways = [_surely([*each.body, *each.orelse])]
            ways += [_surely(one.body) for one in each.handlers if not isinstance(one.body[-1], ast.Raise)]
            found |= set.intersection(*ways) | _surely(each.finalbody)
        elif isinstance(each, ast.With):
            found |= _surely(each.body)
        elif not isinstance(each, (ast.For, ast.While, ast.AsyncFor, ast.Delete)):
            found |= bound_by(each) - _only_annotated(each)
    return found
