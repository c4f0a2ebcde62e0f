"""RLX803: what name is proposed."""

from __future__ import annotations

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer

TRAIN = "python3 relax/entrypoints/train.py --rm-type math\n"
REWARD = "async def reward_func(args, sample, **kwargs):\n    return 0.0\n"


def proposed(*names: str) -> list[str]:
    settings = Settings(selection=(Layer(select=("RLX803",)),))
    files = {f"examples/demo/{name}": TRAIN if name.endswith(".sh") else REWARD for name in names}
    found = lint(Project.from_files(files, settings), load_rules(), settings).diagnostics
    return sorted(one.message for one in found)


def test_a_name_that_is_free() -> None:
    assert proposed("train.sh", "scoring.py") == [
        "named scoring.py, where a recipe has reward_demo.py",
        "named train.sh, where a recipe has run_demo.sh",
    ]


def test_a_name_that_another_file_has() -> None:
    assert proposed("reward_demo.py", "reward_genrm.py", "run_demo.sh", "run.sh") == [
        "named reward_genrm.py, where a recipe has reward_demo_….py",
        "named run.sh, where a recipe has run_demo_….sh",
    ]


def test_a_name_that_several_files_would_get() -> None:
    assert proposed("run-4B.sh", "run-8B.sh", "parts/run.sh") == [
        "named run-4B.sh, where a recipe has run_demo_….sh",
        "named run-8B.sh, where a recipe has run_demo_….sh",
        "named run.sh, where a recipe has run_parts.sh",
    ]
