"""Ask git without letting the repository run anything: git is the one program that relax-lint starts.

A repository that came as an archive brings its own ``.git/config``, in which settings name programs. Those that git
would start while it answers are overruled, and nothing is fetched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

GITLINK = "160000"
"""The mode of a submodule: all that a repository has of it is a commit."""

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

    Those of git's commands that compare are to be told what :func:`differences` tells them.
    """
    place = directory or os.getcwd()  # noqa: PTH109 -- a path to be given to git
    settings = [word for setting in (*_SETTINGS, *_without_filters(place)) for word in ("-c", setting)]
    return _run(settings, arguments, place)


class Difference(NamedTuple):
    """A file, or a submodule, that two states of a repository do not have alike: its mode and object on either side;
    ``source`` is the name that it had."""

    path: Path
    source: Path
    status: str
    modes: tuple[str, str]
    objects: tuple[str, str]


def differences(*what: str, root: Path, renames: bool = False) -> Iterator[Difference]:
    """How two states of the repository at ``root`` differ. A submodule, which has a configuration of its own, differs
    by the commit that is checked out there: git is not to look for more in it."""
    comparing = ("--no-relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
    finding = "--find-renames" if renames else "--no-renames"
    answer = ask("diff", "--raw", "--no-abbrev", "-z", *comparing, finding, *what, "--", directory=str(root))
    words = iter(answer.split("\0"))
    for word in words:
        if word:
            before, after, old, new, status = word[1:].split(" ")
            source = path = root / next(words)
            if status[0] in "RC":
                path = root / next(words)
            yield Difference(path, source, status[0], (before, after), (old, new))


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
