"""How a script is called, which variables it reads, and how often it trains: what becomes of that in the launcher."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.migrate.on_disk import write_relax

TRAIN = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=$HOME/gsm8k/train.parquet"
    " data.val_files=$HOME/gsm8k/test.parquet data.train_batch_size=32 actor_rollout_ref.actor.ppo_mini_batch_size=32"
    " actor_rollout_ref.rollout.n=8 actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8"
    " trainer.nnodes=1 trainer.total_epochs=2 trainer.save_freq=5 trainer.project_name=p trainer.experiment_name=e"
)
LR, NAME, N = (
    "actor_rollout_ref.actor.optim.lr",
    "trainer.experiment_name",
    "actor_rollout_ref.rollout.n",
)  # fmt: skip
FORM = dict.fromkeys("NUM_LAYERS HIDDEN_SIZE FFN_HIDDEN_SIZE NUM_ATTENTION_HEADS NUM_QUERY_GROUPS".split(), "8")
FORM |= dict.fromkeys("VOCAB_SIZE ROTARY_BASE NORM_EPSILON".split(), "8")
"""What the file of a model asks for that nobody knows."""
STUB = '#!/bin/bash\nprintf "<%s>" "$@" >> "$SAID"\necho >> "$SAID"\n'


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of Relax as the working directory."""
    root = write_relax(tmp_path / "relax")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").write_text(STUB)
    (tmp_path / "bin/python3").chmod(0o755)
    monkeypatch.chdir(root)
    return root


def migrated(script: str) -> tuple[str, str]:
    """The launcher and the page that are made of a script."""
    Path("../train.sh").write_text(f"{script}\n")
    assert main(["migrate", "../train.sh", "--name", "math", "--force"]) == 0
    assert main(["check", "--ignore", "RLX205", "examples/math"]) == 0, "but for a reward that is left to be written"
    return Path("examples/math/run_math.sh").read_text(), Path("examples/math/MIGRATION.md").read_text()


def head(launcher: str) -> str:
    """The comments that a launcher begins with, in one line."""
    lines = launcher.partition("\n\n")[0].splitlines()
    return " ".join(" ".join(line.lstrip("#") for line in lines).split())


def by_hand(page: str) -> str:
    return page.partition("## To do by hand")[2].partition("\n## ")[0]


def run(*arguments: str, **env: str) -> tuple[list[str], str]:
    """What the launcher launches in real bash, and what it complains of."""
    said = Path("../said").absolute()
    said.unlink(missing_ok=True)
    environment = {"PATH": f"{Path('../bin').absolute()}:/usr/bin:/bin", "HOME": "/home/me", "SAID": str(said)}
    environment |= {"DATA_DIR": "/data", "MODEL_DIR": "/models", **FORM, **env}
    done = subprocess.run(
        ["bash", "examples/math/run_math.sh", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return said.read_text().splitlines() if said.exists() else [], done.stderr


# ---------------------------------------------------------------- arguments


def test_arguments_become_the_variables_that_they_are_given_to() -> None:
    launcher, page = migrated(f'SIZE=${{1:?size}}\nLR=$2\nshift 2\n{TRAIN} {NAME}=run-$SIZE {LR}=$LR "$@"')
    assert "SIZE $1 in train.sh; for" in head(launcher)
    assert "LR $2 in train.sh; for --lr" in head(launcher)
    assert "in their place, SIZE for $1, LR for $2" in by_hand(page)
    (said,), _ = run("async", "--seed", "7", SIZE="7B", LR="3e-6")
    assert "<--lr><3e-6>" in said
    assert "<--tb-experiment-name><run-7B>" in said
    assert said.endswith("<--seed><7>")
    for missing in ({"SIZE": "7B"}, {"LR": "3e-6"}):
        launched, complaint = run(**missing)
        assert not launched
        assert "is to be set" in complaint


def test_an_argument_behind_a_shift_is_the_one_that_it_was() -> None:
    launcher, _ = migrated(f"A=$1\nshift\nB=${{1:-x}}\nC=$(basename $2)\n{TRAIN} {NAME}=$A-$B-$C")
    assert "The environment may also set SAVE_DIR, B ($2 there)." in head(launcher)
    assert "ARG3 $3 in train.sh" in head(launcher)
    (said,), _ = run("sync", A="one", ARG3="/d/three")
    assert "<--tb-experiment-name=one-x-three>" in said


def test_a_variable_of_the_launcher_stands_for_no_argument() -> None:
    migrated(f"MODE=$1\n{TRAIN} {NAME}=run-$MODE")
    (said,), _ = run("sync", ARG1="first")
    assert "<--tb-experiment-name><run-first>" in said


def test_what_a_function_is_given_is_not_told_as_an_argument_of_the_script() -> None:
    launcher, page = migrated(f"run() {{ {TRAIN} {LR}=$1; }}\nfor l in $(cat rates); do run $l; done")
    assert "ARG1 $1 of a function in train.sh; for --lr" in head(launcher)
    assert "ARG1 for $1 of a function" in by_hand(page)


def test_options_that_a_loop_reads_are_named() -> None:
    loop = 'while [[ $# -gt 0 ]]; do\n  case $1 in\n    --lr) LR="$2"; shift 2 ;;\n    *) break ;;\n  esac\ndone'
    launcher, page = migrated(f"LR=1e-6\n{loop}\n{TRAIN} {LR}=$LR")
    assert "train.sh reads options in a loop (line 2)" in by_hand(page)
    assert "LR" in head(launcher).partition("may also set")[2]


# ---------------------------------------------------------------- variables


def test_what_has_no_default_has_to_be_set() -> None:
    launcher, _ = migrated(
        f"{TRAIN} data.train_batch_size=$BATCH actor_rollout_ref.model.path=$MODEL_PATH trainer.n_gpus_per_node=$NGPU"
    )
    assert head(launcher).startswith("!/bin/bash GRPO with ${MODEL_PATH}, migrated from")
    wanted = head(launcher).partition("Set the variables:")[2].partition("3. From")[0]
    for name in ("BATCH", "MODEL_PATH", "NGPU"):
        assert f" {name} " in wanted
    assert not {"BATCH", "NGPU"} & set(re.findall(r"\w+", head(launcher).partition("may also set")[2]))
    given = {"BATCH": "16", "MODEL_PATH": "/m/x", "NGPU": "4"}
    (said,), _ = run(**given)
    assert "<--rollout-batch-size><16>" in said
    assert "<--global-batch-size><128>" in said
    assert '<--resource><{"actor": [1, 4], "rollout": [1, 4]}>' in said
    for name in given:
        launched, complaint = run(**{each: value for each, value in given.items() if each != name})
        assert not launched
        assert f"{name}: is to be set" in complaint


@pytest.mark.parametrize("default", ['X=${X:-""}', "X=${X:-}", 'X="${X}"'])
def test_an_empty_default_is_none(default: str) -> None:
    launcher, _ = migrated(f"{default}\n{TRAIN} data.train_batch_size=$X")
    assert " X " in head(launcher).partition("Set the variables:")[2].partition("3. From")[0]
    assert not run()[0]
    (said,), _ = run(X="16")
    assert "<--rollout-batch-size><16>" in said


def test_the_end_of_a_name_may_be_empty() -> None:
    launcher, _ = migrated(f"{TRAIN} {NAME}=run$SUFFIX")
    assert "SUFFIX" in head(launcher).partition("Set the variables:")[2]
    (said,), _ = run()
    assert "<--tb-experiment-name><run>" in said


def test_a_name_follows_the_variable_that_the_value_in_it_follows() -> None:
    launcher, _ = migrated(f"LR=${{LR:-1e-6}}\n{TRAIN} {LR}=$LR {NAME}=grpo_lr${{LR}}")
    assert "The environment may also set SAVE_DIR, LR." in head(launcher)
    (said,), _ = run(LR="5e-7")
    for words in ("<--lr><5e-7>", "<--tb-experiment-name><grpo_lr5e-7>", "<--save><checkpoints/p/grpo_lr5e-7>"):
        assert words in said
    (said,), _ = run()
    assert "<--lr><1e-6>" in said
    assert "<--save><checkpoints/p/grpo_lr1e-6>" in said


@pytest.mark.parametrize(
    "before",
    [
        "N=${N:-4}",
        "N=${1:-4}",
        "N=${N:-4}\nNAME=$(printf %s $N)",
    ],
    ids=["variable", "argument", "computed"],
)
def test_a_name_tells_nothing_that_the_run_does_not_follow(before: str) -> None:
    value = "$NAME" if "NAME" in before else "$N"
    launcher, page = migrated(f"{before}\n{TRAIN} {N}=$N {NAME}=n{value}")
    (first,), _ = run()
    (second,), _ = run(N="2")
    assert first == second
    assert "<--tb-experiment-name><n4>" in first
    assert "SAVE_DIR, N" not in head(launcher)
    assert "| `N` |" in page.partition("no longer read")[2]


def test_a_statement_that_is_carried_over_does_not_ask_for_what_nothing_follows() -> None:
    model = "actor_rollout_ref.model.path=$MODEL"
    migrated(f"MODEL=${{MODEL:-Qwen/Qwen3-8B}}\n{TRAIN} {model} {NAME}=of-$(hostname)-$(basename $MODEL)")
    (said,), _ = run(MODEL="other")
    assert "other" not in said


# ---------------------------------------------------------------- how often, and when


@pytest.mark.parametrize(
    ("script", "loop", "variable"),
    [
        (f'mapfile -t R < rates\nfor l in "${{R[@]}}"; do {TRAIN} {LR}=$l; done', 'for l in "${R[@]}"', "l"),
        (f"while read -r l; do\n{TRAIN} {LR}=$l\ndone < rates", "while read -r l", "l"),
    ],
)  # fmt: skip
def test_a_loop_of_unknown_length_is_one_run_and_says_so(script: str, loop: str, variable: str) -> None:
    launcher, page = migrated(script)
    for told in (head(launcher), by_hand(page)):
        assert f"`{loop}`, goes round: here its training runs once" in told
    launched, complaint = run()
    assert not launched
    assert f"{variable}: is to be set" in complaint
    (said,), _ = run(**{variable: "2e-6"})
    assert "<--lr><2e-6>" in said


def test_a_loop_over_files_is_of_unknown_length() -> None:
    _, page = migrated(f"for f in cfg/*.yaml; do {TRAIN} {NAME}=$(basename $f); done")
    assert "`for f in cfg/*.yaml`, goes round" in by_hand(page)


def test_the_same_training_in_every_round_is_told() -> None:
    launcher, page = migrated(f"run() {{ {TRAIN}; }}\nfor i in 1 2 3; do run; done")
    for told in (head(launcher), by_hand(page)):
        assert "the loop at line 2, `for i in 1 2 3`, runs the same training again and again" in told.replace(
            "The", "the"
        )
    assert len(run()[0]) == 1


def test_a_loop_of_known_length_says_nothing() -> None:
    launcher, page = migrated(f"for s in 1 2; do {TRAIN} data.seed=$s; done")
    assert "Not as in" not in head(launcher)
    assert "loop" not in by_hand(page)
    assert len(run()[0]) == 2


def test_trainings_side_by_side_are_told_to_run_one_after_another() -> None:
    launcher, page = migrated(f"for s in 1 2; do\n{TRAIN} data.seed=$s &\ndone\nwait")
    for told in (head(launcher), by_hand(page)):
        assert "at line 2 before the next begins (`&`): here each has all GPUs" in told
    assert "| `wait` | `../train.sh:4` | the launcher waits for each run |" in page.replace(
        "`train.sh:4`", "`../train.sh:4`"
    )


def test_one_training_in_the_background_needs_no_word() -> None:
    launcher, _ = migrated(f"nohup {TRAIN} > log 2>&1 &")
    assert "Not as in" not in head(launcher)


# ---------------------------------------------------------------- data


def test_files_of_one_name_stay_apart_and_every_directory_is_converted() -> None:
    launcher, _ = migrated(
        f"{TRAIN} 'data.train_files=[/d/a.parquet,/d/b.parquet]' trainer.test_freq=5"
        " 'data.val_files=[/e/aime.parquet,/f/math.parquet,/g/aime.parquet]'"
    )
    (said,), _ = run()
    files = re.findall(r"/data/[\w/]+\.parquet", said)
    assert len(files) == len(set(files)) == 5
    made = dict(re.findall(r'--input-dir "(/\w)" --output-dir "\$\{DATA_DIR\}([/\w]*)"', head(launcher)))
    assert made.keys() == {"/d", "/e", "/f", "/g"}
    assert {
        f"/data{made[path]}/{name}.parquet"
        for path, name in zip("/d /d /e /f /g".split(), "a b aime math aime".split(), strict=True)
    } == set(files)


def test_files_of_several_runs_stay_apart() -> None:
    migrated(f"for t in a b; do {TRAIN} data.train_files=/exp/$t/out.jsonl; done")
    files = [re.findall(r"<--prompt-data><(.*?)>", said) for said in run()[0]]
    assert files[0] != files[1]


def test_data_that_is_not_read_is_not_converted() -> None:
    launcher, _ = migrated(
        f"{TRAIN} data.train_files=/d/a.parquet data.val_files=/e/b.parquet"
        " trainer.test_freq=-1 trainer.val_before_train=False"
    )
    assert "/e" not in head(launcher)
