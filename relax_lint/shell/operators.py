"""The operators of ``${…}`` that cut and change text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from relax_lint.records import record
from relax_lint.shell import patterns
from relax_lint.shell.bounds import MAXIMUM_REPLACED, TooComplex
from relax_lint.shell.nodes import Parameter
from relax_lint.shell.refusals import Discard
from relax_lint.shell.state import State
from relax_lint.shell.values import Value, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.parameters import Parameters

Change = Callable[[str], str] | None


@record
class Between:
    """What stands between two elements of a list: ``split`` where fields are made, else ``joined``; ``assigned`` where
    an operator made the list and a variable or here-string takes it."""

    split: str
    joined: str
    assigned: str | None = None


class Elements:
    """What ``$@``, ``$*``, ``${A[@]}`` and ``${A[*]}`` give: values that stay apart, or are joined when starred."""

    def __init__(self, values: list[Value], *, star: bool) -> None:
        self.values = values
        self.star = star


def substring(parameters: Parameters, found: Value | Elements, parameter: Parameter, state: State) -> Value | Elements:
    """``${name:offset:length}``."""
    numbers = [
        state.resolve(parameters.expander.arithmetic_value(word, state, parameter)) for word in parameter.arguments
    ]
    likely = [number.likely for number in numbers]
    if isinstance(found, Elements):
        values = found.values
        if None in likely or _beyond_count(values, [int(number or 0) for number in likely], parameter.name):
            root = parameters.expander.root(
                parameter, tuple(root for value in (*values, *numbers) for root in value.roots)
            )
            root.many = True
            return Elements([unknown(root, many=True)], star=found.star)
        bounds = [int(number or 0) for number in likely]
        if parameter.name in ("@", "*"):
            values = with_zero(parameters, values, bounds)
        else:
            values, bounds = sparse(parameters, parameter.name, values, bounds, state)
        start, end = _bounds(len(values), bounds, elements=True)
        return Elements(values[start:end], star=found.star)

    def cut(text: str, *numbers: str) -> str:
        start, end = _bounds(len(text), [int(number) for number in numbers])
        return text[start:end]

    return parameters.expander.computed(parameter, state, [found, *numbers], cut)


def _beyond_count(values: list[Value], bounds: list[int], name: str) -> bool:
    """Whether a slice counts across a word that may be several, or none."""
    first = next((index for index, value in enumerate(values) if value.many), None)
    if first is None:
        return False
    return len(bounds) > 1 or not 0 <= bounds[0] <= first + (name in ("@", "*"))


def with_zero(parameters: Parameters, values: list[Value], bounds: list[int]) -> list[Value]:
    """``${@:0}`` begins with ``$0``; ``${@:1}`` with ``$1``."""
    return [known(parameters.expander.shell.name_of_script), *values]


def sparse(parameters: Parameters, name: str, values: list[Value], bounds: list[int], state: State
) -> tuple[list[Value], list[int]]:  # fmt: skip
    """Offsets of an array count indices, not elements."""
    variable = parameters.variable(name, state)
    if variable is None or variable.elements is None or "A" in variable.attributes:
        return values, bounds
    indices = [int(index) for index in variable.elements]
    offset = bounds[0]
    if offset < 0:
        offset += max(indices, default=-1) + 1
        if offset < 0:
            return [], [0]
    skipped = sum(index < offset for index in indices)
    return values, [skipped, *bounds[1:]]


def described(parameters: Parameters, parameter: Parameter, state: State) -> Value:
    """``@a``: the attributes."""
    variable = parameters.variable(parameter.name, state)
    if parameter.operator != "@a" or variable is None:
        return unknown(parameters.expander.root(parameter))
    parameters.expander.shell.recorder.course.asked_environment()
    return known("".join(letter for letter in "aAilnrtux" if letter in variable.attributes))


def changed(parameters: Parameters, value: Value, change: Change, parameter: Parameter, state: State) -> Value:
    """An operator applied to one value."""
    if change is None:
        return unknown(parameters.expander.root(parameter, value.roots))
    result = parameters.expander.computed(parameter, state, [value], change)
    return result._replace(place=value.place)


def change(parameters: Parameters, parameter: Parameter, state: State) -> Change:
    """What an operator does to a text; None when its pattern is not known."""
    operator = parameter.operator
    if operator.startswith("@"):
        from relax_lint.shell.quoting import transform

        return lambda text: transform(text, operator[1]) or ""
    extglob = "extglob" in state.options
    pieces = parameters.expander.pieces(parameter.arguments[0], state)
    if pieces is None:
        return None
    first, quoted = pieces[0] if pieces else ("", True)
    if operator == "/" and not quoted and first[:1] in ("#", "%"):
        # An anchor counts even if it comes out of an expansion.
        operator, pieces[0] = "/" + first[0], (first[1:], False)
    ignore_case = "nocasematch" in state.options and operator.startswith("/")
    pattern = patterns.compile_pattern(pieces, extglob=extglob, ignore_case=ignore_case)
    if operator in ("#", "##"):
        return lambda text: patterns.remove_prefix(text, pattern, longest=operator == "##")
    if operator in ("%", "%%"):
        return lambda text: patterns.remove_suffix(text, pattern, longest=operator == "%%")
    if operator.startswith("/"):
        given = parameter.arguments[1:]
        replacement = parameters.expander.pieces(given[0], state) if given else []
        if replacement is None:
            return None
        mode: Any = {"/": "first", "//": "all", "/#": "prefix", "/%": "suffix"}[operator]
        longest = sum(len(piece) for piece, _ in replacement)

        def replaced(text: str) -> str:
            if len(text) * longest > MAXIMUM_REPLACED:
                raise TooComplex
            return patterns.replace(text, pattern, replacement, mode)

        return replaced
    empty = not any(text for text, _ in pieces)
    return lambda text: patterns.change_case(text, operator, None if empty else pattern)


def _bounds(size: int, numbers: list[int], *, elements: bool = False) -> tuple[int, int]:
    """Start and end of a substring; a negative length counts from the end, which bash refuses for lists."""
    start = numbers[0]
    if start < 0:
        start += size
        if start < 0:
            return 0, 0
    if start > size:
        return 0, 0
    if len(numbers) == 1:
        return start, size
    length = numbers[1]
    if length < 0:
        if elements or size + length < start:
            raise Discard
        return start, size + length
    return start, min(start + length, size)
