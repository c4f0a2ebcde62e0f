"""What a run would change, as a patch that `git apply` takes: it says what `--fix` would write, byte for byte."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint import looks
from relax_lint.report import shown_path

if TYPE_CHECKING:
    from relax_lint.migrate.in_place import Rewritten
    from relax_lint.project import Project

_PLAIN = {*range(0x21, 0x7F)} - {*b'"\\'}
"""The bytes of names that stand as they are. Git needs no quotes round a blank, but `patch` does."""


class Patch:
    """Files before and after, ``None`` where there is none, and the copies of originals that are kept."""

    def __init__(self) -> None:
        self._sides: dict[Path, tuple[bytes | None, bytes | None]] = {}
        self._copies: dict[Path, Path] = {}

    def take(self, project: Project, done: Rewritten, *, deletes: bool) -> None:
        """Take in what becomes of a project."""
        for bundle in done.bundles:
            self._copies.update((beside, path) for path, beside in bundle.kept)
            if deletes:
                for path in bundle.gone:
                    self.change(path, project.read(path), None)
        for path, data in done.fixed.changes.items():
            if path not in self._copies:
                self.change(path, project.read(path), data)

    def change(self, path: Path, before: bytes | None, after: bytes | None) -> None:
        """Take in what one file was and becomes."""
        if before != after:
            self._sides[path] = before, after

    def after(self, path: Path) -> bytes | None:
        """What a file becomes, if anything becomes of it."""
        return self._sides[path][1] if path in self._sides else None

    def render(self) -> bytes:
        """The whole patch. Copies come first: they are of what the files hold before."""
        copies = (_copied(path, beside) for beside, path in sorted(self._copies.items()))
        changed = (_changed(path, *sides) for path, sides in sorted(self._sides.items()))
        pieces = [line for block in (*copies, *changed) for line in block]
        return "".join(pieces).encode("utf-8", "surrogateescape")


def _copied(path: Path, beside: Path) -> Iterator[str]:
    yield _header(path, beside)
    yield "similarity index 100%\n"
    yield f"copy from {_named('', path)}\n"
    yield f"copy to {_named('', beside)}\n"


def _changed(path: Path, before: bytes | None, after: bytes | None) -> Iterator[str]:
    """One file. Each has a header of its own: without one it would go on with the file before it, if that is empty."""
    import difflib

    yield _header(path, path)
    if before is None:
        yield "new file mode 100644\n"
    if after is None:
        yield f"deleted file mode {'100755' if looks.executable(str(path)) else '100644'}\n"
    old = "/dev/null" if before is None else _named("a/", path)
    new = "/dev/null" if after is None else _named("b/", path)
    for line in difflib.unified_diff(_lines(before), _lines(after), old, new):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _header(old: Path, new: Path) -> str:
    return f"diff --git {_named('a/', old)} {_named('b/', new)}\n"


def _named(side: str, path: Path) -> str:
    """A path as git writes it: in quotes, with bytes as octal numbers, when there is more than plain letters in it."""
    name = os.fsencode(f"{side}{shown_path(path)}")
    return name.decode() if _PLAIN.issuperset(name) else f'"{"".join(_quoted(name))}"'


def _quoted(name: Iterable[int]) -> Iterator[str]:
    for byte in name:
        if byte in b'"\\':
            yield f"\\{chr(byte)}"
        else:
            yield chr(byte) if byte in _PLAIN or byte == ord(" ") else f"\\{byte:03o}"


def _lines(data: bytes | None) -> list[str]:
    """Lines as git counts them: they end at ``\\n`` and nothing else."""
    *whole, rest = (data or b"").decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])
