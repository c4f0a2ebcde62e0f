"""The hook ``relax-core-untouched``: a recipe leaves Relax's core as it is.

Run as ``python -m relax_lint.core_untouched`` at the top of a repository. It fails when the index, or what pre-commit
says is to be pushed, edits, adds or deletes anything in ``relax/``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from relax_lint.changes import GitError, staged_paths


def main() -> int:
    """The exit status: 1 when the core is touched, 2 when git cannot say."""
    try:
        changed = staged_paths() or []
    except GitError as problem:
        print(f"relax-core-untouched: {problem}", file=sys.stderr)
        return 2
    core = Path.cwd() / "relax"
    touched = [path for path in changed if core in path.parents]
    for path in touched:
        print(path.relative_to(core.parent).as_posix())
    if touched:
        print("A recipe lives in examples/ and leaves relax/ as it is; to change the core itself, skip this hook:")
        print("SKIP=relax-core-untouched git commit …")
    return 1 if touched else 0


if __name__ == "__main__":
    sys.exit(main())
