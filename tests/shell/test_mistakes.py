"""The first mistake of a script that cannot be read stands where a person has to look."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.shell.mistakes import mistakes
from relax_lint.sources.script import ScriptFile

TRAIN = 'python3 relax/entrypoints/train.py "${A[@]}" 2>&1 | tee "x.log"\n'


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f'A=(\n    --prompt-data "/data/x\n    --lr 1e-6\n)\n{TRAIN}', '"/data/x'),
        (f"A=(\n    --prompt-data '/data/x\n    --lr 1e-6\n)\n{TRAIN}echo 'done'\n", "'/data/x"),
        (f'A=(--label "it\'s" --input-key "a \\" b\n)\n{TRAIN}', '"a \\" b'),
        ('python3 train.py \\\n    --prompt-data "/x \\\n    --lr "1"\n', '"/x \\'),
        ("if [ -f a ]; then\n    echo a\n", "if [ -f a ]; then"),
        ("A=(--lr 1e-6\npython3 train.py\n", "(--lr 1e-6"),
    ],
)
def test_the_first_mistake_is_where_it_was_made(text: str, rest: str) -> None:
    first = mistakes(ScriptFile(Path("run.sh"), text.encode()))[0]
    assert text[first.start :].partition("\n")[0] == rest


def test_a_script_that_can_be_read_has_none() -> None:
    assert mistakes(ScriptFile(Path("run.sh"), TRAIN.encode())) == ()
