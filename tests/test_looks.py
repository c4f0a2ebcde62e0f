"""What is looked at for a finding is noted as it is looked at, and asked again before the finding is used again."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import relax_lint
from relax_lint import looks

PACKAGE = Path(relax_lint.__file__).parent
RECIPES = Path(__file__).parent / "recipes"


@pytest.fixture(autouse=True)
def not_noting() -> Iterator[None]:
    yield
    looks.stop()


def with_bits(path: Path) -> None:
    path.chmod(0o755)


def as_link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


@pytest.mark.parametrize(
    ("asked", "change"),
    [
        (looks.executable, with_bits),
        (looks.kind, Path.unlink),
        (looks.link, as_link),
        (looks.real, as_link),
        (looks.size, lambda path: path.write_text("")),
    ],
)
def test_another_answer_is_noticed_whatever_was_asked(
    asked: Callable[[str], object], change: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "script.sh"
    path.write_text("echo\n")
    path.chmod(0o644)
    noted = looks.note()
    before = asked(str(path))
    packed = noted.packed()
    assert packed is not None
    assert looks.still_the_same(packed)
    change(path)
    assert not looks.still_the_same(packed)
    assert asked(str(path)) != before
    assert noted.packed() is None  # one run has seen both


def test_answers_of_two_processes_that_differ_are_not_kept(tmp_path: Path) -> None:
    for change in (with_bits, as_link, Path.unlink, lambda path: path.write_text("other")):
        path = tmp_path / "script.sh"
        path.write_text("echo\n")
        path.chmod(0o644)
        seen = []
        for _ in range(2):
            seen.append(looks.note())
            for ask in (looks.kind, looks.link, looks.executable, looks.content):
                ask(str(path))
            if len(seen) == 1:
                change(path)
        seen[1].merge(seen[0])
        assert seen[1].packed() is None
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()


def test_equal_answers_of_two_processes_are_kept(tmp_path: Path) -> None:
    first, second = looks.note(), looks.note()
    looks.kind(str(tmp_path))
    first.merge(second)
    packed = first.packed()
    assert packed is not None
    (tmp_path / "more").touch()
    assert looks.still_the_same(packed)


# ---------------------------------------------------------------- nobody looks past them

_OF_OS = frozenset({"access", "stat", "lstat", "listdir", "scandir", "readlink", "walk", "fwalk", "statvfs"})
_OF_OS_PATH = frozenset(
    {
        "exists", "lexists", "isfile", "isdir", "islink", "ismount", "getsize", "getmtime", "getctime", "getatime",
        "realpath", "samefile", "expanduser",
    }
)  # fmt: skip
_OF_PATHS = frozenset(
    {
        "stat", "lstat", "iterdir", "glob", "rglob", "readlink", "is_symlink", "is_mount", "samefile", "read_bytes",
        "read_text", "is_char_device", "is_block_device", "is_fifo", "is_socket", "expanduser",
    }
)  # fmt: skip
_OF_PATHS_AND_PROJECTS = frozenset({"exists", "is_file", "is_dir", "lexists"})
_WHO_ASKS_ALIKE = frozenset({"project", "_project", "files", "_files", "looks", "call", "self"})

LOOKS_OTHERWISE = {
    "looks.py": "it is what asks",
    "cli.py": "standard streams that are closed",
    "__main__.py": "where the program itself is",
    "extras.py": "the environment of the program itself",
    "git.py": "asks git; such a run is not remembered",
    "submodules.py": "asks git; such a run is not remembered",
    "revisions.py": "no check",
    "launch_history.py": "no check",
    "store.py": "what is kept, and the program itself",
    "writing.py": "files that are written; such a run is not remembered",
    "replacing.py": "files that are written; such a run is not remembered",
    "journal.py": "files that are written; such a run is not remembered",
    "rules/__init__.py": "the program itself",
    "catalog/flags.py": "the program itself",
    "catalog/checkout.py": "the program itself",
    "catalog/public_models.py": "the program itself",
    "commands/check.py": "standard input; such a run is not remembered",
    "commands/show.py": "no check",
    "commands/report.py": "no check",
    "report/html/page.py": "the program itself",
    "files.py": "reads what it says that it reads, and lists what it says that it lists",
    "shell/evaluate.py": "reads what it says that it reads",
    "config.py": "reads what it says that it reads",
    "baseline.py": "the baseline that is written; such a run is not remembered",
    "catalog/reading/modules.py": "for the tools that build the catalogue; a check gives its own reader",
}

CHECK_NOTHING = ("commands/migrate.py", "commands/data_convert.py", "conversion/", "migrate/")
"""What works only for commands that are not remembered, and for --fix."""


def _asks_the_disk(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "open"
    if not isinstance(function, ast.Attribute):
        return False
    holder = ast.unparse(function.value)
    if holder == "subprocess":
        return True
    if holder in ("os", "os.path", "posixpath"):
        return function.attr in (_OF_OS if holder == "os" else _OF_OS_PATH)
    if function.attr in _OF_PATHS_AND_PROJECTS:
        return holder.rpartition(".")[2] not in _WHO_ASKS_ALIKE
    return function.attr in _OF_PATHS


def _asking(path: Path) -> list[int]:
    calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
    return sorted(call.lineno for call in calls if _asks_the_disk(call))


def test_every_module_asks_the_disk_through_what_is_noted() -> None:
    asking = {path.relative_to(PACKAGE).as_posix(): _asking(path) for path in sorted(PACKAGE.rglob("*.py"))}
    found = {name: lines for name, lines in asking.items() if lines and not name.startswith(CHECK_NOTHING)}
    assert {name: lines for name, lines in found.items() if name not in LOOKS_OTHERWISE} == {}
    assert set(LOOKS_OTHERWISE) == set(found)


LOGGED = """
import builtins, io, json, os, sys
seen, root = set(), sys.argv[1]
ASKING = ("relax_lint/looks.py", "relax_lint/store.py")
def logged(name, function):
    def inner(path=".", *arguments, **options):
        frame = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.endswith(ASKING):
            frame = frame.f_back
        if frame is None and not isinstance(path, int) and os.path.abspath(os.fspath(path)).startswith(root):
            seen.add((name, os.path.abspath(os.fspath(path))))
        return function(path, *arguments, **options)
    return inner
for name in ("stat", "lstat", "listdir", "scandir", "readlink", "open", "access"):
    setattr(os, name, staticmethod(logged(name, getattr(os, name))))
builtins.open = io.open = staticmethod(logged("open", io.open))
from relax_lint.cli import main
sys.stdout = io.TextIOWrapper(io.BytesIO())
main(["check", "-j1", "."])
sys.__stdout__.write(json.dumps(sorted(seen)))
"""

INQUISITIVE = """\
#!/usr/bin/env bash
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)"
ROOT="$(realpath "$HERE/../..")"
cd "$ROOT"
for test in -e -f -d -L -s -r -x; do
    if [ $test examples/countdown/inner.sh ]; then echo; fi
    [[ $test examples/countdown/there ]] && echo
done
for each in examples/*/*.sh examples/countdown/link*; do echo "$each"; done
command -v ./examples/countdown/inner.sh && readlink -f examples/countdown/link
test examples/countdown/inner.sh -nt examples/countdown/there
FLAGS="$(cat examples/countdown/flags)" MORE="$(<examples/countdown/flags)"
mapfile -t LINES < examples/countdown/flags
source examples/countdown/sourced.sh
bash examples/countdown/sourced.sh
find examples -name '*.sh' -exec bash {} \\;
ls examples | xargs -I% bash examples/%/inner.sh
./examples/countdown/inner.sh --lr 1e-6
"""


def test_a_run_looks_past_them_nowhere(tmp_path: Path) -> None:
    root, cache = tmp_path / "work/repository", tmp_path / "cache"
    for name in ("broken_countdown", "good_gsm8k", "good_pairwise"):
        shutil.copytree(RECIPES / name, root, dirs_exist_ok=True)
    recipe = root / "examples/countdown"
    (recipe / "run_inquisitive.sh").write_text(INQUISITIVE)
    (recipe / "sourced.sh").write_text("[ -s flags ] && python3 relax/entrypoints/train.py\n")
    (recipe / "inner.sh").write_text('#!/bin/bash\npython3 relax/entrypoints/train.py "$@"\n')
    (recipe / "inner.sh").chmod(0o755)
    (recipe / "flags").write_text("--lr 1\n")
    (recipe / "link").symlink_to("flags")
    done = subprocess.run(
        [sys.executable, "-c", LOGGED, str(tmp_path / "work")],
        capture_output=True, text=True, check=True, cwd=root, env={**os.environ, "XDG_CACHE_HOME": str(cache)},
    )  # fmt: skip
    read = {path for name, path in json.loads(done.stdout) if name in ("open", "stat")}
    listed = {path for name, path in json.loads(done.stdout) if name in ("scandir", "listdir")}
    others = [asked for asked in json.loads(done.stdout) if asked[0] in ("access", "lstat", "readlink")]
    contents = remembered(cache / "relax-lint")
    assert str(recipe / "inner.sh") in read
    assert str(recipe) in listed
    assert read <= contents.keys()
    assert listed <= {path for path, (is_list, *_) in contents.items() if is_list}
    assert others == []


def remembered(cache: Path) -> dict[str, tuple[bool, object, object]]:
    """The contents that the one remembered run depends on."""
    import marshal

    from relax_lint.store import Store

    (entry,) = cache.glob("run-*")
    body = Store(str(cache), "run", 99).find(entry.stem.removeprefix("run-"))
    assert body is not None
    _, contents = marshal.loads(marshal.loads(body)[-1])
    return dict(contents)
