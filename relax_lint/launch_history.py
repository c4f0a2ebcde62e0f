"""The launches of a tree at two revisions: both sides evaluated as far as their files differ, and compared."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from relax_lint import looks
from relax_lint.config import Configuration, Settings, refuse_no_checkout, with_options
from relax_lint.discovery import is_launcher
from relax_lint.files import Files
from relax_lint.git import top
from relax_lint.groups import find
from relax_lint.launch_changes import Comparison, LaunchChange
from relax_lint.project import Project
from relax_lint.report import shown_path
from relax_lint.revisions import Past, Span, renames, span
from relax_lint.shell.launch import Launch
from relax_lint.submodules import Submodule, changed_between


class Missing(Exception):
    """A path at which there is nothing on either side; the message says so."""


class Differences(NamedTuple):
    """What became of launches between two states of a tree; ``notes`` are what is to be told beside. What changed in
    ``submodules`` is not compared."""

    span: Span
    changes: Sequence[LaunchChange]
    submodules: Sequence[Submodule]
    notes: Sequence[str]
    projects: Sequence[Project]


class _Side:
    """One state of the tree, and the scripts below some paths in it."""

    def __init__(self, files: Files, name: str, named: Iterable[Path], configuration: Configuration) -> None:
        self._files = files
        self._name = name
        self.notes: list[str] = []
        self.scripts: dict[Path, Project] = {}
        with self._seen():
            for group in find(named, configuration, files):
                refuse_no_checkout(group.settings)
                scripts = (path for path in group.targets if is_launcher(path, files))
                self.scripts.update(dict.fromkeys(scripts, group.project))

    def _seen(self) -> AbstractContextManager[None]:
        return looks.through(self._files) if isinstance(self._files, Past) else nullcontext()

    def touched(self, changed: frozenset[Path]) -> set[Path]:
        """The scripts that are among changed files, may source or run one, or name one."""
        with self._seen():
            scripts = [path for path in changed if self._files.is_file(path) and is_launcher(path, self._files)]
            others = b"|".join(re.escape(os.fsencode(path.name)) for path in changed.difference(scripts))
            named = re.compile(others) if others else None
            return {
                path
                for path, project in self.scripts.items()
                if path in changed
                or project.reach.may_reach(path, scripts)
                or (named is not None and any(map(named.search, _texts(path, project))))
            }

    def launches(self, path: Path) -> list[Launch]:
        """What a script launches; none where there is no such script."""
        project = self.scripts.get(path)
        with self._seen():
            launcher = None if project is None else project.launcher(path)
            if launcher is None:
                return []
            evaluation = launcher.evaluation
        place = f"{shown_path(path)}{self._name}"
        for at, message in evaluation.problems:
            self.notes.append(f"{place}, line {at.source.position(at.start)[0]}: {message}")
        if evaluation.too_complex is not None:
            self.notes.append(f"{place} has more ways through it than are followed; there may be more launches")
        return evaluation.launches


def compare(revisions: str, named: Sequence[Path], env: Mapping[str, str], relax_root: Path | None) -> Differences:
    """What became of the launches of scripts at and below some paths."""
    what = span(revisions)
    past = Past(what.old_commit)
    present = Files() if what.new_commit is None else Past(what.new_commit)
    changed, renamed = past.changed, past.renamed
    if isinstance(present, Past):
        changed, renamed = changed | present.changed, renames(what.old_commit, what.new_commit or "")
    for path in named:
        if not (past.exists(path) or present.exists(path)):
            raise Missing(f"no such file or directory on either side: {shown_path(path)}")
    configuration = _configuration(env, relax_root)
    moved = [before for after, before in renamed.items() if any(one in (after, *after.parents) for one in named)]
    old = _Side(past, f" at {what.old}", [*named, *moved], configuration)
    new = _Side(present, "" if what.new is None else f" at {what.new}", named, configuration)
    changes = list(_changes(old, new, changed, renamed))
    submodules = changed_between(top(), what.old_commit, what.new_commit)
    notes = [*old.notes, *new.notes, *map(_not_compared, submodules)]
    return Differences(what, changes, submodules, notes, list(dict.fromkeys(new.scripts.values())))


def _not_compared(submodule: Submodule) -> str:
    """What is said of a submodule that has changed."""
    place = shown_path(submodule.path)
    said = f"{place} is a submodule that has changed, and launches in it are not compared"
    if submodule.old is None or not submodule.is_there:
        return said
    compared = submodule.old if submodule.new is None else f"{submodule.old}..{submodule.new}"
    return f"{said}: cd {quote(place)} && relax-lint diff {compared}"


def _configuration(env: Mapping[str, str], relax_root: Path | None) -> Configuration:
    """Today's configuration, for both sides."""

    def override(settings: Settings) -> Settings:
        return with_options(settings, env={**settings.env, **env}, relax_root=relax_root)

    return Configuration(override)


def _changes(old: _Side, new: _Side, changed: frozenset[Path], renamed: Mapping[Path, Path]) -> Iterator[LaunchChange]:
    then, today = old.touched(changed), new.touched(changed)
    was = {path: renamed.get(path, path) for path in new.scripts}
    gone = [path for path in old.scripts if path in then and path not in was.values()]
    pairs = [(was[path], path) for path in new.scripts if path in today or was[path] in then]
    pairs += [(path, path) for path in gone]
    for before, after in sorted(pairs, key=lambda pair: str(pair[1])):
        project = new.scripts.get(after) or old.scripts[before]
        earlier = old.scripts.get(before, project)
        earlier.own_catalogue = project.own_catalogue  # flags are those of today, on both sides
        comparison = Comparison(earlier, project, renamed)
        yield from comparison.changes(old.launches(before), new.launches(after))


def _texts(script: Path, project: Project) -> Iterator[bytes]:
    """What a script and all that it may source or run say."""
    return (project.read(path) or b"" for path in project.reach.of(script).scripts)
