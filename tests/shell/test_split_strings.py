"""``env -S`` with parts that nobody can know: the launch stays, with words of unknown parts."""

from __future__ import annotations

import pytest

from tests.shell.worlds import argvs, launches

TRAIN = "python3 relax/entrypoints/train.py"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('env -S "python3 -m verl.trainer.main_ppo a.b=${HOME}"', ["-m", "verl.trainer.main_ppo", "a.b=${HOME}"]),
        (f"env -S '{TRAIN} ${{FOO}} --lr 1'", ["relax/entrypoints/train.py", "${FOO}", "--lr", "1"]),
        (f"env -S 'bash -c \"{TRAIN} \\$FOO\"'", ["relax/entrypoints/train.py", "${FOO}"]),
        (f'LR=${{LR:-1 2}}; env -S "{TRAIN} --x $LR"', ["relax/entrypoints/train.py", "--x", "1", "2"]),
        (f'env -S "$PYTHON {TRAIN}"', ["python3", "relax/entrypoints/train.py"]),
        (f'env -S"-u A {TRAIN} $X"', ["relax/entrypoints/train.py", "${X}"]),
    ],
)
def test_what_is_not_known_does_not_hide_the_launch(script: str, words: list[str]) -> None:
    assert argvs(script) == [words]


def test_only_what_stands_outside_of_quotes_may_be_several_words() -> None:
    (launch,) = launches(f"env -S \"{TRAIN} $A '$B' \\\"$C\\\" x'$D' \\${{E}}\"")
    assert [(word.text, word.open) for word in launch.argv[2:]] == [
        ("${A}", True), ("${B}", False), ("${C}", False), ("x${D}", False), ("${E}", False),
    ]  # fmt: skip
