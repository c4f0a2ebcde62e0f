"""The recipes that an editor has open, judged as the command line judges them, with the text that is not saved yet.

This is the server's one way to the engine, and knows nothing of the protocol. It belongs to one thread.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.config import ConfigError, Configuration, Settings, refuse_unusable, with_options
from relax_lint.engine import Report, lint
from relax_lint.files import Files, Unreadable
from relax_lint.groups import Group, find
from relax_lint.kept import follows_changes
from relax_lint.rules import load_rules

if TYPE_CHECKING:
    from relax_lint.diagnostics import Diagnostic
    from relax_lint.project import Project
    from relax_lint.sources.text import SourceFile


_PLAIN = (".py", ".sh", ".bash", ".yaml", ".yml")
"""Files that are what they are by their names, whatever is in them."""


MOST_TAKEN = 100
"""Changes that a project takes in place before it is made anew: answers may stay of each that nobody asks for again."""


class Findings(NamedTuple):
    """What stands of one file. The offsets of ``diagnostics`` are offsets into the text of ``source``, which is
    ``None`` where a finding is about a file that is no text, or is not there. ``group`` is what the file was judged
    with, its project in the state that was judged."""

    source: SourceFile | None
    diagnostics: tuple[Diagnostic, ...] = ()
    group: Group | None = None


class Checked(NamedTuple):
    """The outcome of a check: every file that was judged or has a finding, and what went wrong with judging."""

    files: Mapping[Path, Findings]
    problems: tuple[str, ...] = ()


class Workspace:
    """Files that are open, as they are typed, over the disk.

    :meth:`open`, :meth:`change`, :meth:`close` and :meth:`refresh` tell what happened and cost nothing; :meth:`check`
    judges everything that is open together with the recipes that it belongs to.
    """

    def __init__(self) -> None:
        self._texts: dict[Path, str] = {}
        self._overlay: dict[Path, bytes] = {}
        self._configuration = _configuration()
        self._groups: list[Group] | None = None
        self._problems: list[str] = []
        self._taken = 0
        self._is_new = False

    # ------------------------------------------------------------ what happens

    def open(self, path: Path, text: str) -> None:
        """An editor shows a file, and has this text for it."""
        self.change(path, text)

    def change(self, path: Path, text: str) -> None:
        """The text of an open file is another one."""
        before = self._texts.get(path)
        if before != text:
            self._texts[path] = text
            self._overlay[path] = data = as_saved(path, text)
            if not (self._take(path, data) or (before is not None and self._is_elsewhere(path))):
                self._groups = None

    def _is_elsewhere(self, path: Path) -> bool:
        """Whether a file is in none of the trees that are judged, whatever is in it."""
        if self._groups is None or path.suffix not in _PLAIN or self.group_of(path) is not None:
            return False
        roots = {root for group in self._groups for root in (group.project.root, group.project.relax_root)}
        return not any(root is not None and path.is_relative_to(root) for root in roots)

    def _take(self, path: Path, data: bytes) -> bool:
        """Have the groups take another content of a file and forget only what was made from it; whether that is all
        that the change means."""
        if self._groups is None or not follows_changes() or self._taken >= MOST_TAKEN:
            return False
        if path.suffix not in _PLAIN or self.group_of(path) is None:
            return False
        if not all(group.project.has_as_its_own(path) for group in self.groups):
            return False
        for group in self.groups:
            if group.project.read(path) != data:
                group.project.take(path, data)
        self._taken += 1
        return True

    def _take_from_disk(self, path: Path) -> bool:
        """The same of what is on disk now."""
        try:
            data = Files().read(path)
        except Unreadable:
            return False
        return data is not None and self._take(path, data)

    def close(self, path: Path) -> None:
        """The editor shows a file no more: what is on disk counts again."""
        if self._texts.pop(path, None) is not None:
            del self._overlay[path]
            if not (self._is_with_others(path) and self._take_from_disk(path)):
                self._groups = None

    def _is_with_others(self, path: Path) -> bool:
        """Whether a file belongs to a recipe of which another file is open."""
        group = None if self._groups is None else self.group_of(path)
        recipe = None if group is None else group.project.recipe_of(path)
        return group is not None and recipe is not None and any(map(recipe.files.__contains__, self._texts))

    def refresh(self, paths: Iterable[Path] | None = None) -> None:
        """Files changed on disk, came or went, the configuration perhaps among them; ``None``: nobody knows which."""
        if paths is None or not all(map(self._takes_in, paths)):
            self._configuration = _configuration()
            self._groups = None

    def _takes_in(self, path: Path) -> bool:
        """Have the groups take in that a file changed on disk, if it is one of theirs and that is all that it means."""
        if path in self._overlay and path.suffix in _PLAIN:
            return True  # what is typed counts
        return self._is_elsewhere(path) or self._take_from_disk(path)

    # ------------------------------------------------------------ what comes of it

    @property
    def opened(self) -> Mapping[Path, str]:
        """The files that are open, with their texts."""
        return self._texts

    def check(self) -> Checked:
        """Judge what is open, with its recipes."""
        files: dict[Path, Findings] = {}
        self._is_new = self._is_new or self._groups is None
        groups, problems = self.groups, list(self._problems)
        for group in groups:
            report = self.judge(group, group.project)
            problems += (f"internal error: {failure}" for failure in report.failures)
            files.update(_by_file(group, report.standing))
        return Checked(files, tuple(dict.fromkeys(problems)))

    def settle(self) -> None:
        """Nobody has an earlier outcome in hand any more, nor what that was made from."""
        if self._is_new:  # most of it stays for long, and looking it through for garbage takes longer than most answers
            self._is_new = False
            gc.unfreeze()
            gc.collect()
            gc.freeze()

    def judge(self, group: Group, project: Project, targets: Sequence[Path] | None = None) -> Report:
        """What the rules say of a group, or of some of its files, in the state that ``project`` has of them."""
        targets = group.targets if targets is None else targets
        report = lint(project, load_rules(), group.settings, targets, targets)
        if group.settings.baseline is not None:
            from relax_lint import baseline

            baseline.apply(report.diagnostics, baseline.read(group.settings.baseline))
        return report

    @property
    def groups(self) -> list[Group]:
        """What is open, with the recipes that it belongs to, in the state that :meth:`check` judges."""
        if self._groups is None:
            self._problems, self._taken = [], 0
            self._groups = self._find()
        return self._groups

    def group_of(self, path: Path) -> Group | None:
        """The group that a file is judged with."""
        return next((group for group in self.groups if path in group.targets), None)

    def _find(self) -> list[Group]:
        try:
            files = Files(self._overlay)
            alone = find(self._texts, self._configuration, files)
            units = dict.fromkeys(unit for group in alone for unit in _units(group))
            return [group for group in find(units, self._configuration, files) if self._is_usable(group)]
        except ConfigError as problem:
            self._problems.append(str(problem))
            return []

    def _is_usable(self, group: Group) -> bool:
        """Whether a group's configuration can be used; what is wrong with it is told where not."""
        try:
            refuse_unusable(group.settings, group.settings.selection, load_rules)
            if group.settings.constraint:
                from relax_lint.constraints.team import refuse_unknown_names

                refuse_unknown_names(group.project)
            if group.settings.baseline is not None:
                from relax_lint.baseline import read

                read(group.settings.baseline)
        except ConfigError as problem:
            self._problems.append(str(problem))
            return False
        return True


def as_saved(path: Path, text: str) -> bytes:
    """The bytes that an editor would write for a text."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    data = whole.encode()
    if path.suffix == ".py":
        from relax_lint.sources.python import PythonSource

        try:
            return whole.encode(PythonSource(path, data).encoding)
        except UnicodeEncodeError:
            pass
    return data


def _configuration() -> Configuration:
    """The configuration files as they are now. An editor names no file, so what they exclude stays excluded."""

    def override(settings: Settings) -> Settings:
        return with_options(settings, force_exclude=True)

    return Configuration(override)


def _units(group: Group) -> Iterator[Path]:
    """What is judged together with files: their recipes; themselves where they belong to none."""
    for path in group.targets:
        recipe = group.project.recipe_of(path)
        yield path if recipe is None else recipe.directory


def _by_file(group: Group, diagnostics: Iterable[Diagnostic]) -> dict[Path, Findings]:
    found: dict[Path, list[Diagnostic]] = {path: [] for path in group.targets}
    for item in diagnostics:
        found.setdefault(item.path, []).append(item)
    return {path: Findings(_as_it_is(path, group), tuple(items), group) for path, items in found.items()}


def _as_it_is(path: Path, group: Group) -> SourceFile | None:
    source = group.project.source(path)
    return None if source is None else source.as_it_is
