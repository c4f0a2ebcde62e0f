"""Code that does one thing or another by a sample's ``data_source``: which sources it knows, and what others get."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from relax_lint.calls.values import Given
from relax_lint.flow.scopes import own_nodes
from relax_lint.records import node, record
from relax_lint.sources.python import gives_nothing

if TYPE_CHECKING:
    from relax_lint.calls.reached import ReachedFunction

COLUMN = "data_source"
Otherwise = Literal["handled", "raises", "gives nothing", "unknown"]
_SAME = frozenset({"strip", "lower", "casefold", "upper", "rstrip", "lstrip"})
_DEEPEST = 4
_FOLDING = frozenset({"lower", "casefold"})


@record
class Known:
    """A test for sources: exact names, or beginnings, ends and parts of them. ``opaque`` where it may ask for more."""

    names: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    opaque: bool = False

    def __or__(self, other: Known) -> Known:
        return Known(
            self.names | other.names,
            self.beginnings + other.beginnings,
            self.ends + other.ends,
            self.parts + other.parts,
            self.opaque or other.opaque,
        )

    def matches(self, source: str, *, folded: bool) -> bool:
        """Whether a source passes."""
        for text in {source, source.strip().lower()} if folded else {source}:
            if text in self.names or text.startswith(self.beginnings) or text.endswith(self.ends):
                return True
            if any(part in text for part in self.parts):
                return True
        return self.opaque


@node
class Dispatch:
    """One place that chooses by the source: where it is written, what it knows, and what becomes of the rest. ``ways``
    is how many things may come of it, the refusal of the rest among them; a mere check has as many as it knows sources.
    """

    place: ast.AST
    known: Known
    ways: int
    otherwise: Otherwise
    folded: bool


def dispatches(function: ReachedFunction) -> Iterator[Dispatch]:
    """Every such choice in a function's own code."""
    reader = _Reader(function)
    for part in own_nodes(function.node):
        if isinstance(part, ast.If) and part not in reader.read:
            found = reader.chain(part)
        elif isinstance(part, ast.IfExp):
            found = reader.choice(part)
        elif isinstance(part, ast.Match):
            found = reader.match(part)
        elif isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load):
            found = reader.table(part, part.value, part.slice, "raises")
        elif isinstance(part, ast.Call):
            found = reader.lookup(part)
        else:
            found = None
        if found is not None:
            yield found


class _Reader:
    """Reads the choices of one function. ``read`` are the conditions that belong to a choice further up."""

    def __init__(self, function: ReachedFunction) -> None:
        self.function = function
        self.source = function.source
        self.read: set[ast.If] = set()
        self.folded = False

    def is_source(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is the sample's source, as it is or with other letters."""
        while True:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME:
                self.folded = self.folded or node.func.attr in _FOLDING
                node = node.func.value
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "str" and len(node.args) == 1:
                node = node.args[0]
            elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
                node = node.values[0]
            else:
                break
        if isinstance(node, ast.Name):
            assigned = self._assigned(node.id) if depth < _DEEPEST else []
            if node.id == COLUMN or (len(assigned) == 1 and self.is_source(assigned[0], depth + 1)):
                self.folded = self.folded or any(
                    f".{name}(" in ast.unparse(one) for one in assigned for name in _FOLDING
                )
                return True
        return any(
            isinstance(value, Given) and value.path[-1:] == (f"[{COLUMN}]",) for value in self.function.values(node)
        )

    def _assigned(self, name: str) -> list[ast.expr]:
        """What the function gives a name of its own."""
        return [
            part.value
            for part in own_nodes(self.function.node)
            if isinstance(part, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in part.targets)
        ]

    # ------------------------------------------------------------ conditions

    def chain(self, first: ast.If) -> Dispatch | None:
        """``if … elif … else``, and conditions of their own that follow one that leaves."""
        self.folded = False
        known, ways, current = Known(), 0, first
        while True:
            asked = self._asked(current.test)
            if asked is None:
                if ways == 0:
                    return None
                return Dispatch(first, known, ways, "unknown", self.folded)
            test, negated = asked
            self.read.add(current)
            known |= test
            if negated:
                return self._guard(current, known)
            ways += 1
            if len(current.orelse) == 1 and isinstance(current.orelse[0], ast.If):
                current = current.orelse[0]
                continue
            if current.orelse:
                otherwise = self._of_block(current.orelse)
                return Dispatch(first, known, ways + (otherwise != "unknown"), otherwise, self.folded)
            following = self._after(current if ways > 1 and current is not first else first, current)
            if following and isinstance(following[0], ast.If) and self._leaves(current.body):
                if self._asked(following[0].test) is not None:
                    current = following[0]
                    continue
            otherwise = self._of_rest(first, current, following)
            return Dispatch(first, known, ways + (otherwise != "unknown"), otherwise, self.folded)

    def choice(self, expression: ast.IfExp) -> Dispatch | None:
        """``one if source == … else other``."""
        self.folded = False
        asked = self._asked(expression.test)
        holder = self.source.parent(expression)
        if asked is None or (isinstance(holder, ast.IfExp) and self._asked(holder.test) is not None):
            return None
        return Dispatch(expression, asked[0], 2, "handled", self.folded)

    def _guard(self, condition: ast.If, known: Known) -> Dispatch | None:
        """``if source not in KNOWN: raise``."""
        otherwise = self._of_block(condition.body)
        count = len(known.names) + len(known.beginnings) + len(known.ends) + len(known.parts)
        return Dispatch(condition, known, count, otherwise, self.folded) if otherwise == "raises" else None

    def _asked(self, test: ast.expr) -> tuple[Known, bool] | None:
        """The sources that a condition is true for, or false where it is negated; ``None`` if it asks for nothing of
        the kind."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._asked(test.operand)
            return None if inner is None else (inner[0], not inner[1])
        if isinstance(test, ast.BoolOp):
            return self._of_several(test)
        if isinstance(test, ast.Call):
            known = self._of_method(test)
            return None if known is None else (known, False)
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return None
        left, operator, right = test.left, test.ops[0], test.comparators[0]
        negated = isinstance(operator, (ast.NotEq, ast.NotIn))
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            if self.is_source(right):
                left, right = right, left
            text = self._strings(right)
            if self.is_source(left) and text is not None:
                return Known(frozenset(text)), negated
        elif isinstance(operator, (ast.In, ast.NotIn)):
            if self.is_source(left):
                names = self._strings(right)
                return (Known(opaque=True) if names is None else Known(frozenset(names))), negated
            text = self._strings(left)
            if self.is_source(right) and text is not None:
                return Known(parts=tuple(text)), negated
        return None

    def _of_several(self, test: ast.BoolOp) -> tuple[Known, bool] | None:
        asked = [self._asked(value) for value in test.values]
        told = [one for one in asked if one is not None and not one[1]]
        if isinstance(test.op, ast.Or):
            if len(told) < len(asked):
                return (Known(opaque=True), False) if told else None
            known = Known()
            for one in told:
                known |= one[0]
            return known, False
        return (Known(opaque=True), False) if told else None

    def _of_method(self, call: ast.Call) -> Known | None:
        function = call.func
        if not isinstance(function, ast.Attribute) or len(call.args) != 1 or not self.is_source(function.value):
            return None
        texts = self._strings(call.args[0])
        if function.attr == "startswith":
            return Known(opaque=True) if texts is None else Known(beginnings=tuple(texts))
        if function.attr == "endswith":
            return Known(opaque=True) if texts is None else Known(ends=tuple(texts))
        return None

    def _strings(self, node: ast.expr) -> list[str] | None:
        """The strings that an expression is, or holds."""
        node = self._literal(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [node.value]
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("frozenset", "set", "tuple") and node.args:
            node = node.args[0]
        if isinstance(node, ast.Dict):
            items: list[ast.expr | None] = list(node.keys)
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            items = list(node.elts)
        else:
            return None
        texts = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        return texts if len(texts) == len(items) else None

    def _literal(self, node: ast.expr) -> ast.expr:
        """What a name of the module, or of the function, is once and for all."""
        if isinstance(node, ast.Attribute):
            return self._of_class(node) or node
        if not isinstance(node, ast.Name):
            return node
        stores = [
            part for part in self.source.nodes(ast.Name) if part.id == node.id and isinstance(part.ctx, ast.Store)
        ]
        filled = any(
            isinstance(part.ctx, ast.Store) and isinstance(part.value, ast.Name) and part.value.id == node.id
            for part in self.source.nodes(ast.Subscript)
        )
        statement = self.source.parent(stores[0]) if len(stores) == 1 and not filled else None
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        return node if value is None else value

    def _of_class(self, node: ast.Attribute) -> ast.expr | None:
        """What the one class of the file that has such an attribute gives it."""
        found = [
            part.value
            for cls in self.source.nodes(ast.ClassDef)
            for part in cls.body
            if isinstance(part, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == node.attr for target in part.targets)
        ]
        set_later = any(
            part.attr == node.attr and isinstance(part.ctx, ast.Store) for part in self.source.nodes(ast.Attribute)
        )
        return found[0] if len(found) == 1 and not set_later else None

    # ------------------------------------------------------------ what others get

    def _of_block(self, body: list[ast.stmt]) -> Otherwise:
        last = body[-1]
        if isinstance(last, ast.Raise) or (isinstance(last, ast.Assert) and _is_false(last.test)):
            return "raises"
        if isinstance(last, ast.Return) and gives_nothing(last):
            return "gives nothing"
        if len(body) == 1 and isinstance(last, ast.Pass):
            return "unknown"
        return "handled"

    def _after(self, first: ast.If, current: ast.If) -> list[ast.stmt]:
        """The statements behind a condition in its own block, or behind the whole chain that it ends."""
        for start in (current, first):
            holder = self.source.parent(start)
            for name in ("body", "orelse", "finalbody"):
                block = getattr(holder, name, None)
                if isinstance(block, list) and start in block and not (name == "orelse" and isinstance(holder, ast.If)):
                    return block[block.index(start) + 1 :]
        return []

    def _of_rest(self, first: ast.If, current: ast.If, following: list[ast.stmt]) -> Otherwise:
        """What becomes of a source that no condition was true for, where there is no ``else``."""
        if following:
            if not self._leaves(current.body):
                return "unknown"
            ends = isinstance(following[0], (ast.Raise, ast.Return, ast.Assert))
            return self._of_block(following[:1]) if ends else "unknown"
        holder = self.source.parent(first)
        returns = any(isinstance(part, ast.Return) and not gives_nothing(part) for part in ast.walk(current))
        if holder is self.function.node and returns:
            return "gives nothing"
        return "unknown"

    @staticmethod
    def _leaves(body: list[ast.stmt]) -> bool:
        return isinstance(body[-1], (ast.Return, ast.Raise))

    # ------------------------------------------------------------ match and tables

    def match(self, statement: ast.Match) -> Dispatch | None:
        """``match source:``."""
        self.folded = False
        if not self.is_source(statement.subject):
            return None
        names: set[str] = set()
        opaque, ways, otherwise = False, 0, self._of_match_rest(statement)
        for case in statement.cases:
            texts = _texts_of(case.pattern)
            if texts is None:
                otherwise = self._of_block(case.body)
                opaque = opaque or case.guard is not None
                ways += otherwise == "handled"
            else:
                names.update(texts)
                ways += 1
        ways += otherwise in ("raises", "gives nothing")
        return Dispatch(statement, Known(frozenset(names), opaque=opaque), ways, otherwise, self.folded)

    def _of_match_rest(self, statement: ast.Match) -> Otherwise:
        holder = self.source.parent(statement)
        block = getattr(holder, "body", [])
        if holder is self.function.node and block and block[-1] is statement:
            returns = any(isinstance(part, ast.Return) for part in ast.walk(statement))
            return "gives nothing" if returns else "unknown"
        following = block[block.index(statement) + 1 :] if statement in block else []
        return self._of_block(following[:1]) if following and isinstance(following[0], ast.Raise) else "unknown"

    def table(self, place: ast.expr, table: ast.expr, key: ast.expr, otherwise: Otherwise) -> Dispatch | None:
        """``TABLE[source]``."""
        self.folded = False
        if not self.is_source(key):
            return None
        keys = self._literal(table)
        names = self._strings(keys) if isinstance(keys, ast.Dict) else None
        if names is None or self._is_caught(place):
            return None
        ways = len(names) + (otherwise != "unknown")
        return Dispatch(place, Known(frozenset(names)), ways, otherwise, self.folded)

    def lookup(self, call: ast.Call) -> Dispatch | None:
        """``TABLE.get(source)``."""
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr != "get" or not call.args:
            return None
        called = isinstance(self.source.parent(call), ast.Call) and getattr(self.source.parent(call), "func", 0) is call
        otherwise: Otherwise = "raises" if called else self._of_checked(call)
        if len(call.args) > 1 or call.keywords:
            otherwise = "handled"
        return self.table(call, function.value, call.args[0], otherwise)

    def _of_checked(self, call: ast.Call) -> Otherwise:
        """What becomes of the None that ``name = TABLE.get(source)`` may give."""
        statement = self.source.parent(call)
        following = self._statements_after(statement)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and following:
            name, check = statement.targets[0].id, following[0]
            if isinstance(check, ast.If) and ast.unparse(check.test) in (f"{name} is None", f"not {name}"):
                return self._of_block(check.body)
        return "unknown"

    def _statements_after(self, statement: ast.AST | None) -> list[ast.stmt]:
        block = getattr(self.source.parent(statement), "body", []) if statement is not None else []
        return block[block.index(statement) + 1 :] if isinstance(block, list) and statement in block else []

    def _is_caught(self, node: ast.AST) -> bool:
        """Whether a missing key is expected: something catches it, or a condition asked for it."""
        for holder in self.source.ancestors(node):
            if isinstance(holder, ast.Try) and holder.handlers:
                return True
            if isinstance(holder, (ast.If, ast.IfExp)) and self._asked(holder.test) is not None:
                return True
        return False


def _texts_of(pattern: ast.pattern) -> list[str] | None:
    """The strings that a pattern is for; ``None`` when it is for anything."""
    if isinstance(pattern, ast.MatchValue):
        value = pattern.value.value if isinstance(pattern.value, ast.Constant) else None
        return [value] if isinstance(value, str) else []
    if isinstance(pattern, ast.MatchOr):
        return [text for part in pattern.patterns for text in _texts_of(part) or ()]
    return None


def _is_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value
