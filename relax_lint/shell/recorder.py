"""Collects what a script launches, and what could not be followed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.records import node
from relax_lint.shell.bounds import MAXIMUM_LAUNCHES, TooComplex
from relax_lint.shell.launch import Default, Launch, Unknown, Word, classify, entry_index
from relax_lint.shell.memory import Memory
from relax_lint.shell.near_entries import near_entry
from relax_lint.shell.needs import common
from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.state import NONEMPTY, State
from relax_lint.shell.values import Assumed, Chunk, Known, Root, Sym, Value, shown_of

if TYPE_CHECKING:
    from relax_lint.shell.courses import Course
    from relax_lint.shell.evaluate import Reading
    from relax_lint.shell.interpret import Shell
    from relax_lint.shell.pipelines import Stage
    from relax_lint.sources.script import ScriptFile

_VARIABLE = re.compile(r"(?:\$\{)?([A-Za-z_]\w*|[1-9]\d*)(?::?[-=].*)?\}?", re.DOTALL)
"""A variable, or an argument, with a default or without one."""
_NEAR = re.compile("relax|entrypoint|train")
_FIRST_WORDS = 5
"""In how many words what runs is named, where no Python is in front: ``bash -c python3 -m MODULE``."""
_LAUNCHED = re.compile(
    r"(?:^|/)relax/entrypoints/train\.py$|^relax\.entrypoints|^verl\.|main_ppo|^recipe\.|main_\w+\.py$"
)


@node
class Way:
    """One way that reached a launch."""

    launch: Launch
    stage: Stage | None
    state: State
    rounds: tuple[tuple[Place, int], ...] = ()

    def copy(self, launch: Launch) -> Way:
        """The same way with a launch of its own."""
        return Way(launch, self.stage, self.state, self.rounds)

    def again(self, other: Way) -> Place | None:
        """The loop that both ways reached the launch in, in different rounds."""
        both = zip(self.rounds, other.rounds, strict=False)
        return next((mine[0] for mine, others in both if mine[0] == others[0] and mine != others), None)


class Recorder:
    """What one evaluation of a script found."""

    def __init__(self, script: Path, memory: Memory, course: Course) -> None:
        self.script = script
        self.memory = memory
        self.course = course
        self.ways: list[Way] = []
        self.near: dict[object, Launch] = {}
        self.not_followed: dict[SimpleCommand, None] = {}
        self.trainings = 0
        self.complex_at: Place | None = None
        self.problems: list[tuple[Place, str]] = []
        self.exits: list[tuple[Place, int | None]] = []
        self.unresolved_sources: list[Place] = []
        self.files: list[ScriptFile] = []
        self.redirected_to: list[Value] = []

    def launched(self, reading: Reading) -> int:
        """How many launches that count were recorded: where all that happens is asked for, all of them."""
        return len(self.ways) if reading.clean else self.trainings

    def judged(self, reading: Reading, before: int, ends: list[State]) -> list[State]:
        """Ways out of a command, which succeeded where trainings do and it made one: ``before`` is how many were
        recorded ahead of it."""
        if reading.trainings_succeed and self.trainings > before:
            for end in ends:
                if end.status is None:
                    end.status, end.undecided = 0, None
        return ends

    def too_complex(self, place: Place) -> None:
        """A bound was reached."""
        self.complex_at = self.complex_at or outermost(place)

    def problem(self, place: Place, message: str) -> None:
        """Something was not understood."""
        found = (outermost(place), message)
        if found not in self.problems:
            self.problems.append(found)

    def exits_at(self, place: Place, status: int | None) -> None:
        """A way ended early."""
        found = (outermost(place), status)
        if found not in self.exits:
            self.exits.append(found)

    def unresolved(self, place: Place) -> None:
        """A file to source was not found."""
        place = outermost(place)
        if place not in self.unresolved_sources:
            self.unresolved_sources.append(place)

    def reads(self, source: ScriptFile) -> None:
        """Another file is evaluated too."""
        if source not in self.files:
            self.files.append(source)

    def looks_like_launch(self, words: list[Value], state: State) -> bool:
        """Whether the words behind an unknown program name are those of a training run."""
        return any(_LAUNCHED.search(state.resolve(word).shown) for word in words)

    def record(self, shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
        """A launch."""
        argv = tuple([self.word(word, state) for word in words])
        kind = classify(argv)
        if kind == "other" and shell.reading.only_trainings:
            if entry_index(argv) < 0:
                self._take_near(shell, node, argv, state)
            return
        site = outermost(Place(shell.source, node.start, node.end))
        stage = shell.stages[-1] if shell.stages else None
        targets = tuple(_word(target, state) for target in self.redirected_to)
        launch = Launch(
            kind=kind, argv=argv, site=site, script=self.script, conditions=state.conditions,
            options=state.options if stage is None else stage.options, redirected_to=targets,
            made_directories=tuple(_word(made, state) for made in state.made), command=node,
            in_condition=shell.guard > 0, directory=state.cwd, ray_address=_exported("RAY_ADDRESS", state),
            loop=shell.uncounted, background=shell.in_background,
            by_default=not state.strays,
        )  # fmt: skip
        self.ways.append(Way(launch, stage, state, shell.rounds))
        self.count(launch.kind != "other")

    def count(self, trainings: int) -> None:
        """So many more trainings are started."""
        self.trainings += trainings
        if self.trainings > MAXIMUM_LAUNCHES:
            raise TooComplex

    def record_if_near(self, shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
        """A program that nobody knows, if it may have been meant to start Relax."""
        if shell.reading.only_trainings and any(_NEAR.search(word.shown) for word in words[:_FIRST_WORDS]):
            self._take_near(shell, node, tuple([self.word(word, state) for word in words]), state)

    def _take_near(self, shell: Shell, node: SimpleCommand, argv: tuple[Word, ...], state: State) -> None:
        if near_entry(argv) is not None:
            site = outermost(Place(shell.source, node.start, node.end))
            launch = Launch(
                kind="other", argv=argv, site=site, script=self.script, conditions=state.conditions,
                command=node, directory=state.cwd,
            )  # fmt: skip
            self.near.setdefault((site, tuple([word.text for word in argv])), launch)

    def word(self, value: Value, state: State) -> Word:
        """A word of an argv; the same for the same written word, which most are."""
        found = self.memory.words.get(id(value))
        if found is not None and found[0] is value:
            return found[1]
        word = _word(value, state)
        if len(value.chunks) == 1 and isinstance(value.chunks[0], Known):
            self.memory.words[id(value)] = (value, word)
        return word

    def launches(self) -> list[Launch]:
        """One launch a call site and argv, in the order bash makes them."""
        found: dict[object, Way] = {}
        for way in self.ways:
            launch = way.launch
            if way.stage is not None:
                behind = way.stage.words[way.stage.position + 1 :]
                launch.pipeline = tuple(
                    tuple(self.word(word, way.state) for word in words) for words in behind if words
                )
            key = (launch.site, launch.kind, tuple([(word.text, word.unknowns) for word in launch.argv]))
            first = found.setdefault(key, way)
            if first is way:
                continue
            known = first.launch
            known.argv = tuple(map(_surer, known.argv, launch.argv))
            known.conditions = common(known.conditions, launch.conditions)
            known.options &= launch.options
            known.directory = known.directory if known.directory == launch.directory else None
            known.in_condition = known.in_condition or launch.in_condition
            known.loop = known.loop or launch.loop
            known.background = known.background or launch.background
            known.by_default = known.by_default or launch.by_default
            known.again = known.again or first.again(way)
            known.made_directories += tuple(m for m in launch.made_directories if m not in known.made_directories)
        return [way.launch for way in found.values()]


def _surer(word: Word, other: Word) -> Word:
    """Of a word on two ways, the one that is what it is whatever was found equal to it."""
    return other if word.assumed is not None and other.assumed is None else word


def outermost(place: Place) -> Place:
    """The place in a real file: for text that was evaluated, where that was done."""
    while True:
        origin: Place | None = getattr(place.source, "origin", None)
        if origin is None:
            return place
        place = origin


def _exported(name: str, state: State) -> Word | None:
    """What a script gives a program in an environment variable; an empty word when it is unset, None when the script
    leaves the variable alone."""
    variable = state.lookup(name)
    if variable is None or (variable.value is not None and not variable.exported):
        return None
    return Word("") if variable.value is None else _word(variable.value, state)


def _span(start: int, end: int, root: Root) -> Default:
    names = [_VARIABLE.fullmatch(each.variable or each.text) for each in (root, *root.origins)]
    origins = tuple(dict.fromkeys(found[1] for found in names if found))
    return Default(start, end, names[0][1] if names[0] else None, origins)


def _word(value: Value, state: State) -> Word:
    resolved = state.resolve(value)
    place = outermost(value.place) if value.place is not None else None
    chunks = resolved.chunks
    assumed = _assumed(chunks)
    if len(chunks) == 1 and isinstance(chunks[0], Known):
        return Word(str(chunks[0].text), (), place, assumed=assumed)
    unknowns = []
    defaults: dict[str, str] = {}
    spans = []
    end = 0
    for chunk in chunks:
        start, end = end, end + len(shown_of(chunk))
        if not isinstance(chunk, Sym):
            continue
        root = chunk.root
        if chunk.default is not None:
            defaults.setdefault(root.variable or root.text, chunk.default)
            spans.append(_span(start, end, root))
            continue
        unknowns.append(
            Unknown(root.text, root.variable, state.bindings.get(root) is NONEMPTY, value.many, root.alternative)
        )
    return Word(
        resolved.shown, tuple(unknowns), place, tuple(defaults), tuple(defaults.values()), tuple(spans), assumed
    )


def _assumed(chunks: Sequence[Chunk]) -> Unknown | None:
    """What a word begins with that no more than an assumption tells."""
    first = next((chunk for chunk in chunks if shown_of(chunk)), None)
    if not isinstance(first, Known) or not isinstance(first.text, Assumed):
        return None
    return Unknown(first.text.root.text, first.text.root.variable)
