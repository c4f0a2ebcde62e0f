"""RLX106: changes of a recipe that edit Relax's core as well, which the hook refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.clean.recipes import clean
from tests.faults.trees import Edit, Tree, append, put, remove, write

CORE = "relax/engine/rewards/sums.py"
HELD: Tree = {CORE: "def score(text):\n    return 0.0\n", "relax/__init__.py": "", "docs/notes.md": "notes\n"}


def git(root: Path, *arguments: str) -> None:
    """Run git in a repository of its own."""
    named = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *named, *arguments], cwd=root, check=True, capture_output=True)


def refused(root: Path, *edits: Edit) -> tuple[int, str]:
    """What the hook says when these edits are staged."""
    tree = HELD | clean("text")
    put(tree, root)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "all")
    changed = dict(tree)
    for edit in edits:
        edit(changed)
    for path in tree.keys() - changed.keys():
        (root / path).unlink()
    put(changed, root)
    git(root, "add", "-A")
    done = subprocess.run([sys.executable, "-m", "relax_lint.core_untouched"], cwd=root, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("edits", "named"),
    [
        ((append(CORE, "\n\nBONUS = 1\n"),), CORE),
        ((append(CORE, "# seen\n"), append("examples/arith/reward_arith.py", "# seen\n")), CORE),
        ((write("relax/engine/rewards/arith.py", "X = 1\n"),), "relax/engine/rewards/arith.py"),
        ((remove(CORE),), CORE),
        ((remove(CORE), write("examples/arith/sums.py", HELD[CORE])), CORE),
        ((write("relax/utils/new/table.json", "{}\n"),), "relax/utils/new/table.json"),
    ],
    ids=["edited", "edited-beside-a-recipe", "new-file", "removed", "moved-out", "no-python"],
)
def test_core_edit_is_refused(edits: tuple[Edit, ...], named: str, tmp_path: Path) -> None:
    status, said = refused(tmp_path, *edits)
    assert status == 1
    assert named in said


def test_other_edits_are_let_through(tmp_path: Path) -> None:
    edits = (append("docs/notes.md", "more\n"), append("examples/arith/reward_arith.py", "# seen\n"))
    assert refused(tmp_path, *edits)[0] == 0
