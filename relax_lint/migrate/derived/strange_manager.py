"""A reward manager whose ways are not known: what stands in for it, and where it is to be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.environment.files import named_file
from relax_lint.migrate.readings import first_key, text
from relax_lint.migrate.reward.managers import Manager, of_file, registered
from relax_lint.migrate.reward.request import MANAGERS
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_BLOCKS = ("reward_manager", "reward.reward_manager")
_OLD = "reward_model.reward_loop_{}"


@record
class StrangeManager:
    """The manager of a launch: ``called`` says which it is, for a sentence; ``path`` and ``line`` where it is."""

    called: str
    path: Path
    line: int


def strange_manager(settings: Settings, choices: Choices, name: str | None) -> StrangeManager | None:
    """The manager that a launch names, unless it is one whose ways are known."""
    of_a_file = _of_a_file(settings, choices)
    if of_a_file is None and (name is None or name in MANAGERS):
        return None
    found, name = of_a_file or (None, name)
    sources = choices.verl
    if found is None and sources is not None and of_a_file is None and name is not None:
        found = registered(name, settings.main, sources)
    if found is None or sources is None:
        path, line = _place(settings)
        return StrangeManager(f"the reward manager {name}, whose code is not found", path, line)
    whose = "verl's reward manager" if found.of_verl else "the reward manager"
    which = f"{whose} {name}, {found.shown(sources)}" if name != found.name else f"{whose} {found.shown(sources)}"
    return StrangeManager(which, found.path, found.line)


def _of_a_file(settings: Settings, choices: Choices) -> tuple[Manager | None, str] | None:
    """The class in a file that a launch names for its manager, and what it is called."""
    for source, path, name in (
        *((f"{each}.source", f"{each}.module.path", f"{each}.name") for each in _BLOCKS),
        tuple(_OLD.format(each) for each in ("source", "module_path", "class_name")),
    ):
        if text(settings, source) == "importlib" and settings.value(path) is not None:
            class_name = text(settings, name) or ""
            sources = choices.verl
            file = None if sources is None else named_file(settings.value(path), sources, settings.launch.script)
            return (None if file is None or sources is None else of_file(file, class_name, sources)), class_name
    return None


def _place(settings: Settings) -> tuple[Path, int]:
    key = first_key(settings, "reward_model.reward_manager", *(f"{each}.name" for each in _BLOCKS))
    setting = settings.leaves.get(key)
    place = setting.place if setting is not None else None
    place = place or settings.launch.argv[settings.launch.entry].place
    return (place.source.path, place.source.position(place.start)[0]) if place is not None else (Path(), 0)
