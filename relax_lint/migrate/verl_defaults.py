"""verl's own configuration: of the verl at hand, read and never imported, else of the versions known here."""

from __future__ import annotations

import json
import os.path
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.migrate.config_directories import ConfigDirectory, DirectoryOnDisk, EmbeddedDirectory
from relax_lint.migrate.plan import Refusal
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.project import Project

DATA = Path(__file__).parent.parent / "catalog/verl_settings.json"
TRAINER = "verl/trainer/config"
_PRIMARY = f"{TRAINER}/ppo_trainer.yaml"
_OF_VERL = re.compile(r"(?:.*/)?((?:verl/(?:trainer|experimental)|recipe)/.+)")
_DEFAULT_MAIN = "verl.trainer.main_ppo"
_OLD_RECIPES = re.compile(r"recipe\.(?=(?:fully_async_policy|one_step_off_policy|transfer_queue|vla)\.)")
"""Recipes that have moved into verl itself."""


@record
class MainConfig:
    """What a main is configured with unless the command line says otherwise: a directory and a name in it. ``guessed``
    says that nothing is known of the main, and that it is taken to be like another."""

    directory: str
    name: str
    guessed: bool = False


class Verl(ABC):
    """A verl, as far as its configuration goes; ``root`` is the directory of its checkout, where it has one."""

    version: str
    root: Path | None = None

    def owns(self, path: Path) -> bool:
        """Whether a file or directory on disk is of its package."""
        return False

    @abstractmethod
    def directory(self, path: str) -> ConfigDirectory | None:
        """A directory of its checkout, ``verl/trainer/config``; none when it has none such."""

    def named(self, path: str) -> ConfigDirectory | None:
        """The directory of its checkout that a longer path, or an entry of Hydra's search path, names."""
        scheme, separator, rest = path.partition("://")
        path = rest.replace(".", "/") if separator and scheme == "pkg" else rest or path
        found = _OF_VERL.fullmatch(os.path.normpath(path).lstrip("/"))
        return None if found is None else self.directory(found[1])

    @abstractmethod
    def main(self, module: str) -> MainConfig | None:
        """The configuration of one of its mains."""


class EmbeddedVerl(Verl):
    """A version that this program knows."""

    def __init__(self, version: str, files: Mapping[str, Any], mains: Mapping[str, list[str]]) -> None:
        self.version = version
        self.files = files
        self.mains = mains

    def directory(self, path: str) -> ConfigDirectory | None:
        """A directory that holds any file known."""
        found = EmbeddedDirectory(self.files, path, self.version)
        return found if found.is_group("") else None

    def main(self, module: str) -> MainConfig | None:
        """That of the main itself, or of one like it."""
        module = _OLD_RECIPES.sub("verl.experimental.", module)
        found = self.mains.get(module) or self.mains.get(_alike(module, self.mains))
        if not found:
            return None
        directory, name = found
        return MainConfig(directory, name, guessed=module not in self.mains)


def _alike(module: str, mains: Mapping[str, Any]) -> str:
    """The main that goes by the same name elsewhere; any other trains as verl's own does."""
    name = module.rpartition(".")[2]
    alike = [known for known in mains if known.rpartition(".")[2] == name]
    return alike[0] if len(alike) == 1 else _DEFAULT_MAIN


class CheckedOutVerl(Verl):
    """The user's own verl: ``package`` is the directory of that name."""

    def __init__(self, project: Project, package: Path, version: str) -> None:
        self.project = project
        self.package = package
        self.root = package.parent
        self.version = version

    def owns(self, path: Path) -> bool:
        """Whether it is below the package's directory."""
        return path.is_relative_to(self.package)

    def directory(self, path: str) -> ConfigDirectory | None:
        """A directory on disk."""
        found = self.package.parent / path
        if not self.project.is_dir(found):
            return None
        return DirectoryOnDisk(self.project, found, of_verl=self.owns(found))

    def main(self, module: str) -> MainConfig | None:
        """Its code says it, where it is in the project."""
        return None


def verls(project: Project, verl_root: Path | None) -> tuple[Verl, ...]:
    """The verl that a project's launches may run with: the one that is named, the project itself or its submodule, the
    one installed; else those known here, the newest first."""
    if verl_root is not None:
        named = _at(project, verl_root, "--verl-root")
        if named is None:
            raise Refusal(f"there is no configuration of verl's under {verl_root} ({_PRIMARY})")
        return (named,)
    for root in (project.root, project.root / "verl"):
        own = _at(project, root, "this checkout")
        if own is not None:
            return (own,)
    for directory in _import_path():
        installed = _at(project, directory, "installed")
        if installed is not None:
            return (installed,)
    return embedded()


def _at(project: Project, root: Path, what: str) -> CheckedOutVerl | None:
    for package in (root / "verl", root):
        if project.is_file(package.parent / _PRIMARY) and package.name == "verl":
            data = project.read(package / "version/version")
            version = "of unknown version" if data is None else data.decode("utf-8", "replace").strip()
            return CheckedOutVerl(project, package, f"{version} ({what})")
    return None


def _import_path() -> list[Path]:
    """Where an installed verl may be. Only the finder of editable installs has to be asked for it; it imports
    nothing."""
    from importlib.util import find_spec

    found = [Path(entry) for entry in sys.path if entry]
    try:
        spec = find_spec("verl")
    except (ImportError, ValueError):
        spec = None
    locations = [] if spec is None else spec.submodule_search_locations or []
    return [*found, *(Path(location).parent for location in locations)]


@cache
def embedded() -> tuple[EmbeddedVerl, ...]:
    """The versions that this program knows, the newest first."""
    data = json.loads(DATA.read_bytes())
    known: list[EmbeddedVerl] = []
    files: dict[str, Any] = {}
    for version in data["versions"]:
        files = apply_difference(files, version["files"])
        known.append(
            EmbeddedVerl(version["version"], {**files, **data["recipes"]}, {**data["mains"], **version["mains"]})
        )
    return tuple(known)


def apply_difference(base: Mapping[str, Any], difference: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping of which some keys differ: ``{"=": value}`` replaces one, ``{"-": 0}`` removes it, any other mapping
    says what differs below."""
    made = dict(base)
    for key, value in difference.items():
        if "=" in value:
            made[key] = value["="]
        elif "-" in value:
            del made[key]
        else:
            made[key] = apply_difference(made[key], value)
    return made
