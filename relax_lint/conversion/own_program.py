"""A preprocessing script followed from its first line to its last: which rows it writes into which file.

Nothing is run. What the text does not say is unknown, and said only where rows depend on it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from relax_lint.conversion.own_constants import operation, unknown
from relax_lint.conversion.own_expressions import SPLITS, WRITES, Entry, Expressions, Returned, Stop, Turn
from relax_lint.conversion.own_loops import list_of, rows_of
from relax_lint.conversion.own_names import binds, mutated
from relax_lint.conversion.own_values import (
    Arguments,
    Data,
    Function,
    Length,
    Parser,
    Splits,
    Tail,
    Unknown,
    holds_data,
    is_plain,
)
from relax_lint.sources.python import called_name

_MOST_TURNS = 256
_LEAVES = frozenset(
    "print info debug warning error exception dump makedirs mkdir copy exit write seed append extend add rmtree".split()
)
_DEPENDS = "depends on what the script finds where it runs"


class Program(Expressions):
    """A script that is followed: its ``entries`` in their order, and the ``files`` that it writes."""

    def __init__(self, tree: ast.Module) -> None:
        super().__init__(tree)
        try:
            self._body(tree.body, self._scope(0))
        except (Turn, Returned) as astray:
            raise Stop(astray.line, "cannot be read as Python") from None

    # ------------------------------------------------------------ statements

    def _body(self, body: Sequence[ast.stmt], scope: int) -> None:
        for statement in body:
            self._statement(statement, scope)

    def _statement(self, statement: ast.stmt, scope: int) -> None:
        if isinstance(statement, ast.FunctionDef):
            self._note(statement, scope)
            self._names[scope][statement.name] = Function(statement, scope)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            self._assign(statement, scope)
        elif isinstance(statement, ast.AugAssign):
            self._add(statement, scope)
        elif isinstance(statement, ast.Expr):
            self._expression(statement, scope)
        elif isinstance(statement, ast.If):
            self._if(statement, scope)
        elif isinstance(statement, ast.For):
            self._for(statement, scope)
        elif isinstance(statement, ast.With):
            for item in statement.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, Unknown(statement.lineno, _DEPENDS), scope, statement)
            self._body(statement.body, scope)
        elif isinstance(statement, ast.Try):
            self._body([*statement.body, *statement.orelse, *statement.finalbody], scope)
        elif isinstance(statement, ast.Return):
            raise Returned(statement.lineno, None if statement.value is None else self.value(statement.value, scope))
        elif isinstance(statement, (ast.Break, ast.Continue)):
            raise Turn(statement.lineno, isinstance(statement, ast.Break))
        elif isinstance(statement, ast.Raise):
            raise Stop(statement.lineno, "as far as the text says, the script ends here with an error")
        elif isinstance(statement, (ast.Import, ast.ImportFrom, ast.ClassDef)):
            self._note(statement, scope)
            self._names[scope].update((name, Unknown(statement.lineno, "")) for name in binds(statement))
        elif isinstance(statement, (ast.While, ast.AsyncFor, ast.AsyncWith, ast.Match)):
            self._skipped(statement, scope, "a loop that is not followed")

    def _note(self, statement: ast.stmt, scope: int, adds: bool = False, names: Sequence[str] = ()) -> None:
        """Have a statement be one that rows may need."""
        self.entries.append(Entry(scope, statement.lineno, tuple(names or binds(statement)), statement, adds=adds))

    def _assign(self, statement: ast.Assign | ast.AnnAssign, scope: int) -> None:
        if statement.value is None:
            return
        value = self.value(statement.value, scope)
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            if isinstance(target, ast.Name):
                self._names[scope][target.id] = value
                if holds_data(value) or isinstance(value, (Arguments, Parser)) or self._is_inlined(statement.value):
                    self.entries.append(Entry(scope, statement.lineno, (target.id,), value=value))
                else:
                    self._note(statement, scope)
            elif isinstance(target, (ast.Tuple, ast.List)) and (holds_data(value) or isinstance(value, tuple)):
                self._bind(target, value, scope, statement)
            elif isinstance(target, (ast.Tuple, ast.List)):
                self._names[scope].update((name, unknown(statement.value, value)) for name in binds(statement))
                self._note(statement, scope)
            else:
                self._put(target, value, statement, scope)

    def _put(self, target: ast.expr, value: Any, statement: ast.stmt, scope: int) -> None:
        """Set an item or an attribute of something."""
        if isinstance(target, ast.Subscript):
            holder, key = self.value(target.value, scope), self.value(target.slice, scope)
            if isinstance(holder, dict):
                if is_plain(key) and not isinstance(key, (list, dict, set)):
                    holder[key] = value
                elif holds_data(holder) or holds_data(value):
                    raise Stop(statement.lineno, "under which name a split is kept is not written out")
                if holds_data(value):
                    return
            elif holds_data(holder):
                raise Stop(statement.lineno, "what is set in a data set is not carried over")
        if isinstance(target, ast.Attribute):
            holder = self.value(target.value, scope)
            if isinstance(holder, Arguments):
                holder.options[target.attr] = value
                return
        for name in mutated(target):
            self._note(statement, self.home(name, scope), adds=True, names=[name])

    def _add(self, statement: ast.AugAssign, scope: int) -> None:
        value = operation(statement.value, statement.op, self.value(_loaded(statement.target), scope),
                          self.value(statement.value, scope))  # fmt: skip
        if isinstance(statement.target, ast.Name):
            self._names[scope][statement.target.id] = value
            if holds_data(value):
                self.entries.append(Entry(scope, statement.lineno, (statement.target.id,), value=value))
            else:
                self._note(statement, scope, adds=True)
        else:
            self._put(statement.target, value, statement, scope)

    def _expression(self, statement: ast.Expr, scope: int) -> None:
        value = statement.value
        if not isinstance(value, ast.Call):
            return
        name = called_name(value)
        if isinstance(value.func, ast.Attribute):
            if name == WRITES:
                self.value(value, scope)
                return
            if name == "seed":
                self.seeded = self.seeded or statement.lineno
            receiver = self.value(value.func.value, scope)
            if isinstance(receiver, (Data, Splits)) and name.startswith("set_"):
                raise Stop(statement.lineno, f"what {name} does to the rows is not carried over")
            if isinstance(receiver, list) and name in ("append", "extend") and value.args:
                given = self.value(value.args[0], scope)
                if name == "append":
                    receiver.append(given)
                elif isinstance(given, (list, tuple)):
                    receiver.extend(given)
                elif holds_data(receiver):
                    raise Stop(statement.lineno, "which data sets are added is not written out")
                else:
                    receiver.append(unknown(value, given))
                for root in () if holds_data(given) else mutated(value):
                    self._note(statement, self.home(root, scope), adds=True, names=[root])
                return
        for root in dict.fromkeys([*mutated(value), *_may_change(value)]):
            home = self.home(root, scope)
            if not isinstance(self._names[home].get(root), (Data, Splits, Arguments, Parser, str)):
                self._note(statement, home, adds=True, names=[root])
        self.value(value, scope)

    def _if(self, statement: ast.If, scope: int) -> None:
        before, self._asked = self._asked, []
        test = self.value(statement.test, scope)
        asked, self._asked = tuple(self._asked), before
        if isinstance(test, (Unknown, Tail, Length)):
            if isinstance(test, Unknown) and test.reason and self._may_write(statement):
                raise Stop(test.line, test.reason)
            self._skipped(statement, scope, _DEPENDS)
            return
        first = len(self.entries)
        self._body(statement.body if test else statement.orelse, scope)
        taken = {name for entry in self.entries[first:] for name in entry.names}
        left = {name for part in (statement.orelse if test else statement.body) for name in binds(part)}
        if asked:
            for entry in self.entries[first:]:
                entry.options = (*entry.options, *asked)
            for name in left - taken:  # a statement that is not there may matter as well
                self.entries.append(Entry(scope, statement.lineno, (name,), adds=True, options=asked))

    def _for(self, statement: ast.For, scope: int) -> None:
        if self._grown(statement, scope):
            return
        turns = self.value(statement.iter, scope)
        turns = (
            list(turns) if isinstance(turns, (dict, range, tuple, list, str)) and len(turns) <= _MOST_TURNS else turns
        )
        if not isinstance(turns, list) or not self._matters(statement, scope):
            if isinstance(turns, Splits):
                turns = Unknown(statement.lineno, SPLITS)
            if isinstance(turns, Unknown) and turns.reason and self._may_write(statement):
                raise Stop(statement.lineno, turns.reason)
            reason = "a loop over the rows" if holds_data(turns) else "a loop over what is not written out"
            self._skipped(statement, scope, reason)
            return
        for turn in turns:
            self._bind(statement.target, turn, scope, statement)
            try:
                self._body(statement.body, scope)
            except Turn as ended:
                if ended.ends:
                    return
        self._body(statement.orelse, scope)

    def _grown(self, loop: ast.For, scope: int) -> bool:
        """Whether a loop puts a row of its own into a list for each row of a table."""
        turns, numbered = rows_of(loop.iter)
        data = self.value(turns, scope)
        rows = list_of(loop, self._names[scope]) if isinstance(data, Data) else ""
        home = self.home(rows, scope)
        if not rows or not isinstance(data, Data) or self._names[home].get(rows) != []:
            return False
        self._put_rows(rows, self.grown(loop, data, rows, numbered, scope), loop.lineno, home)
        return True

    def _put_rows(self, name: str, rows: Any, line: int, scope: int) -> None:
        self._names[scope][name] = rows
        self.entries.append(Entry(scope, line, (name,), value=rows))

    def _skipped(self, statement: ast.stmt, scope: int, reason: str) -> None:
        """What is not gone into: what it binds is not known; nothing may be written in it."""
        if self._may_write(statement):
            where = f"in {reason}" if reason != _DEPENDS else f"or not, which {_DEPENDS}"
            raise Stop(statement.lineno, f"rows are written {where}")
        names = dict.fromkeys([*binds(statement), *(name for part in ast.walk(statement) for name in mutated(part))])
        about = f"{{}} {reason}" if reason == _DEPENDS else f"{{}} comes out of {reason}"
        for name in names:
            home = self.home(name, scope)
            self._names[home][name] = Unknown(statement.lineno, about.format(name))
        if not names:
            return
        if reason != _DEPENDS and not self._matters(statement, scope):
            self._note(statement, scope, adds=True, names=list(names))
        else:
            for name in names:
                self.entries.append(Entry(scope, statement.lineno, (name,), value=self._names[scope].get(name)))

    def _write(self, call: ast.Call, holder: Any, scope: int) -> None:
        if not isinstance(holder, Data):
            if isinstance(holder, Unknown) and holder.reason:
                raise Stop(holder.line, holder.reason)
            made = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else "what"
            line = holder.line if isinstance(holder, Unknown) else call.lineno
            raise Stop(line, f"how {made}, which is written to parquet, is made is not followed")
        given = [*call.args, *(word.value for word in call.keywords if word.arg in ("path_or_buf", "path"))]
        path = self.value(given[0], scope) if given else ""
        text = path.text if isinstance(path, Tail) else path if isinstance(path, str) else ""
        name = text.rpartition("/")[2] if text.endswith(".parquet") and (isinstance(path, str) or "/" in text) else ""
        name = name or f"{holder.parts[0].split}.parquet"
        if name in self.files:
            raise Stop(call.lineno, f"{name} is written twice")
        self.files[name] = holder, call.lineno


def _may_change(call: ast.Call) -> list[str]:
    """The names that are given to a function which is called for what it does."""
    if called_name(call) in _LEAVES:
        return []
    given = [*call.args, *(word.value for word in call.keywords)]
    return [each.id for each in given if isinstance(each, ast.Name)]


def _loaded(target: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(target.id, ast.Load()), target) if isinstance(target, ast.Name) else target
