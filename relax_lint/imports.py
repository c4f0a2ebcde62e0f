"""Which files a Python file may take names from, told by its text: more than it really does, never fewer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.discovery import walk
from relax_lint.kept import Kept

if TYPE_CHECKING:
    from relax_lint.project import Project

_STATEMENT = re.compile(r"\b(from|import)\b((?:\((?:[^)#]|#[^\n]*)*\)?|\\\r?\n|[^\n\\(;#])*)")
_FROM = re.compile(r"\s*((?:\.\s*)*)((?:\w+(?:\s*\.\s*\w+)*)?)\s*\bimport\b(.*)", re.DOTALL)
_NAME = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
_COMMENT_OR_END = re.compile(r"#[^\n]*|\\\r?\n")


class Imports:
    """The ways between the Python files of a project. Relax's own files are no way: they import no recipe."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._reached = Kept()
        self._direct = Kept()

    def reached(self, path: Path) -> frozenset[Path]:
        """A file and all that it may take names from, directly or through others."""

        def answer() -> frozenset[Path]:
            seen, pending = {path}, [path]
            while pending:
                found = self._imported(pending.pop()) - seen
                seen |= found
                pending += found
            return frozenset(seen)

        return self._reached.ask(path, answer)

    def say(self, path: Path, wanted: re.Pattern[str]) -> bool:
        """Whether a pattern is in the text of a file, or of one that it may take names from."""
        sources = map(self._project.python, self.reached(path))
        return any(source.says(wanted) for source in sources if source is not None)

    def _imported(self, path: Path) -> frozenset[Path]:

        def answer() -> frozenset[Path]:
            text = (self._project.read(path) or b"").decode("utf-8", "replace")
            if not text.isascii():
                text = unicodedata.normalize("NFKC", text)  # as Python reads names
            return frozenset(self._files(text, path))

        return self._direct.ask(path, answer)

    def _files(self, text: str, path: Path) -> Iterator[Path]:
        root = self._project.root
        for word, rest in set(_STATEMENT.findall(text)):
            rest = _COMMENT_OR_END.sub(" ", rest)
            if word == "from":
                yield from self._from(rest, path)
                continue
            for dotted in _DOTTED.findall(rest):
                parts = _NAME.findall(dotted)
                if self._is_ours(root, parts[0]):
                    yield from self._at(root, parts, bound=True)
                    for chain in re.findall(rf"\b{parts[0]}(?:\s*\.\s*\w+)+", text):
                        yield from self._at(root, _NAME.findall(chain), bound=False)

    def _from(self, rest: str, path: Path) -> Iterator[Path]:
        statement = _FROM.match(rest)
        if statement is None:
            return
        dots, module, names = statement.groups()
        base, level, parts = self._project.root, dots.count("."), _NAME.findall(module)
        if level > len(path.relative_to(base).parts) or not (level or (parts and self._is_ours(base, parts[0]))):
            return
        base = path.parents[level - 1] if level else base
        yield from self._at(base, parts, bound="*" in names)
        for name in _NAME.findall(names):
            yield from self._at(base, [*parts, name], bound=True)

    def _is_ours(self, root: Path, top: str) -> bool:
        return top != "relax" and (self._project.is_dir(root / top) or self._project.is_file(root / f"{top}.py"))

    def _at(self, base: Path, parts: list[str], *, bound: bool) -> Iterator[Path]:
        """The files of a module and of the packages that it is in; of a package that a name is bound to, all files."""
        root = self._project.root
        places = [base.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)]
        for place in places:
            if place != root:
                files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
                yield from filter(self._project.is_file, files)
        if bound and places[-1] != root and self._project.is_dir(places[-1]):
            yield from (path for path in walk(places[-1], self._project.files) if path.suffix == ".py")
