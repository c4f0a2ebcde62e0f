"""What is said of imports that fail when a launch comes to a module that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from relax_lint.diagnostics import Finding, Related
from relax_lint.module_paths import meant_among, module_meant, shown_path

if TYPE_CHECKING:
    import ast

    from relax_lint.failing_imports import FailingImport
    from relax_lint.named_functions import NamedFunction
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

    Told = set[tuple[ast.Import | ast.ImportFrom, str]]
    """Imports, each with the name that it takes, of which something is said already."""

Use = TypeVar("Use", bound="NamedFunction")


def modules_of(uses: Iterable[Use], project: Project) -> dict[PythonSource, Use]:
    """The modules that launches import for functions that they name, each with the first of these."""
    from relax_lint.flow.names import dotted_name

    found: dict[PythonSource, Use] = {}
    for use in uses:
        if use.module is not None and use.module_name == dotted_name(use.module.path, project.root):
            found.setdefault(use.module, use)
    return found


def failing_findings(
    starts: Mapping[PythonSource, NamedFunction | None], recipe: Recipe, project: Project, told: Told
) -> Iterator[Finding]:
    """The imports that fail when modules are imported, each with what names it, but for those that are told."""
    from relax_lint.failing_imports import failing_imports

    for start, use in starts.items():
        for failing in failing_imports(start, recipe, project):
            if (failing.statement, failing.name) not in told:
                yield _finding(failing, start, use, project)


def failing_besides(
    starts: Mapping[PythonSource, NamedFunction | None],
    recipe: Recipe,
    project: Project,
    others: Callable[[], Iterable[PythonSource]],
) -> Iterator[Finding]:
    """The same, but for those that fail when ``others`` are imported, of which another rule speaks."""
    if _failing_among(starts, recipe, project):
        yield from failing_findings(starts, recipe, project, _failing_among(others(), recipe, project))


def _failing_among(starts: Iterable[PythonSource], recipe: Recipe, project: Project) -> Told:
    from relax_lint.failing_imports import failing_imports

    found = (failing for start in starts for failing in failing_imports(start, recipe, project))
    return {(failing.statement, failing.name) for failing in found}


def _finding(failing: FailingImport, start: PythonSource, use: NamedFunction | None, project: Project) -> Finding:
    if failing.meant is not None:
        message = f"{failing.module} is found only with its directory on the path: {_by_path(failing.meant, project)}"
    elif failing.holder is None:
        message = f"there is no module {failing.module}{module_meant(failing.module, project)}"
    elif failing.holder.path.name == "__init__.py":
        dotted = f"{failing.module}.{failing.name}"
        message = f"there is no {dotted}, neither in __init__.py nor as a module{module_meant(dotted, project)}"
    else:
        is_ours = failing.holder.path.is_relative_to(project.root)
        where = shown_path(failing.holder, project) if is_ours else failing.module
        message = lacking(where, failing.holder, failing.name, project)
    related = () if use is None else (Related(use.place, f"the launch imports {start.path.name}, which fails at this"),)
    launch = None if use is None else use.launch
    subject = ".".join(filter(None, (failing.module, failing.name)))
    return Finding(failing.place, message, related=related, launch=launch, subject=subject)


def _by_path(source: PythonSource, project: Project) -> str:
    from relax_lint.flow.names import dotted_name

    dotted = dotted_name(source.path, project.root)
    if all(part.isidentifier() for part in dotted.split(".")):
        return f"Relax imports from the repository's root, so write {dotted}"
    return f"Relax imports from the repository's root, and {dotted} cannot be written"


def lacking(where: str, holder: PythonSource, name: str, project: Project) -> str:
    """That a file has no such name, and which it may be meant to be."""
    from relax_lint.flow.interpreter import interpreter_of

    names = list(interpreter_of(project).resolver.names.of(holder).bindings)
    if name in names:
        line = _deletion(holder, name)
        how = "it has none any more when the import ends" if line is None else f"line {line} deletes it"
        return f"{where} has no {name}: {how}"
    return f"{where} has no {name}{meant_among(name, names)}"


def _deletion(holder: PythonSource, name: str) -> int | None:
    """The line of the module's own ``del`` of a name, the last one."""
    import ast

    own = [
        target.lineno
        for node in holder.nodes(ast.Delete)
        if not any(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in holder.ancestors(node))
        for target in node.targets
        if isinstance(target, ast.Name) and target.id == name
    ]
    return max(own, default=None)
