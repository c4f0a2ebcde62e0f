"""What is read off syntax alone, and asked again on every way through a function."""

from __future__ import annotations

import ast

from relax_lint.flow.scopes import AnyFunction, Scope, changed_by, filled_in, may_change, own_nodes, scope_of, stored_in
from relax_lint.records import record
from relax_lint.sources.python import walk


@record
class Condition:
    """A condition: equal keys for equal texts, the names in it, and those whose length it looks at."""

    key: str
    names: frozenset[str]
    measured: frozenset[str]


class Facts:
    """Answers by node, each worked out once."""

    def __init__(self) -> None:
        self._scopes: dict[AnyFunction, Scope] = {}
        self._last_changes: dict[AnyFunction, dict[str, int]] = {}
        self._changed: dict[ast.AST, frozenset[str]] = {}
        self._stored: dict[ast.AST, frozenset[str]] = {}
        self._filled: dict[ast.AST, frozenset[str]] = {}
        self._may_change: dict[tuple[AnyFunction, str, bool], bool] = {}
        self._conditions: dict[ast.expr, Condition] = {}
        self._positives: dict[ast.Compare, ast.Compare] = {}

    def scope(self, function: AnyFunction) -> Scope:
        """The names of a function."""
        if function not in self._scopes:
            self._scopes[function] = scope_of(function)
        return self._scopes[function]

    def last_changes(self, function: AnyFunction) -> dict[str, int]:
        """The last line on which the object of each name is changed, counted from the function's first: that stays the
        same where lines are put before it."""
        if function not in self._last_changes:
            lines: dict[str, int] = {}
            for node in own_nodes(function):
                for name in changed_by(node):
                    lines[name] = max(lines.get(name, 0), getattr(node, "lineno", function.lineno) - function.lineno)
            self._last_changes[function] = lines
        return self._last_changes[function]

    def changed(self, loop: ast.AST) -> frozenset[str]:
        """Names whose object a loop changes in place."""
        if loop not in self._changed:
            self._changed[loop] = frozenset(name for part in walk(loop) for name in changed_by(part))
        return self._changed[loop]

    def stored(self, loop: ast.AST) -> frozenset[str]:
        """Names that a loop binds or changes."""
        if loop not in self._stored:
            self._stored[loop] = stored_in(loop)
        return self._stored[loop]

    def filled(self, loop: ast.AST) -> frozenset[str]:
        """Names of lists and dictionaries whose items a loop assigns."""
        if loop not in self._filled:
            self._filled[loop] = frozenset(filled_in(loop))
        return self._filled[loop]

    def may_change(self, function: AnyFunction, parameter: str, *, items: bool) -> bool:
        """Whether a function may change what a parameter is given, or what is in it."""
        key = (function, parameter, items)
        if key not in self._may_change:
            self._may_change[key] = may_change(function, parameter, items=items)
        return self._may_change[key]

    def condition(self, test: ast.expr) -> Condition:
        """What a condition looks at."""
        if test not in self._conditions:
            self._conditions[test] = _condition(test)
        return self._conditions[test]

    def positive(self, test: ast.Compare, operator: ast.cmpop) -> ast.Compare:
        """The comparison that a negated one denies."""
        if test not in self._positives:
            self._positives[test] = ast.copy_location(ast.Compare(test.left, [operator], test.comparators), test)
        return self._positives[test]


def _condition(test: ast.expr) -> Condition:
    names: set[str] = set()
    measured: set[str] = set()
    for part in walk(test):
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "len":
            measured.update(argument.id for argument in part.args if isinstance(argument, ast.Name))
    return Condition(ast.dump(test), frozenset(names), frozenset(measured))
