"""What stands behind a module path such as ``examples.demo.rollout.generate``, looked up as Relax does it."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.project import Project, Recipe

if TYPE_CHECKING:
    from relax_lint.flow.names import Resolver
    from relax_lint.sources.python import PythonSource

_AS_A_FILE = re.compile(r"(?P<path>[^:]*?)(?:\.py)?(?::(?P<name>\w+))?\Z")


def is_file_form(named: str) -> bool:
    """Whether this is how one names a file, or a function in one; Relax takes neither."""
    return "/" in named or ":" in named or named.endswith(".py")


def as_module_path(named: str, project: Project, usual_name: str | None = None) -> str | None:
    """What a file form was to be: the module path of the function that it names, or of the one that is usually there;
    ``None`` when there is no such function."""
    form = _AS_A_FILE.match(named)
    if form is None:
        return None
    path = os.path.normpath(form["path"])
    if path.startswith("/"):
        path = os.path.relpath(path, project.root)
    module = path.replace("/", ".")
    candidates = [f"{module}.{name}" for name in (form["name"] or usual_name,) if name]
    if form["name"] is None and not named.endswith(".py"):
        candidates.insert(0, module)  # the name may be among the directories: a/b/c/function
    return next((one for one in candidates if is_certain(one, project)), None)


def is_certain(dotted: str, project: Project) -> bool:
    """Whether the repository has the module, and the module binds the name."""
    module, _, name = dotted.rpartition(".")
    source = module_file(module, project) if module else None
    if source is None or source.tree is None:
        return False
    found = _resolver(project).resolve(source, name)
    return bool(found.found) and found.module is None


def module_file(dotted: str, project: Project) -> PythonSource | None:
    """The file of a module, found from the repository's root; Relax's own in its checkout. Unlike in code, any name of
    a file will do: it is imported by text."""
    parts = dotted.split(".")
    if all(part.isidentifier() for part in parts):
        return project.module(dotted)
    base = project.root.joinpath(*parts)
    for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
        if all(parts) and project.is_file(path):
            return project.python(path)
    return None


def is_ours(dotted: str, project: Project) -> bool:
    """Whether a module path begins in this repository, or in the Relax checkout at hand: what others install is not
    known."""
    top = dotted.partition(".")[0]
    if top == "relax":
        return project.relax_root is not None
    return bool(top) and (project.is_dir(project.root / top) or project.is_file(project.root / f"{top}.py"))


def fault(dotted: str, project: Project, recipe: Recipe | None = None) -> str | None:
    """What is wrong with a module path that is no file form; ``None`` when it leads somewhere, or nobody can tell. A
    module that is not there may be meant to be the ``recipe``'s of that name."""
    module, _, name = dotted.rpartition(".")
    if not module or not name or not all(module.split(".")):
        return f"{dotted} names no function in a module: package.module.function"
    if not is_ours(dotted, project):
        return None
    source = module_file(module, project)
    if source is None:
        return _without_file(dotted, module, project, recipe)
    if source.tree is None:
        return None
    resolution = _resolver(project).resolve(source, name)
    if resolution.module is not None or (resolution.missing and _is_module(dotted, project)):
        return f"{dotted} is a module; a function in it is wanted: {dotted}.<function>"
    if resolution.missing:
        return f"{shown_path(source, project)} has no {name}{meant_among(name, _names_in(source, project))}"
    return None


def package_fault(dotted: str, project: Project) -> str | None:
    """What is wrong with the name of a package."""
    if not is_ours(dotted, project) or _is_module(dotted, project):
        return None
    return f"there is no package {dotted}{module_meant(dotted, project)}"


def _without_file(dotted: str, module: str, project: Project, recipe: Recipe | None) -> str:
    if _is_module(dotted, project):
        return f"{dotted} is a module; a function in it is wanted: {dotted}.<function>"
    if project.is_dir(_directory(module, project)):
        return f"{module} is a directory; a function of a module in it is wanted: {module}.<module>.<function>"
    own = None if recipe is None else _of_recipe(module, recipe, project)
    meant = module_meant(module, project) if own is None else f"; did you mean {own}?"
    return f"there is no module {module}{meant}"


def _of_recipe(module: str, recipe: Recipe, project: Project) -> str | None:
    """The module of that name in a recipe that was copied, or got another name."""
    name = module.rpartition(".")[2]
    if not recipe.directory.is_relative_to(project.root):
        return None
    own = ".".join((*recipe.directory.relative_to(project.root).parts, name))
    return own if is_ours(own, project) and project.module(own) is not None else None


def _is_module(dotted: str, project: Project) -> bool:
    return module_file(dotted, project) is not None or project.is_dir(_directory(dotted, project))


def _directory(dotted: str, project: Project) -> Path:
    parts = dotted.split(".")
    root = project.root
    if parts[0] == "relax" and project.relax_root is not None:
        root = project.relax_root
    return root.joinpath(*parts)


def _resolver(project: Project) -> Resolver:
    from relax_lint.flow.interpreter import interpreter_of

    return interpreter_of(project).resolver


def shown_path(source: PythonSource, project: Project) -> str:
    """A file as seen from the repository's root."""
    try:
        return source.path.relative_to(project.root).as_posix()
    except ValueError:
        return source.path.name


def _names_in(source: PythonSource, project: Project) -> list[str]:
    return list(_resolver(project).names.of(source).bindings)


def module_meant(module: str, project: Project) -> str:
    """A module beside one that is not there, or of its name in a directory beside its own."""
    package, _, name = module.rpartition(".")
    directory = _directory(module, project).parent
    if project.is_dir(directory):
        stems = [entry.name.removesuffix(".py") for entry in project.files.entries(directory) if entry.is_file]
        return meant_among(name, (stem for stem in stems if stem.isidentifier() and stem != "__init__"), package)
    above, _, last = package.rpartition(".")
    beside = [entry.name for entry in project.files.entries(directory.parent) if entry.is_dir]
    holding = (other for other in beside if project.is_file(directory.parent / other / f"{name}.py"))
    return meant_among(last, holding, above, name)


def meant_among(name: str, others: Iterable[str], package: str = "", rest: str = "") -> str:
    """Which of some names another one may be meant to be, between the parts of a path around it."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(others), n=1)
    return f"; did you mean {'.'.join(filter(None, (package, *close, rest)))}?" if close else ""
