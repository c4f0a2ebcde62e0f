"""What became of launches from one state of a tree to another: which are the same, and what differs in them."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from relax_lint.records import record
from relax_lint.report.conditions import whole
from relax_lint.report.effective import (
    Effective,
    effective,
    is_hidden_whole,
    known_flag,
    of_verl,
    overriders,
    values_of,
)

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Flag
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch, Word

Status = Literal["changed", "added", "removed", "moved"]
_HALF = 0.5
"""Launches of which more differs are not taken for one, where there are others to choose from."""
_MOST_COMPARED = 4_000
"""Pairs of launches that are looked at; of more, launches are taken in their order."""


@record
class Setting:
    """What an argument is set to: all of its values that count, in one text and word by word, and as what they are
    read. ``unless`` are the variables that can change it; ``word`` is where the last of them is given. Words that
    belong to no flag stand for themselves, without a ``text``."""

    flag: str
    text: str
    meaning: tuple[object, ...]
    unless: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    word: Word
    argument: Argument | None = None

    @property
    def place(self) -> tuple[Path, int] | None:
        """The file and the line it is written in."""
        place = self.word.place
        return None if place is None else (place.source.path, place.source.position(place.start)[0])


@record
class Change:
    """What became of one argument. ``flag`` is what the catalogue knows of it."""

    status: Status
    old: Setting | None
    new: Setting | None
    flag: Flag | None

    @property
    def name(self) -> str:
        """The argument, as it is written now."""
        setting = self.new or self.old
        assert setting is not None  # one side has it
        return setting.flag


@record
class LaunchChange:
    """What became of one launch: one side is missing where it is new, or gone. ``among`` is how many its script has."""

    old: Launch | None
    new: Launch | None
    arguments: tuple[Change, ...] = ()
    gpus: tuple[int | None, int | None] = (None, None)
    among: int = 1

    @property
    def status(self) -> Status:
        """New, gone, or changed."""
        return "added" if self.old is None else "removed" if self.new is None else "changed"

    @property
    def launch(self) -> Launch:
        """The launch as it is now, or was at last."""
        launch = self.new or self.old
        assert launch is not None  # one side has it
        return launch

    def differs(self, what: Callable[[Launch], object]) -> bool:
        """Whether both sides are there, and say different things."""
        return self.old is not None and self.new is not None and what(self.old) != what(self.new)

    @property
    def says_something(self) -> bool:
        """Whether anything has changed."""
        return self.status != "changed" or bool(self.arguments) or any(map(self.differs, _LAUNCHED))


def command_of(launch: Launch) -> tuple[str, ...]:
    """The words up to the entry point."""
    return tuple(word.text for word in launch.argv[: launch.entry + 1])


def conditions_of(launch: Launch) -> tuple[str, ...]:
    """What must hold for a launch."""
    return tuple(map(whole, launch.conditions))


def is_by_default(launch: Launch) -> bool:
    """Whether it is launched when nobody sets anything."""
    return launch.by_default


_LAUNCHED = (command_of, conditions_of, is_by_default)
"""What a launch is beside its arguments."""


class Comparison:
    """Two states of a tree. ``renamed`` leads from the names of files in the new one to those in the old one."""

    def __init__(self, old: Project, new: Project, renamed: Mapping[Path, Path]) -> None:
        self._old = old
        self._new = new
        self._renamed = renamed
        self._known: dict[int, Mapping[object, Setting]] = {}

    def changes(self, old: Sequence[Launch], new: Sequence[Launch]) -> Iterator[LaunchChange]:
        """What became of the launches of one script."""
        pairs = self._pairs(old, new)
        was = {id(after): before for before, after in pairs}
        matched = {id(before) for before, _ in pairs}
        for launch in new:
            before = was.get(id(launch))
            if before is None:
                yield LaunchChange(None, launch, tuple(self._all(launch, self._new, "added")), among=len(new))
                continue
            change = self._change(before, launch, len(new))
            if change.says_something:
                yield change
        for launch in old:
            if id(launch) not in matched:
                yield LaunchChange(launch, None, tuple(self._all(launch, self._old, "removed")), among=len(old))

    def _change(self, old: Launch, new: Launch, among: int) -> LaunchChange:
        arguments = tuple(self._arguments(old, new))
        sizes = (None, None) if old.kind != "relax" else (_gpus(old, self._old), _gpus(new, self._new))
        return LaunchChange(old, new, arguments, sizes, among)

    # ------------------------------------------------------------ which is which

    def _pairs(self, old: Sequence[Launch], new: Sequence[Launch]) -> list[tuple[Launch, Launch]]:
        """The launches that are the same: those that alone have their conditions, then the likeliest."""
        alone = self._alone(old), self._alone(new)
        found = [(alone[0][key], alone[1][key]) for key in alone[1] if key in alone[0]]
        taken = {id(launch) for pair in found for launch in pair}
        return found + self._likeliest(
            [launch for launch in old if id(launch) not in taken], [launch for launch in new if id(launch) not in taken]
        )

    def _alone(self, launches: Sequence[Launch]) -> Mapping[object, Launch]:
        """The launches whose conditions no other one has, by these."""
        keys = [(launch.kind, conditions_of(launch)) for launch in launches]
        counts = Counter(keys)
        return {key: launch for key, launch in zip(keys, launches, strict=True) if counts[key] == 1}

    def _likeliest(self, old: Sequence[Launch], new: Sequence[Launch]) -> list[tuple[Launch, Launch]]:
        if len(old) * len(new) > _MOST_COMPARED:
            return [(before, after) for before, after in zip(old, new, strict=False) if before.kind == after.kind]
        ranked = sorted(
            (self._distance(before, after, abs(here - there)), here, there)
            for here, before in enumerate(old)
            for there, after in enumerate(new)
            if before.kind == after.kind
        )
        left, right = set(range(len(old))), set(range(len(new)))
        found = []
        for (_, unlike, *_), here, there in ranked:
            alone = len(left) == len(right) == 1
            if here in left and there in right and (alone or unlike <= _HALF):
                found.append((old[here], new[there]))
                left.discard(here)
                right.discard(there)
        return found

    def _distance(self, old: Launch, new: Launch, apart: int) -> tuple[bool, float, bool, int]:
        before, after = self._settings(old, self._old), self._settings(new, self._new)
        keys = before.keys() | after.keys()
        unlike = sum(_shown(before.get(key)) != _shown(after.get(key)) for key in keys) / max(1, len(keys))
        return conditions_of(old) != conditions_of(new), unlike, command_of(old) != command_of(new), apart

    # ------------------------------------------------------------ arguments

    def _settings(self, launch: Launch, project: Project) -> Mapping[object, Setting]:
        if id(launch) not in self._known:
            self._known[id(launch)] = dict(_settings(launch, project))
        return self._known[id(launch)]

    def _arguments(self, old: Launch, new: Launch) -> Iterator[Change]:
        before, after = self._settings(old, self._old), self._settings(new, self._new)
        for key in [*after, *(key for key in before if key not in after)]:
            was, now = before.get(key), after.get(key)
            status = self._status(was, now)
            if status is not None:
                yield Change(status, was, now, self._flag(now or was))

    def _all(self, launch: Launch, project: Project, status: Status) -> Iterator[Change]:
        """Every argument of a launch that is on one side only."""
        for setting in self._settings(launch, project).values():
            old, new = (None, setting) if status == "added" else (setting, None)
            yield Change(status, old, new, self._flag(setting))

    def _status(self, old: Setting | None, new: Setting | None) -> Status | None:
        if old is None or new is None:
            return "added" if old is None else "removed"
        if _shown(old) != _shown(new):
            return "changed"
        if old.place is None or new.place is None:
            return None
        path = new.place[0]
        return None if self._renamed.get(path, path) == old.place[0] else "moved"

    def _flag(self, setting: Setting | None) -> Flag | None:
        if setting is None or setting.argument is None or not setting.flag.startswith("-"):
            return None
        return known_flag(setting.argument, self._new.catalogue)


def _settings(launch: Launch, project: Project) -> Iterator[tuple[object, Setting]]:
    """What each argument is set to, by what makes two the same: flags that set one name of Relax's are one."""
    is_relax = launch.kind == "relax"
    found: dict[object, list[Effective]] = {}
    flags: dict[object, Flag | None] = {}
    for one in effective(launch, project) if is_relax else of_verl(launch):
        if one.mark != "overridden":
            flag = known_flag(one.argument, project.catalogue) if is_relax else None
            key: object = (one.owner, one.flag.lstrip("+~")) if flag is None else (flag.parser, flag.dest)
            found.setdefault(key, []).append(one)
            flags[key] = flag
    for key, group in found.items():
        last = group[-1]
        words = [word for one in group for word in (one.argument.word, *values_of(one.argument))]
        text = "; ".join(one.value for one in group)
        values = tuple(tuple(word.text for word in values_of(one.argument)) for one in group)
        name = last.flag if is_relax else last.argument.flag.partition("=")[0]
        meaning = tuple(read_as(flags[key], one.value) for one in group)
        yield key, Setting(name, text, meaning, overriders(words), values, last.argument.word, last.argument)
    for word in _loose(launch):
        yield word.text, Setting(word.text, "", (word.text,), (), (), word)


def read_as(flag: Flag | None, text: str) -> object:
    """What a value is to the parser: 1e-6 and 0.000001 are one number."""
    if flag is not None and flag.type in ("int", "float"):
        with contextlib.suppress(ValueError):
            return float(text)
    return text


def _loose(launch: Launch) -> Iterator[Word]:
    """The words that belong to no flag: of these nothing is known."""
    for argument in launch.arguments:
        if launch.kind == "verl":
            yield from [argument.word] if is_hidden_whole(argument.word) else []
        elif not argument.flag:
            yield argument.word
        else:
            yield from argument.values[len(values_of(argument)) :]


def _shown(setting: Setting | None) -> object:
    """What tells a setting from another; of switches that set one name, and of ``--no-`` twins, the words tell it."""
    return None if setting is None else (setting.meaning if setting.text else setting.flag, setting.unless)


def _gpus(launch: Launch, project: Project) -> int | None:
    from relax_lint.gpu_layout import facts_for_layout, layout

    facts, _ = facts_for_layout(launch, project)
    return layout(facts).total
