"""A check that is remembered prints what a new one would, whatever has changed on the disk meanwhile."""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from relax_lint import store
from relax_lint.cli import main

RECIPES = Path(__file__).parent / "recipes"
LAUNCHER = "examples/countdown/run_countdown.sh"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/relax-lint"


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "work" / "repository"
    shutil.copytree(RECIPES / "broken_countdown", root)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def outcome(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*words: str) -> tuple[int, str, str]:
        status = main(["check", *words])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


Outcome = Callable[..., tuple[int, str, str]]


def entries(cache: Path) -> list[Path]:
    return sorted(cache.glob("run-*"))


@contextlib.contextmanager
def falsified(cache: Path) -> Iterator[None]:
    """Every remembered run says something else than it did, so that it can be told from a new one."""
    kept = store.Store(str(cache), "run", 99)
    for path in entries(cache):
        name = path.stem.removeprefix("run-")
        body = kept.find(name)
        assert body is not None
        status, _, _, seen = marshal.loads(body)
        kept.keep(name, marshal.dumps((status, "remembered\n", "", seen)))
    yield


def test_what_is_remembered_is_what_was_printed(recipe: Path, outcome: Outcome) -> None:
    first = outcome(".")
    assert first[0] == 1
    assert "RLX" in first[1]
    assert outcome(".") == first


def test_nothing_is_judged_again_while_nothing_has_changed(recipe: Path, cache: Path, outcome: Outcome) -> None:
    outcome(".")
    with falsified(cache):
        assert outcome(".")[1] == "remembered\n"


@pytest.mark.parametrize("words", [("--no-cache",), ("--diff",), ("--timings",), ("--output-file", "report")])
def test_runs_that_do_more_than_look_and_print_are_not_remembered(
    words: tuple[str, ...], recipe: Path, cache: Path, outcome: Outcome
) -> None:
    outcome(*words, ".")
    assert not entries(cache)


def test_nothing_is_remembered_where_the_configuration_says_so(recipe: Path, cache: Path, outcome: Outcome) -> None:
    (recipe / "relax-lint.toml").write_text("cache = false\n")
    outcome(".")
    assert not entries(cache)


@pytest.mark.parametrize("words", [("--strict", "."), (".", "--format", "json"), ("examples",), ("--select=RLX2", ".")])
def test_other_words_are_another_run(words: tuple[str, ...], recipe: Path, cache: Path, outcome: Outcome) -> None:
    outcome(".")
    with falsified(cache):
        assert outcome(*words)[1] != "remembered\n"


def test_another_directory_is_another_run(
    recipe: Path, cache: Path, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome(".")
    with falsified(cache):
        monkeypatch.chdir(recipe / "examples")
        assert outcome(".")[1] != "remembered\n"


def same_size(path: Path) -> None:
    before = path.stat()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"e", b"f", 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def as_directory(root: Path) -> None:
    (root / LAUNCHER).unlink()
    (root / LAUNCHER).mkdir()


def as_link(root: Path) -> None:
    (root / LAUNCHER).rename(root / "moved.sh")
    (root / LAUNCHER).symlink_to(root / "nowhere")


def run_inner(root: Path) -> Path:
    """The script that the launcher runs by its path, if it may."""
    inner = root / "examples/countdown/inner.sh"
    inner.write_text('#!/bin/bash\npython3 relax/entrypoints/train.py --lr 1 --lr 1 "$@"\n')
    inner.chmod(0o644)
    (root / LAUNCHER).write_text("#!/bin/bash\n./examples/countdown/inner.sh --lr 1e-6\n")
    return inner


def with_relax(root: Path) -> None:
    (root / "relax").mkdir()


CHANGES: dict[str, Callable[[Path], object]] = {
    "a launcher": lambda root: (root / LAUNCHER).write_text("#!/bin/bash\n"),
    "a byte, and the time set back": lambda root: same_size(root / LAUNCHER),
    "a file less": lambda root: (root / LAUNCHER).unlink(),
    "a file more": lambda root: (root / "examples/countdown/more.py").write_text("import verl\n"),
    "a recipe more": lambda root: shutil.copytree(root / "examples/countdown", root / "examples/other"),
    "a configuration": lambda root: (root / "relax-lint.toml").write_text('ignore = ["RLX2"]\n'),
    "a configuration above": lambda root: (root.parent / "relax-lint.toml").write_text('ignore = ["RLX2"]\n'),
    "a configuration nearer": lambda root: (root / "examples/relax-lint.toml").write_text('ignore = ["RLX2"]\n'),
    "a .gitignore": lambda root: (root / "examples/.gitignore").write_text("*.py\n"),
    "a checkout of Relax": with_relax,
    "a launcher that became a directory": as_directory,
    "a launcher that became a link": as_link,
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_is_judged_again(change: str, recipe: Path, cache: Path, outcome: Outcome) -> None:
    outcome(".")
    with falsified(cache):
        CHANGES[change](recipe)
        remembered = outcome(".")
    assert remembered[1] != "remembered\n"
    assert remembered == outcome("--no-cache", ".")


def test_files_with_a_new_time_and_the_same_content_are_the_same(recipe: Path, cache: Path, outcome: Outcome) -> None:
    outcome(".")
    with falsified(cache):
        for path in recipe.rglob("*"):
            os.utime(path)
        assert outcome(".")[1] == "remembered\n"


def test_a_data_file_that_a_launcher_names_is_looked_at_again(recipe: Path, outcome: Outcome) -> None:
    launcher = recipe / LAUNCHER
    launcher.write_text(launcher.read_text().replace("${DATA_DIR}", str(recipe)))
    named = [word.strip("'\"[]") for word in launcher.read_text().split() if ".parquet" in word and "{" not in word]
    first = outcome(".")
    for name in named:
        path = Path(name.partition("=")[2] or name)
        if path.is_absolute() and recipe in path.parents:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"no parquet")
    assert outcome(".") == outcome("--no-cache", ".")
    assert named
    assert outcome(".") != first


def test_a_script_that_may_be_executed_now_or_no_longer_is_judged_again(recipe: Path, outcome: Outcome) -> None:
    inner = run_inner(recipe)
    words = ("--format=json", "examples/countdown/run_countdown.sh")
    launches = []
    for mode in (0o644, 0o755, 0o644):
        inner.chmod(mode)
        remembered = outcome(*words)
        assert remembered == outcome("--no-cache", *words)
        launches.append(json.loads(remembered[1])["summary"]["launches"])
    assert launches == [0, 1, 0]


def test_libraries_that_come_and_go_are_another_run(recipe: Path, tmp_path: Path) -> None:
    libraries, empty = tmp_path / "libraries", tmp_path / "empty"
    (recipe / "data.parquet").write_bytes(b"PAR1 no parquet PAR1")
    (recipe / LAUNCHER).write_text(
        f"#!/bin/bash\npython3 relax/entrypoints/train.py --prompt-data {recipe}/data.parquet --input-key prompt\n"
    )
    empty.mkdir()

    def printed(path: Path, *words: str) -> str:
        command = [sys.executable, "-m", "relax_lint", *words, "."]
        environment = {**os.environ, "PYTHONPATH": str(path)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.stderr == ""
        return done.stdout

    libraries.mkdir()
    with_it = printed(libraries)
    (libraries / "pyarrow").mkdir()
    (libraries / "pyarrow/__init__.py").write_text("raise ImportError('no pyarrow')\n")
    without = printed(libraries)
    assert without != with_it
    assert without == printed(libraries, "--no-cache")
    assert printed(empty) == with_it
    shutil.rmtree(libraries / "pyarrow")
    assert printed(libraries) == with_it


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_that_changes_at_random_is_judged_as_if_nothing_were_remembered(
    seed: int, recipe: Path, outcome: Outcome
) -> None:
    dice = random.Random(seed)
    for name in ("good_gsm8k", "good_pairwise"):
        shutil.copytree(RECIPES / name, recipe, dirs_exist_ok=True)
    for _ in range(8):
        path = dice.choice(sorted(path for path in recipe.rglob("*") if path.is_file()))
        lines = path.read_bytes().splitlines(keepends=True)
        what = dice.choice(["remove", "cut", "double", "move", "nothing"])
        if what == "remove":
            path.unlink()
        elif what == "move":
            path.rename(path.with_name(f"moved_{path.name}"))
        elif lines and what != "nothing":
            at = dice.randrange(len(lines))
            path.write_bytes(
                b"".join(lines[:at] + (lines[at : at + 1] * 2 if what == "double" else []) + lines[at + 1 :])
            )
        assert outcome(".") == outcome("--no-cache", ".")


LOGGED = """
import builtins, io, os, sys
root, seen = sys.argv[1], set()
def logged(function):
    def inner(path=".", *arguments, **options):
        if not isinstance(path, int):
            seen.add(os.path.abspath(os.fspath(path)))
        return function(path, *arguments, **options)
    return inner
for name in ("stat", "lstat", "listdir", "scandir", "readlink", "open", "access"):
    setattr(os, name, staticmethod(logged(getattr(os, name))))
builtins.open = io.open = staticmethod(logged(io.open))
from relax_lint.cli import main
sys.stdout = io.TextIOWrapper(io.BytesIO())
main(["check", "-j1", "."])
sys.__stdout__.write("\\n".join(path for path in sorted(seen) if path.startswith(root)))
"""


def test_nothing_below_the_root_is_looked_at_but_through_what_is_noted(recipe: Path, cache: Path) -> None:
    for name in ("good_gsm8k", "good_pairwise"):
        shutil.copytree(RECIPES / name, recipe, dirs_exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", LOGGED, str(recipe)], capture_output=True, text=True, check=True, cwd=recipe
    )
    (entry,) = entries(cache)
    body = store.Store(str(cache), "run", 99).find(entry.stem.removeprefix("run-"))
    assert body is not None
    answers, contents = marshal.loads(marshal.loads(body)[-1])
    noted = set(contents).union(*answers.values())
    looked = set(done.stdout.split("\n"))
    assert str(recipe / LAUNCHER) in looked
    assert looked <= noted


def test_broken_entries_are_worked_out_again(recipe: Path, cache: Path, outcome: Outcome) -> None:
    first = outcome(".")
    for path in entries(cache):
        path.write_bytes(path.read_bytes()[:-1])
    assert outcome(".") == first


SEEN = marshal.dumps(({}, {}))
NO_RUNS: dict[str, bytes] = {
    "empty": b"",
    "text": b"nonsense",
    "cut": marshal.dumps((0, "", "", SEEN))[:-3],
    "number": marshal.dumps(42),
    "short": marshal.dumps((0, "")),
    "status": marshal.dumps(("0", "", "", SEEN)),
    "output": marshal.dumps((0, b"", None, SEEN)),
    "looks": marshal.dumps((0, "", "", None)),
    "looks of another form": marshal.dumps((0, "", "", marshal.dumps(({}, {}, {}, {})))),
    "question": marshal.dumps((0, "", "", marshal.dumps(({"colour": {"/": "red"}}, {})))),
    "content": marshal.dumps((0, "", "", marshal.dumps(({}, {"/": 1})))),
}


@pytest.mark.parametrize("body", NO_RUNS.values(), ids=NO_RUNS.keys())
def test_an_entry_that_holds_no_run_is_worked_out_again(
    body: bytes, recipe: Path, cache: Path, outcome: Outcome
) -> None:
    first = outcome(".")
    (entry,) = entries(cache)
    kept, name = store.Store(str(cache), "run", 99), entry.stem.removeprefix("run-")
    whole = run_in(kept.find(name))
    kept.keep(name, body)
    assert outcome(".") == first
    assert run_in(kept.find(name)) == whole


def run_in(body: bytes | None) -> list[object]:
    """What is kept of a run: its status and what it said. How long the entry is depends on which texts are one object,
    and what it looked at on what the process knew before."""
    assert body is not None
    said: list[object]
    *said, seen = marshal.loads(body)
    looks, contents = marshal.loads(seen)
    assert looks
    assert contents
    return said


def test_a_cache_that_cannot_be_written_is_done_without(
    recipe: Path, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    first = outcome(".")
    assert outcome(".") == first


def test_the_newest_runs_are_kept(recipe: Path, cache: Path, outcome: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relax_lint.runs.MOST_RUNS", 2)
    for words in ((".",), ("--strict", "."), ("--select=RLX2", ".")):
        outcome(*words)
    assert len(entries(cache)) == 2
    with falsified(cache):
        assert outcome("--select=RLX2", ".")[1] == "remembered\n"


def test_clear_cache_removes_what_is_kept(recipe: Path, cache: Path, outcome: Outcome) -> None:
    outcome(".")
    assert entries(cache)
    (cache / "notes.txt").write_text("somebody else's")
    assert outcome("--clear-cache") == (0, "", "")
    assert [path.name for path in cache.iterdir()] == ["notes.txt"]
    (cache / "notes.txt").unlink()
    outcome(".")
    assert outcome("--clear-cache") == (0, "", "")
    assert not cache.exists()


def test_a_pipe_among_the_files_keeps_nobody_waiting(recipe: Path, outcome: Outcome) -> None:
    pipe = recipe / "examples/countdown/run_pipe.sh"
    os.mkfifo(recipe / "pipe")
    (recipe / "examples/countdown/launch").symlink_to(recipe / "pipe")
    os.mkfifo(pipe)
    for _ in range(2):
        assert outcome(".") == outcome("--no-cache", ".")
        assert "no regular file" in outcome(str(pipe))[1]


def test_runs_side_by_side_agree(recipe: Path, cache: Path, outcome: Outcome) -> None:
    wanted = {words: outcome("--no-cache", *words)[:2] for words in (("examples",), (".", "--format", "json"))}
    wanted[("--clear-cache",)] = (0, "")
    assert not cache.exists()
    pipe, running = subprocess.PIPE, []
    for words in [*wanted] * 6:  # nothing is kept yet; then all of it goes, again and again
        command = [sys.executable, "-m", "relax_lint", "check", *words]
        running.append((words, subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)))
    for words, process in running:
        printed, complained = process.communicate()
        assert (process.returncode, printed, complained) == (*wanted[words], "")
    assert outcome("examples")[:2] == wanted[("examples",)]
    assert {path.suffix for path in cache.iterdir()} <= {".cache", ".TAG", ""}
    assert not [path for path in cache.iterdir() if path.name.startswith(".unfinished")]
