"""The YAML file that a launch names: Relax makes attributes of args of its keys, over what the flags have set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relax_lint.diagnostics import Place
from relax_lint.records import record
from relax_lint.shell.queries import NotKnown, start_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.text import SourceFile

CONFIG = "--custom-config-path"
_BOM = "\ufeff"
_KINDS = {f"tag:yaml.org,2002:{kind}": kind for kind in ("str", "int", "null")}


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
    named = argument.value
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
    source = project.text(path)
    return None if source is None else _setting(source, key, shown)


def _setting(source: SourceFile, key: str, shown: str) -> Setting | None:
    import yaml

    try:
        top = yaml.compose(source.text.removeprefix(_BOM), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return Setting(shown)  # a template, say: it may be set
    if not isinstance(top, yaml.MappingNode):
        return None
    found: Setting | None = None
    for name, value in _pairs(top):
        if name == "<<":
            found = found or Setting(shown)
        elif name == key:
            found = _of_value(source, value, shown)
    return found


def _pairs(mapping: Any) -> Iterator[tuple[object, Any]]:
    for key, value in mapping.value:
        yield key.value, value


def _of_value(source: SourceFile, value: Any, shown: str) -> Setting:
    shift = source.text.startswith(_BOM)
    place = Place(source, value.start_mark.index + shift, value.end_mark.index + shift)
    kind = _KINDS.get(value.tag, "")
    if kind == "int" and not value.value.removeprefix("-").isdecimal():
        kind = ""  # octal, hexadecimal, sexagesimal
    return Setting(shown, kind, value.value, place) if kind else Setting(shown, place=place)


def overridden_by_config(launch: Launch, project: Project, flag: str) -> str | None:
    """The config file, as the launch names it, when it sets what a flag sets."""
    found = setting(launch, project, flag)
    return None if found is None else found.named


def set_integer(launch: Launch, given: Setting) -> int:
    """The number that a config sets; raises :class:`NotKnown` when that is no number."""
    if given.kind != "int":
        raise NotKnown(given.named, start_of(launch))
    return int(given.text)
