"""Which scripts a script may source or run, told by its text, without working out what it does.

What is said is never too little: whoever is not reached by this is not reached by working it out either.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.discovery import is_launcher, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from relax_lint.project import Project

SHARED = "scripts"
"""Where scripts lie, beside the recipes themselves, that launchers source."""

_COMMENT_LINE = re.compile(r"^[ \t]*#(?![ \t]*shellcheck\b).*$", re.MULTILINE)
"""A comment that names nothing; `# shellcheck source=…` does."""
_NAME = re.compile(r"([^\w.+@-]?)([\w.+@-]*\.(?:sh|bash)\b)")
_JOINS = "$}*?])\"'`"
"""What may stand within a word in front of its literal end: `$NAME.sh`, `"${DIR}/run_"*.sh`, `"$NAME".sh`."""
_SOURCED = re.compile(
    r"(?:^|[\s;&|({])(?:source|\.)[ \t]+((?:\$\((?:[^()]|\([^()]*\))*\)|[^\s;&|)])+)",
    re.MULTILINE,
)
_ANY_FILE = re.compile(r"(?:/|\sin\s+)\*[\"']?(?:[\s;]|\Z)")


class _Names(NamedTuple):
    """The names of scripts in a text, and the literal ends of others; whether these are all that it may mean."""

    names: frozenset[str]
    endings: frozenset[str]
    are_all: bool


class _Reached(NamedTuple):
    """The scripts that a script may source or run, itself included; whether these are certainly all."""

    scripts: frozenset[Path]
    are_all: bool


class Reach:
    """The ways between the scripts of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._entry_layer = project.root / "scripts" / "entrypoint"
        self._site = " ".join(project.settings.env.values())
        self._names: dict[Path, _Names] = {}
        self._reached: dict[Path, _Reached] = {}

    @cached_property
    def scripts(self) -> list[Path]:
        """All scripts of recipes, and the shared ones."""
        files = self._project.files
        shared = (path for path in walk(self._project.root / SHARED, files) if is_launcher(path, files))
        return [path for recipe in self._project.recipes for path in recipe.launcher_paths] + list(shared)

    def may_reach(self, script: Path, wanted: Iterable[Path]) -> bool:
        """Whether a script may source or run one of some others."""
        reached = self.of(script)
        return not reached.are_all or any(path in reached.scripts or not path.suffix for path in wanted)

    def of(self, script: Path) -> _Reached:
        """What a script may source or run, directly or through others."""
        if script not in self._reached:
            self._reached[script] = self._closure(script)
        return self._reached[script]

    def _closure(self, script: Path) -> _Reached:
        seen, pending, are_all = {script}, [script], True
        while pending:
            path = pending.pop()
            names = self._names_in(path)
            # The entry layer runs what it is given on the command line, which is nothing that launchers give it.
            given = self._entry_layer in path.parents
            are_all = are_all and (names.are_all or given)
            for found in self._named(names, exactly=given):
                are_all = are_all and bool(found or given)
                pending += (other for other in found if other not in seen)
                seen.update(found)
        return _Reached(frozenset(seen), are_all)

    def _named(self, names: _Names, *, exactly: bool) -> Iterator[list[Path]]:
        """For each name the scripts that may be meant."""
        for name in names.names:
            yield self._by_name.get(name, [])
        for ending in () if exactly else names.endings:
            yield [path for name, paths in self._by_name.items() if name.endswith(ending) for path in paths]

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for path in self.scripts:
            found.setdefault(path.name, []).append(path)
        return found

    @cached_property
    def _without_suffix(self) -> list[str]:
        return [path.name for path in self.scripts if not path.suffix]

    def _names_in(self, script: Path) -> _Names:
        if script not in self._names:
            data = self._project.read(script) or b""
            text = _COMMENT_LINE.sub("", data.decode("utf-8", "replace"))
            self._names[script] = _names_in(f"{text}\n{self._site}", self._without_suffix)
        return self._names[script]


def _names_in(text: str, without_suffix: Iterable[str]) -> _Names:
    names, endings = {name for name in without_suffix if name in text}, set()
    for before, name in _NAME.findall(text):
        if before == "$":  # a variable and its suffix
            endings.add(name[name.rindex(".") :])
        elif before and before in _JOINS:
            endings.add(name)
        elif name not in (".sh", ".bash"):  # a part of a pattern, as `grep` takes it
            names.add(name)
    named = all(_NAME.search(word) for word in _SOURCED.findall(text))
    return _Names(frozenset(names), frozenset(endings), named and _ANY_FILE.search(text) is None)
