"""What the methods of strings, lists and dictionaries give, and what they do to what they are called on."""

from __future__ import annotations

from relax_lint.flow.shapes import (
    IMAGE,
    NONE,
    SCALAR,
    TEXT,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Arguments,
    Constant,
    Dictionary,
    Length,
    Method,
    Sequence,
    Shape,
    changed_unseen,
    is_text,
    union,
)
from relax_lint.records import changed as replace

Outcome = tuple[Shape, Shape | None]
"""What a call gives, and the receiver afterwards if the call changes it."""

READING_METHODS = frozenset(
    (
        *("get", "keys", "values", "items", "copy", "count", "index", "fromkeys"),
        *("__len__", "__contains__", "__getitem__", "__iter__", "__eq__", "__ne__", "__reversed__"),
    )
)
"""Methods of lists and dictionaries that change nothing."""
_TEXT_TO_TEXT = frozenset(
    (
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "swapcase", "format"),
        *("replace", "join", "removeprefix", "removesuffix", "center", "ljust", "rjust", "zfill", "expandtabs"),
        *("translate", "format_map"),
    )
)
_TEXT_TO_NUMBER = frozenset(
    (
        *("count", "find", "rfind", "index", "rindex", "startswith", "endswith", "isdigit", "isalpha", "isalnum"),
        *("isnumeric", "isdecimal", "isspace", "isupper", "islower", "istitle", "isidentifier", "isascii"),
    )
)


_IMAGE_TO_IMAGE = frozenset(
    {
        "crop",
        "rotate",
        "resize",
        "convert",
        "copy",
        "transpose",
        "filter",
        "point",
        "quantize",
        "reduce",
        "effect_spread",
    }
)


def made_tuple(fields: list[tuple[str, Shape | None]], arguments: Arguments) -> Sequence:
    """What a named tuple's class makes of arguments: its fields, with the defaults of those that have one."""
    given = dict(zip((name for name, _ in fields), arguments.positional, strict=False))
    given.update(arguments.keywords)
    items = [given.get(name, default) for name, default in fields]
    return Sequence.of((UNKNOWN if item is None else item for item in items), "tuple")


def call_method(method: Method, arguments: Arguments) -> Outcome:
    """What calling a method gives, and what it leaves of its receiver."""
    receiver = method.receiver
    if isinstance(receiver, Constant) and isinstance(receiver.value, str):
        return _of_known_text(receiver.value, method.name, arguments), None
    if is_text(receiver):
        return _of_text(method.name, arguments), None
    if receiver == IMAGE:
        return IMAGE if method.name in _IMAGE_TO_IMAGE else UNKNOWN, None
    if isinstance(receiver, Dictionary):
        return _of_dictionary(receiver, method.name, arguments)
    if isinstance(receiver, Sequence):
        return _of_sequence(receiver, method.name, arguments)
    if method.name == "item" and not arguments.positional:
        return SCALAR, None
    return UNKNOWN, None


def _of_known_text(text: str, name: str, arguments: Arguments) -> Shape:
    first = arguments.at(0)
    known = first.value if isinstance(first, Constant) and isinstance(first.value, str) else None
    if len(arguments.positional) == 1 and known is not None and name in ("startswith", "endswith"):
        return Constant(text.startswith(known) if name == "startswith" else text.endswith(known))
    if not arguments.positional and name in ("lower", "upper", "strip"):
        return Constant({"lower": text.lower, "upper": text.upper, "strip": text.strip}[name]())
    return _of_text(name, arguments)


def _of_text(name: str, arguments: Arguments) -> Shape:
    if name in _TEXT_TO_TEXT:
        return TEXT
    if name in _TEXT_TO_NUMBER:
        return SCALAR
    if name in ("split", "rsplit", "splitlines"):
        return Sequence(TEXT, UNKNOWN_LENGTH)
    if name in ("partition", "rpartition"):
        return Sequence.of((TEXT, TEXT, TEXT), "tuple")
    return UNKNOWN


def _of_dictionary(held: Dictionary, name: str, arguments: Arguments) -> Outcome:
    key = arguments.at(0)
    if name in ("get", "pop", "setdefault") and key is not None:
        return _by_key(held, name, key, arguments.at(1, "default"))
    if name == "update":
        changed = held
        for other in arguments.positional:
            changed = changed.merged(other)
        for keyword, value in arguments.keywords:
            changed = changed.put(keyword, value)
        return NONE, changed if arguments.complete else changed.opened()
    if name == "copy":
        return replace(held), None
    if name == "clear":
        return NONE, Dictionary()
    if name == "popitem":
        return UNKNOWN, held.opened()
    if name in ("keys", "values", "items"):
        return _view(held, name), None
    return UNKNOWN, held.opened()


def _by_key(held: Dictionary, name: str, key: Shape, default: Shape | None) -> Outcome:
    fallback = default if default is not None else (NONE if name != "pop" else UNKNOWN)
    if not isinstance(key, Constant):
        values = UNKNOWN if held.open else union([*(entry.value for entry in held.entries), fallback])
        return values, None if name == "get" else held.opened()
    entry = held.get(key.value)
    if entry is not None and entry.sure:
        value = entry.value
    elif entry is not None:
        value = union((entry.value, fallback))
    else:
        value = UNKNOWN if held.open else fallback
    if name == "pop":
        return value, held.without(key.value)
    if name == "setdefault":
        return value, held.put(key.value, value)
    return value, None


def _view(held: Dictionary, name: str) -> Shape:
    if held.open or not all(entry.sure for entry in held.entries):
        return Sequence(UNKNOWN, held.size, kind="iterator")
    keys = [Constant(entry.key) for entry in held.entries]
    values = [entry.value for entry in held.entries]
    items: list[Shape] = []
    if name == "keys":
        items.extend(keys)
    elif name == "values":
        items.extend(values)
    else:
        for key, value in zip(keys, values, strict=True):
            items.append(Sequence.of((key, value), "tuple"))
    return Sequence.of(items, "iterator")


def _of_sequence(held: Sequence, name: str, arguments: Arguments) -> Outcome:
    if held.kind == "tuple" and name == "_asdict":
        return Dictionary(open=True), None
    if held.kind != "list":
        return (SCALAR if name in ("count", "index") else UNKNOWN), None
    if name in ("append", "insert"):
        added = arguments.positional[-1] if arguments.positional else UNKNOWN
        return NONE, _grown(held, added, Length("exact", 1), at_end=name == "append")
    if name == "extend":
        more = arguments.at(0)
        if isinstance(more, Sequence):
            return NONE, _grown(held, more.element, more.length, more.items, at_end=True)
        return NONE, Sequence(UNKNOWN, UNKNOWN_LENGTH)
    if name in ("pop", "remove", "clear"):
        return (held.element if name == "pop" else NONE), Sequence(held.element, UNKNOWN_LENGTH)
    if name in ("sort", "reverse"):
        return NONE, replace(held, items=None)
    if name == "copy":
        return replace(held), None
    if name in READING_METHODS:
        return (SCALAR if name in ("count", "index", "__len__") else UNKNOWN), None
    return UNKNOWN, changed_unseen(held)


def _grown(
    held: Sequence, added: Shape, count: Length, items: tuple[Shape, ...] | None = None, *, at_end: bool
) -> Sequence:
    known = held.items is not None and at_end
    more = items if items is not None else ((added,) if count == Length("exact", 1) else None)
    together = (*held.items, *more) if known and held.items is not None and more is not None else None
    return Sequence(union((held.element, added)), held.length.plus(count), together)
