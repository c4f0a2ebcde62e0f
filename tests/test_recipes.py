"""The bundled recipes as a user meets them: the good one stays silent, the broken one is found out and repaired."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[1]
RECIPES = ROOT / "tests/recipes"
RELAX_LINT = Path(sys.executable).parent / "relax-lint"
SCHEMAS = {name: json.loads((ROOT / f"docs/schema/{name}.schema.json").read_text()) for name in ("check", "show")}


@pytest.fixture(params=sorted(path.name for path in RECIPES.iterdir() if path.is_dir()))
def recipe(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECIPES / request.param, tmp_path / request.param))


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECIPES / "broken_countdown", tmp_path / "broken"))


def relax_lint(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([RELAX_LINT, *arguments], cwd=directory, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done


def checked(directory: Path, *arguments: str) -> dict[str, Any]:
    output: dict[str, Any] = json.loads(relax_lint(directory, "check", "--format=json", *arguments, "examples").stdout)
    return output


def codes(output: dict[str, Any], *severities: str) -> set[str]:
    return {found["code"] for found in output["diagnostics"] if found["severity"] in severities}


def tree(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "launches"), [("good_gsm8k", 2), ("good_pairwise", 4)])
def test_good_recipes_have_no_error_and_no_warning(name: str, launches: int) -> None:
    output = checked(RECIPES / name)
    assert output["summary"]["launches"] == launches
    assert [found for found in output["diagnostics"] if found["severity"] != "advice"] == []


def test_every_mistake_of_the_broken_recipe_is_found(broken: Path) -> None:
    assert codes(checked(broken), "error", "warning") == {
        "RLX202",
        "RLX203",
        "RLX206",
        "RLX403",
        "RLX404",
        "RLX406",
        "RLX407",
        "RLX411",
        "RLX420",
        "RLX422",
        "RLX801",
    }


def test_fix_leaves_what_takes_a_decision_and_unsafe_fixes_bring_it_to_clean(broken: Path) -> None:
    assert relax_lint(broken, "--fix", "examples").returncode == 1
    assert codes(checked(broken), "error", "warning") == {"RLX407"}
    assert relax_lint(broken, "--fix", "--unsafe-fixes", "examples").returncode == 0
    assert codes(checked(broken), "error", "warning") == set()
    fixed = tree(broken)
    assert relax_lint(broken, "--fix", "--unsafe-fixes", "examples").returncode == 0
    assert tree(broken) == fixed
    for path in broken.rglob("*.sh"):
        subprocess.run(["bash", "-n", path], check=True)


def test_json_is_what_its_schema_says(recipe: Path) -> None:
    for arguments in ([], ["--show-suppressed"], ["--strict"]):
        jsonschema.validate(checked(recipe, *arguments), SCHEMAS["check"])
    launcher = next(recipe.glob("examples/*/run_*.sh"))
    for arguments in ([], ["--clean-env"], ["--all"]):
        shown = relax_lint(recipe, "show", "--format=json", *arguments, str(launcher.relative_to(recipe)))
        jsonschema.validate(json.loads(shown.stdout), SCHEMAS["show"])


def test_the_page_on_json_names_every_field() -> None:
    page = (ROOT / "docs/json.md").read_text()
    fields = {
        name
        for schema in SCHEMAS.values()
        for definition in [schema, *schema["$defs"].values()]
        for name in definition.get("properties", {})
    }
    assert [name for name in sorted(fields) if name not in page] == []


def test_the_demo_goes_from_findings_to_clean() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools/demo.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.index("RLX202") < done.stdout.index("+async def reward_func")


BOUND_BY_A_FUNCTION = """\
def compute(sample):
    return {first}


def install():
    {declared}
    compute = lambda sample: 1.0


install()


async def reward_func(args, sample, **kwargs):
    return compute(sample)
"""
MADE_BY_A_FUNCTION = """\
def make():
    global reward_func

    async def reward_func(args, sample, **kwargs):
        return 1.0


make()
"""


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        (MADE_BY_A_FUNCTION, set()),
        (MADE_BY_A_FUNCTION.replace("global reward_func", "pass"), {"RLX201"}),
        (BOUND_BY_A_FUNCTION.format(first=None, declared="global compute"), set()),
        (BOUND_BY_A_FUNCTION.format(first=None, declared="pass"), {"RLX205"}),
    ],
)
def test_what_functions_bind_in_the_module_is_not_known_by_what_stands_there(
    reward: str, expected: set[str], tmp_path: Path
) -> None:
    shutil.copytree(RECIPES / "good_gsm8k", tmp_path / "good")
    (tmp_path / "good/examples/gsm8k/reward_gsm8k.py").write_text(reward, encoding="utf-8")
    found = {code for code in codes(checked(tmp_path / "good"), "error", "warning") if code.startswith("RLX20")}
    assert found == expected
