"""Which values keep rows from becoming a column, and where they are in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from relax_lint.conversion.refusals import PROBLEMS, BadRows, said

DEEPEST = 98
"""Levels that parquet has below a column: a dictionary is one, a list two."""
NAMES_OF_KINDS = {str: "text", int: "an integer", float: "a fraction", dict: "a dictionary", list: "a list"}
AS_TEXT = "write it as text"


def as_column(name: str, values: Sequence[Any], kind: Any = None) -> Any:
    """The values as a column, of that type where it is given. Raises :class:`BadRows` with what fits into none."""
    try:
        made = pa.array(values, kind)
    except PROBLEMS as problem:
        raise unfit(name, list(enumerate(values)), kind, problem) from None
    if is_deeper(made.type, DEEPEST):
        deep = [row for row, value in enumerate(values) if is_deeper(pa.array([value]).type, DEEPEST)]
        raise BadRows(f"{name} nests deeper than parquet can", deep)
    return made


def unfit(path: str, owned: Sequence[tuple[int, Any]], kind: Any, problem: Exception) -> BadRows:
    """What of the values, each with its row, makes no column, as deep in them as it is found."""
    there = [each for each in owned if each[1] is not None]
    kinds = list(dict.fromkeys(type(value) for _, value in there))
    for inner, parts, inner_kind in parts_of_values(path, there, kinds, kind):
        try:
            pa.array([value for _, value in parts], inner_kind)
        except PROBLEMS as found:
            return unfit(inner, parts, inner_kind, found)
    alone = [(row, reason) for row, value in there if (reason := unfit_alone(value, kind))]
    if alone:
        reason = alone[0][1]
        return BadRows(f"{path} {reason}", sorted({row for row, other in alone if other == reason}))
    if {int, float} == set(kinds):
        large = sorted({row for row, value in there if unfit_alone(value, pa.float64())})
        return BadRows(f"{path} {among_fractions()}", large)
    others = [(row, type(value)) for row, value in there if type(value) is not kinds[0]] if kinds else []
    if not others:
        return BadRows(f"{path}: {said(problem)}", sorted({row for row, _ in owned}))
    first = others[0][1]
    bad = sorted({row for row, other in others if other is first})
    return BadRows(f"{path} is {named_kind(first)}, elsewhere {named_kind(kinds[0])}", bad)


def parts_of_values(
    path: str, there: Sequence[tuple[int, Any]], kinds: Sequence[type], kind: Any
) -> Iterator[tuple[str, list[tuple[int, Any]], Any]]:
    """The values inside of some that are all dictionaries, or all lists, with where they are and their type."""
    if kinds == [dict] and (kind is None or pa.types.is_struct(kind)):
        for name in dict.fromkeys(name for _, value in there for name in value):
            known = kind is not None and kind.get_field_index(name) >= 0
            parts = [(row, value.get(name)) for row, value in there]
            yield f"{path}.{name}", parts, kind.field(name).type if known else None
    elif kinds == [list] and (kind is None or pa.types.is_list(kind)):
        yield f"{path}[]", [(row, item) for row, value in there for item in value], kind and kind.value_type


def unfit_alone(value: Any, kind: Any) -> str:
    """What a value is that fits into no column, or into none of a type that was seen before."""
    try:
        pa.array([value])
    except OverflowError:
        return f"holds an integer outside of -2^63 to 2^63-1: {AS_TEXT}"
    except UnicodeEncodeError:
        return "holds half a character, a lone surrogate, which is no text"
    except PROBLEMS as problem:
        return f"is no column: {said(problem)}"
    try:
        pa.array([value], kind)
    except PROBLEMS:
        if isinstance(value, int) and pa.types.is_floating(kind):
            return among_fractions()
        return f"is {named_kind(type(value))}, elsewhere {kind}"
    return ""


def among_fractions() -> str:
    """What is said of an integer that is none any more as a fraction."""
    return f"holds an integer beyond 2^53 where others are fractions: {AS_TEXT}"


def named_kind(kind: type) -> str:
    """A type of Python's in words."""
    return NAMES_OF_KINDS.get(kind, kind.__name__)


def is_deeper(kind: Any, levels: int) -> bool:
    """Whether a type has more levels of parquet than so many."""
    if levels < 0:
        return True
    if pa.types.is_struct(kind):
        return any(is_deeper(part.type, levels - 1) for part in kind)
    return pa.types.is_list(kind) and is_deeper(kind.value_type, levels - 2)
