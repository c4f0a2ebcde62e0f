"""The parts of Python's own library that registering code may use, and nothing that reaches outside."""

from __future__ import annotations

import enum
import functools
import itertools
import json
import types
import typing
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from relax_lint.catalog.reading.dataclass_fields import MISSING, Field, dataclass, field, fields
from relax_lint.catalog.reading.values import Exceeded, Function, Unknown, Unreadable

MOST_ITEMS = 1_000_000
"""Nothing that registers flags makes longer sequences or texts; a checkout that does is not followed."""


def _bounded_range(*arguments: int) -> range:
    made = range(*arguments)
    if len(made) > MOST_ITEMS:
        raise Exceeded("a range too long")
    return made


def size(value: object) -> int:
    """How long a sequence or text is; 1 for anything else."""
    return len(value) if isinstance(value, (str, bytes, list, tuple, dict, set, frozenset)) else 1


def _is_callable(value: object) -> bool:
    return callable(value)


def _no_annotation_cast(kind: object, value: object) -> object:
    return value


def _unchanged(value: Any = None, *_: Any, **__: Any) -> Any:
    """A decorator that leaves its function as it is, with or without arguments of its own."""
    return value if isinstance(value, (Function, type)) else _unchanged


def _wraps(*_: Any, **__: Any) -> Any:
    return _unchanged


BUILTINS: dict[str, Any] = {
    name: value
    for value in (
        abs, all, any, bool, classmethod, dict, enumerate, filter, float, frozenset, int, isinstance, issubclass,
        len, list, map, max, min, object, print, property, repr, reversed, round, set, sorted, staticmethod, str, sum,
        tuple, type, zip, ArithmeticError, AssertionError, AttributeError, Exception, ImportError, IndexError, KeyError,
        LookupError, ModuleNotFoundError, NameError, NotImplementedError, OSError, RuntimeError, TypeError, ValueError,
        hash, super,
    )
    for name in (value.__name__,)
}  # fmt: skip
BUILTINS["range"] = _bounded_range
BUILTINS["callable"] = _is_callable
BUILTINS["print"] = lambda *_, **__: None

TYPING = {
    name: getattr(typing, name)
    for name in (
        "Any", "Callable", "ClassVar", "Dict", "Final", "FrozenSet", "Iterable", "List", "Literal", "Mapping",
        "NamedTuple", "Optional", "Protocol", "Sequence", "Set", "Tuple", "Type", "Union", "get_args", "get_origin",
    )
}  # fmt: skip
TYPING["TYPE_CHECKING"] = False
TYPING["cast"] = _no_annotation_cast

_SIGNAL_NAMES = (
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG"
    " XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
)
_NUMBERS = {f"SIG{name}": number for number, name in enumerate(_SIGNAL_NAMES.split(), 1)}
SIGNALS = enum.IntEnum("Signals", {**_NUMBERS, "SIGRTMIN": 34, "SIGRTMAX": 64})  # type: ignore[misc]
"""The signals of Linux, where Relax runs, whatever this runs on."""

_LIBRARY: dict[str, Mapping[str, Any]] = {
    "__future__": {"annotations": None},
    "builtins": BUILTINS,
    "collections": {"OrderedDict": dict},
    "dataclasses": {
        "MISSING": MISSING, "Field": Field, "dataclass": dataclass, "field": field, "fields": fields,
    },
    "enum": {"Enum": enum.Enum, "Flag": enum.Flag, "IntEnum": enum.IntEnum, "IntFlag": enum.IntFlag, "auto": enum.auto},
    "functools": {"cache": _unchanged, "lru_cache": _unchanged, "partial": functools.partial, "wraps": _wraps},
    "itertools": {"chain": itertools.chain},
    "json": {"loads": json.loads},
    "signal": {"Signals": SIGNALS, **SIGNALS.__members__},
    "types": {"SimpleNamespace": SimpleNamespace, "UnionType": types.UnionType},
    "typing": TYPING,
    "typing_extensions": TYPING,
}  # fmt: skip

VISIBLE: dict[type, frozenset[str]] = {
    str: frozenset(
        {
            "capitalize", "endswith", "isalnum", "isalpha", "isdigit", "isidentifier", "islower", "isupper", "join",
            "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rpartition", "rsplit", "rstrip",
            "split", "splitlines", "startswith", "strip", "title", "upper",
        }
    ),
    list: frozenset({"append", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"}),
    dict: frozenset({"copy", "get", "items", "keys", "pop", "setdefault", "update", "values"}),
    set: frozenset(
        {"add", "copy", "difference", "discard", "intersection", "issubset", "issuperset", "remove", "union", "update"}
    ),
    frozenset: frozenset({"difference", "intersection", "issubset", "issuperset", "union"}),
    tuple: frozenset({"count", "index"}),
    int: frozenset(),
    float: frozenset(),
    bool: frozenset(),
    bytes: frozenset(),
    type(None): frozenset(),
    Function: frozenset(),
    types.MethodType: frozenset(),
    types.FunctionType: frozenset(),
    types.BuiltinFunctionType: frozenset(),
    functools.partial: frozenset(),
}  # fmt: skip
"""The attributes that values of Python's own types show; instances of the sources' classes show all but dunders."""

SPECIAL = frozenset({"__members__", "__name__", "__qualname__", "__doc__", "__init__"})
HOLDERS = ("append", "extend", "insert", "add", "update", "setdefault", "get", "pop")
"""Methods that may be given what is unknown: they only keep it."""


def native_module(name: str) -> Mapping[str, Any] | None:
    """A module of the library, as far as it is offered."""
    if name == "os":
        # A new environment each time: sources may set variables in theirs.
        return {"environ": {}, "getenv": lambda name, default=None: default}
    return _LIBRARY.get(name)


def attribute(value: Any, name: str) -> Any:
    """An attribute, as far as it is offered."""
    if isinstance(value, Unknown):
        return Unknown(value.reason)
    if name == "__dict__" and isinstance(value, SimpleNamespace):
        return vars(value)
    if name.startswith("__") and name not in SPECIAL:
        raise Unreadable(f"the attribute {name}")
    visible = VISIBLE.get(type(value))
    if visible is not None and name not in visible and name not in SPECIAL:
        if type(value) is int or not hasattr(value, name):
            raise AttributeError(name)
        raise Unreadable(f"the attribute {name} of {type(value).__name__}")
    if isinstance(value, type) and value.__module__ == "builtins" and name not in SPECIAL:
        raise Unreadable(f"{value.__name__}.{name}")
    return getattr(value, name)
