"""A recipe leaves Relax's core as it is: the hook ``relax-core-untouched``, and what the rule of a like name says.

Run as ``python -m relax_lint.core_untouched`` at the top of a repository. It fails when the index, or what pre-commit
says is to be pushed, edits, adds or deletes anything in ``relax/``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, Place
from relax_lint.sources.text import SourceFile

if TYPE_CHECKING:
    from relax_lint.scope import Judged, Scope


def core_among(paths: Iterable[Path], root: Path) -> list[Path]:
    """Those of some paths that are in the core of the Relax at ``root``."""
    return [path for path in paths if root / "relax" in path.parents]


def touched(scope: Scope) -> Iterator[tuple[Finding, Judged | None]]:
    """One finding for each file of the core that a change touches together with one of the recipes judged."""
    project = scope.project
    core = core_among(scope.changed, project.root)
    if not core:
        return
    directories = {recipe.directory for recipe in scope.recipes}
    if not any(directories & set(path.parents) for path in scope.changed):
        return
    for path in core:
        source = project.source(path) if project.is_file(path) else None
        source = source or SourceFile(path, b"")
        shown = path.relative_to(project.root).as_posix()
        message = f"a change of a recipe edits {shown}: keep what a recipe needs in examples/, and the core as it is"
        yield Finding(Place(source, 0, 0), message, subject=shown), None


def main() -> int:
    """The exit status: 1 when the core is touched, 2 when git cannot say."""
    from relax_lint.changes import GitError, in_work_tree, staged_paths

    try:
        changed = in_work_tree(staged_paths() or [])
    except GitError as problem:
        print(f"relax-core-untouched: {problem}", file=sys.stderr)
        return 2
    edited = core_among(changed, Path.cwd())
    for path in edited:
        print(path.relative_to(Path.cwd()).as_posix())
    if edited:
        print("A recipe lives in examples/ and leaves relax/ as it is; to change the core itself, skip this hook:")
        print("SKIP=relax-core-untouched git commit …")
    return 1 if edited else 0


if __name__ == "__main__":
    sys.exit(main())
