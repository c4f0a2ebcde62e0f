"""A repository whose configuration names programs runs none of them."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from relax_lint.changes import GitError, is_committed, paths_since, staged_paths
from relax_lint.cli import main

RECIPES = Path(__file__).parent / "recipes"
SCRIPT = "examples/countdown/run_countdown.sh"


class Hostile:
    """A repository that came as an archive, with a configuration that its author wrote; what it ran leaves a mark."""

    def __init__(self, root: Path, marks: Path) -> None:
        self.root, self.marks = root, marks
        marks.mkdir()
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "start")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        done = subprocess.run(["git", "-C", self.root, *who, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def program(self, name: str, then: str = "cat") -> str:
        """A command that leaves a mark."""
        path = self.marks.parent / f"{name}.sh"
        path.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(self.marks / name))}\n{then}\n")
        path.chmod(0o755)
        return str(path)

    def touch_all(self) -> None:
        """Make git compare contents."""
        for path in self.root.rglob("*"):
            if path.is_file() and ".git" not in path.parts:
                os.utime(path, (1, 1))

    def ran(self) -> list[str]:
        return sorted(path.name for path in self.marks.iterdir())


def with_monitor(hostile: Hostile) -> None:
    hostile.git("config", "core.fsmonitor", hostile.program("monitor"))


def with_hooks(hostile: Hostile) -> None:
    hook = Path(hostile.program("hook"))
    for name in ("post-index-change", "pre-commit", "post-checkout"):
        shutil.copy(hook, hostile.root / ".git/hooks" / name)


def with_filter(hostile: Hostile) -> None:
    (hostile.root / ".git/info/attributes").write_text("* filter=f\n")
    hostile.git("config", "filter.f.clean", hostile.program("filter"))
    hostile.git("config", "filter.f.required", "true")


def with_process(hostile: Hostile) -> None:
    (hostile.root / ".gitattributes").write_text("* filter=a.b\n")
    hostile.git("config", "filter.a.b.process", hostile.program("process", "exit 1"))


def with_differ(hostile: Hostile) -> None:
    (hostile.root / ".git/info/attributes").write_text("* diff=d\n")
    hostile.git("config", "diff.external", hostile.program("external"))
    hostile.git("config", "diff.d.command", hostile.program("command"))
    hostile.git("config", "diff.d.textconv", hostile.program("textconv"))


def with_filtered_submodule(hostile: Hostile) -> None:
    with_submodule(hostile, with_filter)


def with_submodule(hostile: Hostile, sort: Callable[[Hostile], None] = with_monitor) -> None:
    (hostile.root / "inner").mkdir()
    (hostile.root / "inner/x.txt").write_text("x\n")
    inner = Hostile(hostile.root / "inner", hostile.marks.parent / "inner-marks")
    inner.marks = hostile.marks
    sort(inner)
    hostile.git("add", "inner")
    hostile.git("commit", "--quiet", "--message", "inner")


def with_promises(hostile: Hostile) -> None:
    """A partial clone: the objects that it lacks are had from a server, by a program."""
    blob = hostile.git("rev-parse", f"HEAD:{SCRIPT}")
    path = hostile.root / ".git/objects" / blob[:2] / blob[2:]
    path.unlink()
    for setting, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://example.invalid/x",
        "core.sshCommand": hostile.program("ssh", "exit 1"),
    }.items():
        hostile.git("config", setting, value)


SORTS: dict[str, tuple[Callable[[Hostile], None], tuple[str, ...]]] = {
    "monitor": (with_monitor, ("status",)),
    "hooks": (with_hooks, ("status",)),
    "filter": (with_filter, ("diff", "HEAD")),
    "process": (with_process, ("diff", "HEAD")),
    "differ": (with_differ, ("diff", "HEAD")),
    "submodule": (with_submodule, ("diff", "HEAD")),
    "filtered-submodule": (with_filtered_submodule, ("diff", "HEAD")),
    "promises": (with_promises, ("cat-file", "-p", f"HEAD:{SCRIPT}")),
}


@pytest.fixture(params=SORTS)
def hostile(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hostile:
    for name in [name for name in os.environ if name.startswith(("GIT_", "PRE_COMMIT"))]:
        monkeypatch.delenv(name)
    root = tmp_path / "repository"
    shutil.copytree(RECIPES / "broken_countdown", root)
    made = Hostile(root, tmp_path / "marks")
    prepare, usual = SORTS[request.param]
    prepare(made)
    with (root / SCRIPT).open("a") as script:
        script.write("# changed\n")
    made.touch_all()
    subprocess.run(["git", "-C", root, *usual], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert made.ran(), "git itself runs it"
    for mark in made.marks.iterdir():
        mark.unlink()
    made.touch_all()
    monkeypatch.chdir(root)
    return made


def test_git_runs_nothing_that_the_repository_names(hostile: Hostile) -> None:
    for look in (lambda: paths_since("HEAD"), staged_paths):
        with contextlib.suppress(GitError):  # where something is not there that only a program would bring
            look()
    script = hostile.root / SCRIPT
    is_committed(script, script.read_bytes())
    main(["check", "--since", "HEAD", "."])
    main(["diff", "HEAD"])
    main(["check", "--staged", "--fix", "."])
    main(["check", "--fix", "."])
    assert hostile.ran() == []


def test_a_filter_that_cannot_be_overruled_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_text("x\n")
    made = Hostile(tmp_path, tmp_path / "marks")
    with (tmp_path / ".git/config").open("a") as config:
        config.write(f'[filter "a=b"]\n\tclean = {made.program("filter")}\n')
    (tmp_path / ".git/info/attributes").write_text("* filter=a=b\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GitError, match="cannot be overruled"):
        paths_since("HEAD")
    assert made.ran() == []
