"""One way through a script: everything that bash remembers between two commands, and what was assumed on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from relax_lint.records import record
from relax_lint.shell.needs import common
from relax_lint.shell.refusals import ReadOnly
from relax_lint.shell.values import (
    REMOVED,
    Assumed,
    Chunk,
    Known,
    Root,
    Sym,
    Value,
    Variable,
    known,
    refuse_long,
    surer,
)

_PARTS_UNCOUNTED = 64
"""Pieces of output after which its characters are counted again."""

if TYPE_CHECKING:
    from relax_lint.shell.nodes import Function
    from relax_lint.sources.script import ScriptFile


class NonEmpty:
    """What is known of a root that was found not to be empty."""


class NotDefault:
    """What is known of a root that was found not to have its default."""


NONEMPTY, NOT_DEFAULT = NonEmpty(), NotDefault()
Binding = str | NonEmpty | NotDefault


NUMBERS = frozenset(("?", "$", "#", "RANDOM", "SECONDS", "EPOCHSECONDS", "LINENO", "BASHPID", "PPID", "UID", "EUID"))
"""Parameters that hold a number, whatever it is, and so are never empty."""

SOME_FAILURE = -1
"""The status of a program that is known to have failed, and no more."""

Bindings = tuple[tuple[Root, Binding], ...]


@record
class Undecided:
    """A condition that is not known: what each outcome would teach, and the outcome that script-given defaults give."""

    when_true: Bindings = ()
    when_false: Bindings = ()
    likely: bool | None = None
    key: object = None

    def negated(self) -> Undecided:
        """The same for ``!``."""
        likely = None if self.likely is None else not self.likely
        return Undecided(self.when_false, self.when_true, likely, ("!", self.key) if self.key is not None else None)


Outcome = bool | Undecided


@record
class UnknownArguments:
    """Positional parameters not given; ``shifted`` of them are gone."""

    shifted: int = 0


Arguments = tuple[Value, ...] | UnknownArguments


class Flow(NamedTuple):
    """Why the commands that follow do not run: break, continue (how many loops), return, exit."""

    kind: str
    levels: int = 1


class State:
    """The memory of a shell. Copied when a condition is followed both ways; otherwise changed in place."""

    __slots__ = (
        "arguments", "bindings", "conditions", "cwd", "flow", "frames", "functions", "made", "opaque", "options",
        "output", "pipe_status", "status", "stdin", "strays", "traps", "undecided",
    )  # fmt: skip

    def __init__(self) -> None:
        self.frames: list[dict[str, Variable]] = [{}]
        self.functions: dict[str, tuple[Function, ScriptFile]] = {}
        self.arguments: Arguments = ()
        self.options: frozenset[str] = frozenset()
        self.cwd: str | None = None
        self.status: int | None = 0
        self.undecided: Undecided | None = None
        self.bindings: dict[object, Any] = {}
        self.conditions: tuple[str, ...] = ()
        self.traps: dict[str, Value] = {}
        self.flow: Flow | None = None
        self.made: tuple[Value, ...] = ()
        self.opaque = False
        """Whether commands ran that are not known: what no command that is known set may be set all the same."""
        self.output: tuple[Chunk, ...] | None = None
        self.stdin: Value | None = None
        self.strays = 0
        self.pipe_status: tuple[int | None, ...] = (0,)

    def copy(self) -> State:
        """A way of its own."""
        other = State.__new__(State)
        other.frames = [dict(frame) for frame in self.frames]
        other.functions = self.functions
        other.arguments = self.arguments
        other.options = self.options
        other.cwd = self.cwd
        other.status = self.status
        other.undecided = self.undecided
        other.bindings = dict(self.bindings)
        other.conditions = self.conditions
        other.traps = self.traps
        other.flow = self.flow
        other.made = self.made
        other.opaque = self.opaque
        other.output = self.output
        other.stdin = self.stdin
        other.strays = self.strays
        other.pipe_status = self.pipe_status
        return other

    def same(self, other: State) -> bool:
        """Whether nothing that follows can differ, but for what was assumed."""
        return (
            self.status == other.status
            and self.flow == other.flow
            and self.cwd == other.cwd
            and self.options == other.options
            and self.arguments == other.arguments
            and self.output == other.output
            and self.stdin == other.stdin
            and self.frames == other.frames
            and self.functions == other.functions
            and self.traps == other.traps
            and self.opaque == other.opaque
        )

    def absorb(self, other: State) -> None:
        """Become the merger with an equal way: only what both assumed is still assumed."""
        self.bindings = {
            key: binding for key, binding in self.bindings.items() if other.bindings.get(key, self) == binding
        }
        for frame, theirs in zip(self.frames, other.frames, strict=False):
            for name, variable in theirs.items():
                own = frame.get(name)
                if own is not variable and own is not None and own == variable:
                    frame[name] = _surer(own, variable)
        self.conditions = common(self.conditions, other.conditions)
        self.strays = min(self.strays, other.strays)
        self.made += tuple(item for item in other.made if item not in self.made)
        if self.undecided != other.undecided:
            self.undecided = None

    # ------------------------------------------------------------ variables

    def lookup(self, name: str) -> Variable | None:
        """The variable in the innermost scope that has it; None where no scope ever did."""
        frames = self.frames
        if len(frames) == 1:
            return frames[0].get(name)
        for frame in reversed(frames):
            found = frame.get(name)
            if found is not None:
                return found
        return None

    def resolve_name(self, name: str) -> str:
        """The name behind namerefs."""
        for _ in range(8):
            variable = self.lookup(name)
            if variable is None or not variable.attributes or "n" not in variable.attributes or variable.value is None:
                return name
            target = variable.value.text
            if not target:
                return name
            name = target
        return name

    def frame_of(self, name: str) -> dict[str, Variable]:
        """The scope to write a name in: where it lives, else the global one."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame
        return self.frames[0]

    def store(self, name: str, variable: Variable) -> None:
        """Set a variable where it lives. Raises :class:`ReadOnly`, as all that writes does."""
        frame = self.frame_of(name)
        old = frame.get(name)
        if old is not None and old.attributes and "r" in old.attributes:
            raise ReadOnly
        frame[name] = self.as_exported(variable) if "allexport" in self.options else variable

    def as_exported(self, variable: Variable) -> Variable:
        """A variable that children see."""
        return Variable(variable.value, variable.elements, variable.attributes | {"x"})

    def set_text(self, name: str, text: str) -> None:
        """Give a variable a known value, keeping its attributes."""
        self.set_value(name, known(text))

    def put(self, *chunks: Chunk) -> None:
        """Print something, where it matters what is printed."""
        if self.output is not None:
            self.output += chunks
            if len(self.output) % _PARTS_UNCOUNTED < len(chunks):
                refuse_long(self.output)

    def set_value(self, name: str, value: Value) -> None:
        """Give a variable a value as it is, keeping its attributes."""
        refuse_long(value.chunks)
        name = self.resolve_name(name)
        old = self.lookup(name)
        if old is not None and old.elements is not None:
            index: Any = "0" if "A" in old.attributes else 0
            self.store(name, Variable(old.value, {**old.elements, index: value}, old.attributes))
        else:
            self.store(name, Variable(value, None, old.attributes if old else frozenset()))

    def is_read_only(self, name: str) -> bool:
        """Whether a variable refuses to be written."""
        old = self.lookup(self.resolve_name(name))
        return old is not None and "r" in old.attributes

    def remove(self, name: str) -> None:
        """``unset``: the innermost one; an outer one shows again only when its scope ends."""
        self.frame_of(name)[name] = REMOVED

    # ------------------------------------------------------------ what is assumed

    def resolve(self, value: Value) -> Value:
        """The value with everything put in that this way has assumed."""
        if not self.bindings:
            return value
        chunks, place, many = value
        if len(chunks) == 1:
            chunk = chunks[0]
            if type(chunk) is Known:
                return value
            resolved = self._resolve_chunk(chunk)
            return value if resolved is chunk else Value((resolved,), place, many)
        for chunk in chunks:
            if type(chunk) is Sym:
                return Value(tuple([self._resolve_chunk(chunk) for chunk in chunks]), place, many)
        return value

    def _resolve_chunk(self, chunk: Chunk) -> Chunk:
        if isinstance(chunk, Known):
            return chunk
        root = chunk.root
        bound = self.bindings.get(root)
        if bound is not None:
            if isinstance(bound, str):
                return Known(bound)
            return Sym(root) if bound is NOT_DEFAULT else chunk
        if chunk.default is not None and root.parents and any(map(self._moved, root.line)):
            return Sym(root)
        return chunk

    def _moved(self, root: Root) -> bool:
        """Whether a root is assumed to differ from the default that something was computed with."""
        return self.bindings.get(root, NONEMPTY) is not NONEMPTY

    def is_nonempty(self, root: Root) -> bool:
        """Whether a root was found not to be empty, or never is."""
        return root.variable in NUMBERS or self.bindings.get(root) is NONEMPTY

    def decided(self, outcome: Outcome) -> Outcome:
        """The outcome, when the same question was answered before on this way."""
        if isinstance(outcome, Undecided) and outcome.key is not None:
            answered: Outcome = self.bindings.get(outcome.key, outcome)
            return answered
        return outcome

    def assume(self, undecided: Undecided | None, outcome: bool, condition: str) -> None:
        """Go the way on which a condition had this outcome."""
        if undecided is not None:
            for root, binding in undecided.when_true if outcome else undecided.when_false:
                is_found = isinstance(binding, str) and undecided.likely != outcome
                self.bindings[root] = Assumed.of(root, str(binding)) if is_found else binding
            if undecided.likely is not None and undecided.likely != outcome:
                self.strays += 1
            if undecided.key is not None:
                self.bindings[undecided.key] = outcome
        if condition not in self.conditions:
            self.conditions += (condition,)
        self.status = 0 if outcome else SOME_FAILURE if undecided is None else 1
        self.undecided = None

    def forget(self, root: Root) -> None:
        """A program ran again: what was assumed of its last output does not hold of this one."""
        if self.bindings:
            self.bindings = {
                key: binding
                for key, binding in self.bindings.items()
                if key is not root and not (isinstance(key, tuple) and _mentions(key, root))
            }


def _mentions(key: Iterable[object], root: Root) -> bool:
    return any(item is root or (isinstance(item, tuple) and _mentions(item, root)) for item in key)


def _surer(variable: Variable, other: Variable) -> Variable:
    value, elements = variable.value, variable.elements
    if value is not None and other.value is not None:
        value = surer(value, other.value)
    if elements is not None and other.elements is not None:
        elements = {key: surer(element, other.elements[key]) for key, element in elements.items()}
    return Variable(value, elements, variable.attributes)


def merge(states: list[State]) -> list[State]:
    """Ways that have come to the same point in equal states become one."""
    if len(states) < 2:
        return states
    kept: list[State] = []
    for state in states:
        for other in kept:
            if other.same(state):
                other.absorb(state)
                break
        else:
            kept.append(state)
    return kept


def widen(states: list[State], make_root: Callable[[str], Root], *, keep_defaults: bool = True) -> State:
    """One state for ways that left a loop after an unknown number of rounds.

    What differs becomes unknown; the value of the first way, which went round least, counts as its default, unless
    the number of rounds is known and only too large.
    """
    base = states[0]
    for depth, frame in enumerate(base.frames):
        others = [state.frames[depth] for state in states[1:] if depth < len(state.frames)]
        names = dict.fromkeys([*frame, *(name for other in others for name in other)])
        for name in names:
            mine = frame.get(name)
            if any(other.get(name) != mine for other in others):
                frame[name] = _widened(mine, [other.get(name) for other in others], make_root(name), keep_defaults)
    if any(state.arguments != base.arguments for state in states):
        base.arguments = UnknownArguments(0)
    if any(state.cwd != base.cwd for state in states):
        base.cwd = None
    for state in states[1:]:
        base.absorb(state)
        base.functions = {**state.functions, **base.functions}
        base.options |= state.options
    base.status = 0
    base.undecided = None
    return base


def _widened(mine: Variable | None, others: list[Variable | None], root: Root, keep_default: bool) -> Variable:
    attributes = (mine or REMOVED).attributes.union(*((other or REMOVED).attributes for other in others))
    if any(variable is not None and variable.elements is not None for variable in (mine, *others)):
        root.many = True
        if "A" in attributes:
            return Variable(None, {"": Value((Sym(root),), None, True)}, attributes)
        elements = dict(mine.elements) if mine is not None and mine.elements is not None else {}
        following = max((int(index) for index in elements), default=-1) + 1
        elements[following] = Value((Sym(root),), None, True)
        return Variable(None, elements, attributes)
    default = mine.value.likely if keep_default and mine is not None and mine.value is not None else None
    return Variable(Value((Sym(root, default or None),)), None, attributes)
