"""The YAML files that launches name by a flag, looked up where Relax opens them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.catalog.launches import namespace_of
from relax_lint.diagnostics import Place, Related
from relax_lint.launch_config import dest_of
from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.shell.queries import NotKnown, place_of, why_unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch, Word
    from relax_lint.sources.config_yaml import YamlSource

CUSTOM, EVAL, SGLANG, AUTOSCALER = "--custom-config-path", "--eval-config", "--sglang-config", "--autoscaler-config"
CONFIG_FLAGS = (CUSTOM, EVAL, SGLANG, AUTOSCALER)

_VARIABLE = pattern(r"\$\{?(\w+)")
_MAKES = pattern(
    r">|\b(?:tee|cp|mv|ln|envsubst|yq|jq|wget|curl|rsync|scp|touch|install|git|unzip|tar|python3?|sed|awk|hf|dvc)\b"
)
"""What a line holds that may make a file."""


@record
class NamedConfig:
    """A YAML file by the flag that names it; ``source`` is ``None`` when it is not there or cannot be read."""

    flag: str
    text: str
    argument: Argument
    path: Path
    source: YamlSource | None

    @property
    def word(self) -> Word:
        """The word that names it."""
        return self.argument.own_values[0]


def named_config(launch: Launch, project: Project, flag: str) -> NamedConfig | None:
    """The file that a launch of Relax gives a flag. Raises :class:`NotKnown` when the launch does not tell which."""
    argument = namespace_of(launch, project).argument(dest_of(flag)) if launch.kind == "relax" else None
    if argument is None or not argument.own_values:
        return None
    word = argument.own_values[0]
    if not word.known:
        raise NotKnown(why_unknown(word), place_of(launch, word))
    if not word.text:
        return None  # Relax takes an empty path for none
    path = Path(os.path.normpath(project.root / (launch.directory or "") / word.text))
    source = project.yaml(path) if project.is_file(path) else None
    return NamedConfig(flag, word.text, argument, path, source)


def is_certainly_missing(named: NamedConfig, launch: Launch, project: Project) -> bool:
    """Whether there is no such file wherever this repository is. What lies elsewhere is not known."""
    if project.exists(named.path) or not named.path.is_relative_to(project.root):
        return False
    first = named.path.relative_to(project.root).parts[0]
    return project.exists(project.root / first) or project.relax_root == project.root or _misplaced(named, launch)


def _misplaced(named: NamedConfig, launch: Launch) -> bool:
    return beside(named, launch).name == named.text


def beside(named: NamedConfig, launch: Launch) -> Path:
    """The file of that name in the directory of the script."""
    return launch.script.parent / Path(named.text).name


def may_be_made(named: NamedConfig, launch: Launch, project: Project) -> bool:
    """Whether a script that takes part in a launch may make the file first."""
    place = named.word.place
    spelled = "" if place is None else place.source.text[place.start : place.end]
    names = "|".join(map(re.escape, [Path(named.text).name, *_VARIABLE.findall(spelled)]))
    mention = re.compile(rf"(?<!\w)(?:{names})(?!\w)")
    return any(
        mention.search(line) and _MAKES.search(line) and named.flag not in line
        for text in _texts(launch, project)
        for line in text.splitlines()
    )


def _texts(launch: Launch, project: Project) -> Iterator[str]:
    for script in project.reach.of(launch.script).scripts:
        yield project.reach.text(script).replace("\\\n", " ")


def where(
    named: NamedConfig, at: Place, launch: Launch, project: Project, message: str
) -> tuple[Place, tuple[Related, ...]]:
    """Where to say something of a place in a named file, and what goes with it: in the file itself when it belongs to a
    recipe, since only those are looked at, else at the flag."""
    flag = place_of(launch, named.word)
    if project.recipe_of(named.path) is not None:
        return at, (Related(flag, f"{named.flag} names this file here"),)
    return flag, (Related(at, message),)
