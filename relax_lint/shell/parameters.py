"""Parameters: what ``$name`` and every form of ``${…}`` give."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from relax_lint.patterns import pattern
from relax_lint.shell import arithmetic
from relax_lint.shell.nodes import Parameter, Word
from relax_lint.shell.operators import Between, Elements, change, changed, described, substring
from relax_lint.shell.refusals import Abort, Refused
from relax_lint.shell.state import NONEMPTY, NUMBERS, SOME_FAILURE, State, UnknownArguments
from relax_lint.shell.values import EMPTY, Known, Root, Sym, Value, Variable, join, known, refuse_long, unknown

if TYPE_CHECKING:
    from relax_lint.shell.expand import Expander
    from relax_lint.shell.splitting import Segment

_PARTS = pattern(r"([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[(.*)\])?\Z", re.DOTALL)
CHANGING = frozenset(
    (
        "RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME BASHPID PPID UID EUID HOSTNAME HOSTTYPE OSTYPE MACHTYPE "
        "BASH_VERSION BASH_VERSINFO SHLVL BASH DIRSTACK GROUPS BASH_COMMAND SHELLOPTS BASHOPTS PATH TERM _"
    ).split()
)
"""Set by bash itself, to what is not known statically."""


_DEFAULTING = frozenset((":-", "-", ":=", "=", ":?", "?", ":+", "+"))


class Parameters:
    """Reads and writes parameters for one expander."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander

    # ------------------------------------------------------------ reading

    def unbound(self) -> Abort:
        """What ``set -u`` does."""
        return Abort(1)

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
        if not spelled and not subscript.parts:
            raise Refused
        if spelled in ("@", "*"):
            return Elements(self.all_elements(name, state), star=spelled == "*")
        variable = self.variable(name, state)
        if variable is None:
            return None
        if "A" in variable.attributes:
            key = state.resolve(self.expander.value(subscript, state)).likely
            return None if key is None else (variable.elements or {}).get(key)
        index = self.expander.integer(subscript, state, node)
        number = state.resolve(index).likely
        if number is None:
            return unknown(self.expander.root(node, index.roots))
        return self.indexed(variable, int(number))

    def arguments(self, state: State) -> list[Value]:
        """The positional parameters."""
        self.expander.shell.asks_arguments(state)
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
        if name in CHANGING or self.expander.shell.environment_unknown or state.opaque:
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

    def plain(self, parameter: Parameter, state: State) -> Value | None:
        """The value of a ``$name`` that is one word's text; None where more is to be looked at."""
        if parameter.operator or parameter.subscript is not None or parameter.length or parameter.indirect:
            return None
        variable = state.lookup(parameter.name)
        if variable is None or variable.value is None or variable.elements is not None or "n" in variable.attributes:
            return None
        value = state.resolve(variable.value)
        return None if value.many else value

    def first(self, variable: Variable) -> Value | None:
        """Element 0."""
        return variable.scalar if "A" in variable.attributes else self.indexed(variable, 0)

    def argument(self, number: int, state: State) -> Value | None:
        """``$1`` and so on; ``$0``."""
        if number == 0:
            return known(self.expander.shell.name_of_script)
        self.expander.shell.asks_arguments(state)
        if isinstance(state.arguments, UnknownArguments):
            position = number + state.arguments.shifted
            return unknown(self.expander.variable_root(str(position), f"${number}"))
        if any(value.many for value in state.arguments[:number]):
            return unknown(self.expander.variable_root(str(number), f"${number}"))
        return state.arguments[number - 1] if number <= len(state.arguments) else None

    def special(self, name: str, state: State) -> Value:
        """``$#`` and its like."""
        if name == "#":
            self.expander.shell.asks_arguments(state)
        if name == "#" and not isinstance(state.arguments, UnknownArguments):
            if not any(value.many for value in state.arguments):
                return known(str(len(state.arguments)))
        if name == "?" and state.status not in (None, SOME_FAILURE):
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
                if isinstance(chunk, Sym) and chunk.root.variable == name and chunk.default is None:
                    return [unknown(self.many_root(name), many=True)]
            return [variable.value] if variable.value is not None else []
        return list(variable.in_order.values())

    def many_root(self, name: str) -> Root:
        """The root of an array that is not known."""
        root = self.expander.variable_root(f"{name}[@]", f"${{{name}[@]}}")
        root.many = True
        return root

    def indexed(self, variable: Variable, index: int) -> Value | None:
        """The element of an indexed array, counted from the end when negative."""
        elements = variable.elements
        if elements is None:
            return variable.value if index in (0, -1) else None
        if index < 0:
            if not elements:
                return None
            index += max(int(position) for position in elements) + 1
        for position in elements:
            if int(position) > index:
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
            return (variable.elements or {}).get(index)
        return self.indexed(variable, index)

    # ------------------------------------------------------------ writing

    def assign_element(self, name: str, index: arithmetic.Index, value: Value, state: State) -> None:
        """``name[index]=value``."""
        name = state.resolve_name(name)
        if index is None:
            state.set_value(name, value)
            return
        refuse_long(value.chunks)
        old = state.lookup(name) or Variable()
        elements: dict[Any, Value] = dict(old.elements or {})
        if old.elements is None and old.value is not None:
            elements[0] = old.value
        if isinstance(index, int) and index < 0:
            index += max(elements, default=-1) + 1
            if index < 0:
                raise Refused
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
            # A number that is not known is one word all the same.
            number = parameter.name in NUMBERS and not parameter.operator and result.text is None
            splits = not quoted and not number
            return [(chunk, quoted, splits, result.place if result.many else None) for chunk in result.chunks]
        if isinstance(result, list):
            return result
        if result.star and quoted and any(value.many for value in result.values):
            roots = tuple(root for value in result.values for root in value.roots)
            return [(Sym(self.expander.root(parameter, roots)), True, False, None)]
        if result.star and quoted:
            spaced = self.expander.in_document and (parameter.subscript is None or parameter.operator)
            joined = join(result.values, " " if spaced else self.expander.separators(state)[:1])
            return [(chunk, True, False, None) for chunk in joined.chunks]
        segments: list[Segment] = []
        between = self.between(parameter, state, star=result.star)
        for index, value in enumerate(result.values):
            if index:
                segments.append(between)
            value = state.resolve(value)
            segments.extend((chunk, quoted, not quoted, value.place) for chunk in value.chunks)
        return segments

    def between(self, parameter: Parameter, state: State, *, star: bool) -> Between | Segment | None:
        """What bash puts between the elements of ``$@``, or of ``$*`` without quotes."""
        separator = self.expander.separators(state)[:1]
        operator = parameter.operator
        if parameter.quoted:
            plain = not operator or operator in _DEFAULTING
            return None if plain else Between("", " ", separator or " ")
        if not separator and parameter.subscript is not None and (operator == "keys*" or operator[:1] in ("#", "%")):
            return Known(" "), True, False, None
        if not separator and operator == "prefix*":
            return Known(""), True, False, None
        joined = operator[:1] in ("#", "%", "@") and not star
        return Between(
            "" if separator in (" ", "\t", "\n") else separator,
            separator if star else " ",
            (separator or " ") if joined else None,
        )

    def plain_words(self, parameter: Parameter, state: State) -> list[Value] | None:
        """The words of a quoted ``"$@"`` or ``"${A[@]}"``, each as it was written; None where more is to be done."""
        if parameter.operator or parameter.length or parameter.indirect:
            return None
        subscript = parameter.subscript
        if subscript is None:
            if parameter.name != "@":
                return None
            values: Iterable[Value] = self.arguments(state)
        else:
            if subscript.literal != "@":
                return None
            variable = state.lookup(parameter.name)
            if variable is None or variable.elements is None or "n" in variable.attributes:
                return None
            values = variable.in_order.values()
        if not state.bindings:
            return list(values)
        return [state.resolve(value) for value in values]

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
            return substring(self, found, parameter, state)
        if operator in ("@a", "@A", "@K", "@k"):
            return described(self, parameter, state)
        nothing = not found.values if isinstance(found, Elements) else operator[0] in "#%" and found.text == ""
        if nothing:
            # Bash does not even look at the pattern.
            return found
        how = change(self, parameter, state)
        if isinstance(found, Value):
            return changed(self, found, how, parameter, state)
        return Elements([changed(self, value, how, parameter, state) for value in found.values], star=found.star)

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
            raise Refused
        target = state.resolve(pointer).likely if isinstance(pointer, Value) else None
        if target is None:
            roots = pointer.roots if isinstance(pointer, Value) else ()
            return unknown(self.expander.root(parameter, roots))
        match = _PARTS.match(target)
        if match is None:
            raise Refused
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
        return [known(str(key)) for key in variable.in_order]

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
            # An element that is missing counts as empty here, if only the array is there.
            if parameter.subscript is None or self.variable(parameter.name, state) is None:
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
            if action == "+":
                return EMPTY if found.values or found.star else found
            return self.missing(parameter, state, action)
        if found is None:
            return EMPTY if action == "+" else self.missing(parameter, state, action)
        found = state.resolve(found)
        text = found.text
        if text is not None or any(isinstance(chunk, Known) and chunk.text for chunk in found.chunks):
            present = bool(text) if null_counts and text is not None else True
        elif not null_counts and not parameter.indirect and not _is_itself(found, parameter.name):
            present = True
        else:
            present = self.presumed(found, state)
        if present is not None:
            if present:
                return self.argument_segments(parameter, state) if action == "+" else found
            return EMPTY if action == "+" else self.missing(parameter, state, action)
        return self.undecided_default(found, parameter, state, action)

    def presumed(self, found: Value, state: State) -> bool | None:
        """Whether an unknown value counts as present: a default that the script gave it, or what was found out."""
        if any(isinstance(chunk, Sym) and state.is_nonempty(chunk.root) for chunk in found.chunks):
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
            if isinstance(segment, tuple):
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
            raise Abort(1)
        value = self.expander.value(parameter.arguments[0], state).unplaced
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
        root = found.chunks[0].root if len(found.chunks) == 1 and isinstance(found.chunks[0], Sym) else None
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
        likely = None if self.expander.shell.reading.clean else given.likely
        if likely == "":
            return found
        if likely is not None and root is not None and not given.roots:
            value = unknown(root, likely)
        else:
            value = unknown(self.expander.root(parameter, found.roots + given.roots), likely)
        if action == "=":
            self.store_default(parameter, value, state)
        return value


def _is_itself(value: Value, name: str) -> bool:
    """Whether a value is all that is known of a variable nobody assigned, so that it may be unset."""
    chunk = value.chunks[0]
    return len(value.chunks) == 1 and isinstance(chunk, Sym) and chunk.root.variable == name
