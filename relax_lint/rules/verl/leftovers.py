"""What rules on code that still derives from verl share: whether a file may speak of it, and real names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.catalog.verl_names import COPIED

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.flow.origins import Origins
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource


_OF_VERL = re.compile(
    rb"(?:from|import)[ \t]+(?:verl|recipe)\b|,[ \t]*(?:verl|recipe)\b|[\"'](?:verl|recipe)\b"
    rb"|from[ \t]+\.[\w.]*(?:base_tool|function_tool|schemas|base|agent_loop|abstract)\b"
)
"""What takes something from verl, or from beside a file that was copied from there."""


def mentions(source: PythonSource, project: Project, marks: tuple[str, ...]) -> bool:
    """Whether a file, or one that it takes names from, holds one of these words and may take anything from verl, or
    from a file that was copied from there."""
    words = [mark.encode() for mark in marks]
    files = project.imports.reached(source.path)
    texts = [source.data if path == source.path else project.read(path) or b"" for path in files]
    return any(word in text for word in words for text in texts) and any(map(_OF_VERL.search, texts))


def is_verls(name: str) -> bool:
    """Whether this is verl's, or verl-recipe's where the repository has no package of that name."""
    return name.startswith(("verl.", "recipe."))


def real_name(name: str) -> str:
    """The name in verl of what a copied file of verl takes from beside itself."""
    return COPIED.get(".".join(name.split(".")[-2:]), name) if name.startswith("examples.") else name


class Derived(NamedTuple):
    """A class that a file makes: where, its name, the statement if there is one, and its bases from elsewhere."""

    place: Place
    name: str
    node: ast.ClassDef | ast.Call
    bases: list[str]


def derived_classes(origins: Origins, source: PythonSource) -> Iterator[Derived]:
    """The classes that a file makes, by a statement or by calling ``type``."""
    for node in source.nodes(ast.ClassDef):
        yield Derived(source.name_place(node), node.name, node, list(map(real_name, origins.bases(source, node))))
    for call in source.nodes(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == "type" and len(call.args) == 3:
            name, bases = call.args[0], call.args[1]
            if isinstance(bases, ast.Tuple):
                shown = name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else "the class"
                found = origins.bases_of(source, bases.elts)
                yield Derived(source.place(call), shown, call, list(map(real_name, found)))
