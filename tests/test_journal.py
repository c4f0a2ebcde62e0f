"""What an ended run had begun is completed, and a journal that a stranger has left does no harm."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from relax_lint.cli import main
from relax_lint.journal import begin
from relax_lint.replacing import CHANGED, staged
from relax_lint.writing import Turn, turns


def digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def begun(root: Path, **wanted: tuple[bytes | None, bytes | None]) -> None:
    """A run that was ended when it had written down what it was about to do: what files held, and are to hold."""
    changes = []
    for name, (before, after) in wanted.items():
        if before is not None:
            (root / name).write_bytes(before)
        changes.append(staged(root / name, before, after))
    begin(changes, root)


def turn(root: Path) -> Turn:
    with turns([root]) as had:
        return had


def names(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


def test_the_next_run_completes_it(tmp_path: Path) -> None:
    begun(tmp_path, new=(None, b"new\n"), changed=(b"old\n", b"new\n"), gone=(b"old\n", None))
    had = turn(tmp_path)
    assert sorted(path.name for path in had.written) == ["changed", "gone", "new"]
    assert (had.left, had.is_late) == ((), True)
    assert names(tmp_path) == ["changed", "new"]
    assert {(tmp_path / name).read_bytes() for name in names(tmp_path)} == {b"new\n"}


def test_a_check_says_that_it_is_half_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "examples/x").mkdir(parents=True)
    (tmp_path / "examples/x/run_x.sh").write_text("echo\n")
    begun(tmp_path, one=(b"old\n", b"new\n"), two=(None, b"new\n"))
    main(["check", str(tmp_path / "examples")])
    assert "a run that was ended has left its work" in capsys.readouterr().err
    main(["check", "--fix", str(tmp_path / "examples")])
    said = capsys.readouterr().err
    assert "/one is written now: a run that was ended had begun to" in said
    assert "half done" not in said
    main(["check", str(tmp_path / "examples")])
    assert "half done" not in capsys.readouterr().err


def test_what_somebody_has_changed_meanwhile_stays_and_is_said(tmp_path: Path) -> None:
    begun(tmp_path, one=(b"old\n", b"new\n"), two=(None, b"new\n"), three=(b"old\n", None))
    for name in ("one", "two", "three"):
        (tmp_path / name).write_bytes(b"mine\n")
    had = turn(tmp_path)
    assert {path.name: reason for path, reason in had.left} == dict.fromkeys(("one", "two", "three"), CHANGED)
    assert names(tmp_path) == ["one", "three", "two"]
    assert {(tmp_path / name).read_bytes() for name in names(tmp_path)} == {b"mine\n"}


def test_a_tree_in_which_nothing_was_begun_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("x = 1\n")
    assert turn(tmp_path) == Turn()
    assert names(tmp_path) == ["x.py"]


def outside(root: Path) -> Path:
    return root.parent / "outside"


PLANTED: dict[str, Callable[[Path], str]] = {
    "a hook of git": lambda root: ".git/hooks/pre-commit",
    "a hidden file": lambda root: ".bashrc",
    "a hidden directory": lambda root: "examples/.venv/x.pth",
    "a way up": lambda root: "../outside/x",
    "an absolute path": lambda root: str(outside(root) / "x"),
    "through a link": lambda root: "link/x",
    "a file that is a link": lambda root: "file",
    "a name with a line end": lambda root: "x\n.py",
    "nothing": lambda root: "",
    "a directory": lambda root: "examples",
}


@pytest.mark.parametrize("sort", PLANTED)
def test_a_planted_journal_writes_nowhere_that_a_fix_would_not(sort: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for directory in (root / ".git/hooks", root / "examples/.venv", outside(root)):
        directory.mkdir(parents=True)
    (root / "link").symlink_to(outside(root))
    (root / "file").symlink_to(outside(root) / "x")
    target = root / PLANTED[sort](root)
    beside = target.parent / ".relax-lint-0.tmp"
    beside.write_bytes(b"evil\n")
    planted = {"path": PLANTED[sort](root), "beside": beside.name, "before": None, "after": digest(b"evil\n")}
    (root / ".relax-lint-0.journal").write_text(json.dumps({"relax-lint": 1, "changes": [planted]}))
    held = {path for path in names(tmp_path) if "relax-lint" not in path}
    assert turn(root) == Turn()
    assert {path for path in names(tmp_path) if "relax-lint" not in path} == held
    assert not (root / ".relax-lint-0.journal").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"beside": "../x.tmp"},
        {"beside": "other.py"},
        {"beside": 3},
        {"before": "0" * 64},
        {"after": "0" * 64},
        {"after": ["x"]},
        {"path": None},
    ],
)
def test_a_planted_journal_takes_its_contents_from_nowhere_else(change: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "target.py").write_bytes(b"old\n")
    (tmp_path / "other.py").write_bytes(b"evil\n")
    (tmp_path / ".relax-lint-0.tmp").write_bytes(b"evil\n")
    entry = {
        "path": "target.py",
        "beside": ".relax-lint-0.tmp",
        "before": digest(b"old\n"),
        "after": digest(b"evil\n"),
        **change,
    }
    (tmp_path / ".relax-lint-0.journal").write_text(json.dumps({"relax-lint": 1, "changes": [entry]}))
    turn(tmp_path)
    assert names(tmp_path) == ["other.py", "target.py"]
    assert (tmp_path / "target.py").read_bytes() == b"old\n"


@pytest.mark.parametrize(
    "text", ["", "no JSON", "[]", '{"relax-lint": 2, "changes": []}', '{"relax-lint": 1, "changes": {}}', "[" * 100_000]
)
def test_what_is_no_journal_is_removed(text: str, tmp_path: Path) -> None:
    (tmp_path / ".relax-lint-0.journal").write_text(text)
    assert turn(tmp_path) == Turn()
    assert names(tmp_path) == []


def test_a_pipe_or_link_in_place_of_a_journal_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text('{"relax-lint": 1, "changes": []}')
    os.mkfifo(tmp_path / ".relax-lint-0.journal")
    (tmp_path / ".relax-lint-1.journal").symlink_to(secret)
    assert turn(tmp_path) == Turn()
    assert names(tmp_path) == ["secret"]
