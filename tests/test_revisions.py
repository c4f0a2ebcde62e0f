"""The work tree as it was at a revision, with a real git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from relax_lint import looks
from relax_lint.git import GitError
from relax_lint.revisions import Past, renames, span


@pytest.fixture
def past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Past:
    """The first commit of a tree that has changed in every way since."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.chdir(tmp_path)
    write("kept.txt", "kept")
    write("edited.txt", "old \xff")
    write("old/deleted.txt", "deleted")
    write("moved.txt", "moved\n" * 9)
    write(".gitignore", "data\n")
    Path("tool").write_text("#!/bin/sh\n")
    Path("tool").chmod(0o755)
    Path("link").symlink_to("old/deleted.txt")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "first")
    write("edited.txt", "new")
    write("data/rows.txt", "rows")
    write("new/added.txt", "added")
    Path("tool").chmod(0o644)
    Path("link").unlink()
    git("rm", "-r", "--quiet", "old")
    git("mv", "moved.txt", "renamed.txt")
    git("add", "new")
    git("commit", "--quiet", "--message", "second")
    write("new/untracked.txt", "untracked")
    return Past(span("HEAD~1").old_commit)


def git(*arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    return subprocess.run(["git", *who, *arguments], check=True, capture_output=True, text=True).stdout.strip()


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode("latin-1"))


def at(path: str) -> Path:
    return Path.cwd() / path


def test_files_are_as_they_were(past: Past) -> None:
    assert past.read(at("edited.txt")) == b"old \xff"
    assert past.read(at("old/deleted.txt")) == past.read(at("link")) == b"deleted"
    assert past.read(at("moved.txt")) == b"moved\n" * 9
    assert (past.read(at("renamed.txt")), past.read(at("new/added.txt"))) == (None, None)
    assert past.head(at("tool"), 4) == b"#!/b"
    stream = past.stream(at("edited.txt"))
    assert stream is not None
    assert stream.read() == b"old \xff"
    assert past.renamed == {at("renamed.txt"): at("moved.txt")}
    assert past.read(at("data/rows.txt")) == b"rows"


def test_directories_are_as_they_were(past: Past) -> None:
    assert past.is_dir(at("old"))
    assert past.is_file(at("old/deleted.txt"))
    assert not past.exists(at("new"))
    names = {".git", ".gitignore", "data", "edited.txt", "kept.txt", "link", "moved.txt", "old", "tool"}
    assert {entry.name for entry in past.entries(Path.cwd())} == names
    assert [entry.name for entry in past.entries(at("old"))] == ["deleted.txt"]
    assert past.entries(at("new")) == []


def test_whoever_looks_sees_them_so(past: Past) -> None:
    with looks.through(past):
        assert looks.kind(str(at("old/../old/deleted.txt"))) == "file"
        assert looks.kind(str(at("old"))) == "directory"
        assert (looks.kind(str(at("new"))), looks.lexists(str(at("new/untracked.txt")))) == ("", False)
        assert (looks.executable(str(at("tool"))), looks.executable(str(at("edited.txt")))) == (True, False)
        assert (looks.link(str(at("link"))), looks.kind(str(at("link")))) == ("link", "file")
        assert (looks.size(str(at("edited.txt"))), looks.size(str(at("kept.txt")))) == (5, 4)
        assert looks.names(str(at("old"))) == ["deleted.txt"]
        assert looks.names("/") == sorted(path.name for path in Path("/").iterdir())
    assert looks.kind(str(at("old"))) == ""


def test_renames_between_two_commits(past: Past) -> None:
    assert renames("HEAD~1", "HEAD") == {at("renamed.txt"): at("moved.txt")}


def test_what_is_compared(past: Past) -> None:
    first, second = git("rev-parse", "HEAD~1", "HEAD").split()
    assert span("HEAD~1") == ("HEAD~1", None, first, None)
    assert span("HEAD~1..") == span("HEAD~1..HEAD") == ("HEAD~1", "HEAD", first, second)
    assert span("HEAD...HEAD~1") == ("HEAD", "HEAD~1", first, first)


@pytest.mark.parametrize("words", ["", "-x", "nothing", "HEAD..nothing", "HEAD:kept.txt"])
def test_what_is_no_revision(past: Past, words: str) -> None:
    with pytest.raises(GitError):
        span(words)
