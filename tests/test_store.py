"""What is kept is found whole or not at all, and does not grow without end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from relax_lint import store
from relax_lint.store import MOST_IN_ALL, Store

KEEPING = """
import os, sys
from relax_lint.store import Store
place, pipe = sys.argv[1:]
if pipe:
    os.rename(pipe, os.path.join(place, f".unfinished-{os.getpid()}.cache"))
kept = Store(place, "run", 4)
before = kept.find("name")
kept.keep("name", b"body")
print(before, kept.find("name"))
"""


def keeping(place: Path, pipe: str = "") -> str:
    """What another process finds before and after it keeps an entry; one that waits for ever is ended."""
    command = [sys.executable, "-c", KEEPING, str(place), pipe]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "relax-lint"


def path_of(place: Path, sort: str = "run", name: str = "name") -> Path:
    return place / f"{sort}-{name}.cache"


def test_what_is_kept_is_found(place: Path) -> None:
    kept = Store(str(place), "run", 4)
    assert kept.find("name") is None
    kept.keep("name", b"one\ntwo")
    assert kept.find("name") == b"one\ntwo"
    assert kept.names() == ["name"]


@pytest.mark.parametrize("sort", ["pipe", "link to a pipe", "directory", "device", "link to nowhere"])
def test_what_is_no_file_is_no_entry_and_is_replaced(sort: str, place: Path) -> None:
    place.mkdir()
    path = path_of(place)
    if sort == "pipe":
        os.mkfifo(path)
    elif sort == "directory":
        path.mkdir()
    else:
        os.mkfifo(place / "pipe")
        path.symlink_to({"device": "/dev/zero", "link to a pipe": "pipe"}.get(sort, "nowhere"))
    assert keeping(place) == ("None None" if sort == "directory" else "None b'body'")


@pytest.mark.parametrize("other", [("run", "other"), ("flake8-x", "name")])
def test_an_entry_under_the_name_of_another_is_none(other: tuple[str, str], place: Path) -> None:
    sort, name = other
    Store(str(place), sort, 4).keep(name, b"body")
    path_of(place, sort, name).rename(path_of(place))
    assert Store(str(place), "run", 4).find("name") is None


def test_the_newest_of_a_kind_and_of_all_kinds_are_kept(place: Path) -> None:
    for number in range(6):
        Store(str(place), "run", 4).keep(str(number), b"")
    assert Store(str(place), "run", 4).names() == ["2", "3", "4", "5"]
    for number in range(MOST_IN_ALL + 10):  # one configuration, directory and program after the other
        Store(str(place), f"flake8-{number}", 16).keep("1", b"body")
        os.utime(path_of(place, f"flake8-{number}", "1"), ns=(number, 10**18 + number))
    left = sorted(place.glob("*.cache"))
    assert len(left) <= MOST_IN_ALL
    assert Store(str(place), "flake8-0", 16).find("1") is None
    assert Store(str(place), f"flake8-{MOST_IN_ALL + 9}", 16).find("1") == b"body"


def test_no_more_is_kept_than_there_is_room_for(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_BYTES", 1000)
    monkeypatch.setattr(store, "LARGEST", 600)
    kept = Store(str(place), "run", 99)
    for number in range(5):
        kept.keep(str(number), b"x" * 300)
        os.utime(path_of(place, name=str(number)), ns=(number, 10**18 + number))
    assert kept.names() == ["3", "4"]
    kept.keep("longer", b"x" * 601)
    assert kept.names() == ["3", "4"]


def test_backups_and_git_are_told_that_nothing_of_value_is_there(place: Path) -> None:
    Store(str(place), "run", 4).keep("name", b"")
    assert (place / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    subprocess.run(["git", "init", "-q", place], check=True)
    status = subprocess.run(["git", "-C", place, "status", "--porcelain"], capture_output=True, check=True)
    assert status.stdout == b""


def test_what_a_run_that_was_ended_has_left_is_removed_when_it_is_old(place: Path) -> None:
    kept = Store(str(place), "run", 4)
    kept.keep("name", b"")
    old, new, other = place / ".unfinished-1.cache", place / ".unfinished-2.cache", place / "notes.txt"
    for path in (old, new, other):
        path.write_text("")
    os.utime(old, (0, time.time() - 2 * 86_400))
    os.utime(other, (0, 0))
    kept.keep("name", b"")
    assert set(place.iterdir()) - {place / ".gitignore", place / "CACHEDIR.TAG"} == {new, other, path_of(place)}


def test_a_pipe_in_place_of_what_is_being_written_keeps_nobody_waiting(place: Path) -> None:
    place.mkdir()
    os.mkfifo(place / "pipe")
    assert keeping(place, str(place / "pipe")) == "None b'body'"
