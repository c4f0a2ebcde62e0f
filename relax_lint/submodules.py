"""What a change does to submodules, in which git has repositories of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from relax_lint.discovery import walk
from relax_lint.files import Files
from relax_lint.git import GITLINK, Difference, GitError, ask, differences

_NOTHING = "0" * 8


class Submodule(NamedTuple):
    """A submodule whose commit may have changed: ``old`` is ``None`` where there was none, ``new`` where what is
    checked out counts."""

    path: Path
    old: str | None
    new: str | None

    @property
    def is_there(self) -> bool:
        """Whether it is checked out."""
        return (self.path / ".git").exists()

    def changed(self) -> list[Path]:
        """Its files that differ; where git cannot say which, all of them."""
        if self.old is not None and self.is_there:
            try:
                return since(self.path, self.old) if self.new is None else between(self.path, self.old, self.new)
            except GitError:  # it has not fetched one of the commits, say
                pass
        return walk(self.path, Files()) or [self.path]


def between(root: Path, *what: str) -> list[Path]:
    """The files that differ between two states of the repository at ``root``, of which the work tree is none."""
    found = list(differences(*what, root=root))
    inside = (file for one in moved(found) for file in one.changed())
    return sorted({*_files(found), *inside})


def since(root: Path, revision: str) -> list[Path]:
    """The files of the work tree at ``root`` that differ from a revision, new and deleted ones included."""
    found = list(differences(revision, root=root))
    others = ask("ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/", directory=str(root))
    untracked = (root / name for name in others.split("\0") if name)
    inside = (file for one in checked_out(root, found) for file in one.changed())
    return sorted({*_files(found), *untracked, *inside})


def moved(found: Iterable[Difference]) -> Iterator[Submodule]:
    """The submodules of which two states of a repository have different commits."""
    for one in found:
        if GITLINK in one.modes:
            old, new = (
                name if mode == GITLINK and not name.startswith(_NOTHING) else None
                for mode, name in zip(one.modes, one.objects, strict=True)
            )
            yield Submodule(one.path, old, new)


def checked_out(root: Path, found: Iterable[Difference]) -> Iterator[Submodule]:
    """All submodules in the work tree at ``root``, each with the commit it had, given how the work tree differs."""
    known = {one.path: one for one in moved(found)}
    for line in ask("ls-files", "--stage", "--full-name", "-z", ":/", directory=str(root)).split("\0"):
        if line.startswith(GITLINK):
            entry, _, name = line.partition("\t")
            here = known.get(root / name) or Submodule(root / name, entry.split(" ")[1], None)
            if here.path in known or here.is_there:
                known[here.path] = here._replace(new=None)
    yield from known.values()


def changed_between(root: Path, old: str, new: str | None) -> list[Submodule]:
    """The submodules that differ between two commits; between one and the work tree where ``new`` is ``None``."""
    if new is not None:
        return list(moved(differences(old, new, root=root)))
    return [one for one in checked_out(root, differences(old, root=root)) if one.changed()]


def not_there(changed: Iterable[Path], named: Sequence[Path]) -> list[Path]:
    """The submodules among changed paths, which stand for themselves where nothing of them is checked out; those that
    may hold a part of what is named."""
    directories = (path for path in changed if path.is_dir() and not path.is_symlink())
    return [
        path
        for path in directories
        if not (path / ".git").exists() and any(path.is_relative_to(one) or one.is_relative_to(path) for one in named)
    ]


def outside(paths: Iterable[Path], root: Path) -> list[Path]:
    """Those of some paths that belong to the repository at ``root`` itself."""
    return [
        path for path in paths if not any((above / ".git").exists() for above in path.parents if root in above.parents)
    ]


def _files(found: Iterable[Difference]) -> Iterator[Path]:
    return (one.path for one in found if GITLINK not in one.modes)
