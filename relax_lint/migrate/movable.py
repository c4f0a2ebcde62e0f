"""Values that name the directory in which a script was evaluated: to whoever runs the recipe it is another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from relax_lint.migrate.settings import Settings
from relax_lint.migrate.values import Data, Template, default_of
from relax_lint.records import changed
from relax_lint.shell.launch import Unknown

HERE = Unknown("${PWD}", "PWD")


def movable(settings: Settings, root: Path) -> Settings:
    """The settings with ``${PWD}`` in the place of the directory in which the script was taken to run. Where a file
    names that directory itself, it is meant as it is written there."""
    here = re.compile(rf"(?<![\w.-]){re.escape(str(root))}(?![\w.-])")
    of_launch = settings.launch.argv[settings.launch.entry].place
    leaves = dict(settings.leaves)
    for key, setting in settings.leaves.items():
        place = setting.place or of_launch
        if str(root) in str(setting.value) and (place is None or here.search(place.source.text) is None):
            leaves[key] = changed(setting, value=_moved(setting.value, here))
    return changed(settings, leaves=leaves)


def _moved(data: Data, here: re.Pattern[str]) -> Data:
    if isinstance(data, str):
        parts = tuple(_parts(data, here))
        return Template(parts) if HERE in parts else data
    if isinstance(data, Template):
        return Template(tuple(piece for part in data.parts for piece in _moved_part(part, here)))
    if isinstance(data, list):
        return [_moved(item, here) for item in data]
    if isinstance(data, dict):
        return {key: _moved(value, here) for key, value in data.items()}
    return data


def _moved_part(part: str | Unknown, here: re.Pattern[str]) -> Iterator[str | Unknown]:
    """A part of a string; a variable whose default is the directory stands for that from now on."""
    default = part if isinstance(part, str) else default_of(part)
    if default is not None and (isinstance(part, str) or here.search(default)):
        yield from _parts(default, here)
    else:
        yield part


def _parts(text: str, here: re.Pattern[str]) -> Iterator[str | Unknown]:
    for number, piece in enumerate(here.split(text)):
        if number:
            yield HERE
        if piece:
            yield piece
