"""Parameters: what ``$name`` and every form of ``${…}`` give."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from relax_lint.shell import arithmetic, patterns
from relax_lint.shell.nodes import Parameter, Word
from relax_lint.shell.state import NONEMPTY, State, UnknownArguments
from relax_lint.shell.values import EMPTY, Known, Root, Sym, Value, Variable, join, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.expand import Expander, Segment

_PARTS = re.compile(r"([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[(.*)\])?\Z", re.DOTALL)
CHANGING = frozenset(
    "RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME BASHPID PPID UID EUID HOSTNAME HOSTTYPE OSTYPE MACHTYPE "
    "BASH_VERSION BASH_VERSINFO SHLVL BASH DIRSTACK GROUPS BASH_COMMAND SHELLOPTS BASHOPTS PATH TERM _".split()
)
"""Set by bash itself, to what is not known statically."""


class Discard(Exception):
    """An expansion that makes bash give up the command line at hand, with status 1."""


class Abort(Exception):
    """An expansion that makes bash leave the shell."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Elements:
    """What ``$@``, ``$*``, ``${A[@]}`` and ``${A[*]}`` give: values that stay apart, or are joined when starred."""

    def __init__(self, values: list[Value], *, star: bool) -> None:
        self.values = values
        self.star = star


class Parameters:
    """Reads and writes parameters for one expander."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander

    # ------------------------------------------------------------ reading

    def unbound(self) -> Abort:
        """What ``set -u`` does."""
        return Abort(127 if self.expander.shell.subshell_depth else 1)

    def fetch(self, parameter: Parameter, state: State) -> Value | Elements | None:
        """The value behind a name and subscript; None when unset."""
        return self.fetch_name(parameter.name, parameter.subscript, state, parameter)

    def fetch_name(self, name: str, subscript: Word | None, state: State, node: Any) -> Value | Elements | None:
        """The same for a name that was computed."""
        if subscript is None:
            if name in ("@", "*"):
                return Elements(self.arguments(state), star=name == "*")
            return self.scalar(name, state)
        spelled = subscript.literal
        if spelled in ("@", "*"):
            return Elements(self.all_elements(name, state), star=spelled == "*")
        variable = self.variable(name, state)
        if variable is None:
            return None
        if "A" in variable.attributes:
            key = state.resolve(self.expander.value(subscript, state)).likely
            return None if key is None else (variable.elements or {}).get(key)  # type: ignore[call-overload, no-any-return]
        index = self.expander.integer(subscript, state, node)
        number = state.resolve(index).likely
        if number is None:
            return unknown(self.expander.root(node, index.roots))
        return self.indexed(variable, int(number))

    def arguments(self, state: State) -> list[Value]:
        """The positional parameters."""
        if isinstance(state.arguments, UnknownArguments):
            root = self.expander.variable_root("@", '"$@"')
            root.many = True
            return [unknown(root, many=True)]
        return list(state.arguments)

    def variable(self, name: str, state: State) -> Variable | None:
        """The variable behind a name; None when it is unset for sure."""
        name = state.resolve_name(name)
        found = state.lookup(name)
        if found is not None:
            return None if found.value is None and found.elements is None else found
        special = self.expander.shell.special_array(name, state)
        if special is not None:
            return Variable(None, dict(enumerate(special)))
        if name in CHANGING or self.expander.shell.environment_unknown:
            return Variable(unknown(self.expander.variable_root(name)))
        return None

    def scalar(self, name: str, state: State) -> Value | None:
        """``$name``."""
        if name.isdigit():
            return self.argument(int(name), state)
        if name in ("#", "?", "$", "!", "-"):
            return self.special(name, state)
        if name == "LINENO" and state.lookup(name) is None:
            return known(str(self.expander.shell.line_number))
        variable = self.variable(name, state)
        if variable is None:
            return None
        return variable.scalar if variable.elements is None else self.first(variable)

    def first(self, variable: Variable) -> Value | None:
        """Element 0."""
        return variable.scalar if "A" in variable.attributes else self.indexed(variable, 0)

    def argument(self, number: int, state: State) -> Value | None:
        """``$1`` and so on; ``$0``."""
        if number == 0:
            return known(self.expander.shell.name_of_script)
        if isinstance(state.arguments, UnknownArguments):
            position = number + state.arguments.shifted
            return unknown(self.expander.variable_root(str(position), f"${number}"))
        return state.arguments[number - 1] if number <= len(state.arguments) else None

    def special(self, name: str, state: State) -> Value:
        """``$#`` and its like."""
        if name == "#" and not isinstance(state.arguments, UnknownArguments):
            if not any(value.many for value in state.arguments):
                return known(str(len(state.arguments)))
        if name == "?" and state.status is not None:
            return known(str(state.status))
        if name == "-":
            return unknown(self.expander.variable_root("-", "$-"))
        return unknown(self.expander.variable_root(name, f"${name}"))

    def all_elements(self, name: str, state: State) -> list[Value]:
        """``${name[@]}``."""
        variable = self.variable(name, state)
        if variable is None:
            return []
        if variable.elements is None:
            if variable.value is not None and len(variable.value.chunks) == 1:
                chunk = variable.value.chunks[0]
                if type(chunk) is Sym and chunk.root.variable == name and chunk.default is None:
                    return [unknown(self.many_root(name), many=True)]
            return [variable.value] if variable.value is not None else []
        return list(variable.elements.values())

    def many_root(self, name: str) -> Root:
        """The root of an array that is not known."""
        root = self.expander.variable_root(f"{name}[@]", f"${{{name}[@]}}")
        root.many = True
        return root

    def indexed(self, variable: Variable, index: int) -> Value | None:
        """The element of an indexed array, counted from the end when negative."""
        elements: dict[int, Value] = variable.elements  # type: ignore[assignment]
        if elements is None:
            return variable.value if index in (0, -1) else None
        if index < 0:
            if not elements:
                return None
            index += max(elements) + 1
        for position in elements:
            if position > index:
                break
            if elements[position].many:
                return unknown(Root(elements[position].shown, None, elements[position].roots))
        return elements.get(index)

    def element(self, name: str, index: arithmetic.Index, state: State) -> Value | None:
        """What arithmetic reads."""
        if index is None:
            return self.scalar(name, state)
        variable = self.variable(name, state)
        if variable is None:
            return None
        if isinstance(index, str):
            return (variable.elements or {}).get(index)  # type: ignore[call-overload, no-any-return]
        return self.indexed(variable, index)

    # ------------------------------------------------------------ writing

    def assign_element(self, name: str, index: arithmetic.Index, value: Value, state: State) -> None:
        """``name[index]=value``."""
        name = state.resolve_name(name)
        if index is None:
            state.set_value(name, value)
            return
        old = state.lookup(name) or Variable()
        elements: dict[Any, Value] = dict(old.elements or {})
        if old.elements is None and old.value is not None:
            elements[0] = old.value
        if isinstance(index, int) and index < 0:
            index += max(elements, default=-1) + 1
            if index < 0:
                raise Discard
        elements[index] = value
        if isinstance(index, int) and next(reversed(elements)) != max(elements):
            elements = dict(sorted(elements.items()))
        attributes = old.attributes | ({"A"} if isinstance(index, str) else {"a"})
        state.store(name, Variable(None, elements, frozenset(attributes)))

    # ------------------------------------------------------------ ${…}

    def segments(self, parameter: Parameter, state: State) -> list[Segment]:
        """What a parameter contributes to a word."""
        result = self.expand(parameter, state)
        quoted = parameter.quoted
        if isinstance(result, Value):
            return [(chunk, quoted, not quoted, result.place if result.many else None) for chunk in result.chunks]
        if isinstance(result, list):
            return result
        if result.star and quoted:
            separators = self.expander.separators(state)
            joined = join(result.values, separators[:1])
            return [(chunk, True, False, None) for chunk in joined.chunks]
        segments: list[Segment] = []
        for index, value in enumerate(result.values):
            if index:
                segments.append(None)
            value = state.resolve(value)
            segments.extend((chunk, quoted, not quoted, value.place) for chunk in value.chunks)
        return segments

    def expand(self, parameter: Parameter, state: State) -> Value | Elements | list[Segment]:
        """The value of ``${…}``, its operator applied."""
        operator = parameter.operator
        if operator.startswith("prefix"):
            names = sorted({name for frame in state.frames for name in frame if name.startswith(parameter.name)})
            names = [name for name in names if self.variable(name, state) is not None]
            return Elements([known(name) for name in names], star=operator.endswith("*"))
        if operator.startswith("keys"):
            return Elements(self.keys(parameter.name, state), star=operator.endswith("*"))
        found = self.indirect(parameter, state) if parameter.indirect else self.fetch(parameter, state)
        if parameter.length:
            return self.length(found, parameter, state)
        if operator and operator.lstrip(":") in ("-", "=", "?", "+") and operator != ":":
            return self.defaulted(found, parameter, state)
        if found is None:
            if operator == "@a":
                return EMPTY
            self.check_bound(parameter, state)
            return EMPTY
        if not operator:
            return state.resolve(found) if isinstance(found, Value) else found
        if operator == ":":
            return self.substring(found, parameter, state)
        if operator in ("@a", "@A", "@K", "@k"):
            return self.described(parameter, state)
        change = self.change(parameter, state)
        if isinstance(found, Value):
            return self.changed(found, change, parameter, state)
        return Elements([self.changed(value, change, parameter, state) for value in found.values], star=found.star)

    def check_bound(self, parameter: Parameter, state: State) -> None:
        """``set -u``."""
        if "nounset" not in state.options or parameter.name in ("@", "*"):
            return
        raise self.unbound()

    def indirect(self, parameter: Parameter, state: State) -> Value | Elements | None:
        """``${!name}``."""
        variable = state.lookup(parameter.name)
        if variable is not None and "n" in variable.attributes and variable.value is not None:
            return variable.value
        pointer = self.fetch(parameter, state)
        if pointer is None:
            self.check_bound(parameter, state)
            if parameter.operator:
                return None
            raise Discard
        target = state.resolve(pointer).likely if isinstance(pointer, Value) else None
        if target is None:
            roots = pointer.roots if isinstance(pointer, Value) else ()
            return unknown(self.expander.root(parameter, roots))
        match = _PARTS.match(target)
        if match is None:
            raise Discard
        subscript = None
        if match.group(2) is not None:
            from relax_lint.shell.nodes import Literal

            inner = match.group(2)
            subscript = Word((Literal(inner, False, -1, -2),), parameter.start, parameter.end, inner)
        return self.fetch_name(match.group(1), subscript, state, parameter)

    def keys(self, name: str, state: State) -> list[Value]:
        """``${!name[@]}``."""
        variable = self.variable(name, state)
        if variable is None:
            return []
        if variable.elements is None:
            return [known("0")]
        if any(value.many for value in variable.elements.values()):
            return [unknown(self.many_root(name), many=True)]
        return [known(str(key)) for key in variable.elements]

    def length(self, found: Value | Elements | None, parameter: Parameter, state: State) -> Value:
        """``${#name}``."""
        if isinstance(found, Elements):
            if any(value.many for value in found.values):
                return unknown(self.expander.root(parameter, tuple(r for v in found.values for r in v.roots)))
            if not found.values and parameter.name not in ("@", "*"):
                if self.variable(parameter.name, state) is None:
                    self.check_bound(parameter, state)
            return known(str(len(found.values)))
        if found is None:
            self.check_bound(parameter, state)
            return known("0")
        return self.expander.computed(parameter, state, [found], lambda text: str(len(text)))

    # ------------------------------------------------------------ defaults

    def defaulted(
        self, found: Value | Elements | None, parameter: Parameter, state: State
    ) -> Value | Elements | list[Segment]:  # fmt: skip
        """``:-``, ``:=``, ``:?``, ``:+`` and the forms without colon."""
        operator = parameter.operator
        null_counts = operator.startswith(":")
        action = operator[-1]
        if isinstance(found, Elements):
            present = self.elements_present(found, null_counts, state)
            if present is None:
                return found
            if present:
                return self.argument_segments(parameter, state) if action == "+" else found
            return EMPTY if action == "+" else self.missing(parameter, state, action)
        if found is None:
            return EMPTY if action == "+" else self.missing(parameter, state, action)
        found = state.resolve(found)
        text = found.text
        if text is not None or any(type(chunk) is Known and chunk.text for chunk in found.chunks):
            present = bool(text) if null_counts and text is not None else True
        else:
            present = self.presumed(found, state)
        if present is not None:
            if present:
                return self.argument_segments(parameter, state) if action == "+" else found
            return EMPTY if action == "+" else self.missing(parameter, state, action)
        return self.undecided_default(found, parameter, state, action)

    def presumed(self, found: Value, state: State) -> bool | None:
        """Whether an unknown value counts as present: a default that the script gave it, or what was found out."""
        if any(type(chunk) is Sym and state.is_nonempty(chunk.root) for chunk in found.chunks):
            return True
        return True if found.likely else None

    def elements_present(self, found: Elements, null_counts: bool, state: State) -> bool | None:
        """Whether a list is set, and with a colon not null."""
        if not found.values:
            return False
        if any(value.many for value in found.values):
            return None
        if not null_counts:
            return True
        if len(found.values) > 1:
            return True
        text = state.resolve(found.values[0]).text
        return None if text is None else bool(text)

    def argument_segments(self, parameter: Parameter, state: State) -> list[Segment]:
        """The word after the operator, as it is: quoted parts quoted, the rest split when the whole is unquoted."""
        word = parameter.arguments[0]
        segments: list[Segment] = []
        for segment in self.expander.segments(word.parts, state, word):
            if segment is not None:
                chunk, quoted, splits, place = segment
                segment = (chunk, quoted, not quoted if not parameter.quoted else splits, place)
            segments.append(segment)
        if parameter.quoted and not segments:
            return [(Known(""), True, False, None)]
        return segments

    def missing(self, parameter: Parameter, state: State, action: str) -> Value | list[Segment]:
        """What stands in for a parameter that is unset."""
        if action == "-":
            return self.argument_segments(parameter, state)
        if action == "?":
            raise Abort(127 if self.expander.shell.subshell_depth == 0 else 1)
        value = self.expander.value(parameter.arguments[0], state)._replace(place=None)
        self.store_default(parameter, value, state)
        return value

    def store_default(self, parameter: Parameter, value: Value, state: State) -> None:
        """``:=``."""
        if not (parameter.name[0].isalpha() or parameter.name[0] == "_"):
            raise Abort(1)
        if parameter.subscript is None:
            state.set_value(parameter.name, value)
            return
        index = state.resolve(self.expander.value(parameter.subscript, state)).likely
        variable = state.lookup(state.resolve_name(parameter.name))
        if variable is not None and "A" in variable.attributes:
            self.assign_element(parameter.name, index or "", value, state)
        elif index is not None:
            number = state.resolve(self.expander.integer(parameter.subscript, state, parameter)).likely
            self.assign_element(parameter.name, int(number or 0), value, state)

    def undecided_default(self, found: Value, parameter: Parameter, state: State, action: str) -> Value:
        """An operator on a value of which it is not known whether it is empty."""
        root = found.chunks[0].root if len(found.chunks) == 1 and type(found.chunks[0]) is Sym else None
        if action == "?":
            for each in found.roots:
                state.bindings[each] = NONEMPTY
            return found
        given = state.resolve(self.expander.value(parameter.arguments[0], state))
        if action == "+":
            text = given.text
            if text == "":
                return EMPTY
            return unknown(self.expander.root(parameter, found.roots, alternative=text))
        likely = given.likely
        if likely == "":
            return found
        if likely is not None and root is not None and not given.roots:
            value = unknown(root, likely)
        else:
            value = unknown(self.expander.root(parameter, found.roots + given.roots), likely)
        if action == "=":
            self.store_default(parameter, value, state)
        return value

    # ------------------------------------------------------------ operators

    def substring(self, found: Value | Elements, parameter: Parameter, state: State) -> Value | Elements:
        """``${name:offset:length}``."""
        numbers = [
            state.resolve(self.expander.arithmetic_value(word, state, parameter)) for word in parameter.arguments
        ]
        likely = [number.likely for number in numbers]
        if isinstance(found, Elements):
            values = found.values
            if None in likely or any(value.many for value in values):
                root = self.expander.root(
                    parameter, tuple(root for value in (*values, *numbers) for root in value.roots)
                )
                root.many = True
                return Elements([unknown(root, many=True)], star=found.star)
            bounds = [int(number or 0) for number in likely]
            if parameter.name in ("@", "*"):
                values = self.with_zero(values, bounds)
            else:
                values, bounds = self.sparse(parameter.name, values, bounds, state)
            start, end = _bounds(len(values), bounds, elements=True)
            return Elements(values[start:end], star=found.star)

        def cut(text: str, *numbers: str) -> str:
            start, end = _bounds(len(text), [int(number) for number in numbers])
            return text[start:end]

        return self.expander.computed(parameter, state, [found, *numbers], cut)

    def with_zero(self, values: list[Value], bounds: list[int]) -> list[Value]:
        """``${@:0}`` begins with ``$0``; ``${@:1}`` with ``$1``."""
        return [known(self.expander.shell.name_of_script), *values]

    def sparse(
        self, name: str, values: list[Value], bounds: list[int], state: State
    ) -> tuple[list[Value], list[int]]:  # fmt: skip
        """Offsets of an array count indices, not elements."""
        variable = self.variable(name, state)
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

    def described(self, parameter: Parameter, state: State) -> Value:
        """``@a``: the attributes."""
        variable = self.variable(parameter.name, state)
        if parameter.operator != "@a" or variable is None:
            return unknown(self.expander.root(parameter))
        return known("".join(letter for letter in "aAilnrtux" if letter in variable.attributes))

    def changed(self, value: Value, change: Change, parameter: Parameter, state: State) -> Value:
        """An operator applied to one value."""
        if change is None:
            return unknown(self.expander.root(parameter, value.roots))
        result = self.expander.computed(parameter, state, [value], change)
        return result._replace(place=value.place)

    def change(self, parameter: Parameter, state: State) -> Change:
        """What an operator does to a text; None when its pattern is not known."""
        operator = parameter.operator
        if operator.startswith("@"):
            from relax_lint.shell.quoting import transform

            return lambda text: transform(text, operator[1])
        extglob = "extglob" in state.options
        pieces = self.expander.pieces(parameter.arguments[0], state)
        if pieces is None:
            return None
        ignore_case = "nocasematch" in state.options and operator.startswith("/")
        pattern = patterns.compile_pattern(pieces, extglob=extglob, ignore_case=ignore_case)
        if operator in ("#", "##"):
            return lambda text: patterns.remove_prefix(text, pattern, longest=operator == "##")
        if operator in ("%", "%%"):
            return lambda text: patterns.remove_suffix(text, pattern, longest=operator == "%%")
        if operator.startswith("/"):
            given = parameter.arguments[1:]
            replacement = self.expander.pieces(given[0], state) if given else []
            if replacement is None:
                return None
            mode: Any = {"/": "first", "//": "all", "/#": "prefix", "/%": "suffix"}[operator]
            return lambda text: patterns.replace(text, pattern, replacement, mode)
        empty = not any(text for text, _ in pieces)
        return lambda text: patterns.change_case(text, operator, None if empty else pattern)


Change = Callable[[str], str] | None


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
