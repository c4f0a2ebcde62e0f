"""Recipes of verl that are taken over whole: by one command, and where they stand."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from relax_lint.cli import main
from tests.commands.test_migrate import MODEL, SCHEMA
from tests.conversion.reference import rows_in
from tests.migrate.on_disk import write_relax
from tests.migrate.reward.originals import originals
from tests.parquet_files import write_parquet

RECIPES = Path(__file__).parents[1] / "verl_recipes"
NAMES = sorted(path.name for path in RECIPES.iterdir() if path.is_dir())
Capture = pytest.CaptureFixture[str]
Migrate = Callable[..., tuple[int, dict[str, Any]]]
LOOKED_AT = pytest.mark.xdist_group("recipes of verl that are looked at")
"""One process makes what these tests have in common."""


def checkout(parent: Path) -> Path:
    """A Relax checkout; the recipes of verl are in a directory beside it."""
    root = write_relax(parent / "checkout")
    (root / "scripts/models/qwen3-8B.sh").write_text(MODEL)
    shutil.copytree(RECIPES, parent / "verl_recipes")
    return root


@pytest.fixture(autouse=True)
def relax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a test is."""
    root = checkout(tmp_path)
    monkeypatch.chdir(root)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return root


def migrated(parent: Path, name: str, capsys: Capture, *options: str) -> tuple[int, dict[str, Any]]:
    """What `relax-lint migrate` says of one of the recipes, and its status."""
    words = ["migrate", str(parent / "verl_recipes" / name), "--name", name, "--verl-root", str(originals())]
    capsys.readouterr()
    status = main([*words, "--format", "json", *options])
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMA)
    return status, told


@pytest.fixture
def migrate(tmp_path: Path, capsys: Capture) -> Migrate:
    """Migrates one of the recipes."""

    def call(name: str, *options: str) -> tuple[int, dict[str, Any]]:
        return migrated(tmp_path, name, capsys, *options)

    return call


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, list[Any]]]:
    """Where a recipe is migrated once for all tests that only look at it, and what was said then."""
    return cache(lambda name: (tmp_path_factory.mktemp(name), []))


@pytest.fixture
def taken_over(
    kept: Callable[[str], tuple[Path, list[Any]]], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> Migrate:
    """As `migrate`, and goes to where that was done; the recipe is as it was, and nothing of it is to be changed."""

    def call(name: str) -> tuple[int, dict[str, Any]]:
        parent, said = kept(name)
        monkeypatch.chdir(parent / "checkout" if said else checkout(parent))
        if not said:
            said.append(migrated(parent, name, capsys))
        status, told = said[0]
        return status, told

    return call


def found(capsys: Capture, *paths: str) -> list[str]:
    """What the linter finds, advice included."""
    capsys.readouterr()
    main(["check", *paths, "--format", "json", "--no-cache", "-j1"])
    told = json.loads(capsys.readouterr().out)
    return [f"{each['code']} {each['path']}:{each['line']}" for each in told["diagnostics"]]


def with_one_launcher(recipe: Path) -> Path:
    """A recipe without its second launcher, of which nothing is asked: each is a migration."""
    (recipe / "run_number_game_fast.sh").unlink()
    return recipe


def everything(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


# ---------------------------------------------------------------- by one command


@LOOKED_AT
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_found_in_a_recipe_that_was_taken_over_whole(
    name: str, taken_over: Migrate, capsys: Capture
) -> None:
    status, told = taken_over(name)
    assert (status, told["status"], told["problems"], told["findings"]) == (0, "migrated", [], [])
    assert found(capsys, f"examples/{name}", "scripts") == []
    for each in told["files"]:
        if each["path"].endswith(".py"):
            compile(each["text"], each["path"], "exec")
            assert not re.search(r"^\s*(?:from|import) verl\b", each["text"], re.MULTILINE)


@LOOKED_AT
def test_the_layout_is_that_of_the_guide(taken_over: Migrate) -> None:
    taken_over("number_game")
    there = {path.name for path in Path("examples/number_game").iterdir()}
    assert there == {
        *("__init__.py", "MIGRATION.md", "base_env.py", "env_number_game.py", "number_game_config.yaml"),
        *(
            "reading.py",
            "reward_number_game.py",
            "rollout.py",
            "run_number_game.sh",
            "run_number_game_fast.sh",
            "tools",
        ),
    }
    assert Path("scripts/tools/process_number_game.py").is_file()


@LOOKED_AT
def test_it_is_said_what_was_carried_from_where(taken_over: Migrate) -> None:
    _, told = taken_over("number_game")
    carried = {each["path"].rpartition("/")[2]: (each["from"], each["names"]) for each in told["carried"]}
    recipe = "../verl_recipes/number_game"
    assert carried == {
        "reward_number_game.py": (f"{recipe}/scoring.py", ["score_game", "plot"]),
        "reading.py": (f"{recipe}/reading.py", ["last_number"]),
        "hint_tool.py": (f"{recipe}/hint_tool.py", ["HintTool"]),
        "env_number_game.py": (f"{recipe}/config/tools.yaml", []),
        "process_number_game.py": (f"{recipe}/prepare_data.py", ["train", "test"]),
    }
    page = Path("examples/number_game/MIGRATION.md").read_text()
    assert "| `examples/number_game/reward_number_game.py` | `number_game/scoring.py` | `score_game`, `plot` |" in page


@LOOKED_AT
def test_code_of_verl_is_named_with_its_version(taken_over: Migrate) -> None:
    _, told = taken_over("long_sums")
    (scorer,) = [each for each in told["carried"] if each["path"].endswith("reward_long_sums.py")]
    assert scorer["from"].endswith("verl/utils/reward_score/gsm8k.py")
    assert scorer["verl"].startswith("0.9.1")
    assert "overlong_buffer_cfg_len: 1024" in Path("examples/long_sums/long_sums_config.yaml").read_text()


@LOOKED_AT
def test_files_that_nothing_uses_are_named_and_not_copied(taken_over: Migrate) -> None:
    _, told = taken_over("number_game")
    assert [each["path"].rpartition("/")[2] for each in told["unused"]] == ["README.md", "plot_scores.py"]
    assert not list(Path("examples").rglob("plot_scores.py"))
    assert "`number_game/plot_scores.py`" in Path("examples/number_game/MIGRATION.md").read_text()


@LOOKED_AT
def test_packages_are_named_with_the_place_that_imports_them(taken_over: Migrate) -> None:
    _, told = taken_over("floor_plan")
    (pint,) = [each for each in told["packages"] if each["package"] == "pint"]
    assert (pint["used_by"], pint["line"], pint["comes_with_relax"]) == ("reward", 3, False)
    assert (
        "| `pint` | reward | `floor_plan/areas.py:3` | **install it** |"
        in Path("examples/floor_plan/MIGRATION.md").read_text()
    )
    assert "--multimodal-keys" in Path("examples/floor_plan/run_floor_plan.sh").read_text()


@LOOKED_AT
def test_the_conversion_makes_the_rows_of_the_recipes_own_preprocessing(taken_over: Migrate) -> None:
    taken_over("number_game")
    write_parquet(Path("raw/train.parquet"), [{"text": "between 0 and 9?", "secret": 4}])
    script = "scripts/tools/process_number_game.py"
    done = subprocess.run(
        [sys.executable, script, "--input-dir", "raw", "--output-dir", "made"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (row,) = rows_in(Path("made/train.parquet"))
    assert (row["label"], row["extra_info"]["data_source"]) == ("4", "somebody/number_game")
    assert row["extra_info"]["tools_kwargs"] == {"compare": {"create_kwargs": {"secret": 4}}}
    assert json.loads(row["tools"])[0]["function"]["name"] == "compare"


# ---------------------------------------------------------------- several launchers


def test_launchers_with_another_reward_get_a_part_of_the_recipe(
    migrate: Migrate, tmp_path: Path, capsys: Capture
) -> None:
    recipe = tmp_path / "verl_recipes/number_game"
    (recipe / "strict.py").write_text(
        "def score_game(data_source, solution_str, ground_truth, **rest):\n    return 0\n"
    )
    fast = recipe / "run_number_game_fast.sh"
    fast.write_text(fast.read_text().replace("scoring.py", "strict.py"))
    (recipe / "run_again.sh").write_text(fast.read_text())
    status, told = migrate("number_game")
    assert (status, [launch["script"] for launch in told["launches"]]) == (
        0,
        [f"examples/number_game/run_number_game{each}.sh" for each in ("", "_fast", "_again")],
    )
    for name in ("fast", "again"):
        script = Path(f"examples/number_game/run_number_game_{name}.sh").read_text()
        assert "--custom-rm-path examples.number_game.fast.reward_number_game.reward_func" in script
        assert "scripts/tools/process_number_game_fast.py" in script
    assert "return 0" in Path("examples/number_game/fast/reward_number_game.py").read_text()
    assert found(capsys, "examples/number_game", "scripts") == []


def test_a_launcher_that_is_refused_is_told_and_the_rest_is_done(migrate: Migrate, tmp_path: Path) -> None:
    fast = tmp_path / "verl_recipes/number_game/run_number_game_fast.sh"
    fast.write_text(fast.read_text().replace("adv_estimator=grpo", "adv_estimator=gae"))
    status, told = migrate("number_game")
    assert (status, told["status"]) == (1, "partly")
    (refused,) = told["refused"]
    assert refused["path"].endswith("run_number_game_fast.sh")
    assert Path("examples/number_game/run_number_game.sh").is_file()
    assert not Path("examples/number_game/run_number_game_fast.sh").exists()


def test_the_main_launcher_is_one_that_can_be_migrated(migrate: Migrate, tmp_path: Path) -> None:
    main_one = tmp_path / "verl_recipes/number_game/run_number_game.sh"
    main_one.write_text(main_one.read_text().replace("adv_estimator=grpo", "adv_estimator=gae"))
    status, told = migrate("number_game")
    assert (status, told["launches"][0]["script"]) == (1, "examples/number_game/run_number_game.sh")
    assert told["launches"][0]["path"].endswith("run_number_game_fast.sh")


def test_a_directory_without_a_launcher_is_refused(tmp_path: Path, capsys: Capture) -> None:
    assert main(["migrate", str(tmp_path / "verl_recipes/number_game/config"), "--name", "nothing"]) == 2
    assert "no script in it starts a training of verl that can be seen" in capsys.readouterr().err


# ---------------------------------------------------------------- bad input


def test_a_reward_that_is_not_there_is_said_with_its_place(migrate: Migrate, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "verl_recipes/number_game/scoring.py").unlink()
    status, told = migrate("number_game")
    assert (status, told["status"]) == (1, "partly")
    (problem,) = {each["line"]: each for each in told["problems"] if "run_number_game.sh" in each["path"]}.values()
    assert problem["message"] == "there is no file number_game/scoring.py"
    todos = Path("examples/number_game/MIGRATION.md").read_text().partition("## Settings")[0]
    assert "copy score_game from number_game/scoring.py into reward_number_game.py, without imports of verl" in todos
    assert str(tmp_path) not in todos
    assert "${" not in todos
    assert problem["line"] == 24
    assert "NotImplementedError" in Path("examples/number_game/reward_number_game.py").read_text()
    assert "HintTool" in Path("examples/number_game/tools/hint_tool.py").read_text()


def test_a_dynamic_import_is_said_with_its_place(migrate: Migrate, tmp_path: Path) -> None:
    scoring = with_one_launcher(tmp_path / "verl_recipes/number_game") / "scoring.py"
    scoring.write_text(
        "import importlib\n\n\ndef score_game(data_source, solution_str, ground_truth, extra_info=None):\n"
        "    return importlib.import_module(data_source).score(solution_str)\n"
    )
    status, told = migrate("number_game")
    assert status == 1
    assert [(each["path"].rpartition("/")[2], each["line"]) for each in told["problems"]] == [("scoring.py", 5)]
    assert Path("examples/number_game/env_number_game.py").is_file()


def test_a_class_that_is_not_understood_is_said_with_its_place(migrate: Migrate, tmp_path: Path) -> None:
    tool = with_one_launcher(tmp_path / "verl_recipes/number_game") / "hint_tool.py"
    tool.write_text(
        "from verl.workers.fsdp_workers import ActorRolloutRefWorker\n\nHintTool = ActorRolloutRefWorker.tool()\n"
    )
    status, told = migrate("number_game")
    assert status == 1
    assert told["problems"]
    assert all(each["line"] for each in told["problems"])
    assert "score_game" in Path("examples/number_game/reward_number_game.py").read_text()


def test_what_cannot_be_carried_over_is_said_on_standard_error(tmp_path: Path, capsys: Capture) -> None:
    recipe = tmp_path / "verl_recipes/number_game"
    (recipe / "hint_tool.py").unlink()
    assert main(["migrate", str(recipe), "--name", "game", "--verl-root", str(originals())]) == 1
    said = capsys.readouterr().err
    assert "number_game/config/tools.yaml:2: number_game.hint_tool.HintTool cannot be carried over: its" in said
    assert all(line.count("carried over") < 2 for line in said.splitlines())


# ---------------------------------------------------------------- where it stands


@pytest.fixture
def dropped(relax: Path, tmp_path: Path) -> Path:
    """A recipe of verl among those of Relax, and verl's code named in the configuration."""
    shutil.copytree(tmp_path / "verl_recipes/number_game", relax / "examples/number_game")
    (relax / "relax-lint.toml").write_text(f'verl-root = "{originals()}"\n')
    return relax / "examples/number_game"


def test_a_dropped_recipe_is_rewritten_whole_and_a_second_fix_changes_nothing(
    dropped: Path, relax: Path, capsys: Capture
) -> None:
    before = everything(dropped)
    assert main(["--fix", "examples/number_game", "-q", "--no-cache"]) == 0, capsys.readouterr()
    said = capsys.readouterr().err
    assert found(capsys, "examples/number_game", "scripts") == []
    for name in ("run_number_game.sh", "scoring.py", "hint_tool.py", "config/tools.yaml", "prepare_data.py"):
        assert (dropped / f"{name}.orig").read_bytes() == before[name]
    assert not (dropped / "scoring.py").exists()
    assert not (dropped / "hint_tool.py").exists()
    assert (dropped / "plot_scores.py").read_bytes() == before["plot_scores.py"]
    assert (dropped / "README.md").read_bytes() == before["README.md"]
    assert "async def reward_func" in (dropped / "reward_number_game.py").read_text()
    assert "examples/number_game/hint_tool.py is carried over and taken away (kept as hint_tool.py.orig)" in said
    rewritten = everything(relax)
    assert main(["--fix", "examples/number_game", "-q", "--no-cache"]) == 0
    assert everything(relax) == rewritten


def test_no_migrate_leaves_a_dropped_recipe(dropped: Path) -> None:
    main(["--fix", "--no-migrate", "examples/number_game", "-q", "--no-cache"])
    there = {path.name for path in dropped.iterdir()}
    assert {"scoring.py", "hint_tool.py", "prepare_data.py"} <= there
    assert not any(name.startswith(("MIGRATION", "env_")) for name in there)
    assert "verl.trainer.main_ppo" in (dropped / "run_number_game.sh").read_text()


def test_what_a_launcher_of_verl_still_needs_stays(dropped: Path) -> None:
    fast = dropped / "run_number_game_fast.sh"
    fast.write_text(fast.read_text().replace("adv_estimator=grpo", "adv_estimator=gae"))
    main(["--fix", "examples/number_game", "-q", "--no-cache"])
    assert "relax/entrypoints/train.py" in (dropped / "run_number_game.sh").read_text()
    assert (dropped / "scoring.py").is_file()
    assert (dropped / "hint_tool.py").is_file()


def test_what_other_code_uses_stays(dropped: Path) -> None:
    with_one_launcher(dropped)
    (dropped / "plot_scores.py").write_text("from examples.number_game.scoring import plot\n\nplot('a')\n")
    main(["--fix", "examples/number_game", "-q", "--no-cache"])
    assert (dropped / "scoring.py").is_file()
    assert not (dropped / "hint_tool.py").exists()


def test_a_reward_that_has_the_name_already_is_replaced(dropped: Path) -> None:
    (dropped / "scoring.py").rename(dropped / "reward_number_game.py")
    for script in dropped.glob("*.sh"):
        script.write_text(script.read_text().replace("scoring.py", "reward_number_game.py"))
    main(["--fix", "examples/number_game", "-q", "--no-cache"])
    assert "async def reward_func" in (dropped / "reward_number_game.py").read_text()
    assert "def plot" in (dropped / "reward_number_game.py.orig").read_text()


def test_a_module_that_needs_no_verl_stays_as_it_is(dropped: Path) -> None:
    with_one_launcher(dropped)
    tabs = "import string\n\nNAMES = ['number']\n\n\ndef table():\n    return string.digits\n"
    (dropped / "tabs.py").write_text(tabs)
    scoring = (dropped / "scoring.py").read_text()
    (dropped / "scoring.py").write_text(f"from tabs import NAMES\n{scoring.replace('1.0 if', 'len(NAMES) if')}")
    main(["--fix", "examples/number_game", "-q", "--no-cache"])
    assert (dropped / "tabs.py").read_text() == tabs
    assert not (dropped / "tabs.py.orig").exists()


@pytest.mark.parametrize("in_git", [True, False])
def test_a_module_whose_imports_change_is_said_to_be_rewritten_and_not_lost(
    dropped: Path, relax: Path, capsys: Capture, in_git: bool
) -> None:
    tabs = "from verl.utils.reward_score.math_reward import strip_string\n\n\ndef plain(text):\n    "
    tabs += "return strip_string(text)\n"
    (dropped / "tabs.py").write_text(tabs)
    scoring = (dropped / "scoring.py").read_text()
    (dropped / "scoring.py").write_text(f"from tabs import plain\n{scoring.replace('1.0 if', 'len(plain(str(1))) if')}")
    if in_git:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "all"]):
            subprocess.run(["git", *words], cwd=relax, check=True)
    main(["--fix", "examples/number_game", "-q", "--no-cache"])
    said = capsys.readouterr().err
    page = "".join(path.read_text() for path in dropped.glob("MIGRATION*.md"))
    assert "verl" not in (dropped / "tabs.py").read_text()
    for script in dropped.glob("*.sh"):  # the second one needs the same file
        assert "relax/entrypoints/train.py" in script.read_text()
    if in_git:
        assert "examples/number_game/tabs.py is rewritten (git has it as it was)" in said
        assert "| `examples/number_game/tabs.py` | rewritten | in git |" in page
        assert "| `examples/number_game/scoring.py` | carried over and taken away | in git |" in page
        assert not list(dropped.glob("**/*.orig"))
    else:
        assert "examples/number_game/tabs.py is rewritten (kept as tabs.py.orig)" in said
        assert "| `examples/number_game/tabs.py` | rewritten | `examples/number_game/tabs.py.orig` |" in page
        assert (dropped / "tabs.py.orig").read_text() == tabs


@pytest.mark.parametrize("used_elsewhere", [True, False])
def test_a_package_that_is_carried_over_is_never_imported_in_place_of_its_copy(
    dropped: Path, relax: Path, capsys: Capture, used_elsewhere: bool
) -> None:
    with_one_launcher(dropped)
    (dropped / "lib").mkdir()
    (dropped / "lib/__init__.py").write_text("from .texts import plain\n\nSEEN = {}\n")
    texts = "from verl.utils.reward_score.math_reward import strip_string\n\n\ndef plain(text):\n    "
    (dropped / "lib/texts.py").write_text(f"{texts}return strip_string(text)\n")
    scoring = (dropped / "scoring.py").read_text()
    (dropped / "scoring.py").write_text(
        f"from lib import SEEN, plain\n{scoring.replace('1.0 if', 'len(plain(str(1))) + len(SEEN) if')}"
    )
    if used_elsewhere:
        (dropped / "plot_scores.py").write_text("from lib import texts\n\nprint(texts)\n")
    main(["--fix", "examples/number_game", "-q", "--no-cache"])
    assert (dropped / "lib/texts.py").is_file() == used_elsewhere
    assert (dropped / "lib/__init__.py").is_file() == used_elsewhere
    assert used_elsewhere or found(capsys, "examples/number_game", "scripts") == []
    (relax / "relax/utils").mkdir()
    (relax / "relax/utils/types.py").write_text("class Sample:\n    pass\n")
    script = "import examples.number_game.reward_number_game as reward; print(reward.SEEN)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=relax, check=False)
    assert (done.stdout.strip(), done.stderr) == ("{}", "")
