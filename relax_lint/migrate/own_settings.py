"""Settings that no verl known here has: those of the user's own verl, or of a program that is built on it. Where they
are declared and read, and what is left to be done about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.derived.multi_turn import takes_turns
from relax_lint.migrate.environment.files import shown_path
from relax_lint.migrate.mains import module_name
from relax_lint.migrate.plan import Fate, Obstacle, Step, Todo
from relax_lint.migrate.readers import Reading, code_of_main, is_own_main, readings_of
from relax_lint.migrate.readings import shown

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.migrate.carrying.sources import VerlSources
    from relax_lint.migrate.settings import Setting, Settings
    from relax_lint.migrate.values import Data

_EMPTY: tuple[Data, ...] = ("", [], {})
_CONVENIENT = ("trainer.", "hydra.")
"""Settings of which no score, action or sample depends."""
_OF_TURNS = ("turn", "search", "retriev", "tool", "agent", "environment")
_MOST_NAMED = 6
_LONGEST = 50


def own_program(settings: Settings, sources: VerlSources | None) -> Iterator[Step]:
    """What is told of a program that is none of verl's."""
    if not is_own_main(settings.main):
        return
    found = None if sources is None else code_of_main(settings, sources)
    file = settings.main if found is None or sources is None else shown_path(found.path, sources)
    yield Todo(
        f"compare {file} with verl's own main_ppo, and carry over what it does otherwise: Relax runs its own loop"
    )
    yield _obstacle(None, settings, f"what {file}, which runs here, does otherwise than verl's own main_ppo")


def own_steps(members: Sequence[Setting], settings: Settings, sources: VerlSources | None) -> Iterator[Step]:
    """The fates of settings that the mapping does not know, and what is to be done about them."""
    if not members:
        return
    found = {} if sources is None else readings_of(members, settings, sources)
    acting: list[Setting] = []
    strange: list[Setting] = []
    for setting in members:
        known = _whereabouts(setting, found.get(setting.key), sources)
        if not known:
            strange.append(setting)
        elif _asks_nothing(setting.value):
            yield Fate(setting.key, "same", reason=f"a setting of this verl's own, which asks for nothing: {known}")
        else:
            unread = "" if setting.key in found else "; no code of it was seen to read it"
            todo = f"carry over what the code does with {setting.key}={_short(setting)}"
            yield Fate(setting.key, "by hand", reason=f"a setting of this verl's own, {known}{unread}", todo=todo)
            acting.append(setting)
    yield from _todos(acting, found, sources)
    yield from _strange(strange, settings, sources)
    yield from _obstacles(acting, found, settings, sources)


def _asks_nothing(value: Data) -> bool:
    """Whether a value leaves something out; a number never does, zero may mean anything."""
    return value is None or value is False or value in _EMPTY


def meant(setting: Setting) -> str:
    """A question after a setting that is probably misspelled."""
    return f" (did you mean {setting.meant}?)" if setting.meant else ""


def _strange(members: Sequence[Setting], settings: Settings, sources: VerlSources | None) -> Iterator[Step]:
    """Settings that no code and no configuration at hand has."""
    of_verl = module_name(settings.main).startswith("verl.")
    has_code = sources is not None and sources.package is not None and code_of_main(settings, sources) is not None
    whose = "code of your own" if of_verl else settings.main
    own_way = f"verl has no such setting: carry over what {whose} does with it, if anything"
    said = "verl has no such setting, and does not read it" if of_verl else "verl has no such setting"
    if has_code:
        own_way = "verl has no such setting, and no code at hand was seen to read it: nothing, unless other code does"
        said = "verl has no such setting, and no code at hand was seen to read it"
    for setting in members:
        reason = f"{said}; {setting.meant} is probably meant" if setting.meant else said
        todo = "" if of_verl or has_code else f"{setting.key}: {own_way}"
        yield Fate(setting.key, "unknown key", reason=reason, todo=todo)
        if setting.meant:
            way = f"verl has no such setting: if {setting.meant} is meant, give the launcher what that would say"
            yield Todo(f"{setting.key}{meant(setting)}: {way}", (setting.key,))
    unclear = tuple(each.key for each in members if not each.meant)
    if unclear:
        yield Todo(f"{', '.join(unclear)}: {own_way}", unclear)


def _whereabouts(setting: Setting, read: Reading | None, sources: VerlSources | None) -> str:
    declared = "" if setting.declared is None else f"declared at {_at(setting.declared, sources)}"
    return " and ".join(filter(None, (declared, "" if read is None else f"read at {_line_of(read, sources)}")))


def _at(place: Place, sources: VerlSources | None) -> str:
    return _line_of(Reading(place.source.path, place.source.position(place.start)[0]), sources)


def _line_of(reading: Reading, sources: VerlSources | None) -> str:
    path = reading.path.as_posix() if sources is None else shown_path(reading.path, sources)
    return f"{path}:{reading.line}"


def _todos(acting: Sequence[Setting], found: Mapping[str, Reading], sources: VerlSources | None) -> Iterator[Todo]:
    """One for each file that reads some."""
    by_file: dict[Path, list[Setting]] = {}
    for setting in acting:
        if setting.key in found:
            by_file.setdefault(found[setting.key].path, []).append(setting)
    for path, members in by_file.items():
        file = _line_of(Reading(path, 0), sources).rpartition(":")[0]
        told = compact({each.key: f" (line {found[each.key].line})" for each in members})
        which = "them" if len(members) > 1 else "it"
        yield Todo(f"{told}: carry over what {file} does with {which}", tuple(each.key for each in members))
    unread = tuple(each.key for each in acting if each.key not in found)
    if unread:
        told = compact(dict.fromkeys(unread, ""))
        which = "them" if len(unread) > 1 else "it"
        yield Todo(
            f"{told}: see whether anything reads {which}; a configuration has {which}, no code was seen to", unread
        )


def compact(keys: Mapping[str, str]) -> str:
    """Keys, each with what is said of it; those of one part together in braces."""
    parts: dict[str, list[str]] = {}
    for key, said in keys.items():
        above, _, name = key.rpartition(".")
        parts.setdefault(above, []).append(f"{name}{said}")
    together = (
        f"{above}.{{{', '.join(names)}}}"
        if above and len(names) > 1
        else ", ".join(f"{above}.{each}".lstrip(".") for each in names)
        for above, names in parts.items()
    )
    return ", ".join(together)


def _obstacles(
    acting: Sequence[Setting], found: Mapping[str, Reading], settings: Settings, sources: VerlSources | None
) -> Iterator[Obstacle]:
    """What the launch itself asks the user's code for, at the line where it does."""
    read = [each for each in acting if each.key in found and not each.key.startswith(_CONVENIENT)]
    asked = [each for each in read if each.origin != "verl default"]
    turns = [each for each in read if each.value != 0 and any(word in each.key.lower() for word in _OF_TURNS)]
    if turns and not takes_turns(settings):
        asked = [each for each in asked if each not in turns]
        first = next((each for each in turns if each.place is not None), turns[0])
        yield _obstacle(
            first,
            settings,
            f"the several turns of {_named(turns, found, sources)}: the launcher makes one response to a prompt; "
            "write an environment, or a generate function",
        )
    if asked:
        yield _obstacle(asked[0], settings, f"what your own code does with {_named(asked, found, sources)}")


def _obstacle(setting: Setting | None, settings: Settings, message: str) -> Obstacle:
    place = (None if setting is None else setting.place) or settings.launch.argv[settings.launch.entry].place
    assert place is not None
    return Obstacle(place.source.path, place.source.position(place.start)[0], message)


def _named(members: Sequence[Setting], found: Mapping[str, Reading], sources: VerlSources | None) -> str:
    named = compact({each.key: "" for each in members[:_MOST_NAMED]})
    more = f" and {len(members) - _MOST_NAMED} more" if len(members) > _MOST_NAMED else ""
    return f"{named}{more} (read at {_line_of(found[members[0].key], sources)})"


def _short(setting: Setting) -> str:
    text = shown(setting.value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
