"""What recipes and launchers read of the files around them, and so whether a change of some files bears on them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from relax_lint.config import Configuration
from relax_lint.discovery import is_launcher, walk
from relax_lint.files import Files
from relax_lint.project import YAML_SUFFIXES, Project

_COMPONENT = re.compile(rb"[^\s/\\\"'`=:,;(){}\[\]$]+")
_FILE = re.compile(r"(?<![\w./+-])[\w./+-]+\.(?:py|sh|bash|yaml|yml)\b")
_SOURCED = re.compile(rb"(?<![^\s;&|({])(?:source|\.|bash|sh)[ \t]+(\S+)")
_ENDING = re.compile(rb"\.(?:sh|bash)\b")
_LONGEST_NAME = 256
_BLANK = re.compile(rb"\s")
_EXPANSION = re.compile(rb"\$\{[^}]{0,256}\}|\$\w+|[$`*?{}()]")
_ANY_RECIPE = re.compile(rb"examples[/.][\"']?[$`*{?]")
_MODULE = re.compile(r"(?<![\w./-])[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_NOT_READ = ("relax", "tests", "docs")
_PAGES = (".md", ".rst", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".pdf")
"""What is there to be looked at: neither launches nor code."""


class Bearing:
    """Some files that have changed, or are gone."""

    def __init__(self, changed: Iterable[Path], files: Files, configuration: Configuration | None = None) -> None:
        self._changed = frozenset(path for path in changed if path.suffix.lower() not in _PAGES)
        self._files = files
        self._configuration = configuration or Configuration()
        self._projects: dict[Path, Project] = {}
        self._steps: dict[tuple[Path, bool], frozenset[Path]] = {}
        self._texts: dict[Path, bool] = {}
        self._readers: dict[Path, frozenset[Path]] = {}

    def is_of(self, directory: Path) -> bool:
        """Whether one of them is, or was, in a directory."""
        return any(directory in path.parents for path in self._changed)

    def on(self, own: Iterable[Path], root: Path) -> bool:
        """Whether they bear on files of a repository: these read one, directly or through others, or name one that is
        no code or is gone.

        What scripts source is first told by their texts, which is more than they do, then by working out what they do.
        """
        own, project = list(own), self._project(root)
        examples = root / "examples"
        if examples / "__init__.py" in self._changed and any(examples in path.parents for path in own):
            return True  # every module path of a recipe leads through it
        if self._may_be_read(root).isdisjoint(_place(path, root) for path in own):
            return False
        return self._read(own, project, really=False) and self._read(own, project, really=True)

    def _may_be_read(self, root: Path) -> frozenset[Path]:
        """The recipes of a repository, and the files beside them, in whose texts one of the changed ones is named, or
        one of theirs, and so on. A recipe's files are taken for one: others cannot name these without its directory."""
        if root not in self._readers:
            texts = {
                path: (_place(path, root), text, _ends(text) if self._puts_names_together(path, root) else frozenset())
                for path, text in self._all_texts(root)
            }
            found = frontier = {_place(path, root) for path in self._changed}
            while frontier:
                names = _naming(frontier, root, self._files)
                frontier = {place for place, text, ends in texts.values() if place not in found and names(text, ends)}
                found = found | frontier
            self._readers[root] = frozenset(found)
        return self._readers[root]

    def _puts_names_together(self, path: Path, root: Path) -> bool:
        """Whether a file may source or run scripts whose names are not known. The entry layer runs what it is given,
        which is nothing that launchers give."""
        return is_launcher(path, self._files) and path.parent != root / "scripts" / "entrypoint"

    def _all_texts(self, root: Path) -> Iterator[tuple[Path, bytes]]:
        """The code of a repository that recipes may read: not Relax's own, which reads no recipe, and no tests."""
        for entry in self._files.entries(root):
            place = root / entry.name
            if entry.is_dir and (entry.name in _NOT_READ or entry.name.startswith(".")):
                continue
            for path in walk(place, self._files) if entry.is_dir else [place]:
                if path.suffix == ".py" or path.suffix in YAML_SUFFIXES or is_launcher(path, self._files):
                    yield path, self._project(root).read(path) or b""

    def _project(self, root: Path) -> Project:
        if root not in self._projects:
            self._projects[root] = Project(root, self._configuration.settings_for(root / "examples"), self._files)
        return self._projects[root]

    def _sourced(self, script: Path, project: Project) -> Iterable[Path]:
        """The scripts that a launcher really sources or runs, as far as it can be followed."""
        launcher = project.launcher(script)
        if launcher is None or launcher.evaluation.too_complex is not None:
            return project.reach.of(script).scripts
        return [source.path for source in launcher.evaluation.sourced]

    def _read(self, own: Iterable[Path], project: Project, *, really: bool) -> bool:
        """Whether one of them is among what some files read, or is named there."""
        seen, pending = set(own), list(own)
        while pending:
            path = pending.pop()
            if path not in self._texts:
                self._texts[path] = path in self._changed or self._names_one(path, project)
            if self._texts[path]:
                return True
            if (path, really) not in self._steps:
                self._steps[path, really] = frozenset(self._named(path, project, really=really))
            found = self._steps[path, really] - seen
            seen |= found
            pending += found
        return False

    def _named(self, path: Path, project: Project, *, really: bool) -> Iterator[Path]:
        """The files that a file takes something from, by what it is."""
        if path.suffix == ".py":
            yield from project.imports.reached(path)
        elif is_launcher(path, self._files):
            yield from self._sourced(path, project) if really else project.reach.of(path).scripts
        elif path.suffix not in YAML_SUFFIXES:
            return
        text = (project.read(path) or b"").decode("utf-8", "replace")
        for name in set(_FILE.findall(text)):
            for base in (project.root, path.parent):
                at = Path(os.path.normpath(base / name.lstrip("/")))
                if at.suffix == ".py" or at.suffix in YAML_SUFFIXES:
                    yield from [at] if project.root in at.parents and project.is_file(at) else []
        for dotted in set(_MODULE.findall(text)):
            yield from _module(dotted.split("."), project)

    def _names_one(self, path: Path, project: Project) -> bool:
        """Whether a text names one of them that cannot be found by reading: what is gone, and what is no code."""
        files, modules = self._only_named
        if not (files or modules):
            return False
        if path.suffix != ".py" and path.suffix not in YAML_SUFFIXES and not is_launcher(path, self._files):
            return False
        components = set(_COMPONENT.findall(project.read(path) or b""))
        if components & files:
            return True
        dotted = (name.strip(b".") for name in components)
        return bool(modules) and bool(
            {piece for name in dotted if b"." in name for piece in name.split(b".")} & modules
        )

    @cached_property
    def _only_named(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """The names of files and of modules by which those are known; a package goes by its directory."""
        files, modules = set(), set()
        for path in self._changed:
            is_code = path.suffix == ".py" or is_launcher(path, self._files)
            if is_code and self._files.is_file(path):
                continue
            if path.name == "__init__.py":
                modules.add(os.fsencode(path.parent.name))
            else:
                files.add(os.fsencode(path.name))
                if path.suffix == ".py":
                    modules.add(os.fsencode(path.stem))
        return frozenset(files), frozenset(modules)


def _place(path: Path, root: Path) -> Path:
    """The recipe that a file is in; the file itself when it is in none."""
    examples = root / "examples"
    if examples not in path.parents or path.parent == examples:
        return path
    return examples / path.relative_to(examples).parts[0]


def _naming(places: Iterable[Path], root: Path, files: Files) -> Callable[[bytes, Iterable[bytes]], bool]:
    """Whether a text may name one of some recipes or files, be it by the ends of names that it puts together."""
    recipes = {place for place in places if place.parent == root / "examples" and not place.suffix}
    others = [place for place in places if place not in recipes]
    words = {place.name for place in recipes} | {path.stem for path in others if path.name != "__init__.py"}
    packages = {path.parent.name for path in others if path.suffix == ".py"}
    word, package = ("|".join(map(re.escape, one)) or "(?!)" for one in (words, packages))
    named = re.compile(
        os.fsencode(
            rf"(?<![\w-])(?:{word})(?![\w-])|\bimport\b[^\n]{{0,999}}\b(?:{package})\b|\b(?:{package})[\s\\]+import\b"
        )
    )
    pieces = [os.fsencode(each) for each in words | packages]
    scripts = [os.fsencode(path.name) for path in others if is_launcher(path, files)]

    def names(text: bytes, ends: Iterable[bytes]) -> bool:
        # Looking for plain words first is many times as fast.
        if (any(piece in text for piece in pieces) and named.search(text)) or (recipes and _ANY_RECIPE.search(text)):
            return True
        return bool(scripts) and any(name.endswith(end) for end in ends for name in scripts)

    return names


def _ends(text: bytes) -> frozenset[bytes]:
    """The ends of names of scripts that a text puts together; of one that only a variable holds, nothing."""
    words = set(_SOURCED.findall(text))
    for found in _ENDING.finditer(text):
        before = text[max(0, found.start() - _LONGEST_NAME) : found.end()]
        words.add(_BLANK.split(before)[-1])
    parts = (_EXPANSION.sub(b"\0", word.replace(b'"', b"").replace(b"'", b"")) for word in words)
    ends = (word.rpartition(b"\0") for word in parts if b"\0" in word)
    return frozenset(end for _, _, end in ends if b"/" not in end)


def _module(parts: list[str], project: Project) -> Iterator[Path]:
    """The files of the module that a dotted name begins with, where it is one of the repository, with its packages."""
    if parts[0] == "relax" or not project.is_dir(project.root / parts[0]):
        return
    for depth in range(1, len(parts) + 1):
        base = project.root.joinpath(*parts[:depth])
        yield from filter(project.is_file, (base / "__init__.py", base.with_name(f"{base.name}.py")))
