"""Samples that code takes for dicts: their fields are attributes."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.calls.values import SAMPLE
from relax_lint.diagnostics import Finding
from relax_lint.flow.scopes import own_nodes
from relax_lint.recipe_readings import Read, annotated, is_guarded, stored_names
from relax_lint.sample_names import MEANT, as_attribute, near

if TYPE_CHECKING:
    from relax_lint.calls.reached import ReachedFunction
    from relax_lint.catalog.sample import SampleClass
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.python import PythonSource

_METHODS = {ast.Load: "__getitem__", ast.Store: "__setitem__", ast.Del: "__delitem__"}


def subscripts(function: ReachedFunction) -> list[Read]:
    """What a function takes by a key of the sample that Relax handed over, for sure."""
    if "[" not in function.source.text:
        return []
    nodes = list(own_nodes(function.node))
    given = {parameter.arg for parameter in ast.walk(function.node.args) if isinstance(parameter, ast.arg)}
    bound = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    changing = {name for name, times in bound.items() if times > 1 or name in given}
    return [
        read
        for read in _keyed(function.source, nodes)
        if function.is_certainly(read.holder, SAMPLE) and getattr(read.holder, "id", "") not in changing
    ]


def subscripts_of_annotated(source: PythonSource, project: Project) -> list[Read]:
    """What functions take by a key of parameters that are annotated to be samples, whoever calls them."""

    def answer() -> list[Read]:
        return [
            read
            for nodes, names in annotated(source, project)
            for read in _keyed(source, nodes)
            if isinstance(read.holder, ast.Name) and read.holder.id in names
        ]

    return project.once(("keys of annotated", source), answer)


def _keyed(source: PythonSource, nodes: list[ast.AST]) -> Iterator[Read]:
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if isinstance(node.slice.value, str):
                yield Read(source, node, node.value, node.slice.value)


def as_findings(reads: list[Read], known: SampleClass, launch: Launch | None, project: Project) -> Iterator[Finding]:
    """What is said of them, unless the class, or code of the recipe, gives samples keys."""
    for read in reads:
        node = read.node
        assert isinstance(node, ast.Subscript)
        method = _METHODS[node.ctx.__class__]
        stored = stored_names(read.source, project)
        if stored is None or method in known.names | stored or is_guarded(read) or _expects_it(read):
            continue
        yield Finding(
            read.source.place(node),
            f"a Sample is no dict, and has no keys: {_meant(read, known)}",
            fix=as_attribute(read.source, node, read.name, known.names),
            launch=launch,
            subject=read.name,
        )


def _expects_it(read: Read) -> bool:
    """Whether what a key raises is caught."""
    return any(
        handler.type is not None and "TypeError" in ast.unparse(handler.type)
        for holder in read.source.ancestors(read.node)
        if isinstance(holder, ast.Try)
        for handler in holder.handlers
    )


def _meant(read: Read, known: SampleClass) -> str:
    holder, name = ast.unparse(read.holder), MEANT.get(read.name, read.name)
    if name != read.name or name in known.names:
        return f"it is {holder}.{name}"
    alike = near(name, known.names)
    return f"did you mean {' or '.join(f'{holder}.{one}' for one in (alike or [f'metadata[{name!r}]']))}?"
