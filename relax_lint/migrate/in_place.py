"""``--fix`` beyond single edits: launchers of verl in recipes rewritten where they stand, those of one mode given both.

Nothing is written here. What a launcher becomes is one bundle of files that are to be written together; the original
is among them under another name, unless git has it.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Diagnostic, Place
from relax_lint.engine import fault
from relax_lint.extras import how_to_install, lacking
from relax_lint.fixing import Fixed
from relax_lint.migrate.retiring import held, retired
from relax_lint.records import changed, record

if TYPE_CHECKING:
    from relax_lint.migrate.migrated import Migrated
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.launcher import LauncherSource

VERL_ENTRY_POINT, DUAL_MODE = "RLX401", "RLX405"
_PAGE = "MIGRATION.md"

Fix = Callable[["Project"], Fixed]
"""The single edits of a project."""


@record
class Bundle:
    """The files that one launcher becomes: ``kept`` is where its original lies, and ``page`` what says all about it.
    ``changed`` are the files of the user's that have another text now, ``gone`` those that are taken away, since what
    they hold was carried over."""

    launcher: Path
    paths: tuple[Path, ...]
    page: Path
    kept: tuple[tuple[Path, Path], ...] = ()
    changed: tuple[Path, ...] = ()
    gone: tuple[Path, ...] = ()

    def before(self) -> Iterator[tuple[Path, str, Path | None]]:
        """The files that were there: what became of each, and where it is now as it was; ``None`` for git."""
        kept = dict(self.kept)
        for path in self.changed:
            yield path, "rewritten", kept.get(path)
        for path in self.gone:
            yield path, "carried over and taken away", kept.get(path)

    def told(self, named: Callable[[Path], str]) -> bytes:
        """What its page has to say of the files that were there."""
        from relax_lint.migrate.page import what_was_there

        rows = [
            (named(path), became, "" if before is None else named(before))
            for path, became, before in self.before()
            if path != self.page
        ]
        return what_was_there(rows).encode("utf-8", "surrogateescape") if rows else b""


@record
class Rewritten:
    """A project after all: ``said`` is for the user, with the place that it is about; ``incomplete`` says that it
    names code that was not carried over."""

    fixed: Fixed
    bundles: tuple[Bundle, ...] = ()
    said: tuple[str, ...] = ()
    incomplete: bool = False


def finished(
    project: Project,
    fixed: Fixed,
    fix: Fix,
    named: Callable[[Path], str],
    take_in: Callable[[Mapping[Path, bytes | None]], None],
    *,
    unsafe: bool,
    on_disk: bool,
) -> Rewritten:
    """What is left after the single edits, rewritten as far as it can be. ``named`` is how a path is shown, ``take_in``
    is told of new files, and of those that are gone; without a file system (standard input) no launcher becomes several
    files."""
    work = _Work(project, fixed, fix, named, take_in, unsafe=unsafe)
    if on_disk:
        work.rewrite_all()
    work.make_dual()
    work.tell()
    return Rewritten(work.fixed, tuple(work.bundles), tuple(work.said), work.incomplete)


def concerns(fixed: Fixed) -> bool:
    """Whether anything is left that is more than a single edit."""
    return any(found.code in (VERL_ENTRY_POINT, DUAL_MODE) for found in fixed.report.standing)


class _Work:
    """The state: ``project`` is ``fixed.project`` with the ``files`` that were made since."""

    def __init__(
        self,
        project: Project,
        fixed: Fixed,
        fix: Fix,
        named: Callable[[Path], str],
        take_in: Callable[[Mapping[Path, bytes | None]], None],
        *,
        unsafe: bool,
    ) -> None:
        self.start, self.fixed, self.fix, self.named, self.take_in = project, fixed, fix, named, take_in
        self.unsafe = unsafe
        self.project = fixed.project
        self.files: dict[Path, bytes] = {}
        self.texts: dict[Path, str] = {}
        """What was made of launchers so far."""
        self.gone: dict[Path, None] = {}
        self.held: dict[Path, list[Path]] = {}
        """The files that it was made of, by the recipe's directory."""
        self.bundles: list[Bundle] = []
        self.said: list[str] = []
        self.incomplete = False

    # ------------------------------------------------------------ launchers of verl

    def rewrite_all(self) -> None:
        """Every launcher of verl in a recipe, one after another, so that they share what they need both."""
        found = self._by_launcher(VERL_ENTRY_POINT)
        ours = [path for path in found if self.project.recipe_of(path) is not None]
        if not ours:
            return
        if lacking("migrate"):
            shown = ", ".join(map(self.named, ours))
            self.said.append(f"{shown} could be rewritten for Relax: {how_to_install('migrate')}")
            return
        gone = [one for path in ours if self._is_rewritten(path) for one in found[path]]
        for directory in self.held:
            self._retire(directory)
        self._settle(gone)

    def _is_rewritten(self, path: Path) -> bool:
        """Rewrite one launcher, or say why it is left."""
        from relax_lint.shell.queries import is_part_of_another, start_of

        recipe, source = self.project.recipe_of(path), self.project.launcher(path)
        if recipe is None or source is None or is_part_of_another(source, self.project):
            return False
        unfit = why_not_followed(source)
        relax = next((launch for launch in source.launches if launch.kind == "relax"), None)
        name = recipe.name
        if unfit is not None:
            self._say(*unfit)
        elif relax is not None:
            self._say(start_of(relax), "the script launches Relax, too: take one of the two out")
        elif not name.isidentifier() or keyword.iskeyword(name):
            reason = f"{name} becomes a part of module paths: rename the directory, to letters, digits, underscores"
            self._say(Place(source, 0, 0), reason)
        else:
            migrated = self._migrated(recipe, source)
            if migrated is not None:
                self._take(migrated, recipe, source)
                return True
        return False

    def _migrated(self, recipe: Recipe, source: LauncherSource) -> Migrated | None:
        from relax_lint.migrate.choices import Choices
        from relax_lint.migrate.options import Options
        from relax_lint.migrate.recipe import migrate_launcher
        from relax_lint.migrate.report import obstructed

        project = self.project
        options = Options(
            project.settings.verl_root,
            into=recipe.directory.parent.relative_to(project.root).as_posix(),
            launcher=source.path.relative_to(recipe.directory).as_posix(),
            page=self._page(recipe, source),
            spare=True,
            recipe=recipe.directory,
        )
        try:
            migrated = migrate_launcher(source, project, Choices(name=recipe.name), options, self.texts)
        except Exception as problem:  # whatever the fault is, the user's file is left alone and it is named
            self._say(Place(source, 0, 0), f"internal error: {fault(problem)}")
            return None
        for refused in migrated.refused:
            ways = f" (when {' and '.join(refused.conditions)})" if refused.conditions else ""
            self._say(refused.place, f"{refused.reason}{ways}")
        lacking = list(obstructed(migrated, self.named))
        self.said += lacking
        self.incomplete = self.incomplete or bool(lacking)
        return None if migrated.refused or not migrated.launches else migrated

    def _page(self, recipe: Recipe, source: LauncherSource) -> str:
        """One page a recipe; the second launcher's is named after it."""
        there = self.project.text(recipe.directory / _PAGE)
        if there is None or f"{source.path.name}`" in there.text or f"/{source.path.name}" in there.text:
            return _PAGE
        return f"MIGRATION_{source.path.stem.removeprefix('run_')}.md"

    def _take(self, migrated: Migrated, recipe: Recipe, source: LauncherSource) -> None:
        """Take what a launcher becomes; files beside it that are there already are somebody's work."""
        project = self.project
        page = recipe.directory / self._page(recipe, source)
        files: dict[Path, bytes] = {}
        for path, text in migrated.files.items():
            data = text.encode("utf-8", "surrogateescape")
            if path in self.texts and project.read(path) == data:
                continue  # the launcher before has written it
            own = any(piece.path == path for piece in migrated.carried.get(path, ()))
            if path not in (source.path, page) and not own and project.exists(path):
                if project.read(path) != data:
                    self.said.append(
                        f"{self.named(path)} is there already and stays as it is, though {self.named(source.path)} "
                        f"uses it: compare it with what {page.name} says of it"
                    )
                continue
            files[path] = data
        kept: dict[Path, Path] = {}
        rewritten: list[Path] = []
        for path in list(files):
            original = self.start.read(path) if path not in self.texts else None
            if original is None or original == files[path]:
                continue
            rewritten.append(path)
            if not _git_has(path, original):
                kept[path] = _beside(path, project)
                files[kept[path]] = original
        self.bundles.append(Bundle(source.path, tuple(files), page, tuple(kept.items()), tuple(rewritten)))
        self.texts.update(migrated.files)
        self.held.setdefault(recipe.directory, []).extend(held(migrated))
        self._change(files)

    def _retire(self, directory: Path) -> None:
        """Take away what was carried over, and nothing else of the recipe uses."""
        recipe = next((each for each in self.project.recipes if each.directory == directory), None)
        if recipe is None or any(launch.kind == "verl" for launch in recipe.launches):
            return
        gone = retired(recipe, self.held[directory], self.texts, self.project)
        files: dict[Path, bytes] = {}
        kept: dict[Path, Path] = {}
        for path in gone:
            original = self.start.read(path)
            if original is not None and not _git_has(path, original):
                kept[path] = _beside(path, self.project)
                files[kept[path]] = original
        at = max(number for number, each in enumerate(self.bundles) if directory in each.launcher.parents)
        bundle = self.bundles[at]
        self.bundles[at] = changed(
            bundle,
            paths=(*bundle.paths, *files),
            kept=(*bundle.kept, *kept.items()),
            gone=tuple(gone),
        )
        self._change(files)
        self.gone.update(dict.fromkeys(gone))
        self.project = self.project.with_changes(dict.fromkeys(gone))

    # ------------------------------------------------------------ modes

    def make_dual(self) -> None:
        """Every launcher that starts in one mode only; one that starts something else unasked then is asked for by an
        option."""
        from relax_lint.migrate.dual_mode import made_dual, started_unasked

        gone: list[Diagnostic] = []
        impossible: set[Path] = set()
        for path, found in self._by_launcher(DUAL_MODE).items():
            source = self.project.launcher(path)
            if source is None or (not self.unsafe and any(map(_has_unsafe_fix, found))):
                continue
            try:
                made = made_dual(source, self.project)
            except Exception as problem:  # as above
                made = f"internal error: {fault(problem)}"
            if isinstance(made, str):
                self.said.append(f"{self.named(path)}:{found[0].line}: not made dual-mode: {made}")
                impossible.add(path)
                continue
            if started_unasked(source) != {"sync"}:
                self.said.append(
                    f"{self.named(path)} starts sync now when no mode is asked for, as the guide wants it: "
                    "async is its first argument, or MODE=async"
                )
            if made.guess:
                self.said.append(f"{self.named(path)}: {made.guess}")
            self._change({path: made.text})
            gone += found
        self._settle(gone)
        for path, found in self._by_launcher(DUAL_MODE).items():
            for one in found if path in impossible else ():
                one.fix = None

    # ------------------------------------------------------------ state

    def tell(self) -> None:
        """Have each page say what became of the files that were there."""
        for bundle in self.bundles:
            if bundle.page in bundle.paths and bundle.page in self.fixed.changes:
                self.fixed.changes[bundle.page] += bundle.told(self.named)

    def _by_launcher(self, code: str) -> dict[Path, list[Diagnostic]]:
        """The findings of a rule by the script that they are about."""
        found: dict[Path, list[Diagnostic]] = {}
        for one in self.fixed.report.standing:
            if one.code == code:
                found.setdefault(one.path if one.launch is None else one.launch.path, []).append(one)
        return found

    def _change(self, files: dict[Path, bytes]) -> None:
        self.files.update(files)
        self.project = self.project.with_changes(files)

    def _settle(self, gone: Iterable[Diagnostic]) -> None:
        """Judge the files that were made, after the single edits that they call for."""
        if not self.files:
            return
        before, files = self.fixed, self.files
        self.files = {}
        self.take_in({**files, **dict.fromkeys(self.gone)})
        after = self.fix(self.project)
        changes = {**before.changes, **files, **after.changes}
        changes = {path: data for path, data in changes.items() if path not in self.gone}
        self.project = after.project
        self.fixed = Fixed(
            after.project,
            after.report,
            {path: data for path, data in changes.items() if self.start.read(path) != data},
            [*before.fixed, *gone, *after.fixed],
            [*before.dropped, *after.dropped],
            after.left,
            [*before.along, *after.along],
            {
                unit: sorted({*before.restless.get(unit, ()), *after.restless.get(unit, ())})
                for unit in {**before.restless, **after.restless}
            },
        )

    def _say(self, place: Place, reason: str) -> None:
        line, column = place.source.position(place.start)
        self.said.append(f"{self.named(place.source.path)}:{line}:{column}: not migrated: {reason}")


def why_not_followed(source: LauncherSource) -> tuple[Place, str] | None:
    """Why it cannot be told what a script launches, and where that is."""
    evaluation = source.evaluation
    if evaluation.problems:
        return evaluation.problems[0]
    if evaluation.too_complex is None:
        return None
    return (
        evaluation.too_complex,
        "there are more ways through the script than are followed; give it variables by --env, so that fewer are left",
    )


def _has_unsafe_fix(found: Diagnostic) -> bool:
    return found.fix is not None and not found.fix.safe and found.fix.is_real()


def _git_has(path: Path, data: bytes) -> bool:
    from relax_lint.changes import is_committed

    return is_committed(path, data)


def _beside(path: Path, project: Project) -> Path:
    from relax_lint.writing import free_beside

    return free_beside(path, project.exists)
