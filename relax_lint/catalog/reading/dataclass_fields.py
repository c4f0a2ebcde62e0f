"""Dataclasses of the sources: which fields they have, with types and defaults, as ``dataclasses.fields`` tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, get_origin


class _Missing:
    """The type of :data:`MISSING`."""


MISSING = _Missing()
OWN = "__own_annotations__"
"""Where a class made by the interpreter keeps its own annotations: name and type."""
DOCS = "__own_field_texts__"
"""Where it keeps the texts under them."""
_FIELDS = "_dataclass_fields"


class Field:
    """A field of a dataclass."""

    def __init__(
        self,
        *,
        default: Any = MISSING,
        default_factory: Any = MISSING,
        init: bool = True,
        metadata: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.metadata = {} if metadata is None else metadata
        self.name = ""
        self.type: Any = None


field = Field


def fields(kind: Any) -> tuple[Field, ...]:
    """The fields of a dataclass, those of its bases first."""
    return tuple(getattr(kind, _FIELDS).values())


def dataclass(kind: type | None = None, **_: Any) -> Any:
    """The decorator, with and without arguments: it gives the class the ``__init__`` that its fields make."""
    if kind is None:
        return dataclass
    found: dict[str, Field] = {}
    for base in reversed(kind.__mro__[1:]):
        found.update(vars(base).get(_FIELDS, {}))
    for name, annotation in vars(kind).get(OWN, {}).items():
        if annotation is ClassVar or get_origin(annotation) is ClassVar:
            continue
        value = vars(kind).get(name, MISSING)
        made = value if isinstance(value, Field) else Field(default=value)
        made.name, made.type = name, annotation
        found[name] = made
        if not isinstance(made.default, _Missing):
            setattr(kind, name, made.default)
        elif isinstance(value, Field):
            delattr(kind, name)
    setattr(kind, _FIELDS, found)
    if "__init__" not in vars(kind):
        kind.__init__ = _initialise  # type: ignore[misc]
    return kind


def _initialise(self: Any, *arguments: Any, **named: Any) -> None:
    wanted = [own for own in fields(self) if own.init]
    given = {own.name: value for own, value in zip(wanted, arguments, strict=False)} | named
    for own in wanted:
        if own.name in given:
            value = given[own.name]
        elif not isinstance(own.default, _Missing):
            value = own.default
        elif not isinstance(own.default_factory, _Missing):
            value = own.default_factory()
        else:
            raise TypeError(f"{type(self).__name__} misses {own.name}")
        setattr(self, own.name, value)
