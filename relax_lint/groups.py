"""From paths to projects: which files are to be checked, under which root and which configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from relax_lint import looks
from relax_lint.config import Configuration, Settings
from relax_lint.discovery import is_launcher, root_of, walk
from relax_lint.files import Files
from relax_lint.project import YAML_SUFFIXES, Project
from relax_lint.records import node


@node
class Group:
    """Files that share a root and a configuration."""

    project: Project
    settings: Settings
    targets: list[Path]


def find(paths: Iterable[Path], configuration: Configuration, files: Files | None = None) -> list[Group]:
    """The files at and below absolute paths, in groups; paths at which there is nothing are passed over."""
    files = files or Files()
    chosen: dict[Path, None] = {}
    for path in (_as_recipe(path, files) for path in paths):
        if configuration.settings_for(path).excludes_named(path):
            continue
        if files.is_dir(path):
            chosen.update(dict.fromkeys(_below(path, configuration, files)))
        elif files.exists(path):
            chosen[path] = None
    groups: dict[tuple[Path, Path | None], Group] = {}
    roots: dict[Path, Path | None] = {}
    for path in sorted(chosen, key=str):
        if not may_concern(path, files):
            continue
        directory = path.parent
        if directory not in roots:
            roots[directory] = root_of(directory, files)
        settings = configuration.settings_for(path)
        root = roots[directory] or directory
        key = (root, settings.source)
        if key not in groups:
            groups[key] = Group(Project(root, settings, files), settings, [])
        groups[key].targets.append(path)
    return list(groups.values())


def take_named(paths: Iterable[Path], files: Files) -> None:
    """Take absolute paths for those that the user named: what is a script there by its shebang is to be checked."""
    files.named.update(_as_recipe(path, files) for path in paths)


def unread(paths: Iterable[Path], configuration: Configuration, files: Files) -> Iterator[tuple[Path, str]]:
    """The files among absolute paths that no rule reads, each with the reason; but for those that are excluded."""
    for path in paths:
        found = _as_recipe(path, files)
        if files.is_file(found) and not may_concern(found, files):
            if not configuration.settings_for(found).excludes_named(found):
                is_of_recipes = found.suffix == ".py" or found.suffix in YAML_SUFFIXES
                yield path, "it is in no recipe" if is_of_recipes else "it is no bash script, no Python and no YAML"


def _as_recipe(path: Path, files: Files) -> Path:
    """A path; for a link from elsewhere into an ``examples/`` what it leads to, as only there its recipe is known."""
    real = Path(looks.real(str(path)))
    return real if real != path and not _in_examples(path, files) and _in_examples(real, files) else path


def _in_examples(path: Path, files: Files) -> bool:
    root = root_of(path, files)
    return root is not None and root / "examples" in (path, *path.parents)


def _below(directory: Path, configuration: Configuration, files: Files) -> list[Path]:
    def excluded(path: Path, is_dir: bool) -> bool:
        return configuration.settings_for(path.parent).excludes(path, is_dir)

    return walk(directory, files, excluded)


def may_concern(path: Path, files: Files) -> bool:
    """Whether a file is of a kind that some rule reads; outside of ``examples/`` only bash scripts are."""
    if path.suffix == ".py" or path.suffix in YAML_SUFFIXES:
        return "examples" in path.parts[:-2]
    return is_launcher(path, files)
