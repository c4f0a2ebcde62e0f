"""The flags that words of a launch are proposed to be: misspelt ones, abbreviations, old names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from relax_lint.catalog.deprecations import REPLACEMENTS
from relax_lint.catalog.launches import namespace_of
from relax_lint.catalog.unknown import meant, where_else
from relax_lint.catalog.words import is_number, is_whole_name

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue
    from relax_lint.catalog.namespace import Namespace
    from relax_lint.catalog.words import Group
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch, Word

_OF_OTHERS = re.compile(r"--config-(?:path|name|dir)|--runtime-env-json")
"""Options of Hydra (RLX402) and of Ray's job submission (RLX404)."""
_ABBREVIATED_FOR = ("sglang", "teacher")
"""The parsers that take abbreviations."""


def unread(namespace: Namespace, extra: Iterable[str]) -> Iterator[Group]:
    """The words that look like a flag and that no parser takes for one, nor the configuration for an ``extra`` one."""
    known = frozenset(extra)
    for group in namespace.groups:
        if group.word is None or group.flags or group.name in known or _OF_OTHERS.fullmatch(group.name):
            continue
        if group.name == "--" or not is_number(group.word.text):
            yield group


def likely(catalogue: Catalogue, name: str, extra: Iterable[str]) -> list[str]:
    """The flags that an unread word may be meant to be, unless it is known why it is none here."""
    return [] if where_else(catalogue, name) else meant(catalogue, name, extra)


def short_for(group: Group, namespace: Namespace) -> list[str]:
    """The flags that an abbreviation stands for; several where it is refused as ambiguous."""
    if not group.abbreviated or group.word is None or not is_whole_name(group.word):
        return []
    read = [namespace.parsers.models[name] for name in _ABBREVIATED_FOR if name in namespace.parsed]
    return [name for parser in read for name in parser.completions(group.name)]


def proposals(launch: Launch, project: Project) -> Mapping[str, list[Word]]:
    """The flags that words of the launches of a script are proposed to be, each with these words."""

    def answer() -> dict[str, list[Word]]:
        script = project.launcher(launch.script)
        found: dict[str, list[Word]] = {}
        for each in [launch] if script is None else script.launches:
            for flag, word in _proposed(each, project) if each.kind == "relax" else ():
                found.setdefault(flag, []).append(word)
        return found

    return project.once(("proposals", launch.script), answer)


def _proposed(launch: Launch, project: Project) -> Iterator[tuple[str, Word]]:
    namespace, extra = namespace_of(launch, project), project.settings.extra_flags
    catalogue = namespace.parsers.catalogue
    for group in unread(namespace, extra):
        if group.word is not None and is_whole_name(group.word):
            yield from ((flag, group.word) for flag in likely(catalogue, group.name, extra))
    for group in namespace.groups:
        if group.word is None:
            continue
        yield from ((flag, group.word) for flag in short_for(group, namespace))
        new = REPLACEMENTS.get(group.name)
        if new is not None and (new.flag or new.words):
            yield new.flag or new.words.partition(" ")[0], group.word
