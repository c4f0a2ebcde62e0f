"""The ways through a verl script: which launches are those of a plain run, and which need something set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.migrate.surroundings import variables_in
from relax_lint.migrate.written import plain_name
from relax_lint.records import record
from relax_lint.shell.nodes import Loop
from relax_lint.shell.walk import nodes_of
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.launcher import LauncherSource

GIVEN_BY_THE_SYSTEM = frozenset("HOME USER LOGNAME PWD OLDPWD PATH SHELL HOSTNAME TMPDIR LANG".split())
_SAYS = re.compile(r"(?:==?|-eq|\bin\b)\s*[\"']?(?P<value>[\w.-]+)[\"')]*(?:\s*\]\]?)?\Z")
_ASKED_BY_NAME = re.compile(r"(?<=\s-v )\s*[\"']?([A-Za-z_]\w*)")
_NUMBER = re.compile(r"\d+")


@record
class Way:
    """Launches that a script comes to together: ``name`` tells them from the main ones, which have none."""

    name: str
    launches: tuple[Launch, ...]
    conditions: tuple[str, ...] = ()


def rescues(launcher: LauncherSource) -> list[Launch]:
    """The launches that a script comes to only when another one has failed. They are of no way."""
    normal = {(launch.site, _texts(launch)) for launch in _launches(launcher)}
    every = (launch for launch in launcher.launches if launch.kind == "verl")
    return [launch for launch in every if (launch.site, _texts(launch)) not in normal]


def retries(launcher: LauncherSource) -> list[Place]:
    """The loops that a script goes round again only when a training has failed."""
    every = [launch for launch in launcher.launches if launch.kind == "verl"]
    normal = {launch.again for launch in _launches(launcher)}
    found = dict.fromkeys(launch.again for launch in every if launch.again and launch.again not in normal)
    sites = [launch.site for launch in every]
    for source in dict.fromkeys(launch.site.source for launch in every):
        if isinstance(source, ScriptFile):
            loops = (loop for loop in nodes_of(source, Loop) if any(_asks_for(loop, source, site) for site in sites))
            found |= dict.fromkeys(Place(source, loop.start, loop.end) for loop in loops)
    return list(found)


def _asks_for(loop: Loop, source: ScriptFile, site: Place) -> bool:
    """Whether a launch is the condition of a loop."""
    asked = loop.condition
    return site.source is source and bool(asked) and asked[0].start <= site.start < asked[-1].end


def ways(launcher: LauncherSource) -> list[Way]:
    """The ways, the one that is taken when nothing is set first. Launches of a loop, and launches one after another,
    are of one way; another way has only the launches that the first has not. No training is taken to fail."""
    launches = _launches(launcher)
    if not launches:
        return []
    main = _main(launcher, launches)
    found = [Way("", tuple(main))]
    rest = [launch for launch in launches if launch not in main]
    for conditions in dict.fromkeys(launch.conditions for launch in rest):
        together = tuple(launch for launch in rest if launch.conditions == conditions)
        found.append(Way("", together, conditions))
    names = _names(found)
    return [Way(name, way.launches, way.conditions) for name, way in zip(names, found, strict=True)]


def _launches(launcher: LauncherSource) -> list[Launch]:
    """The launches that a script can come to while all its trainings succeed."""
    launches = launcher.launches
    if any(launch.conditions for launch in launches):
        launches = launcher.evaluate_with(None, {}, trainings_succeed=True).launches
    return [launch for launch in launches if launch.kind == "verl"]


def _texts(launch: Launch) -> tuple[str, ...]:
    return tuple(word.text for word in launch.argv)


def _main(launcher: LauncherSource, launches: Sequence[Launch]) -> list[Launch]:
    """The launches of a run without arguments in which no variable is set that the script asks about."""
    if not any(launch.conditions for launch in launches):
        return list(launches)
    texts = [launcher.text, *(source.text for source in launcher.evaluation.sourced)]
    asked = {name for text in texts for name in (*variables_in(text), *_ASKED_BY_NAME.findall(text))}
    given = {*launcher.project.settings.env, *GIVEN_BY_THE_SYSTEM}
    plain = launcher.evaluate_with((), {name: None for name in asked if name not in given}, trainings_succeed=True)
    taken = [launch for launch in plain.launches if launch.kind == "verl"]
    found: list[Launch] = []
    for site in dict.fromkeys(launch.site for launch in launches):
        here = [launch for launch in launches if launch.site == site]
        likely = [launch for launch in taken if launch.site == site]
        if likely:
            conditions = max(here, key=lambda launch: _likeness(launch, likely[0])).conditions
            found += [launch for launch in here if launch.conditions == conditions]
    if found:
        return found
    least = min((launch.conditions for launch in launches), key=_asked_for)
    return [launch for launch in launches if launch.conditions == least]


def _asked_for(conditions: Sequence[str]) -> int:
    """How much has to be set or there for conditions to hold."""
    return sum(not condition.startswith("! ") for condition in conditions)


def _likeness(launch: Launch, other: Launch) -> tuple[int, int]:
    """How many words two launches have in common, and how few only one has."""
    own, others = ({word.text for word in each.argv} for each in (launch, other))
    return len(own & others), -len(own ^ others)


def _names(found: Sequence[Way]) -> list[str]:
    """What each way but the first is called: after the value that a condition wants, else by number."""
    names = ["", *(next(_said(way.conditions), "") for way in found[1:])]
    return [
        name if name and names.count(name) == 1 else ("" if number == 0 else str(number + 1))
        for number, name in enumerate(names)
    ]


def _said(conditions: Sequence[str]) -> Iterator[str]:
    for condition in conditions:
        if condition.startswith("! "):
            continue
        match = _SAYS.search(condition.strip())
        value = plain_name(match["value"]).lower() if match else ""
        if value and not _NUMBER.fullmatch(value):
            yield value
