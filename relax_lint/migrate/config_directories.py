"""Directories of Hydra's configuration files: on disk, or of a verl that this program knows."""

from __future__ import annotations

import os.path
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from relax_lint.diagnostics import Place
from relax_lint.migrate.plan import Refusal
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.sources.config_yaml import Entry, YamlSource

_SUFFIX = ".yaml"
MOST_ENTRIES = 20_000
"""Aliases may multiply what a file holds; verl's own configuration has less than a thousand entries."""
_HEADER = re.compile(r"\s*#\s*@package\s+(\S+)\s*\Z")


@record
class ConfigFile:
    """What a configuration file holds; ``package`` is what its header says, ``source`` its text where it has one.

    ``of_verl`` says that it is one of verl's own, and not the recipe's.
    """

    content: dict[str, Any]
    package: str | None
    source: YamlSource | None
    of_verl: bool

    def place(self, path: tuple[str, ...]) -> Place | None:
        """Where an entry is written."""
        node = None if self.source is None else self.source.root
        entry: Entry | None = None
        for key in path:
            entry = None if node is None else node.get(key)
            if entry is None:
                return None
            node = entry.value
        if entry is None or self.source is None:
            return None
        return Place(self.source, entry.key.start, max(entry.end, entry.key.end))


def with_suffix(path: str) -> str:
    """The name of a configuration file, as Hydra completes it."""
    return path if path.endswith(_SUFFIX) else path + _SUFFIX


class ConfigDirectory(ABC):
    """A directory that configuration files and their groups are looked up in; ``name`` is for messages."""

    name: str

    @abstractmethod
    def is_config(self, path: str) -> bool:
        """Whether there is a configuration file of this name."""

    @abstractmethod
    def is_group(self, path: str) -> bool:
        """Whether there is a directory of this name."""

    @abstractmethod
    def options(self, group: str) -> list[str]:
        """The names of the configuration files directly in a group."""

    @abstractmethod
    def load(self, path: str) -> ConfigFile:
        """A configuration file."""


class DirectoryOnDisk(ConfigDirectory):
    """One that is read through a project's files."""

    def __init__(self, project: Project, path: Path, *, of_verl: bool) -> None:
        self.project = project
        self.path = path
        self.of_verl = of_verl
        self.name = _relative(path, project.root)

    def is_config(self, path: str) -> bool:
        """Whether the file exists."""
        return self.project.is_file(self._file(path))

    def is_group(self, path: str) -> bool:
        """Whether the directory exists."""
        return self.project.is_dir(self.path / path)

    def options(self, group: str) -> list[str]:
        """The files of a directory."""
        entries = self.project.files.entries(self.path / group)
        return sorted(entry.name.removesuffix(_SUFFIX) for entry in entries if entry.name.endswith(_SUFFIX))

    def load(self, path: str) -> ConfigFile:
        """A file as it is now; one that is no YAML is refused."""
        file = self._file(path)
        source = self.project.yaml(file)
        shown = _relative(file, self.project.root)
        if source is None:
            raise Refusal(f"{shown} cannot be read: {self.project.unreadable.get(file, 'there is no such file')}")
        if source.error is not None:
            place = Place(source, source.error.offset, source.error.offset)
            raise Refusal(f"{shown} is no YAML: {source.error.message}", place=place)
        return ConfigFile(_loaded(source, shown), package_of(source.text), source, self.of_verl)

    def _file(self, path: str) -> Path:
        return self.path / with_suffix(path)


class EmbeddedDirectory(ConfigDirectory):
    """One of a verl that this program knows: files by path from verl's checkout."""

    def __init__(self, files: Mapping[str, Mapping[str, Any]], path: str, verl: str) -> None:
        self.files = files
        self.path = PurePosixPath(path)
        self.name = f"{path} of verl {verl}"

    def is_config(self, path: str) -> bool:
        """Whether such a file is known."""
        return self._file(path) in self.files

    def is_group(self, path: str) -> bool:
        """Whether any file below is known."""
        start = f"{self._inside(path)}/"
        return any(name.startswith(start) for name in self.files)

    def options(self, group: str) -> list[str]:
        """The files known directly below."""
        directory = PurePosixPath(self._inside(group))
        return sorted(PurePosixPath(name).stem for name in self.files if PurePosixPath(name).parent == directory)

    def load(self, path: str) -> ConfigFile:
        """What a file is known to hold."""
        file = self.files[self._file(path)]
        return ConfigFile(file["config"], file.get("package"), None, of_verl=True)

    def _file(self, path: str) -> str:
        return self._inside(with_suffix(path))

    def _inside(self, path: str) -> str:
        return os.path.normpath(self.path / path)


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def package_of(text: str) -> str | None:
    """What the comments at a file's head say of its package."""
    for line in text.splitlines():
        found = _HEADER.match(line)
        if found is not None:
            return found[1]
        if line.strip() and not line.lstrip().startswith("#"):
            break
    return None


def _loaded(source: YamlSource, shown: str) -> dict[str, Any]:
    import yaml

    try:
        content = yaml.load(source.text, yaml_loader())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        offset = min(getattr(mark, "index", 0), len(source.text))
        problem = getattr(error, "problem", None) or str(error)
        raise Refusal(f"{shown} cannot be loaded: {problem}", place=Place(source, offset, offset)) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise Refusal(f"{shown} holds no mapping", place=Place(source, 0, 0))
    if _has_more_than(MOST_ENTRIES, content):
        raise Refusal(f"{shown} holds more than {MOST_ENTRIES} entries", place=Place(source, 0, 0))
    return content


def _has_more_than(most: int, content: Any) -> bool:
    """Whether a tree has more entries, each counted as often as aliases repeat it."""
    pending, count = [content], 0
    while pending and count <= most:
        found = pending.pop()
        count += 1
        if isinstance(found, dict):
            pending.extend(found.values())
        elif isinstance(found, list):
            pending.extend(found)
    return count > most


@cache
def yaml_loader() -> Any:
    """A loader that reads values as OmegaConf's own does: ``1e-6`` is a number, a date is a text, and a key that is
    given twice is an error."""
    import yaml
    from omegaconf._utils import get_yaml_loader

    slow = get_yaml_loader()
    fast = getattr(yaml, "CSafeLoader", None)
    if fast is None:
        return slow
    return type(
        "Loader",
        (fast,),
        {
            "yaml_implicit_resolvers": slow.yaml_implicit_resolvers,
            "yaml_constructors": {**fast.yaml_constructors, "tag:yaml.org,2002:map": _mapping},
        },
    )


def _mapping(loader: Any, node: Any) -> Any:
    from yaml.constructor import ConstructorError

    made: dict[Any, Any] = {}
    yield made
    seen: set[str] = set()
    for key, _ in node.value:
        if key.tag == "tag:yaml.org,2002:str" and key.value in seen:
            raise ConstructorError(None, None, f"the key {key.value} is given twice", key.start_mark)
        seen.add(key.value)
    made.update(loader.construct_mapping(node))
