"""A command that only asks for help trains nothing."""

from __future__ import annotations

from tests.cases import for_each
from tests.shell.worlds import evaluation

TRAIN = "python3 relax/entrypoints/train.py"


@for_each(
    "command",
    [
        f"{TRAIN} --help > /dev/null",
        f"{TRAIN} -h",
        f"{TRAIN} --colocate --help",
        f"HELP=--help; {TRAIN} $HELP",
        f"{TRAIN} $(echo --help)",
        "python3 -m relax.entrypoints.train --help",
        "python3 -m verl.trainer.main_ppo --help",
        f'bash -c "{TRAIN} --help" | head',
    ],
)
def test_help_is_no_training(command: str) -> None:
    found = evaluation(f"{command}\n", only_trainings=True)
    assert not found.launches
    assert not found.near_launches


@for_each(
    "command",
    [
        f"{TRAIN} -- --help",
        f"{TRAIN} --tb-experiment-name=--help",
        f"{TRAIN} '--help me'",
        f"{TRAIN} ${{F:---help}}",
        f'{TRAIN} "$@"',
        f'[ "$1" = --help ] && echo usage\n{TRAIN} "$1"',
        f"{TRAIN} --colocate && {TRAIN} --help",
    ],
)
def test_what_may_train_is_a_training(command: str) -> None:
    assert evaluation(f"{command}\n", only_trainings=True).launches
