"""The lines of the user's code, and of verl's, that read a setting: found by its name, nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.discovery import walk
from relax_lint.migrate.mains import module_name
from relax_lint.migrate.verl_defaults import embedded
from relax_lint.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lint.migrate.carrying.sources import Origin, VerlSources
    from relax_lint.migrate.settings import Setting, Settings

_MAIN = "main_ppo"
_CONFIGS = r"\w*(?:config|cfg|conf)"
_MOST_FILES = 5000
_SHORTEST = 3
"""A name that is no longer, ``n``, says nothing by itself."""
_OF_TESTS = frozenset({"tests", "test", "docs"})


@record
class Reading:
    """A line that reads a setting."""

    path: Path
    line: int


def is_own_main(main: str) -> bool:
    """Whether what runs is no program of a verl known here, nor of its recipes."""
    module = module_name(main)
    if module == _MAIN:
        return False
    for verl in embedded():
        names = {module, f"recipe.{module}"}
        if "." not in module:
            names |= {known for known in verl.mains if known.rpartition(".")[2] == module}
        if any((found := verl.main(name)) is not None and not found.guessed for name in names):
            return False
    return True


def code_of_main(settings: Settings, sources: VerlSources) -> Origin | None:
    """The file that runs, where it is at hand."""
    return sources.origin(module_name(settings.main), settings.launch.script)


def readings_of(members: Sequence[Setting], settings: Settings, sources: VerlSources) -> Mapping[str, Reading]:
    """Where settings are read, by key: the line that names the setting together with what it lies in goes before one
    that has its own name alone."""
    main = code_of_main(settings, sources)
    keys = tuple(setting.key for setting in members)
    directories = tuple(_directories(None if main is None else main.path, module_name(settings.main), sources))
    return sources.project.once((readings_of, keys, directories), lambda: _search(keys, directories, sources))


def _directories(main: Path | None, module: str, sources: VerlSources) -> Iterator[Path]:
    """The code of the program, the user's own before verl's."""
    if main is not None and (sources.package is None or not main.is_relative_to(sources.package)):
        top = sources.project.root / module.partition(".")[0]
        yield top if main.is_relative_to(top) else main.parent
    if sources.package is not None:
        yield sources.package


def _search(keys: Sequence[str], directories: Sequence[Path], sources: VerlSources) -> dict[str, Reading]:
    best: dict[str, tuple[int, Reading]] = {}
    patterns = {key: _patterns(key) for key in keys}
    names = {key: key.rpartition(".")[2].encode() for key in keys}
    for path in _files(directories, sources):
        data = sources.project.read(path) or b""
        wanted = [key for key in keys if names[key] in data and best.get(key, (1,))[0]]
        text = data.decode("utf-8", "replace") if wanted else ""
        for key in wanted:
            for rank, pattern in enumerate(patterns[key]):
                found = next(
                    filter(None, (pattern.match(line.group()) and line for line in _LINE.finditer(text))), None
                )
                if found is not None and rank < best.get(key, (len(patterns[key]),))[0]:
                    best[key] = (rank, Reading(path, text.count("\n", 0, found.start()) + 1))
                    break
    return {key: reading for key, (_, reading) in best.items()}


def _files(directories: Sequence[Path], sources: VerlSources) -> Iterator[Path]:
    count = 0
    for directory in directories:
        for path in walk(directory, sources.project.files):
            if path.suffix == ".py" and not _OF_TESTS & set(path.relative_to(directory).parts[:-1]):
                count += 1
                if count > _MOST_FILES:
                    return
                yield path


_LINE = re.compile(r"[^\n]+")


def _patterns(key: str) -> tuple[re.Pattern[str], ...]:
    """A line that has the name after what it lies in, and one that has it after any configuration."""
    above, _, name = key.rpartition(".")
    parent = above.rpartition(".")[2] or "config"
    name = re.escape(name)
    read = rf"(?:\.{name}\b|\.get\(\s*[\"']{name}[\"']|\[[\"']{name}[\"']\])(?!\s*=[^=])"
    start = r"[^#\n]*?"
    together = re.compile(rf"{start}\b{re.escape(parent)}{read}")
    alone = re.compile(rf"{start}\b(?:{_CONFIGS}|{re.escape(parent)}\w*){read}")
    return (together, alone) if len(name) > _SHORTEST else (together,)
