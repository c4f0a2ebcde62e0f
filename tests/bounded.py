"""relax-lint in a process of its own, which the system ends when it takes more than some seconds of CPU."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 20


def run(code: Sequence[str], directory: Path, seconds: int = SECONDS) -> subprocess.CompletedProcess[str]:
    """Runs Python with arguments; a negative status says that the limit was reached."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    return subprocess.run(
        [sys.executable, *code],
        cwd=directory,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(directory)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
        timeout=600,
    )


def relax_lint(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs relax-lint in a directory."""
    return run(["-m", "relax_lint", *arguments], directory)
