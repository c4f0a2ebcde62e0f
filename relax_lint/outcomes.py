"""What reports of a run say beside its findings: by what these were judged, and which demands are not met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint import __version__
from relax_lint.discovery import is_launcher
from relax_lint.report import Outcome, plural, shown_path

if TYPE_CHECKING:
    from relax_lint.config import Settings
    from relax_lint.files import Files
    from relax_lint.groups import Group
    from relax_lint.sources.text import SourceFile


def unmet(
    outcome: Outcome, settings: Sequence[Settings], groups: Sequence[Group], hidden: Sequence[Path] = ()
) -> Iterable[str]:
    """The demands that a run does not meet; ``hidden`` are directories that it was to look into, and could not."""
    report = outcome.report
    if any(item.require_recipes or item.require_checked for item in settings) and not report.launches:
        idle = next(_that_should_launch(groups), None)
        if idle is not None:
            yield f"a launch to judge, and {shown_path(idle)} has none"
    if any(item.require_recipes for item in settings) and not report.recipes:
        yield "a recipe, and there is none"
    if any(item.require_checked for item in settings) and outcome.unjudged:
        yield f"that everything is judged, and {plural(outcome.unjudged, 'thing')} could not be"
    if any(item.require_checked for item in settings) and hidden:
        yield f"that everything is judged, and {', '.join(map(shown_path, hidden))} is not there to be looked into"
    if any(item.require_reasons for item in settings):
        for site in report.without_reason:
            yield f"a reason for the suppression at {shown_path(site.path)}:{site.line}"


def _that_should_launch(groups: Sequence[Group]) -> Iterator[Path]:
    """The launchers of recipes among what is checked, but for those that another one sources."""
    from relax_lint.shell.queries import is_part_of_another

    for group in groups:
        project = group.project
        for path in group.targets:
            launcher = project.launcher(path) if is_launcher(path, project.files) else None
            if launcher is not None and project.recipe_of(path) is not None:
                if not is_part_of_another(launcher, project):
                    yield path


def source_of(groups: Sequence[Group]) -> Callable[[Path], SourceFile | None]:
    """Finds a file as its project has read it."""

    def find(path: Path) -> SourceFile | None:
        for group in groups:
            if path.is_relative_to(group.project.root):
                return group.project.source(path)
        return None

    return find


def bytes_of(groups: Sequence[Group]) -> Callable[[Path, int], int]:
    """Turns an offset into a file's text into one into its bytes."""
    find = source_of(groups)

    def encode(path: Path, offset: int) -> int:
        source = find(path)
        return offset if source is None else source.to_byte(offset)

    return encode


def repository_of(directory: Path, files: Files) -> Path:
    """The git work tree around a directory; the directory itself where there is none."""
    return next((one for one in (directory, *directory.parents) if files.exists(one / ".git")), directory)


def judged_by(groups: Sequence[Group]) -> dict[str, str]:
    """Which Relax, and which catalogue of its flags, findings come from."""
    roots = dict.fromkeys(root for group in groups if (root := group.project.relax_root) is not None)
    unread = {group.project.relax_root for group in groups if group.project.unread_flags is not None}
    checkouts = ", ".join(
        f"checkout at {shown_path(root)}" + " (its flags cannot be read: those of the catalogue)" * (root in unread)
        for root in roots
    )
    catalogues = {id(group.project.catalogue): group.project.catalogue.versions for group in groups}
    flags = dict.fromkeys(
        ", ".join(f"{owner} {version}" for owner, version in versions.items()) for versions in catalogues.values()
    )
    return {
        "relax": checkouts or "no checkout; the built-in tables",
        "catalogue": f"relax-lint {__version__}" + "".join(f"; {versions}" for versions in flags),
    }
