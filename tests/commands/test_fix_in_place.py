"""`relax-lint --fix` on recipes in which a launcher still starts verl."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from relax_lint.cli import main
from relax_lint.extras import how_to_install
from tests.commands.test_migrate import MODEL, VERL

DIRECTORY = "examples/gsm8k"
RUN, PAGE = f"{DIRECTORY}/run_gsm8k.sh", f"{DIRECTORY}/MIGRATION.md"
CONVERSION = "scripts/tools/process_gsm8k.py"
REWARD = "async def reward_func(args, sample, **kwargs):\n    return {'score': 1.0}\n"

Capture = pytest.CaptureFixture[str]
Fix = Callable[..., tuple[int, str]]


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Relax checkout, with a recipe that is verl's."""
    files = {
        "relax/entrypoints/train.py": "",
        "scripts/entrypoint/local.sh": 'export MODEL_CONFIG_DIR="$PWD/scripts/models"\n',
        "scripts/models/qwen3-8B.sh": MODEL,
        CONVERSION: "import argparse\n",
        f"{DIRECTORY}/__init__.py": "",
        "examples/__init__.py": "",
        RUN: VERL,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


WITHOUT_REWARD = ("--ignore", "RLX205")
"""The scoring is not at hand, so the reward is left to be written, which is a finding."""


@pytest.fixture
def fixing(capsys: Capture) -> Fix:
    def call(*arguments: str) -> tuple[int, str]:
        status = main(["--fix", *(arguments or ("examples",)), "-q", "--no-cache", *WITHOUT_REWARD])
        return status, capsys.readouterr().err

    return call


def git(*arguments: str) -> None:
    identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def everything() -> dict[str, bytes]:
    return {
        path.as_posix(): path.read_bytes()
        for path in sorted(Path().rglob("*"))
        if path.is_file() and ".git/" not in f"{path}"
    }


def test_a_launcher_of_verl_becomes_one_of_relax_where_it_stands(fixing: Fix) -> None:
    status, said = fixing()
    assert status == 0
    assert said == f"relax-lint: {RUN} is rewritten for Relax: {PAGE} says all; {RUN} is kept as run_gsm8k.sh.orig\n"
    assert "relax/entrypoints/train.py" in Path(RUN).read_text()
    assert Path(f"{RUN}.orig").read_text() == VERL
    assert "data.train_batch_size" in Path(PAGE).read_text()


def test_a_second_fix_changes_nothing(fixing: Fix) -> None:
    fixing()
    before = everything()
    assert fixing() == (0, "")
    assert everything() == before


def test_what_git_has_is_not_kept_twice(fixing: Fix) -> None:
    git("init", "-q")
    git("add", RUN)
    git("commit", "-q", "-m", "verl")
    _, said = fixing()
    assert said == f"relax-lint: {RUN} is rewritten for Relax: {PAGE} says all\n"
    assert not Path(f"{RUN}.orig").exists()


def test_a_change_that_is_not_committed_is_kept(fixing: Fix) -> None:
    git("init", "-q")
    git("add", RUN)
    git("commit", "-q", "-m", "verl")
    changed = VERL.replace("rollout.n=8", "rollout.n=4")
    Path(RUN).write_text(changed)
    fixing()
    assert Path(f"{RUN}.orig").read_text() == changed


def test_an_original_never_goes_over_another_one(fixing: Fix) -> None:
    Path(f"{RUN}.orig").write_text("mine\n")
    fixing()
    assert Path(f"{RUN}.orig").read_text() == "mine\n"
    assert Path(f"{RUN}.orig1").read_text() == VERL


def test_no_migrate_leaves_it(fixing: Fix) -> None:
    before = everything()
    assert fixing("examples", "--no-migrate") == (1, "")
    assert everything() == before


def test_a_diff_shows_it_and_writes_nothing(capsys: Capture) -> None:
    before = everything()
    assert main(["--diff", "examples", "--no-cache"]) == 1
    shown = capsys.readouterr().out
    assert f"+++ b/{PAGE}" in shown
    assert "-python3 -m verl.trainer.main_ppo" in shown
    assert f"copy from {RUN}\ncopy to {RUN}.orig\n" in shown
    assert everything() == before


def test_the_count_of_fixed_findings_has_it(capsys: Capture) -> None:
    main(["--fix", "examples", "--no-cache"])
    assert "Fixed 1 finding (RLX401). " in capsys.readouterr().out


def test_a_launch_that_relax_cannot_train_is_left_with_its_place(fixing: Fix) -> None:
    Path(RUN).write_text(VERL.replace("adv_estimator=grpo", "adv_estimator=gae"))
    before = everything()
    status, said = fixing()
    assert status == 1
    assert said.startswith(f"relax-lint: {RUN}:4:5: not migrated: algorithm.adv_estimator=gae is PPO with a critic")
    assert everything() == before


def test_a_launcher_that_starts_both_is_left(fixing: Fix) -> None:
    Path(RUN).write_text(f"{VERL}python3 relax/entrypoints/train.py --colocate\n")
    _, said = fixing()
    assert "not migrated: the script launches Relax, too: take one of the two out" in said
    assert Path(RUN).read_text().startswith(VERL)


def test_a_directory_that_is_no_module_is_named(fixing: Fix) -> None:
    Path(DIRECTORY).rename("examples/gsm-8k")
    status, said = fixing()
    assert status == 1
    assert "examples/gsm-8k/run_gsm8k.sh:1:1: not migrated: gsm-8k becomes a part of module paths" in said


def test_each_launcher_of_a_recipe_has_its_page(fixing: Fix) -> None:
    Path(f"{DIRECTORY}/run_other.sh").write_text(VERL.replace("optim.lr=1e-6", "optim.lr=3e-6"))
    status, _ = fixing()
    assert status == 0
    pages = [path.name for path in sorted(Path(DIRECTORY).glob("MIGRATION*"))]
    assert pages == ["MIGRATION.md", "MIGRATION_other.md"]
    assert "3e-6" in Path(f"{DIRECTORY}/MIGRATION_other.md").read_text()
    assert "MIGRATION_other.md says" in Path(f"{DIRECTORY}/run_other.sh").read_text()


def test_a_launcher_in_a_directory_of_the_recipe_finds_the_entry_point(fixing: Fix) -> None:
    nested = Path(f"{DIRECTORY}/scripts/train.sh")
    nested.parent.mkdir()
    Path(RUN).rename(nested)
    status, said = fixing()
    assert (status, Path(PAGE).exists()) == (0, True), said
    assert '"${SCRIPT_DIR}/../../../scripts/entrypoint/local.sh"' in nested.read_text()


def test_what_somebody_wrote_beside_it_stays(fixing: Fix) -> None:
    reward = Path(f"{DIRECTORY}/reward_gsm8k.py")
    reward.write_text(REWARD)
    fixing()
    assert reward.read_text() == REWARD


def test_a_page_of_somebody_is_not_lost(fixing: Fix) -> None:
    Path(PAGE).write_text("# My notes\n")
    fixing()
    assert Path(PAGE).read_text() == "# My notes\n"
    assert Path(f"{DIRECTORY}/MIGRATION_gsm8k.md").exists()


def test_without_the_extra_it_is_said_what_to_install(fixing: Fix, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Path("examples/other/run_other.sh")
    other.parent.mkdir()
    other.write_text("python3 relax/entrypoints/train.py --loss-type sft trainer.total_epochs=3\n")
    monkeypatch.setitem(sys.modules, "hydra", None)
    _, said = fixing()
    assert f"{RUN} could be rewritten for Relax: {how_to_install('migrate')}" in said
    assert Path(RUN).read_text() == VERL
    assert "--num-epoch 3" in other.read_text()


def test_a_launcher_outside_of_recipes_is_left(fixing: Fix) -> None:
    elsewhere = Path("scripts/training/run_verl.sh")
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_text(VERL)
    fixing("scripts")
    assert elsewhere.read_text() == VERL


def test_files_that_cannot_be_written_leave_all_as_it_was(fixing: Fix) -> None:
    Path("outside").mkdir()
    Path(f"{DIRECTORY}/MIGRATION.md").symlink_to(Path("../../../elsewhere.md"))
    status, said = fixing()
    assert status == 1
    assert f"{RUN} is not migrated, and nothing of it is written" in said
    assert Path(RUN).read_text() == VERL
    assert not Path(f"{RUN}.orig").exists()


TWO_WAYS = VERL.replace("python3", 'if [ -n "$BIG" ]; then N=16; else N=8; fi\npython3', 1).replace("n=8", "n=$N")


def test_a_further_way_never_has_the_name_of_somebodys_file(fixing: Fix) -> None:
    Path(RUN).write_text(TWO_WAYS)
    foreign = Path(f"{DIRECTORY}/run_gsm8k_2.sh")
    for name in ("run_gsm8k_2.sh", "run_gsm8k_big.sh"):
        Path(DIRECTORY, name).write_text("echo mine\n")
    fixing()
    assert foreign.read_text() == "echo mine\n"
    further = [path.name for path in Path(DIRECTORY).glob("run_gsm8k_*.sh") if "relax/" in path.read_text()]
    assert len(further) == 1
    assert further[0] in Path(PAGE).read_text()


ASYNC_BY_DEFAULT = (
    "set -eo pipefail\nMODE=${1:-${MODE:-async}}\nif [ $MODE = async ]; then\n"
    "    python3 relax/entrypoints/train.py --fully-async\nelse\n"
    "    python3 relax/entrypoints/train.py --colocate\nfi\n"
)
ONLY = ("--select", "RLX405")
SYNC = (
    "set -eo pipefail\npython3 relax/entrypoints/train.py --colocate --resource "
    '\'{"actor": [1, 8], "rollout": [1, 8]}\'\n'
)
GENRM = SYNC.replace('"rollout"', '"genrm": [1, 8], "rollout"')


def test_a_launcher_that_starts_async_unasked_stays_so(fixing: Fix) -> None:
    Path(RUN).write_text(ASYNC_BY_DEFAULT)
    assert fixing("examples", *ONLY) == (1, "")
    assert Path(RUN).read_text() == ASYNC_BY_DEFAULT


def test_that_an_asynchronous_launcher_starts_sync_now_is_said(fixing: Fix) -> None:
    Path(RUN).write_text(ASYNC_BY_DEFAULT)
    status, said = fixing("examples", "--unsafe-fixes", *ONLY)
    assert status == 0
    assert f"{RUN} starts sync now when no mode is asked for, as the guide wants it" in said


def test_a_launcher_of_one_mode_says_by_what_guess_it_has_both(fixing: Fix) -> None:
    Path(RUN).write_text(SYNC)
    status, said = fixing("examples", *ONLY)
    assert status == 0
    split = "actor 4, rollout 3, actor_fwd 1"
    assert said == f"relax-lint: {RUN}: the GPUs of the async mode that it has now are a guess: {split}\n"


@pytest.mark.parametrize(
    ("text", "options", "mark", "fixed"),
    [
        (SYNC, (), "[*]", True),
        (SYNC, ("--no-migrate",), "[ ]", False),
        (ASYNC_BY_DEFAULT, (), "[ ]", False),
        (ASYNC_BY_DEFAULT, ("--unsafe-fixes",), "[*]", True),
        (GENRM, ("--unsafe-fixes",), "[ ]", False),
    ],
)
def test_the_mark_of_a_launcher_of_one_mode_is_what_a_fix_does(
    text: str, options: tuple[str, ...], mark: str, fixed: bool, capsys: Capture
) -> None:
    Path(RUN).write_text(text)
    command = ("examples", *ONLY, *options, "--no-cache")
    main([*command, "--statistics"])
    assert f"1  RLX405  {mark} dual-mode\n" in capsys.readouterr().out
    main(list(command))
    assert ("RLX405 [*]" in capsys.readouterr().out) is fixed
    main([*command, "--fix"])
    assert (Path(RUN).read_text() != text) is fixed


def test_why_a_change_of_the_default_mode_is_not_safe_is_said(capsys: Capture) -> None:
    Path(RUN).write_text(ASYNC_BY_DEFAULT)
    main(["examples", *ONLY, "--no-cache"])
    said = capsys.readouterr().out
    assert "= unsafe because it starts async today when no mode is asked for, and sync then" in said
    assert "1 can be fixed with `--fix --unsafe-fixes`." in said


def test_what_is_kept_has_the_rights_of_the_original(fixing: Fix) -> None:
    Path(RUN).chmod(0o750)
    fixing()
    assert Path(f"{RUN}.orig").stat().st_mode & 0o777 == 0o750
    assert Path(RUN).stat().st_mode & 0o777 == 0o750


def test_windows_line_ends_are_converted(fixing: Fix) -> None:
    Path(RUN).write_bytes(VERL.replace("\n", "\r\n").encode())
    status, _ = fixing()
    assert status == 0
    assert b"\r" not in Path(RUN).read_bytes()
