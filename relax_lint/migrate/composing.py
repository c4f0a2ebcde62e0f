"""Hydra's composition of configuration files: its own defaults lists, over directories that only this program knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hydra._internal.config_repository import ConfigRepository, IConfigRepository
from hydra._internal.defaults_list import create_defaults_list
from hydra.core.object_type import ObjectType
from hydra.errors import HydraException
from hydra.plugins.config_source import ConfigResult
from omegaconf import Container, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from relax_lint.migrate.plan import Refusal

if TYPE_CHECKING:
    from hydra.core.config_search_path import ConfigSearchPath
    from hydra.core.default_element import InputDefault
    from hydra.core.override_parser.types import Override
    from hydra.plugins.config_source import ConfigSource

    from relax_lint.migrate.config_directories import ConfigDirectory, ConfigFile

Path = tuple[str, ...]
_OF_HYDRA = re.compile(r"(?:override |optional )*/?hydra/")
_ERRORS = (HydraException, OmegaConfBaseException, ValueError, TypeError, KeyError, AssertionError, RecursionError)
"""What Hydra raises for defaults lists that it cannot follow."""
_SEARCH_PATH = ("hydra", "searchpath")


class Written(NamedTuple):
    """The entry of a configuration file that a value comes from."""

    file: ConfigFile
    path: Path


class Composed(NamedTuple):
    """What the files give: the tree, where its leaves come from, those that verl's own files have, and the
    overrides that choose no files."""

    tree: dict[str, Any]
    origins: Mapping[Path, Written]
    of_verl: frozenset[Path]
    overrides: Sequence[Override]


def compose(
    name: str,
    directories: Sequence[ConfigDirectory],
    more: Callable[[str], ConfigDirectory | None],
    overrides: Sequence[Override],
) -> Composed:
    """The configuration of a name; ``more`` gives the directory of an entry of Hydra's search path."""
    repository = _Repository(directories)
    try:
        repository.extend(_search_path(repository, name, overrides), more)
        listed = create_defaults_list(
            repo=repository, config_name=name, overrides_list=list(overrides), prepend_hydra=False, skip_missing=False
        )
    except _ERRORS as error:
        raise Refusal(_in_short(error)) from error
    tree: dict[str, Any] = {}
    origins: dict[Path, Written] = {}
    of_verl: set[Path] = set()
    for default in listed.defaults:
        if default.config_path is None:
            continue
        file = repository.file(default.config_path)
        package = default.package if default.package is not None else file.package
        inside = tuple(package.split(".")) if package else ()
        for path, value in leaves(file.content):
            if path[0] == "defaults" or (not inside and path == _SEARCH_PATH):
                continue
            whole = inside + path
            if file.of_verl:
                of_verl.add(whole)
            if _merge(tree, whole, value):
                origins[whole] = Written(file, path)
    return Composed(tree, origins, frozenset(of_verl), listed.config_overrides)


def _in_short(error: Exception) -> str:
    """What Hydra says, without its search path."""
    text = str(error).partition("\nConfig search path:")[0]
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def _search_path(repository: _Repository, name: str, overrides: Sequence[Override]) -> list[str]:
    given = [override.value() for override in overrides if override.get_key_element() == "hydra.searchpath"]
    if given:
        path = given[0]
    elif repository.config_exists(name):
        hydra = repository.file(name).content.get("hydra")
        path = hydra.get("searchpath") if isinstance(hydra, dict) else None
    else:
        path = None
    if path is not None and not (isinstance(path, list) and all(isinstance(entry, str) for entry in path)):
        raise Refusal(f"hydra.searchpath is to be a list of texts, and is {path}")
    return path or []


class _Repository(IConfigRepository):
    """What Hydra asks for configuration files and groups."""

    def __init__(self, directories: Sequence[ConfigDirectory]) -> None:
        self.directories = list(directories)
        self.files: dict[str, ConfigFile] = {}
        self.results: dict[str, ConfigResult | None] = {}

    def extend(self, entries: Sequence[str], more: Callable[[str], ConfigDirectory | None]) -> None:
        """Add what Hydra's search path names; what is not there is passed over, as Hydra does."""
        found = map(more, entries)
        self.directories.extend(directory for directory in found if directory is not None)

    def file(self, path: str) -> ConfigFile:
        """The first file of a name."""
        if path not in self.files:
            directory = next(directory for directory in self.directories if directory.is_config(path))
            self.files[path] = directory.load(path)
        return self.files[path]

    def load_config(self, config_path: str) -> ConfigResult | None:
        if config_path not in self.results:
            self.results[config_path] = self._load(config_path) if self.config_exists(config_path) else None
        return self.results[config_path]

    def _load(self, config_path: str) -> ConfigResult:
        file = self.file(config_path)
        defaults = file.content.get("defaults", [])
        if not isinstance(defaults, list):
            raise ValueError(f"Invalid defaults list in '{config_path}', defaults must be a list")
        more = bool(file.content.keys() - {"defaults", "hydra"})
        content = OmegaConf.create({"content": 0} if more else {})
        result = ConfigResult("", config_path, content, {"package": file.package})
        result.defaults_list = _defaults(config_path, [item for item in defaults if not _is_of_hydra(item)])
        return result

    def group_exists(self, config_path: str) -> bool:
        return any(directory.is_group(config_path) for directory in self.directories)

    def config_exists(self, config_path: str) -> bool:
        return any(directory.is_config(config_path) for directory in self.directories)

    def get_group_options(self, group_name: str, results_filter: ObjectType | None = ObjectType.CONFIG) -> list[str]:
        found = (directory.options(group_name) for directory in self.directories if directory.is_group(group_name))
        return sorted({option for options in found for option in options})

    def get_schema_source(self) -> ConfigSource:
        raise NotImplementedError

    def get_sources(self) -> list[ConfigSource]:
        return []

    def initialize_sources(self, config_search_path: ConfigSearchPath) -> None:
        raise NotImplementedError


def _is_of_hydra(item: object) -> bool:
    """Whether an entry of a defaults list chooses how Hydra itself runs."""
    names = item if isinstance(item, dict) else [item]
    return any(isinstance(name, str) and _OF_HYDRA.match(name) for name in names)


def _defaults(config_path: str, defaults: list[Any]) -> list[InputDefault]:
    reader = ConfigRepository.__new__(ConfigRepository)
    return reader._create_defaults_list(config_path, OmegaConf.create(defaults))


def _merge(tree: dict[str, Any], path: Path, value: Any) -> bool:
    """Set a leaf; false when it leaves what is there: a value that is missing, or no more entries of a mapping."""
    if value == "???" and _holds(tree, path):
        return False
    if isinstance(value, dict) and isinstance(_at(tree, path), dict):
        return False
    _set(tree, path, {} if isinstance(value, dict) else value)
    return True


def leaves(content: Mapping[Any, Any], inside: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The values of a tree by their paths; a list and an empty mapping are values."""
    for key, value in content.items():
        path = (*inside, str(key))
        if isinstance(value, dict) and value:
            yield from leaves(value, path)
        else:
            yield path, value


def _at(tree: Mapping[str, Any], path: Path) -> Any:
    found: Any = tree
    for key in path:
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    return found


def _holds(tree: Mapping[str, Any], path: Path) -> bool:
    parent = _at(tree, path[:-1]) if path[:-1] else tree
    return isinstance(parent, dict) and path[-1] in parent


def _set(tree: dict[str, Any], path: Path, value: Any) -> None:
    node = tree
    for depth, key in enumerate(path[:-1], 1):
        below = node.get(key)
        if isinstance(below, str) and "${" in below:
            below = _copied(tree, path[:depth])
        if not isinstance(below, dict):
            below = {}
        node[key] = below
        node = below
    node[path[-1]] = value


def _copied(tree: dict[str, Any], path: Path) -> Any:
    """What an interpolation names, when an entry of it is about to be changed."""
    root = OmegaConf.create(tree)
    try:
        found = OmegaConf.select(root, ".".join(path))
    except OmegaConfBaseException:
        return None
    return OmegaConf.to_container(found) if isinstance(found, Container) else None
