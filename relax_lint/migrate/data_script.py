"""The script that converts the data of a recipe: with verl's columns, and with the recipe's own preprocessing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.conversion.own_rows import NotUnderstood, OwnRows, is_preprocessing, own_rows
from relax_lint.conversion.script import RecipeData, script
from relax_lint.discovery import walk
from relax_lint.migrate.data_files import TOOLS
from relax_lint.migrate.derived.multi_turn import INTERACTIONS
from relax_lint.migrate.environment.carry import SCHEMAS
from relax_lint.migrate.plan import Obstacle, Piece, RecipeFile, Todo
from relax_lint.migrate.readings import text

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.plan import Plan
    from relax_lint.project import Project

DATA = ("data.train_files", "data.val_files")
_MEDIA = {"image": "images", "video": "videos", "audio": "audios"}


def data_script(
    choices: Choices, made: Plan, scripts: Sequence[Path], project: Project
) -> tuple[RecipeFile, list[Todo], list[Obstacle]]:
    """The script of a plan, what is to be done with it, and which of the ``scripts`` that may have made the data could
    not be taken into it, and why."""
    name = "_".join(filter(None, (choices.name, made.part)))
    path, settings = f"{TOOLS}/process_{name}.py", made.settings
    todos = [Todo(f"run {path} before the first training, as the launcher's head says: it converts verl's data", DATA)]
    obstacles = []
    own: OwnRows | None = None
    pieces: tuple[Piece, ...] = ()
    before: list[str] = []
    for file in scripts:
        shown = file.relative_to(project.root).as_posix() if file.is_relative_to(project.root) else file.name
        try:
            found = _own_rows(file, shown, project, choices.verl)
        except NotUnderstood as why:
            obstacles.append(Obstacle(why.path, why.line, f"the rows that {shown} makes: {why.reason}"))
            before.append(shown)
            continue
        if own is not None:
            before.append(shown)
            continue
        own, pieces = found, (Piece(file, found.splits), *(Piece(*each) for each in found.carried))
        todos.append(Todo(f"{path} takes the raw data set, too: it makes the rows of {shown}", DATA))
        todos += [Todo(f"{shown}: {told}", DATA) for told in found.told]
    if before:
        todos.append(Todo(f"run {' and '.join(before)} before {path}, which converts what it makes", DATA))
    media = {text(settings, f"data.{kind}_key") or column: kind for kind, column in _MEDIA.items()}
    data = RecipeData(
        name,
        text(settings, "data.prompt_key") or "prompt",
        text(settings, "data.reward_fn_key") or "data_source",
        media,
        own.text if own is not None else "",
        next((file.text for file in made.files if file.name == SCHEMAS), ""),
        settings.value(INTERACTIONS) is not None,
        " or ".join(before),
    )
    return RecipeFile(path, script(data), DATA, pieces=pieces, from_root=True), todos, obstacles


def preprocessing(directory: Path, project: Project, *, below: bool) -> Iterator[Path]:
    """The scripts of a directory that may have made the data, with those ``below`` it or without."""
    for path in walk(directory, project.files):
        if path.suffix == ".py" and (below or path.parent == directory):
            found = project.text(path)
            if found is not None and is_preprocessing(found.text):
                yield path


def _own_rows(path: Path, shown: str, project: Project, verl: VerlSources | None) -> OwnRows:
    found = project.text(path)
    return own_rows(path, "" if found is None else found.text, shown, verl)
