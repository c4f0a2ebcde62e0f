"""``declare``, ``local``, ``export``, ``readonly``, ``typeset``: names, attributes, values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.patterns import pattern
from relax_lint.records import changed
from relax_lint.shell.calls import unwritable
from relax_lint.shell.commands import print_unknown
from relax_lint.shell.nodes import ArrayElement, ArrayLiteral, Assignment, Literal, SimpleCommand, Word
from relax_lint.shell.refusals import ReadOnly
from relax_lint.shell.state import State
from relax_lint.shell.values import EMPTY, REMOVED, Known, Sym, Value, Variable, merged

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell

_NAME = pattern(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]]*)\])?(\+?=)?")
_ATTRIBUTES = frozenset("aAilnrtux")


def declare(
    shell: Shell, name: str, words: list[Value], assigned: list[Assignment], state: State
) -> list[State]:  # fmt: skip
    """One of the declaring builtins; ``words`` are its options and computed arguments, ``assigned`` those written."""
    declaration = _Declaration(shell, name, state)
    status = declaration.run(words, assigned)
    if declaration.refused and name in ("export", "readonly"):
        return unwritable(shell, state, 1)
    state.status, state.undecided = status, None
    return [state]


def _all_of(there: Iterable[bool | None]) -> int | None:
    """The status of a command that asks for several things."""
    answers = list(there)
    return 1 if False in answers else None if None in answers else 0


class _Declaration:
    def __init__(self, shell: Shell, name: str, state: State) -> None:
        self.shell = shell
        self.state = state
        self.name = name
        self.added = {"export": {"x"}, "readonly": {"r"}}.get(name, set[str]())
        self.removed: set[str] = set()
        self.globally = name in ("export", "readonly")
        self.functions = False
        self.prints = False
        self.refused = False

    def run(self, words: list[Value], assigned: list[Assignment]) -> int | None:
        rest = self.options(words)
        assigned = [self.expanded(node) for node in assigned]
        if self.functions:
            return self.of_functions(rest, assigned)
        if self.name == "local" and len(self.state.frames) == 1:
            return 1
        if self.prints or not (rest or assigned):
            return self.print(rest, assigned)
        status = 0
        for assignment in assigned:
            if not self.declare(assignment):
                status = 1
        unknown_name = False
        for word in rest:
            computed = self.computed(word)
            if computed is None:
                unknown_name = unknown_name or self.hides_its_name(word)
            if computed is None or not self.declare(*computed):
                status = 1
        self.state.opaque = self.state.opaque or (unknown_name and self.shell.reading.clean)
        return None if unknown_name else status

    def expanded(self, node: Assignment) -> Assignment:
        """The assignment with its words expanded, as bash does before it declares anything: in ``local x=$x`` the
        value is the outer one."""
        value = node.value
        if isinstance(value, Word):
            given = self.shell.expander.value(value, self.state, assigned=True)
            return changed(node, value=_expanded_word(value, [given]))
        if isinstance(value, ArrayLiteral):
            old = self.state.lookup(self.state.resolve_name(node.name))
            associative = "A" in self.added or (old is not None and "A" in old.attributes)
            elements = tuple(self.expanded_element(element, associative) for element in value.elements)
            return changed(node, value=changed(value, elements=elements))
        return node

    def expanded_element(self, element: ArrayElement, associative: bool) -> ArrayElement:
        expander, state, word = self.shell.expander, self.state, element.value
        if element.key is None:
            return changed(element, value=_expanded_word(word, expander.fields(word, state, element=True)))
        apart = " " if associative else expander.separators(state)[:1] or " "
        given = expander.value(word, state, assigned=True, apart=apart)
        return changed(element, value=_expanded_word(word, [given]))

    def print(self, words: list[Value], assigned: list[Assignment]) -> int | None:
        """``declare -p name``: what it writes is not followed, whether the names are there is."""
        print_unknown(self.shell, self.shell.command, self.state)
        return _all_of(map(self.is_set, self.names(words, assigned)))

    def names(self, words: list[Value], assigned: list[Assignment]) -> list[str | None]:
        return [node.name for node in assigned] + [self.state.resolve(word).likely for word in words]

    def is_set(self, name: str | None) -> bool | None:
        """Whether there is a variable; ``None`` where only the environment knows."""
        variable = None if name is None else self.state.lookup(name)
        if name is None or variable is not None:
            return None if name is None else variable is not REMOVED
        value = self.shell.expander.parameters.scalar(name, self.state)
        return None if value is not None and value.text is None else value is not None

    def of_functions(self, words: list[Value], assigned: list[Assignment]) -> int | None:
        """``declare -f name``: as much of functions, which ``export -f`` and the like only ask for, too."""
        print_unknown(self.shell, self.shell.command, self.state)
        return _all_of(map(self.is_function, self.names(words, assigned)))

    def is_function(self, name: str | None) -> bool | None:
        """Whether there is a function; the environment may have brought it."""
        if name in self.state.functions:
            return True
        return None if name is None or self.shell.environment_unknown else False

    def options(self, words: list[Value]) -> list[Value]:
        for at, word in enumerate(words):
            text = self.state.resolve(word).likely
            if text is None or len(text) < 2 or text[0] not in "-+":
                return words[at:]
            if text == "--":
                return words[at + 1 :]
            for letter in text[1:]:
                if letter == "g":
                    self.globally = True
                elif letter in "fF":
                    self.functions = True
                elif letter == "p":
                    self.prints = True
                elif letter == "n" and self.name == "export":
                    self.added.discard("x")
                    self.removed.add("x")
                elif letter in _ATTRIBUTES:
                    (self.added if text[0] == "-" else self.removed).add(letter)
        return []

    def computed(self, word: Value) -> tuple[Assignment, Value | None] | None:
        """A name, or ``name=value``, that came out of an expansion."""
        chunks = merged(self.state.resolve(word).chunks)
        first = chunks[0]
        text = first.text if isinstance(first, Known) else ""
        match = _NAME.match(text)
        if match is None or (match.end() != len(text) and match.group(3) is None):
            return None
        index = match.group(2)
        subscript = None if index is None else Word((Literal(index, False, -1, -2),), -1, -1, index)
        node = Assignment(match.group(1), -1, -1, None, subscript, match.group(3) == "+=")
        if match.group(3) is None:
            return (node, None) if len(chunks) == 1 else None
        if len(chunks) == 1 and text.startswith("(", match.end()) and text.endswith(")") and self.is_array(node.name):
            array = self.array(text)
            if array is not None:
                return array, None
        return node, Value((Known(text[match.end() :]), *chunks[1:]))

    def hides_its_name(self, word: Value) -> bool:
        """Whether it is not known what a computed argument names."""
        chunks = merged(self.state.resolve(word).chunks)
        before = chunks[0].text if isinstance(chunks[0], Known) else ""
        return any(isinstance(chunk, Sym) for chunk in chunks) and "=" not in before

    def is_array(self, name: str) -> bool:
        """Whether ``name=( … )`` in a computed argument is read as a list."""
        old = self.state.lookup(self.state.resolve_name(name))
        return bool(self.added & {"a", "A"}) or (old is not None and old.elements is not None)

    def array(self, text: str) -> Assignment | None:
        """``name=( … )`` out of a computed argument: what is in it is expanded once more."""
        shell = self.shell
        outer, command = shell.source, shell.command
        source = shell.reading.evaluated(text, Place(outer, command.start, command.end), outer)
        first = source.script.commands[0] if len(source.script.commands) == 1 else None
        if not isinstance(first, SimpleCommand) or first.words or len(first.assignments) != 1:
            return None
        shell.source = source
        try:
            return self.expanded(first.assignments[0])
        finally:
            shell.source = outer

    def declare(self, node: Assignment, value: Value | None = None) -> bool:
        """One name; False when it is read-only already."""
        from relax_lint.shell.commands import assign, assign_array, assign_subscript, converted

        state, shell = self.state, self.shell
        reference = "n" in self.added
        name = node.name if reference else state.resolve_name(node.name)
        local = not self.globally and len(state.frames) > 1
        old = state.frames[-1].get(name) if local else state.lookup(name)
        if self.globally and self.name not in ("export", "readonly"):
            old = state.frames[0].get(name)
        has_value = node.value is not None or value is not None
        hidden = state.frames[0].get(name) if local else None
        if has_value and any(each is not None and "r" in each.attributes for each in (old, hidden)):
            if isinstance(node.value, ArrayLiteral) and not local:
                raise ReadOnly
            self.refused = True
            return False
        shell.recorder.course.asked_attributes(name)
        attributes = frozenset(((old.attributes if old else frozenset()) | self.added) - self.removed)
        if old is None and local and self.name == "local":
            outer = state.lookup(name)
            if outer is not None and outer.exported:
                attributes |= {"x"}
        variable = old or self.inherited(name, local) or Variable()
        if attributes & {"a", "A"} and variable.elements is None:
            elements = {} if variable.value is None else {("0" if "A" in attributes else 0): variable.value}
            variable = Variable(None, elements if has_value or variable.value else None, attributes)
            if variable.elements is None:
                variable = Variable(None, {}, attributes)
        variable = variable._replace(attributes=attributes - {"r"})
        frame = state.frames[-1] if local else self.frame(name)
        frame[name] = variable
        if isinstance(node.value, ArrayLiteral):
            assign_array(shell, name, node, state, variable.attributes)
        elif node.subscript is not None:
            if value is None:
                value = shell.expander.value(node.value, state, assigned=True) if node.value is not None else EMPTY
            assign_subscript(shell, name, node, value, state)
        elif value is not None or reference:
            value = value or (shell.expander.value(node.value, state) if node.value is not None else None)
            if value is not None:
                current = variable.scalar
                frame[name] = variable._replace(
                    value=converted(shell, value, current, variable.attributes, state, append=node.append)
                )
        elif node.value is not None:
            assign(shell, node, state)
        if "allexport" in state.options:
            frame[name] = state.as_exported(frame[name])
        if "r" in attributes:
            frame[name] = frame[name]._replace(attributes=attributes | frame[name].attributes)
        return True

    def frame(self, name: str) -> dict[str, Variable]:
        if self.globally and self.name not in ("export", "readonly"):
            return self.state.frames[0]
        return self.state.frame_of(name)

    def inherited(self, name: str, local: bool) -> Variable | None:
        """An environment variable that is not known keeps its value when it is only exported."""
        if local or self.name not in ("export", "readonly", "declare", "typeset"):
            return None
        found = self.shell.expander.parameters.variable(name, self.state)
        return found if found is not None and found.elements is None else None


def _expanded_word(word: Word, fields: list[Value]) -> Word:
    return Word((), word.start, word.end, None, fields)
