"""What counts for a verl run and that nobody knows beforehand: the launcher, the page and the terminal say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.migrate.on_disk import write_relax
from tests.migrate.test_arguments_and_loops import LR, NAME, TRAIN, by_hand, head


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout of Relax as the working directory."""
    monkeypatch.chdir(write_relax(tmp_path / "relax"))


def migrated(script: str, *options: str) -> tuple[str, str]:
    """The launcher and the page that are made of a script."""
    Path("../train.sh").write_text(f"{script}\n")
    assert main(["migrate", "../train.sh", "--name", "math", *options]) == 0
    return Path("examples/math/run_math.sh").read_text(), Path("examples/math/MIGRATION.md").read_text()


def launchers() -> list[str]:
    return sorted(path.name for path in Path("examples/math").glob("*.sh"))


# ---------------------------------------------------------------- words that only bash knows


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("$EXTRA_ARGS ${MORE:-}", "`${EXTRA_ARGS}`, `${MORE}`"),
        ("$(cat overrides.txt)", "`$(cat overrides.txt)`"),
        ("${SEED:+data.seed=$SEED}", "`${SEED:+data.seed=$SEED}`"),
        ("$(cat \\\n  overrides.txt)", "`$(cat overrides.txt)`"),
        ('"$2"', "`$2`"),
    ],
)
def test_words_that_only_bash_knows_are_told(words: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    launcher, page = migrated(f"{TRAIN} {words}")
    told = f"{shown} may be any words of Hydra"
    assert told in head(launcher)
    assert told in by_hand(page)
    assert told in capsys.readouterr().out


def test_words_that_are_given_are_taken_over() -> None:
    script = f"{TRAIN} $EXTRA_ARGS"
    _, page = migrated(script)
    assert "`relax-lint migrate --env EXTRA_ARGS=…` takes them over" in by_hand(page)
    launcher, page = migrated(script, "--env", f"EXTRA_ARGS={LR}=3e-6 data.seed=7", "--force")
    assert "--lr 3e-6" in launcher
    assert "--rollout-seed 7" in launcher
    assert "Hydra" not in by_hand(page)


def test_arguments_that_are_passed_on_need_no_word() -> None:
    launcher, _ = migrated(f'{TRAIN} "$@"')
    assert "any words of Hydra" not in launcher


def test_a_way_with_words_that_only_bash_knows_is_not_the_same_as_one_without() -> None:
    _, page = migrated(f"[ -f more.txt ] && EXTRA=$(cat more.txt)\nEXTRA=${{EXTRA:-}}\n{TRAIN} $EXTRA")
    assert "is the same to Relax" not in page
    assert launchers() == ["run_math.sh", "run_math_2.sh"]
    assert "`$(cat more.txt)` may be any words" in by_hand(page)


# ---------------------------------------------------------------- trainings that fail


@pytest.mark.parametrize(
    "script",
    [
        f"for s in 1 2; do\n  {TRAIN} data.seed=$s || break\ndone",
        f"for s in 1 2; do\n  if ! {TRAIN} data.seed=$s; then exit 1; fi\ndone",
        f"set -o pipefail\nfor s in 1 2; do\n  srun {TRAIN} data.seed=$s 2>&1 | tee log || exit 1\ndone",
    ],
)
def test_the_normal_way_is_the_one_without_failures(script: str) -> None:
    launcher, _ = migrated(script)
    assert launchers() == ["run_math.sh"]
    assert "--rollout-seed 1" in launcher
    assert "--rollout-seed 2" in launcher


def test_what_trains_only_after_a_failure_is_left_out_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    script = f"{TRAIN} {NAME}=a\nrc=$?\nif [ $rc -ne 0 ]; then\n  {TRAIN} {NAME}=rescue\nfi"
    launcher, page = migrated(script)
    told = "hat line 4 trains when a training has failed is left out"
    assert launchers() == ["run_math.sh"]
    assert "rescue" not in launcher
    for text in (head(launcher), by_hand(page), capsys.readouterr().out):
        assert told in text


@pytest.mark.parametrize(
    ("script", "loop"),
    [
        (f"until {TRAIN}; do sleep 30; done", "`until python3 "),
        (f"while ! {TRAIN} | tee log; do sleep 30; done", "`while ! python3 "),
        (f'for try in 1 2; do\n  {TRAIN} && break\ndone\nif [ -n "$TWO" ]; then {TRAIN}; fi', "`for try in 1 2`"),
    ],
)
def test_a_loop_that_tries_again_is_told(script: str, loop: str) -> None:
    launcher, page = migrated(script)
    assert "again where a training has failed" in head(launcher)
    assert loop in by_hand(page)


# ---------------------------------------------------------------- files and jobs


def test_a_file_that_cannot_be_read_is_told_with_what_it_may_set() -> None:
    launcher, page = migrated(f"source /etc/corp/cluster.sh\n{TRAIN} {LR}=${{RATE:-1e-6}} data.seed=$SEED")
    told = (
        "/etc/corp/cluster.sh, which is sourced at line 1, was not there to be read, so that RATE counts with the "
        "default and SEED counts as not set"
    )
    assert told in head(launcher)
    assert told in by_hand(page)
    assert "was read where the launch needs it" not in page


@pytest.mark.parametrize("script", [f"source /opt/venv/bin/activate\n{TRAIN} {LR}=${{LR:-1e-6}}", f". ./x.sh\n{TRAIN}"])
def test_a_file_that_can_set_nothing_of_the_launch_is_no_task(script: str) -> None:
    launcher, page = migrated(script)
    assert "was not there" not in by_hand(page)
    assert "was not there" not in head(launcher)
    assert "the file was not there to be read" in page


def test_an_array_of_jobs_is_told_and_its_index_has_to_be_set() -> None:
    script = f"#SBATCH --array=0-1\nRATES=(1e-6 2e-6)\n{TRAIN} {LR}=${{RATES[$SLURM_ARRAY_TASK_ID]}}"
    launcher, page = migrated(script)
    assert "`#SBATCH --array=0-1`" in head(launcher)
    assert "`#SBATCH --array=0-1`" in by_hand(page)
    assert "SLURM_ARRAY_TASK_ID as in the launcher of verl; for --lr" in head(launcher)
    assert ': "${SLURM_ARRAY_TASK_ID:?' in launcher


@pytest.mark.parametrize(("strict", "asked"), [("set -u", True), ("set -e", False)])
def test_a_script_that_wants_all_variables_set_still_does(strict: str, asked: bool) -> None:
    launcher, _ = migrated(f'{strict}\n{TRAIN} {NAME}="math-${{SLURM_JOB_ID}}"')
    assert "SLURM_JOB_ID as in the launcher of verl" in head(launcher)
    assert (': "${SLURM_JOB_ID:?' in launcher) is asked


def test_a_variable_that_a_loop_may_change_is_not_given_its_first_value() -> None:
    script = (
        'COEF=0.0\nwhile getopts "k:" option; do\n  case $option in k) COEF=$OPTARG ;; esac\ndone\n'
        'USE=False\n[[ "$COEF" != "0.0" ]] && USE=True\n'
        f"{TRAIN} actor_rollout_ref.actor.use_kl_loss=$USE actor_rollout_ref.actor.kl_loss_coef=$COEF"
    )
    launcher, _ = migrated(script)
    assert "--use-kl-loss" not in launcher
    (other,) = [name for name in launchers() if name != "run_math.sh"]
    with_loss = Path("examples/math", other).read_text()
    assert '--kl-loss-coef "${COEF}"' in with_loss
    assert ': "${COEF:?' in with_loss
    assert "COEF=0.0" not in with_loss
