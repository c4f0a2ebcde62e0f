"""Extras: named with the command that installs them where they are missing, and as pyproject.toml has them."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from relax_lint import extras
from relax_lint.cli import main
from relax_lint.extras import EXTRAS, how_to_install

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

ROOT = Path(__file__).resolve().parents[1]


def declared() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed: dict[str, list[str]] = project["optional-dependencies"]
    return needed


def test_the_extras_are_those_that_are_declared() -> None:
    assert {*EXTRAS, "all", "dev"} == declared().keys()
    assert declared()["all"] == [f"relax-lint[{','.join(EXTRAS)}]"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_development_has_every_extra(extra: str) -> None:
    assert set(declared()[extra]) <= set(declared()["dev"])
    assert extras.lacking(extra) is None


WITHOUT: dict[str, tuple[str, list[str], str]] = {
    "data": ("pyarrow", ["data", "check", "rows.parquet"], "reading parquet"),
    "convert": ("pyarrow", ["data", "convert", "rows.parquet", "out.parquet"], "converting"),
    "migrate": ("hydra", ["migrate", "run.sh", "--name", "demo"], "migrating"),
    "libcst": ("libcst", ["migrate", "run.sh", "--name", "demo"], "migrating"),
    "ray": ("ray", ["data", "convert", "rows.parquet", "out", "--ray"], "--ray"),
}


@pytest.mark.parametrize("case", WITHOUT)
def test_without_an_extra_the_command_says_how_to_install_it(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, words, what = WITHOUT[case]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    Path("rows.parquet").write_bytes(b"PAR1")
    Path("run.sh").write_text("python3 -m verl.trainer.main_ppo\n")
    assert main(words) == 2
    extra = next(name for name, modules in EXTRAS.items() if module in modules)
    out, err = capsys.readouterr()
    assert f"{what} needs {module}: {how_to_install(extra)}\n" in out + err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.parquet", "run.sh"]


@pytest.mark.parametrize(
    ("prefix", "marks", "command"),
    [
        ("venv", {"pyvenv.cfg": "home = /usr\n"}, "pip install 'relax-lint[data]'"),
        ("venv", {}, "pip install 'relax-lint[data]'"),
        ("venvs/relax-lint", {"pipx_metadata.json": "{}"}, "pipx inject relax-lint 'relax-lint[data]'"),
        ("tool", {"pyvenv.cfg": "home = /usr\nuv = 0.9\n"}, "uv pip install --python {prefix} 'relax-lint[data]'"),
        ("archive-v0/x", {"pyvenv.cfg": "uv = 0.9\n"}, "uvx --with pyarrow …"),
    ],
)
def test_the_command_suits_who_made_the_environment(
    prefix: str, marks: dict[str, str], command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / prefix
    home.mkdir(parents=True)
    for name, text in marks.items():
        (home / name).write_text(text)
    monkeypatch.setattr(sys, "prefix", str(home))
    monkeypatch.setitem(sys.modules, "pip", None)
    assert how_to_install("data") == command.format(prefix=home)


def test_asking_for_an_extra_imports_none_of_it() -> None:
    asked = "import sys; from relax_lint import extras; [extras.lacking(name) for name in extras.EXTRAS]"
    code = f"{asked}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {module for modules in EXTRAS.values() for module in modules}
    assert heavy & set(done.stdout.split()) == set()
    assert all(find_spec(module) for module in heavy)
