"""The main job on a bundled broken recipe, in a temporary copy: findings, ``--fix``, the diff, clean again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BROKEN = ROOT / "tests/recipes/broken_countdown"
RELAX_LINT = Path(sys.executable).parent / "relax-lint"
COLOURED = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def say(text: str) -> None:
    """A heading."""
    print(f"\n\033[1;34m{text}\033[0m\n" if COLOURED else f"\n{text}\n", flush=True)


def run(directory: Path, *command: str | Path, expected: int) -> None:
    """Run a command as a user would, and stop the demo when it ends otherwise than it should."""
    print(f"$ {' '.join([Path(command[0]).name, *map(str, command[1:])])}", flush=True)
    status = subprocess.run(command, cwd=directory).returncode
    if status != expected:
        raise SystemExit(f"the demo expected exit status {expected}, not {status}")


def main() -> None:
    """Show it."""
    with tempfile.TemporaryDirectory(prefix="relax-lint-demo-") as scratch:
        before, after = Path(scratch, "before"), Path(scratch, "after")
        shutil.copytree(BROKEN, before)
        shutil.copytree(BROKEN, after)

        say("1. A recipe moved from verl, half done. What is wrong with it?")
        run(after, RELAX_LINT, "examples/", expected=1)

        say("2. Repair what is safe to repair.")
        run(after, RELAX_LINT, "--fix", "examples/", expected=1)

        say("3. What is left changes what is learned, so somebody has to want it. We do.")
        run(after, RELAX_LINT, "--fix", "--unsafe-fixes", "examples/", expected=0)

        say("4. What has changed:")
        colour = f"--color={'always' if COLOURED else 'never'}"
        git = ("git", "--no-pager", "diff", "--no-index", "--stat", "--patch", colour)
        run(Path(scratch), *git, "before", "after", expected=1)

        say("5. And now?")
        run(after, RELAX_LINT, "examples/", expected=0)


if __name__ == "__main__":
    main()
