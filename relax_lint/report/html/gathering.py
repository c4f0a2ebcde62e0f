"""From judged projects to the content of a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.options import PAGE
from relax_lint.report.effective import effective
from relax_lint.report.html.content import PER_NODE, Column, Part, Placing

if TYPE_CHECKING:
    from relax_lint.engine import Report
    from relax_lint.project import Project
    from relax_lint.report.effective import Effective
    from relax_lint.shell.launch import Launch


def parts_of(project: Project, targets: Iterable[Path], report: Report) -> list[Part]:
    """The parts of a project: what is in its files, and what was found in and because of them."""
    parts: dict[Path, Part] = {}
    for path in targets:
        part = _part(path, project, parts)
        launches = _launches(path, project)
        part.columns += columns([launch for launch in launches if launch.kind == "relax"], project)
        part.verl += [launch for launch in launches if launch.kind == "verl"]
    homes = dict.fromkeys(parts)
    for found in report.diagnostics:
        near = [found.path] + ([found.launch.path] if found.launch is not None else [])
        home = next((where for path in near if (where := _home(path, project)) in homes), None)
        part = parts[home] if home is not None else _part(found.path, project, parts)
        (part.findings if found.suppressed is None else part.silenced).append(found)
    for silence in report.not_checked:
        _part(silence.path, project, parts).unjudged.append(silence)
    return [part for _, part in sorted(parts.items(), key=lambda item: str(item[0])) if _says_something(part)]


def _says_something(part: Part) -> bool:
    return part.is_recipe or bool(part.columns or part.findings or part.verl or part.unjudged)


def _part(path: Path, project: Project, parts: dict[Path, Part]) -> Part:
    home = _home(path, project)
    if home not in parts:
        page = project.text(home / PAGE) if project.is_file(home / PAGE) else None
        is_recipe = project.recipe_of(path) is not None
        parts[home] = Part(home, is_recipe, [], [], [], [], [], page.text if page is not None else "")
    return parts[home]


def _home(path: Path, project: Project) -> Path:
    recipe = project.recipe_of(path)
    return path.parent if recipe is None else recipe.directory


def _launches(path: Path, project: Project) -> Sequence[Launch]:
    """The launches of a script that start in it; those of a script that others source are theirs."""
    from relax_lint.discovery import is_launcher
    from relax_lint.shell.queries import is_part_of_another

    if not is_launcher(path, project.files):
        return ()
    launcher = project.launcher(path)
    if launcher is None or not launcher.is_shell or is_part_of_another(launcher, project):
        return ()
    return launcher.launches


def columns(launches: Sequence[Launch], project: Project) -> list[Column]:
    """The launches of one script, those that differ in nothing but the way to them together."""
    found: dict[tuple[object, ...], Column] = {}
    for launch in launches:
        arguments = effective(launch, project)
        key = (launch.mode, *(_said(argument) for argument in arguments))
        if key in found:
            found[key].launches.append(launch)
        else:
            found[key] = Column([launch], arguments, project, None)
    told = list(found.values())
    for column in told:
        column.lost_from = _lost_from(column.launch)
        column.placing = _placing(column.launch, project) if column.lost_from is None else None
        column.when = tuple(_own_conditions(column, told))
    return told


def _lost_from(launch: Launch) -> int | None:
    """The line from which on the arguments of a launch are lost."""
    from relax_lint.shell.queries import cut_off_at, start_of

    place = cut_off_at(launch)
    return None if place is None else max(each.source.position(each.start)[0] for each in (place, start_of(launch)))


def _said(argument: Effective) -> tuple[str, str, str]:
    return argument.flag, argument.value, argument.mark


def _own_conditions(column: Column, others: Sequence[Column]) -> Iterator[str]:
    """What holds for all launches of a column, and not for all of the script."""
    everywhere = set.intersection(*(set(launch.conditions) for other in others for launch in other.launches))
    for condition in column.launch.conditions:
        if condition not in everywhere and all(condition in launch.conditions for launch in column.launches):
            yield condition


def _placing(launch: Launch, project: Project) -> Placing:
    from relax_lint.gpu_layout import batch_of, facts_for_layout, layout

    facts, unless = facts_for_layout(launch, project)
    per_node = facts.get("num_gpus_per_node")
    known = per_node if isinstance(per_node, int) and per_node > 0 else PER_NODE
    return Placing(layout(facts), unless, known, batch_of(facts))
