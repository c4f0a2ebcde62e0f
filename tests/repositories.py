"""Git repositories that tests make, with nothing of the user's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


def git_in(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Make a directory the working directory; returns a way to run git there, which gives what it prints."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "PRE_COMMIT"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.chdir(directory)

    def run(*arguments: str) -> str:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        done = subprocess.run(["git", *who, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    return run
