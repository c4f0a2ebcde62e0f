"""What is suggested for a reward that is not there is something that could be one."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rewards import FLAG
from relax_lint.rules import load_rules
from relax_lint.selection import Layer


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (
            "examples.gsm8.reward_func",
            "there is no module examples.gsm8; did you mean examples.gsm8k.reward_gsm8k?",
        ),
        (
            "examples.gsm8k.reward_gsm8k.reward_fn",
            "examples/gsm8k/reward_gsm8k.py has no reward_fn; did you mean reward_func?",
        ),
        (
            "examples.gsm8k",
            f"examples.gsm8k is a package; {FLAG} names a function of a module: examples.gsm8k.<module>.<function>",
        ),
    ],
)
def test_a_package_is_never_suggested(named: str, message: str) -> None:
    settings = Settings(selection=(Layer(select=("RLX201",)),))
    tree = {
        "examples/gsm8k/__init__.py": "",
        "examples/gsm8k/reward_gsm8k.py": "async def reward_func(args, sample, **kwargs):\n    return 1.0\n",
        "examples/gsm8k/run_gsm8k.sh": f"python3 relax/entrypoints/train.py --custom-rm-path {named}\n",
    }
    report = lint(Project.from_files(tree, settings), load_rules(), settings)
    assert [found.message for found in report.diagnostics if found.path.suffix == ".sh"] == [message]


@pytest.mark.parametrize(
    ("behind", "how"),
    [
        ("del reward_func\n", "line 5 deletes it"),
        ("del helper, reward_func\n", "line 5 deletes it"),
        ("def clear():\n    del reward_func\ndel reward_func\n", "line 7 deletes it"),
    ],
)
def test_a_name_is_never_suggested_for_itself(behind: str, how: str) -> None:
    settings = Settings(selection=(Layer(select=("RLX201",)),))
    tree = {
        "examples/gsm8k/__init__.py": "",
        "examples/gsm8k/reward_gsm8k.py": (
            "helper = 1\n\nasync def reward_func(args, sample, **kwargs):\n    return 1.0\n" + behind
        ),
        "examples/gsm8k/run_gsm8k.sh": (
            f"python3 relax/entrypoints/train.py {FLAG} examples.gsm8k.reward_gsm8k.reward_func\n"
        ),
    }
    report = lint(Project.from_files(tree, settings), load_rules(), settings)
    told = [found.message for found in report.diagnostics if found.path.suffix == ".sh"]
    assert told == [f"examples/gsm8k/reward_gsm8k.py has no reward_func: {how}"]
