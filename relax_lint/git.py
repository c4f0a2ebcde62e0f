"""Ask git without letting the repository run anything: git is the one program that relax-lint starts.

A repository that came as an archive brings its own ``.git/config``, in which settings name programs. Those that git
would start while it answers are overruled, and nothing is fetched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "protocol.allow=never",  # objects that a partial clone lacks are not fetched
    "safe.bareRepository=explicit",  # a directory that only looks like a repository is none
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",  # the index is not written, so no hook hears of it
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
}
_FILTER = re.compile(r"(filter\..*)\.(?:clean|smudge|process)", re.DOTALL)
"""Settings that name programs through which git reads files of the working tree."""


class GitError(Exception):
    """git could not say; the message is git's own."""


def top() -> Path:
    """The root of the work tree around the working directory."""
    return Path(ask("rev-parse", "--show-toplevel").removesuffix("\n"))


def ask(*arguments: str, directory: str | None = None) -> str:
    """What git answers; its bytes that are no text are kept as Python keeps those of file names.

    Those of git's commands that compare are to be told ``--no-ext-diff --no-textconv --ignore-submodules=all``: a
    submodule has a configuration of its own.
    """
    place = directory or os.getcwd()  # noqa: PTH109 -- a path to be given to git
    settings = [word for setting in (*_SETTINGS, *_without_filters(place)) for word in ("-c", setting)]
    return _run(settings, arguments, place)


@lru_cache(maxsize=64)
def _without_filters(directory: str) -> tuple[str, ...]:
    """Settings that take the filters away which the configuration around a directory names."""
    try:
        named = _run((), ("config", "--list", "--name-only", "--null"), directory).split("\0")
    except GitError:
        return ()  # no repository, or a broken configuration, of which the command itself will complain
    filters = [(name, match[1]) for name in dict.fromkeys(named) if (match := _FILTER.fullmatch(name)) is not None]
    for name, _ in filters:
        if "=" in name:
            raise GitError(f"its configuration has a program named {name!r}, which cannot be overruled")
    return (*(f"{name}=" for name, _ in filters), *dict.fromkeys(f"{one}.required=false" for _, one in filters))


def _run(settings: Sequence[str], arguments: Sequence[str], directory: str) -> str:
    import subprocess

    command = ["git", "--no-pager", *settings, *arguments]
    environment = {**os.environ, **_ENVIRONMENT}
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, cwd=directory, env=environment, stdin=subprocess.DEVNULL
        )
    except OSError as problem:
        raise GitError(f"git cannot be run: {problem.strerror}") from problem
    if done.returncode != 0:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(message[0] if message else f"git {arguments[0]} failed")
    return os.fsdecode(done.stdout)
