"""What a verl launch runs, and the configuration that this is written to use."""

from __future__ import annotations

import ast
import os.path
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from relax_lint.migrate.config_directories import ConfigDirectory, DirectoryOnDisk
from relax_lint.migrate.verl_defaults import MainConfig, Verl
from relax_lint.records import record
from relax_lint.shell.launch import entry_name
from relax_lint.sources.python import literal_text

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.python import PythonSource

_HYDRA_MAIN = ("hydra.main", "main")


@record
class Main:
    """``name`` is the module or file as the launch names it; ``directory`` where its configuration is looked up, which
    ``config`` names. ``beside`` is the directory of its code: a path from verl's checkout, or on this disk. ``guessed``
    says that nothing is known of it, and that it is taken to be like one of verl's."""

    name: str
    directory: ConfigDirectory | None
    config: str
    beside: Path | PurePosixPath
    guessed: bool = False


def main_of(launch: Launch, project: Project, verl: Verl) -> Main | None:
    """What a launch runs; ``None`` when that is not known."""
    name = entry_name(launch.argv[launch.entry])
    source = _source(name, launch, project, verl)
    declared = None if source is None or source.tree is None else hydra_main(source.tree)
    if source is not None and declared is not None:
        beside = source.path.parent
        path = Path(os.path.normpath(beside / declared.directory))
        directory = DirectoryOnDisk(project, path, of_verl=verl.owns(path)) if project.is_dir(path) else None
        if directory is None:
            return Main(name, verl.directory(_after_verl(path)), declared.name, beside)
        return Main(name, directory, declared.name, beside)
    known = verl.main(module_name(name))
    if known is None:
        return None
    return Main(name, verl.directory(known.directory), known.name, PurePosixPath(known.directory).parent, known.guessed)


def module_name(name: str) -> str:
    """The dotted module of what a launch names: ``verl/trainer/main_ppo.py`` is ``verl.trainer.main_ppo``."""
    if not name.endswith(".py"):
        return name
    parts = PurePosixPath(name.removesuffix(".py")).parts
    starts = [index for index, part in enumerate(parts) if part in ("verl", "recipe")]
    return ".".join(parts[starts[-1] if starts else -1 :])


def _source(name: str, launch: Launch, project: Project, verl: Verl) -> PythonSource | None:
    """The code of what runs."""
    if name.endswith(".py"):
        places = [Path(launch.directory)] if launch.directory else []
        places += [project.root, launch.script.parent]
        path = next((place / name for place in places if project.is_file(place / name)), None)
        return None if path is None else project.python(path)
    start = Path(launch.directory) if launch.directory else None
    found = (
        project.module(name, start) or project.module(name, verl.root) or project.module(name.removeprefix("recipe."))
    )
    beside = launch.script.parent / f"{name.rpartition('.')[2]}.py"
    return found or (project.python(beside) if project.is_file(beside) else None)


def hydra_main(tree: ast.Module) -> MainConfig | None:
    """What ``@hydra.main`` says: the directory of the configuration, from that of the file, and its name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for call in node.decorator_list:
            if isinstance(call, ast.Call) and ast.unparse(call.func) in _HYDRA_MAIN:
                given = {word.arg: word.value for word in call.keywords}
                given.update(zip(("config_path", "config_name"), call.args, strict=False))
                path, name = (literal_text(given.get(key)) for key in ("config_path", "config_name"))
                if name is not None:
                    return MainConfig(path or "", name)
    return None


def _after_verl(path: Path) -> str:
    """A path from verl's checkout: what follows the last directory that holds ``verl``."""
    parts = path.parts
    starts = [index for index, part in enumerate(parts) if part in ("verl", "recipe")]
    return "/".join(parts[starts[-1] :]) if starts else ""
