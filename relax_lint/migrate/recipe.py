"""A recipe of verl made one of Relax, out of one launcher or of several: which files, with what in them. Nothing is
written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Severity
from relax_lint.discovery import walk
from relax_lint.migrate.carrying.sources import verl_sources
from relax_lint.migrate.migrated import Migrated
from relax_lint.migrate.one_launcher import OneLauncher
from relax_lint.migrate.options import Options
from relax_lint.migrate.page import page
from relax_lint.migrate.recipe_directory import script_names, unused
from relax_lint.migrate.recipe_files import RecipeFiles
from relax_lint.migrate.report import report
from relax_lint.model_files import MODELS
from relax_lint.records import changed

if TYPE_CHECKING:
    from relax_lint.diagnostics import Diagnostic
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.migrated import Refused
    from relax_lint.project import Project
    from relax_lint.sources.launcher import LauncherSource

_UNFIT_RESULT = "RLX205"


def migrate_launcher(
    source: LauncherSource,
    project: Project,
    choices: Choices,
    options: Options | None = None,
    made: Mapping[Path, str] | None = None,
) -> Migrated:
    """The recipe that runs in Relax what a script of verl launches; ``project`` is the tree that it is for, ``made``
    the files in it that were made of other launchers of the recipe."""
    return migrate_recipe([source], project, choices, options, made)


def migrate_recipe(
    sources: Sequence[LauncherSource],
    project: Project,
    choices: Choices,
    options: Options | None = None,
    made: Mapping[Path, str] | None = None,
    unfit: Sequence[Refused] = (),
) -> Migrated:
    """The recipe that runs what several scripts of one project launch, the main one first; ``unfit`` are scripts of the
    recipe of which nothing comes."""
    options = options or Options()
    first = sources[0]
    target = project.root / options.into / choices.name
    verl = verl_sources(first.project, options.verl_root, options.recipe or first.path.parent)
    if options.spare:
        there = (path for path in walk(target, project.files) if path.suffix == ".py")
        verl = changed(verl, theirs=frozenset(there) - (made or {}).keys())
    choices = changed(choices, package=".".join(Path(options.into).parts), verl=verl)
    recipe = RecipeFiles(project, target, choices, spare=options.spare, made=made or {})
    launchers = [OneLauncher(each, recipe, options) for each in sources]
    data = dict.fromkeys(path for each in launchers for path in each.compose())
    names = script_names([each.path for each in sources], choices.name, options.recipe)
    main = options.launcher or f"run_{choices.name}.sh"
    for launcher, name in zip(launchers, names, strict=True):
        is_first = not any(each.written for each in launchers)
        launcher.write(target / (main if is_first else name), tuple(data))
    done = Migrated(
        options.recipe or first.path,
        target,
        recipe.files,
        [written for each in launchers for written in each.written],
        [*unfit, *(refused for each in launchers for refused in each.refused)],
        [same for each in launchers for same in each.same],
        [left for each in launchers if each.written or len(launchers) == 1 for left in each.left()],
        [conditions for each in launchers for conditions in each.unwritten],
        kept=list(recipe.kept),
        carried={path: pieces for path, pieces in recipe.carried.items() if pieces},
        verl=choices.verl.package if choices.verl is not None else None,
    )
    if not done.launches:
        return done
    recipe.make_packages()
    if options.recipe is not None and options.recipe != target:
        done = changed(done, unused=unused(options.recipe, done, first.project))
    done = changed(done, findings=_findings(project, done.files))

    def named(path: Path) -> str:
        """A path as the page shows it: from the root of what it belongs to."""
        verl = choices.verl.package.parent if choices.verl is not None and choices.verl.package is not None else None
        for root in filter(None, (project.root, first.project.root, verl)):
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return path.name

    recipe.files[target / options.page] = page(report(done, named))
    return done


def _findings(project: Project, texts: Mapping[Path, str]) -> list[Diagnostic]:
    """What the rules find in the files that would be written. Those that describe models are this program's own work,
    and every launcher of the checkout would have a say in them."""
    from relax_lint.engine import lint
    from relax_lint.rules import load_rules

    files = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
    targets = [path for path in files if project.root / MODELS not in path.parents]
    judged = lint(project.with_changes(files), load_rules(), targets=targets)
    told = (found for found in judged.standing if found.path in files and found.severity is not Severity.ADVICE)
    return [found for found in told if not _is_to_be_written(found)]


def _is_to_be_written(found: Diagnostic) -> bool:
    """Whether it says of a part that could not be carried over what the list of things to do says."""
    return found.code == _UNFIT_RESULT and found.excerpt.lstrip().startswith("raise NotImplementedError")
