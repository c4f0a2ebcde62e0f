"""What is asked about a command line, and what is answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """A command line behind Relax's entry point, and what it finds around it.

    ``kind`` is launch, aimed (combined, where several flags change), drop, change, add or spelling, ``change`` says
    what was done to the launch ``name``. ``environment`` changes the driver's variables (``None`` unsets one), paths
    that begin with one of ``missing`` are not there, ``saved`` says that ``--load`` holds a checkpoint to go on from,
    ``config`` is the ``config.json`` of every checkpoint.
    """

    name: str
    kind: str
    argv: tuple[str, ...]
    change: str = ""
    environment: Mapping[str, str | None] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    saved: bool = False
    config: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Accept or refuse; ``kind`` is parse, refusal or crash, ``place`` the file and line that stopped, ``message``
    says why."""

    accepted: bool
    kind: str = ""
    place: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What both say of a request."""

    request: Request
    relax: Verdict
    ours: Verdict

    @property
    def agrees(self) -> bool:
        """Whether both accept or both refuse."""
        return self.relax.accepted == self.ours.accepted


Groups = list[list[str]]


def groups(argv: Iterable[str]) -> Groups:
    """A command line cut before each flag: a flag with its values, words before the first flag together."""
    found: Groups = []
    for word in argv:
        if word.startswith("--") or not found:
            found.append([word])
        else:
            found[-1].append(word)
    return found


def joined(parts: Groups) -> tuple[str, ...]:
    """The command line of its groups."""
    return tuple(word for part in parts for word in part)


def flag_of(part: Sequence[str]) -> str:
    """The flag of a group, without a value behind ``=``."""
    return part[0].partition("=")[0]


def edited(argv: Iterable[str], given: Sequence[str], without: Iterable[str] = ()) -> tuple[str, ...]:
    """A command line in which ``given`` takes the place of the flags that it names; those in ``without`` are gone."""
    new = groups(given)
    gone = {flag_of(part) for part in new}.union(without)
    return joined([*(part for part in groups(argv) if flag_of(part) not in gone), *new])


def distinct(requests: Iterable[Request]) -> Iterator[Request]:
    """Each command line in its surroundings once."""
    seen: set[object] = set()
    for request in requests:
        key = (request.argv, repr((request.environment, request.missing, request.saved, request.config)))
        if key not in seen:
            seen.add(key)
            yield request
