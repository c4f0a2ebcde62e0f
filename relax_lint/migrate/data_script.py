"""The script that converts the data of a recipe: with verl's columns, and with the preprocessing that lies beside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.conversion.own_rows import NotUnderstood, OwnRows, is_preprocessing, own_rows
from relax_lint.conversion.script import RecipeData, script
from relax_lint.migrate.plan import Todo
from relax_lint.migrate.readings import text

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources
    from relax_lint.migrate.settings import Settings
    from relax_lint.project import Project

TOOLS = "scripts/tools"
_FILES = ("data.train_files", "data.val_files")
_MEDIA = {"image": "images", "video": "videos", "audio": "audios"}


def data_script(
    name: str, settings: Settings, beside: Path, project: Project, verl: VerlSources | None, tools: str = ""
) -> tuple[str, list[Todo]]:
    """The text of ``process_NAME.py``, and what is to be done with it; ``beside`` is where preprocessing may lie,
    ``tools`` the schemas that the prompts show."""
    path = f"{TOOLS}/process_{name}.py"
    todos = [
        Todo(f"run {path} before the first training, as the launcher's head says: it converts verl's data", _FILES)
    ]
    own = None
    for file in _preprocessing(beside, project):
        shown = file.relative_to(project.root).as_posix() if file.is_relative_to(project.root) else file.name
        try:
            own = _own_rows(file, shown, project, verl)
        except NotUnderstood as why:
            where = f"{why.path.name}:{why.line}"
            todos.append(
                Todo(f"{path} converts what {shown} has made, not the raw data set: {where}: {why.reason}", _FILES)
            )
            continue
        todos.append(Todo(f"{path} takes the raw data set, too: it makes the rows of {shown}", _FILES))
        break
    media = {text(settings, f"data.{kind}_key") or column: kind for kind, column in _MEDIA.items()}
    data = RecipeData(
        name,
        text(settings, "data.prompt_key") or "prompt",
        text(settings, "data.reward_fn_key") or "data_source",
        media,
        own.text if own is not None else "",
        tools,
    )
    return script(data), todos


def _preprocessing(directory: Path, project: Project) -> Iterator[Path]:
    """The scripts of a directory that may have made the data."""
    for entry in sorted(project.files.entries(directory), key=lambda each: each.name):
        path = directory / entry.name
        if path.suffix == ".py" and project.is_file(path):
            found = project.text(path)
            if found is not None and is_preprocessing(found.text):
                yield path


def _own_rows(path: Path, shown: str, project: Project, verl: VerlSources | None) -> OwnRows:
    found = project.text(path)
    return own_rows(path, "" if found is None else found.text, shown, verl)
