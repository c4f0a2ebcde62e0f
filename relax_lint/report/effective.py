"""The arguments of a launch as its parsers see them: whose each is, and which of equal ones counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Literal

from relax_lint.catalog.switches import is_switch
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue, Flag
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch, Word

Mark = Literal["", "overridden", "unknown"]
_GATHERS = ("append", "extend")
_VARIABLE = re.compile(r"\$\{?(\w+)")
_OVERRIDE = re.compile(r"(\+\+|[+~])?([^=]*)(?:=(.*))?\Z", re.DOTALL)


@record
class Effective:
    """An argument to be shown: ``owner`` is whose flag it is, for verl the first part of the key."""

    argument: Argument
    owner: str
    flag: str
    value: str
    mark: Mark = ""
    note: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes it the same as one of another launch."""
        place = self.argument.word.place
        return self.flag, self.value, self.mark, None if place is None else (place.source.path, place.start)


def effective(launch: Launch, project: Project) -> list[Effective]:
    """The flags of a launch of Relax, in their order. Words that belong to no flag are left out."""
    found = [(argument, known_flag(argument, project.catalogue)) for argument in launch.arguments if argument.flag]
    last = {(flag.parser, flag.dest): argument for argument, flag in found if flag is not None}
    return [_effective(argument, flag, project, last) for argument, flag in found]


def known_flag(argument: Argument, catalogue: Catalogue) -> Flag | None:
    """The flag that a word names, also by an abbreviation that one parser takes."""
    known = catalogue.flag(argument.flag)
    if known is not None:
        return known
    begun = {flag.dest: flag for flag in catalogue.abbreviated(argument.flag)}
    return next(iter(begun.values())) if len(begun) == 1 else None


def _effective(
    argument: Argument, flag: Flag | None, project: Project, last: dict[tuple[str, str], Argument]
) -> Effective:
    value = _joined(values_of(argument))
    if flag is None:
        if argument.flag in project.settings.extra_flags:
            return Effective(argument, "extra", argument.flag, value)
        return Effective(argument, "unknown", argument.flag, value, "unknown", _meant(argument.flag, project))
    owner = "relax" if flag.owner == "pre" else flag.owner
    note = "" if argument.flag in flag.names else f"short for {flag.name}"
    counts = last[flag.parser, flag.dest] is argument or flag.action in _GATHERS
    return Effective(argument, owner, argument.flag, value, "" if counts else "overridden", note)


def _meant(name: str, project: Project) -> str:
    from relax_lint.catalog.unknown import meant, where_else

    likely = meant(project.catalogue, name)
    return f"did you mean {likely[0]}?" if len(likely) == 1 else where_else(project.catalogue, name) or ""


def values_of(argument: Argument) -> Sequence[Word]:
    """The words that belong to a flag. What is not known at all behind a switch is something else."""
    own = argument.own_values
    if len(own) == 1 and is_switch(argument.flag) and is_hidden_whole(own[0]):
        return ()
    return own


def _joined(words: Sequence[Word]) -> str:
    """Values as one reads them: quoted only where they would run into each other."""
    if len(words) == 1 and words[0].text:
        return " ".join(words[0].text.split())
    return " ".join(word.text if not word.known else quote(word.text) for word in words)


def of_verl(launch: Launch) -> list[Effective]:
    """The overrides of a launch of verl, by the first part of their keys, which the rest follows. Words that are not
    known at all are left out."""
    parts = [(argument, *_split(argument)) for argument in launch.arguments if not is_hidden_whole(argument.word)]
    last = {key: argument for argument, _, key, _ in parts}
    return [_of_verl(argument, sign, key, value, counts=last[key] is argument) for argument, sign, key, value in parts]


def _split(argument: Argument) -> tuple[str, str, str | None]:
    """The sign of an override, its key, and its value."""
    match = _OVERRIDE.match(argument.flag)
    assert match is not None  # it matches anything
    return match[1] or "", match[2], match[3]


def _of_verl(argument: Argument, sign: str, key: str, value: str | None, *, counts: bool) -> Effective:
    group, dot, rest = key.partition(".")
    if key.startswith("-") or (value is None and not sign):
        group, dot = "command line", ""
    return Effective(
        argument,
        group,
        sign + (rest if dot else key),
        "" if value is None else " ".join(value.split()) or "''",
        "" if counts else "overridden",
    )


def is_hidden_whole(word: Word) -> bool:
    """Whether nothing of a word is known."""
    return len(word.unknowns) == 1 and word.text in (word.unknowns[0].text, f'"{word.unknowns[0].text}"')


def overriders(words: Iterable[Word]) -> tuple[str, ...]:
    """The variables and arguments of the script that can make words something else than they are by default."""
    names = (_VARIABLE.findall(name) or [name] for word in words for name in word.defaults)
    return tuple(dict.fromkeys(name for found in names for name in found))


def unless(names: Sequence[str]) -> str:
    """The same in words; nothing where there are none."""
    told = [f"${name}" if name.isdecimal() else name for name in names]
    if len(told) < 2:
        return f"unless {told[0]} is {'given' if names[0].isdecimal() else 'set'}" if told else ""
    return f"unless {', '.join(told[:-1])} or {told[-1]} says otherwise"
