"""The YAML file that a launch names: Relax makes attributes of args of its keys, over what the flags have set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.records import record

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.config_yaml import Entry, YamlSource

CONFIG = "--custom-config-path"
_KINDS = ("str", "int", "null")


@record
class Setting:
    """What the config of a launch makes of a flag.

    ``named`` is how the launch names the file, ``kind`` what is known of the value: ``str``, ``int``, ``null``, or
    empty where it is something else, or where the file itself is not known for sure.
    """

    named: str
    kind: str = ""
    text: str = ""
    place: Place | None = None


def dest_of(flag: str) -> str:
    """The attribute of args that a flag sets, which is the key that sets it over the flag."""
    return flag.removeprefix("--").replace("-", "_")


def setting(launch: Launch, project: Project, flag: str) -> Setting | None:
    """What the config makes of a flag, if it names it; where the launch does not say plainly which file it is, any YAML
    file of the recipe may be."""
    argument = launch.last(CONFIG)
    if argument is None:
        return None
    return project.once(("setting", launch, flag), lambda: _setting(launch, argument.value, project, flag))


def _setting(launch: Launch, named: str | None, project: Project, flag: str) -> Setting | None:
    shown = f"{CONFIG} {named or ''}".strip()
    if named is not None:
        return setting_in(project.root / named, project, dest_of(flag), shown)
    recipe = project.recipe_of(launch.script)
    files = [] if recipe is None else recipe.yaml
    return next((Setting(shown) for path in files if setting_in(path, project, dest_of(flag), shown)), None)


def setting_in(path: Path, project: Project, key: str, shown: str) -> Setting | None:
    """What a config makes of a key at its top."""
    if key.encode() not in (project.read(path) or b""):
        return None
    source = project.yaml(path)
    if source is None:
        return None
    if source.error is not None or source.is_template:
        return Setting(shown)  # it may be set
    entry = source.top.get(key)
    return None if entry is None else _of_entry(source, entry, shown)


def _of_entry(source: YamlSource, entry: Entry, shown: str) -> Setting:
    value = entry.value
    kind = value.tag if value.tag in _KINDS else ""
    if kind == "int" and not value.text.removeprefix("-").isdecimal():
        kind = ""  # octal, hexadecimal, sexagesimal
    place = source.place(entry)
    return Setting(shown, kind, value.text, place) if kind else Setting(shown, place=place)


def overridden_by_config(launch: Launch, project: Project, flag: str) -> str | None:
    """The config file, as the launch names it, when it sets what a flag sets."""
    found = setting(launch, project, flag)
    return None if found is None else found.named
