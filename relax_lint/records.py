"""Classes of named fields with slots, made an order of magnitude faster than dataclasses are.

A hook starts this program for every commit, and making a class a dataclass costs it most of a millisecond each time.
Here it is one ``__init__``, of code that is compiled once for each number of fields. To a type checker these are
dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

T = TypeVar("T")


class _Field(NamedTuple):
    default: Any
    kw_only: bool
    compare: bool


def field(*, default: Any = ..., kw_only: bool = False, compare: bool = True) -> Any:
    """A field that is given by name only, or that does not count when records are compared."""
    return _Field(default, kw_only, compare)


if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(frozen_default=True, field_specifiers=(field,))
    def record(cls: type[T]) -> type[T]:
        """A value: equal and hashed by its fields, never changed."""

    @dataclass_transform(eq_default=False)
    def node(cls: type[T]) -> type[T]:
        """A class with an ``__init__`` for its annotated fields, changeable, equal only to itself."""

else:

    def node(cls: type) -> type:
        """A class with an ``__init__`` for its annotated fields, changeable, equal only to itself."""
        return _with_slots(cls)[0]

    def record(cls: type) -> type:
        """A value: equal and hashed by its fields, never changed."""
        made, names = _with_slots(cls, () if hasattr(cls, "_hash") else ("_hash",))
        special = made.__special_fields__
        compared = [name for name in names if name not in special or special[name].compare]
        key = attrgetter(*compared) if compared else lambda self: ()

        def equal(self: Any, other: object) -> Any:
            return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

        def hashed(self: Any) -> int:
            try:
                return self._hash
            except AttributeError:
                self._hash = known = hash(key(self))
                return known

        made.__eq__ = equal
        made.__hash__ = hashed
        return made


def _with_slots(cls: type, more: tuple[str, ...] = ()) -> tuple[type, tuple[str, ...]]:
    """The class with slots for its fields, those it inherits and some more; the names of its fields."""
    inherited: tuple[str, ...] = getattr(cls, "__match_args__", ())
    own = tuple(cls.__annotations__)
    given = {name: vars(cls)[name] for name in own if name in vars(cls)}
    special = {name: value for name, value in given.items() if isinstance(value, _Field)}
    given.update({name: value.default for name, value in special.items()})
    defaults = {**getattr(cls, "__defaults__", {}), **given}
    special = {**getattr(cls, "__special_fields__", {}), **special}
    names = inherited + own
    dropped = {"__dict__", "__weakref__", *defaults}
    namespace = {name: value for name, value in vars(cls).items() if name not in dropped}
    by_name = tuple(name for name in names if name in special and special[name].kw_only)
    namespace.update(
        __slots__=own + more,
        __init__=_init(tuple(name for name in names if name not in by_name), by_name, defaults),
        __repr__=_repr,
        __match_args__=names,
        __defaults__=defaults,
        __special_fields__=special,
    )
    return type(cls)(cls.__name__, cls.__bases__, namespace), names


def _init(names: tuple[str, ...], by_name: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., None]:
    """An ``__init__`` that sets these fields. All of one length are compiled once: only the names differ."""
    ordered = names + by_name
    code = _setting(len(ordered)).replace(
        co_varnames=("self", *ordered),
        co_names=ordered,
        co_argcount=1 + len(names),
        co_kwonlyargcount=len(by_name),
    )
    optional = [name for name in names if defaults.get(name, ...) is not ...]
    if tuple(optional) != names[len(names) - len(optional) :]:
        raise TypeError(f"a field without a default follows one that has one: {', '.join(names)}")
    made = FunctionType(code, {}, "__init__", tuple(defaults[name] for name in optional))
    made.__kwdefaults__ = {name: defaults[name] for name in by_name if defaults.get(name, ...) is not ...}
    return made


@cache
def _setting(count: int) -> CodeType:
    names = [f"field{index}" for index in range(count)]
    body = "; ".join(f"self.{name} = {name}" for name in names) or "pass"
    made: dict[str, FunctionType] = {}
    exec(f"def __init__({', '.join(['self', *names])}): {body}", {}, made)
    return made["__init__"].__code__


def _repr(self: Any) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__name__}({fields})"


def field_names(value: object) -> tuple[str, ...]:
    """The fields of a record or node; empty for anything else."""
    kind = type(value)
    return kind.__match_args__ if hasattr(kind, "__defaults__") else ()  # type: ignore[attr-defined]


def changed(value: T, /, **changes: object) -> T:
    """A copy of a record or node with some fields different."""
    return type(value)(**{name: changes.get(name, getattr(value, name)) for name in field_names(value)})
