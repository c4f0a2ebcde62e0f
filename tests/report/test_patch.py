"""`--diff` as a patch: what `git apply` and `patch` make of it is what `--fix` writes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from relax_lint import checking
from relax_lint.cli import main
from relax_lint.diagnostics import Edit, Finding, Fix, Place
from relax_lint.project import Project
from relax_lint.sources.text import SourceFile
from tests.cases import for_each
from tests.toy_rules import by_code, toy, word_rule

DEMO = "examples/demo"
PYTHON = f"{DEMO}/reward_demo.py"
TOOLS = [tool for tool in (["git", "apply"], ["patch", "-p1", "--silent"]) if shutil.which(tool[0])]
MADE: Mapping[str, str] = {"__init__.py": "", "zz.py": "", "m.py": "x = 1\ny = 2\n", "no_end.py": "x = 1"}
ODD = ("with blanks.py", "Größe.py", "例子.py", 'a "quote".py', "a\\slash.py", "tab\there.py", "b a/x.py", "it's.py")
NUMBER_GAME = Path(__file__).parents[1] / "verl_recipes/number_game"


@pytest.fixture(autouse=True)
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory for the tree that is fixed, beside another for the one that is patched."""
    fixed = tmp_path / "fixed"
    fixed.mkdir()
    monkeypatch.chdir(fixed)


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `bad` be fixed, and `make NAME` make a file."""

    def make(source: SourceFile, project: Project) -> Iterator[Finding]:
        for line in source.text.splitlines():
            name = line.removeprefix("# make ")
            new = source.path.parent / name
            if name != line and not project.exists(new):
                edit = Edit.new_file(new, MADE.get(name, "x = 1\n"))
                yield Finding(Place(source, 0, 1), f"no {name}", fix=Fix("make it", partial(list, [edit])))

    rules = by_code(toy("RLX102", "made", make), word_rule("RLX101", "bad", replacement="good"))
    monkeypatch.setattr(checking, "load_rules", lambda: rules)


def patched_as_fixed(files: Mapping[str, bytes], capfdbinary: pytest.CaptureFixture[bytes]) -> bytes:
    """Fix one tree and patch another like it; the patch, once they are seen to be the same."""
    for name, data in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return fixed_as_patched(capfdbinary)


def fixed_as_patched(capfdbinary: pytest.CaptureFixture[bytes]) -> bytes:
    patched = [Path("../patched_by", tool[0]) for tool in TOOLS]
    for other in patched:
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(".", other)
    assert main(["--diff", "examples", "--no-cache"]) == 1
    patch = capfdbinary.readouterr().out
    assert main(["--fix", "--exit-zero", "examples", "--no-cache"]) == 0
    for tool, other in zip(TOOLS, patched, strict=True):
        subprocess.run(tool, input=patch, cwd=other, check=True)
        assert tree(other) == tree(Path()), tool
    return patch


def tree(root: Path) -> dict[str, tuple[bytes, bool]]:
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o100)) for path in files}


@pytest.mark.usefixtures("making")
@pytest.mark.parametrize(
    "names", [["__init__.py"], ["__init__.py", "zz.py"], ["zz.py"], ["m.py", "no_end.py"], list(MADE)]
)
def test_files_are_made(names: list[str], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    wanted = "".join(f"# make {name}\n" for name in names)
    patched_as_fixed({PYTHON: f"{wanted}bad\n".encode()}, capfdbinary)
    assert all(Path(DEMO, name).read_text() == MADE[name] for name in names)


@pytest.mark.usefixtures("making")
@for_each(
    "text",
    [
        b"bad\n",
        b"bad",
        b"x = 1\nbad",
        b"bad\r\nx = 1\r\n",
        b"x = 1\r\nbad",
        b"\xef\xbb\xbfbad\n",
        b"# coding: latin-1\nx = '\xe9'\nbad\n",
        "x = '例'\nbad\n".encode(),
        b"x = '\x0c\x1c'\nbad\n",
    ],
)
def test_texts_are_changed(text: bytes, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    patched_as_fixed({PYTHON: text}, capfdbinary)
    assert Path(PYTHON).read_bytes() == text.replace(b"bad", b"good")


@pytest.mark.usefixtures("making")
@for_each("name", ODD)
def test_odd_names(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    patched_as_fixed({f"{DEMO}/{name}": b"# make __init__.py\nbad\n", PYTHON: b"bad\n"}, capfdbinary)
    Path(PYTHON).write_text(f"# make new_{name}\nbad\n".replace("/", "_"))
    fixed_as_patched(capfdbinary)


@pytest.mark.usefixtures("making")
def test_names_that_are_no_text(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    name = os.fsdecode(b"no_\xff.py")
    patched_as_fixed({f"{DEMO}/{name}": b"# make __init__.py\nbad\n"}, capfdbinary)


def test_a_recipe_that_is_migrated(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    shutil.copytree(NUMBER_GAME, "examples/number_game")
    entry = Path("relax/entrypoints/train.py")
    entry.parent.mkdir(parents=True)
    entry.touch()
    Path("examples/number_game/run_number_game.sh").chmod(0o755)
    patch = fixed_as_patched(capfdbinary).decode()
    assert "deleted file mode 100644\n--- a/examples/number_game/scoring.py\n+++ /dev/null\n" in patch
    assert "copy from examples/number_game/scoring.py\ncopy to examples/number_game/scoring.py.orig\n" in patch
    assert "+## Files that were there\n" in patch
