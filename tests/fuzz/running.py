"""relax-lint in a process of its own, under limits that the kernel keeps."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

GIGABYTE = 1 << 30


def limited(megabytes: int, seconds: int) -> Callable[[], None]:
    """What a process does before it begins: it gets so much address space, and so much time of a processor."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    return limit


def run(directory: Path, *arguments: str, megabytes: int = 1_024, seconds: int = 20) -> str:
    """What a command prints. It ends by itself, within its limits, and says of no error of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "relax_lint", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        preexec_fn=limited(megabytes, seconds),
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )
    assert done.returncode in (0, 1), (done.returncode, done.stderr[-2_000:])
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    return done.stdout


def checked(directory: Path, *, megabytes: int = 1_024, seconds: int = 20) -> str:
    """The report of `check` as JSON, nothing remembered."""
    arguments = ("check", "--isolated", "--no-cache", "-j1", "--format=json", "examples")
    return run(directory, *arguments, megabytes=megabytes, seconds=seconds)


_MEASURED = """\
import resource, sys
from relax_lint.cli import main
main(["check", "--isolated", "--no-cache", "-j1", "--quiet", "."])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, file=sys.stderr)
"""


def megabytes_taken(directory: Path, *, seconds: int) -> int:
    """The most memory that a check has at a time, where there is more than enough."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED],
        cwd=directory,
        capture_output=True,
        text=True,
        preexec_fn=limited(8 * 1_024, seconds),
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        check=True,
    )
    return int(done.stderr.split()[-1])
