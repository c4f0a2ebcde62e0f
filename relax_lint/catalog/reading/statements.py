"""What a statement does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.reading.classes import make_class
from relax_lint.catalog.reading.expressions import combined
from relax_lint.catalog.reading.values import (
    ANY_TEXT,
    REGISTER,
    Deferred,
    Fact,
    Function,
    LoopContinued,
    LoopLeft,
    Returned,
    Scope,
    Unknown,
    Unreadable,
)

if TYPE_CHECKING:
    from relax_lint.catalog.reading.interpreter import Interpreter


class Statements:
    """Follows statements for an interpreter.

    Of a condition that nothing decides both ways are followed: what either registers may be registered. ``_undecided``
    counts such conditions around the present statement, ``_tries`` the ``try`` statements that may catch an exception.
    """

    def __init__(self, interpreter: Interpreter, absent: frozenset[str]) -> None:
        self._interpreter = interpreter
        self._absent = absent
        self._undecided = 0
        self._tries = 0

    @contextmanager
    def of_module(self) -> Iterator[None]:
        """What happens inside is a module's top level: nothing around its import bears on it."""
        state, (self._tries, self._undecided) = (self._tries, self._undecided), (0, 0)
        try:
            yield
        finally:
            self._tries, self._undecided = state

    def result(self, body: list[ast.stmt], scope: Scope) -> Any:
        """What a function's body returns."""
        undecided, self._undecided = self._undecided, 0
        try:
            self.execute(body, scope)
        except Returned as returned:
            return returned.value
        finally:
            self._undecided = undecided
        return None

    def execute(self, body: list[ast.stmt], scope: Scope) -> None:
        """Follow statements; one that cannot be followed leaves a doubt, and its names unknown."""
        for statement in body:
            self._interpreter.step()
            try:
                self._execute(statement, scope)
            except Exception as problem:
                if self._tries and not isinstance(problem, Unreadable):
                    raise
                self._pass_over(statement, problem, scope)

    def _pass_over(self, statement: ast.stmt, problem: Exception, scope: Scope) -> None:
        module = scope.outermost.names.get("__name__", "?")
        reason = f"{module}:{statement.lineno}: {type(problem).__name__}: {problem}"
        self._interpreter.doubts.append(reason)
        self._interpreter.possible += _registered_in(statement)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                scope.names.setdefault(node.id, Unknown(reason))
        if isinstance(statement, ast.Return):
            raise Returned(Unknown(reason)) from None
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            scope.names[statement.name] = Unknown(reason)

    def _execute(self, statement: ast.stmt, scope: Scope) -> None:
        handler = getattr(self, f"_do_{type(statement).__name__}", None)
        if handler is None:
            raise Unreadable(type(statement).__name__)
        handler(statement, scope)

    def _do_Expr(self, statement: ast.Expr, scope: Scope) -> None:
        if not isinstance(statement.value, ast.Constant):
            self._interpreter.evaluate(statement.value, scope)

    def _do_Assign(self, statement: ast.Assign, scope: Scope) -> None:
        value = self._interpreter.evaluate(statement.value, scope)
        for target in statement.targets:
            self._interpreter.assign(target, value, scope)

    def _do_AnnAssign(self, statement: ast.AnnAssign, scope: Scope) -> None:
        if statement.value is not None:
            self._interpreter.assign(statement.target, self._interpreter.evaluate(statement.value, scope), scope)

    def _do_AugAssign(self, statement: ast.AugAssign, scope: Scope) -> None:
        target = statement.target
        if not isinstance(target, ast.Name):
            raise Unreadable("an augmented assignment")
        old = self._interpreter.lookup(target.id, scope)
        value = self._interpreter.evaluate(statement.value, scope)
        if isinstance(old, list) and isinstance(statement.op, ast.Add) and not isinstance(value, Unknown):
            combined(statement.op, old, list(value))
            old.extend(value)
        else:
            scope.bind(target.id, combined(statement.op, old, value))

    def _do_Return(self, statement: ast.Return, scope: Scope) -> None:
        value = None if statement.value is None else self._interpreter.evaluate(statement.value, scope)
        if not self._undecided:
            raise Returned(value)
        self._interpreter.frames[-1].doubtful.append(value)

    def _do_If(self, statement: ast.If, scope: Scope) -> None:
        condition = self._interpreter.tried(statement.test, scope)
        if not isinstance(condition, Unknown):
            self.execute(statement.body if condition else statement.orelse, scope)
            return
        # Both may be: what either registers may be registered.
        self._undecided += 1
        try:
            self.execute(statement.body, scope)
            self.execute(statement.orelse, scope)
        finally:
            self._undecided -= 1

    def _do_For(self, statement: ast.For, scope: Scope) -> None:
        items = self._interpreter.evaluate(statement.iter, scope)
        if isinstance(items, Unknown):
            self._perhaps_once(statement, items, scope)
            return
        for item in list(items):
            self._interpreter.assign(statement.target, item, scope)
            try:
                self.execute(statement.body, scope)
            except LoopLeft:
                return
            except LoopContinued:
                continue
        self.execute(statement.orelse, scope)

    def _perhaps_once(self, statement: ast.For, items: Unknown, scope: Scope) -> None:
        """Follow a loop over what is not known: whatever one round registers may be registered."""
        self._interpreter.doubts.append(f"line {statement.lineno} loops over what is not known: {items.reason}")
        self._undecided += 1
        try:
            self._interpreter.assign(statement.target, Unknown(items.reason), scope)
            self.execute([*statement.body, *statement.orelse], scope)
        finally:
            self._undecided -= 1

    def _do_Break(self, statement: ast.Break, scope: Scope) -> None:
        if not self._undecided:
            raise LoopLeft

    def _do_Continue(self, statement: ast.Continue, scope: Scope) -> None:
        if not self._undecided:
            raise LoopContinued

    def _do_With(self, statement: ast.With, scope: Scope) -> None:
        for item in statement.items:
            if item.optional_vars is not None:
                self._interpreter.assign(item.optional_vars, Unknown("a context manager"), scope)
        self.execute(statement.body, scope)

    def _do_Try(self, statement: ast.Try, scope: Scope) -> None:
        try:
            self._attempt(statement, scope)
        finally:
            self.execute(statement.finalbody, scope)

    def _attempt(self, statement: ast.Try, scope: Scope) -> None:
        self._tries += bool(statement.handlers)
        try:
            self.execute(statement.body, scope)
        except Exception as problem:
            self._tries -= bool(statement.handlers)
            handler = next((one for one in statement.handlers if self._catches(one, problem, scope)), None)
            if handler is None:
                raise
            if handler.name:
                scope.bind(handler.name, problem)
            self.execute(handler.body, scope)
        except BaseException:
            self._tries -= bool(statement.handlers)
            raise
        else:
            self._tries -= bool(statement.handlers)
            self.execute(statement.orelse, scope)

    def _catches(self, handler: ast.ExceptHandler, problem: Exception, scope: Scope) -> bool:
        if handler.type is None:
            return True
        kinds = self._interpreter.tried(handler.type, scope)
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        return any(isinstance(kind, type) and isinstance(problem, kind) for kind in kinds)

    def _do_Raise(self, statement: ast.Raise, scope: Scope) -> None:
        if self._undecided:
            return
        raised = None if statement.exc is None else self._interpreter.evaluate(statement.exc, scope)
        if isinstance(raised, type) and issubclass(raised, Exception):
            raised = raised()
        raise raised if isinstance(raised, Exception) else RuntimeError("raised by the sources")

    def _do_Assert(self, statement: ast.Assert, scope: Scope) -> None:
        held = self._interpreter.tried(statement.test, scope)
        if not isinstance(held, Unknown) and not held and not self._undecided:
            raise AssertionError

    def _do_Pass(self, statement: ast.Pass, scope: Scope) -> None:
        """Nothing."""

    def _do_Delete(self, statement: ast.Delete, scope: Scope) -> None:
        for target in statement.targets:
            if isinstance(target, ast.Name):
                scope.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                del self._interpreter.evaluate(target.value, scope)[self._interpreter.evaluate(target.slice, scope)]

    def _do_Global(self, statement: ast.Global, scope: Scope) -> None:
        scope.redirected.update(dict.fromkeys(statement.names, scope.outermost))

    def _do_Nonlocal(self, statement: ast.Nonlocal, scope: Scope) -> None:
        for name in statement.names:
            holder = None if scope.outer is None else scope.outer.find(name)
            if holder is not None:
                scope.redirected[name] = holder

    def _do_FunctionDef(self, statement: ast.FunctionDef, scope: Scope) -> None:
        made: Any = self._interpreter.function(statement, scope, statement.name)
        scope.bind(statement.name, self._decorated(made, statement.decorator_list, scope))

    def _do_AsyncFunctionDef(self, statement: ast.AsyncFunctionDef, scope: Scope) -> None:
        scope.bind(statement.name, Unknown(f"{statement.name} is async"))

    def _do_ClassDef(self, statement: ast.ClassDef, scope: Scope) -> None:
        made = make_class(self._interpreter, statement, scope)
        scope.bind(statement.name, self._decorated(made, statement.decorator_list, scope))

    def _decorated(self, made: Any, decorators: list[ast.expr], scope: Scope) -> Any:
        for node in reversed(decorators):
            decorator = self._interpreter.tried(node, scope)
            if callable(decorator) and not isinstance(decorator, (Function, Fact)):
                made = decorator(made)
        return made

    # ------------------------------------------------------------ imports

    def _do_Import(self, statement: ast.Import, scope: Scope) -> None:
        for alias in statement.names:
            self._refuse_absent(alias.name)
            top = alias.name if alias.asname else alias.name.partition(".")[0]
            scope.bind(alias.asname or top, self._interpreter.module(top))

    def _do_ImportFrom(self, statement: ast.ImportFrom, scope: Scope) -> None:
        module = statement.module or ""
        if statement.level:
            package = self._interpreter.sources.package_of(scope.outermost.names.get("__name__", ""))
            for _ in range(statement.level - 1):
                package = package.rpartition(".")[0]
            module = f"{package}.{module}" if module else package
        self._refuse_absent(module)
        for alias in statement.names:
            if alias.name == "*":
                source = self._interpreter.module(module).scope
                names = {} if source is None else source.names
                scope.names.update({name: value for name, value in names.items() if not name.startswith("_")})
            elif self._tries:
                scope.bind(alias.asname or alias.name, self._interpreter.imported(module, alias.name))
            else:
                scope.bind(alias.asname or alias.name, Deferred(module, alias.name))

    def _refuse_absent(self, module: str) -> None:
        if module.partition(".")[0] in self._absent:
            raise ModuleNotFoundError(module)


def _registered_in(statement: ast.stmt) -> list[str]:
    """Patterns of the flags that a statement which is passed over may register."""
    calls = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == REGISTER
    ]
    return [pattern for call in calls for pattern in _patterns(call)]


def _patterns(call: ast.Call) -> list[str]:
    names = [word.value if isinstance(word, ast.Constant) else None for word in call.args]
    return [re.escape(name) if isinstance(name, str) else ANY_TEXT for name in names]
