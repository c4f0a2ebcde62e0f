"""A file of Python that a shell is to read: bash makes nothing of it, and neither do we."""

from __future__ import annotations

import pytest

from tests.shell.worlds import evaluation

PYTHON = 'import os\nfor name in ("it\'s", """("""):\n    print(name, end=")")\n'


@pytest.mark.parametrize("start", ["bash", "sh", "bash -eu", "source", ".", "nohup bash", "env A=1 bash"])
def test_it_is_not_read_as_bash(start: str) -> None:
    script, files = f"{start} relax/entrypoints/train.py --lr 1\n", {"relax/entrypoints/train.py": PYTHON}
    found = evaluation(script, files, only_trainings=True)
    assert not found.problems
    assert not found.sourced
    assert [launch.argv[-1].text for launch in found.near_launches] == ["1"]
