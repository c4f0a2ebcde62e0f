"""What the interpreter computes with, besides plain Python values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from types import MethodType
from typing import Any

REGISTER = "add_argument"
"""The method that a parser or group registers flags by."""
ANY_TEXT = ".*"


class Unknown:
    """A value that the sources do not tell, with the reason; ``shape`` is a pattern for the texts that it may be."""

    __slots__ = ("reason", "shape")

    def __init__(self, reason: str, shape: str = ANY_TEXT) -> None:
        self.reason = reason
        self.shape = shape

    def __bool__(self) -> bool:
        raise Undecided(self.reason)

    def __iter__(self) -> Iterator[Any]:
        raise Unreadable(self.reason)

    def __repr__(self) -> str:
        return f"Unknown({self.reason!r})"


class Unreadable(Exception):
    """Something that the interpreter does not follow."""


class Undecided(Unreadable):
    """A condition that the sources do not decide."""


class Finished(BaseException):
    """All that was wanted has been seen."""


class Exceeded(BaseException):
    """The sources ask for more work than registering flags takes."""


class Jump(BaseException):
    """A jump. One that nothing takes is where Python lets none be: it would refuse the file."""


class Returned(Jump):
    """A ``return`` on its way to the call."""

    def __init__(self, value: Any) -> None:
        self.value = value


class LoopLeft(Jump):
    """A ``break`` on its way to its loop."""


class LoopContinued(Jump):
    """A ``continue`` on its way to its loop."""


class Deferred:
    """A name imported from a module that is not read before somebody asks for the name."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name


class Scope:
    """The names of a function, class body, comprehension or module, and the scope around them."""

    __slots__ = ("is_class", "names", "outer", "redirected")

    def __init__(self, outer: Scope | None, names: dict[str, Any] | None = None, is_class: bool = False) -> None:
        self.outer = outer
        self.is_class = is_class
        self.names: dict[str, Any] = {} if names is None else names
        self.redirected: dict[str, Scope] = {}

    def find(self, name: str) -> Scope | None:
        """The scope that has a name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
            scope = scope.outer
        return None

    def bind(self, name: str, value: Any) -> None:
        """Give a name its value, where ``global`` and ``nonlocal`` say."""
        self.redirected.get(name, self).names[name] = value

    @property
    def outermost(self) -> Scope:
        """The module's scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


class Function:
    """A function of the sources; calling it interprets it, also when a native function calls it."""

    def __init__(
        self,
        node: ast.FunctionDef | ast.Lambda,
        scope: Scope,
        module: str,
        name: str,
        defaults: Mapping[str, Any],
        call: Callable[[Function, tuple[Any, ...], dict[str, Any]], Any],
        look_up: Callable[[str, Scope], Any],
    ) -> None:
        self.node = node
        self.scope = scope
        self.module = module
        self.name = name
        self.defaults = defaults
        self.owner: type | None = None
        self._call = call
        self._look_up = look_up

    def value_of(self, name: str) -> Any:
        """What a name means in the function's body, parameters aside."""
        try:
            return self._look_up(name, self.scope)
        except NameError:
            return Unknown(name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The result, by following the body."""
        return self._call(self, arguments, named)

    def __get__(self, instance: Any, kind: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def bound(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """The parameters with their values, as a call gives them."""
        wanted = self.node.args
        positional = [parameter.arg for parameter in (*wanted.posonlyargs, *wanted.args)]
        given = dict(zip(positional, arguments, strict=False))
        rest = arguments[len(positional) :]
        if wanted.vararg is not None:
            given[wanted.vararg.arg] = tuple(rest)
        elif rest:
            raise TypeError(f"{self.name} takes {len(positional)} positional arguments")
        by_name = {*positional, *(parameter.arg for parameter in wanted.kwonlyargs)}
        more = {name: value for name, value in named.items() if name not in by_name}
        given.update({name: value for name, value in named.items() if name in by_name})
        if wanted.kwarg is not None:
            given[wanted.kwarg.arg] = more
        elif more:
            raise TypeError(f"{self.name} takes no argument {min(more)}")
        for name in by_name - given.keys():
            if name not in self.defaults:
                raise TypeError(f"{self.name} misses {name}")
            given[name] = self.defaults[name]
        return given


class Module:
    """A module of the sources, or one that is not among them: its names are unknown then."""

    def __init__(self, name: str, scope: Scope | None) -> None:
        self.name = name
        self.scope = scope


class Foreign:
    """In the place of base classes that are unknown."""


class Fact:
    """A function whose result is a known fact."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The fact."""
        if callable(self._value):
            return self._value(*arguments, **named)
        return list(self._value) if isinstance(self._value, list) else self._value
