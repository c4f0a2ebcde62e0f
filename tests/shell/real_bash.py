"""Real bash for tests: many small snippets in one process, each in its own subshell."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence

_MARK = "\x1c--end--\x1c"


def outputs(snippets: Sequence[str], *, prologue: str = "") -> list[str]:
    """What each snippet prints, in order. A snippet runs in a subshell after ``prologue``, through ``eval``."""
    script = [prologue]
    script += [f"(eval {shlex.quote(snippet)}) 2>/dev/null; printf '\\x1c--end--\\x1c'" for snippet in snippets]
    done = subprocess.run(
        ["bash", "--norc", "/dev/stdin"],
        input="\n".join(script).encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"},
    )
    printed = done.stdout.decode("utf-8", "surrogateescape").split(_MARK)[:-1]
    assert len(printed) == len(snippets), done.stderr.decode()
    return printed
