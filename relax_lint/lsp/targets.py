"""What the words of launchers and configurations lead to: files, functions, and where a variable is set."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.catalog.module_paths import MODULE_PATH_FLAGS
from relax_lint.diagnostics import Place
from relax_lint.lsp.spots import Spot
from relax_lint.module_paths import is_ours, module_file
from relax_lint.shell.nodes import Assignment, Literal, Parameter, SimpleCommand, Word
from relax_lint.shell.walk import array_literals, commands_of, nodes_of
from relax_lint.sources.config_yaml import YamlSource
from relax_lint.sources.launcher import LauncherSource

if TYPE_CHECKING:
    from relax_lint.flow.names import Found
    from relax_lint.project import Project
    from relax_lint.shell.launch import Word as PassedWord
    from relax_lint.sources.text import SourceFile

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_PATH = re.compile(r"[\w./@+-]*\w")


class Target(NamedTuple):
    """What stands at ``start:end`` leads to a file, or to a ``place`` in one."""

    start: int
    end: int
    path: Path
    place: Place | None = None


def targets_in(source: SourceFile, project: Project) -> list[Target]:
    """Everything in a file that leads to another, in the order of the text."""
    if isinstance(source, LauncherSource):
        found = {target.start: target for target in _in_launcher(source, project)}
        return [found[start] for start in sorted(found)]
    return list(_in_yaml(source, project)) if isinstance(source, YamlSource) else []


def targets_at(source: SourceFile, offset: int, project: Project) -> list[Target]:
    """Where what stands at an offset leads to."""
    if isinstance(source, LauncherSource):
        variable = list(_variable(source, offset))
        if variable:
            return variable
    return [target for target in targets_in(source, project) if target.start <= offset <= target.end]


# ---------------------------------------------------------------- launchers


def _in_launcher(source: LauncherSource, project: Project) -> Iterator[Target]:
    """The words as they are written, then, which counts more, as launches pass them."""
    for command in commands_of(source):
        words = [word for word in command.words if isinstance(word, Word)]
        yield from _sourced(source, command, words)
        for sequence in (words, *([each.value for each in array.elements] for _, array in array_literals(command))):
            for at, word in enumerate(sequence):
                if word.literal is not None:
                    behind = Spot(source, word, tuple(sequence[max(at - 1, 0) : at]), "").flag()
                    named = "" if behind is None or behind[1] != 1 else behind[0]
                    yield from _named(named, word.literal, word.start, word.end, source, project)
    for launch in source.launches:
        directory = Path(launch.directory) if launch.directory else project.root
        for flag, passed in ((argument.flag, value) for argument in launch.arguments for value in argument.values):
            if passed.place is not None and passed.place.source is source and passed.known:
                yield from _passed(flag, passed, directory, source, project)


def _passed(flag: str, word: PassedWord, directory: Path, source: LauncherSource, project: Project) -> Iterator[Target]:
    assert word.place is not None
    found = list(_named(flag, word.text, word.place.start, word.place.end, source, project))
    beside = directory / word.text
    if not found and _PATH.fullmatch(word.text) and "/" in word.text and project.is_file(beside):
        found = [Target(word.place.start, word.place.end, beside)]
    yield from found


def _named(flag: str, text: str, start: int, end: int, source: SourceFile, project: Project) -> Iterator[Target]:
    """What a text names: a function where the flag wants one, or a file."""
    if flag in MODULE_PATH_FLAGS or (not flag and _DOTTED.fullmatch(text)):
        yield from _function(text, start, end, project)
    elif "/" in text and _PATH.fullmatch(text):
        for base in (project.root, source.path.parent):
            if project.is_file(base / text):
                yield Target(start, end, base / text)
                return


def _function(dotted: str, start: int, end: int, project: Project) -> Iterator[Target]:
    """Where a function is defined, or the module that is named, or that lacks it."""
    from relax_lint.flow.interpreter import interpreter_of

    module, _, name = dotted.rpartition(".")
    if not module or not is_ours(dotted, project):
        return
    source = module_file(module, project)
    resolution = None if source is None else interpreter_of(project).resolver.resolve(source, name)
    if resolution is not None and resolution.found:
        for found in resolution.found:
            yield Target(start, end, found.source.path, _place(found))
        return
    nearest = module_file(dotted, project) or source
    if nearest is not None:
        yield Target(start, end, nearest.path)


def _place(found: Found) -> Place:
    node = found.binding.node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return found.source.name_place(node)
    return found.source.place(node)


def _sourced(source: LauncherSource, command: SimpleCommand, words: list[Word]) -> Iterator[Target]:
    """The file that a ``source`` reads, which its last part names."""
    if len(words) < 2 or words[0].literal not in ("source", "."):
        return
    last = words[1].parts[-1] if words[1].parts else None
    name = last.text.rpartition("/")[2] if isinstance(last, Literal) else ""
    for read in source.evaluation.sourced:
        if name and read.path.name == name:
            yield Target(words[1].start, words[1].end, read.path)
            return


def _variable(source: LauncherSource, offset: int) -> Iterator[Target]:
    """The assignments of the variable that is expanded at an offset: in the script, else in what it sources."""
    holding = [node for node in nodes_of(source, Parameter) if node.start <= offset <= node.end]
    if not holding:
        return
    node = min(holding, key=lambda node: node.end - node.start)
    for script in (source, *source.evaluation.sourced):
        found = [each for each in nodes_of(script, Assignment) if each.name == node.name]
        for assignment in found:
            name = Place(script, assignment.start, assignment.start + len(assignment.name))
            yield Target(node.start, node.end, script.path, name)
        if found:
            return


# ---------------------------------------------------------------- configurations


def _in_yaml(source: YamlSource, project: Project) -> Iterator[Target]:
    if source.error is not None:
        return
    for document in source.documents:
        for node in document.walk():
            if node.kind == "scalar" and node.tag == "str":
                yield from _named("", node.text, node.start, node.end, source, project)
