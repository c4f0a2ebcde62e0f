"""The code of recipes: rewards, environments, generate functions, and what is left of verl in them."""

from __future__ import annotations

import ast
import re
import warnings

from tools.fuzz.languages import Language
from tools.fuzz.trees import TreeFront


def _reads(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


PYTHON = Language(
    "python",
    re.compile(r"\n[ ]*|[ \t]+|\w+|\*\*|->|==|!=|<=|>=|:=|//|[^\w\s]|\s"),
    _reads,
)


def make() -> TreeFront:
    """The front end with its seeds."""
    return TreeFront(
        PYTHON, (".py",), "examples/demo/reward_demo.py",
        {"examples/demo/run_demo.sh": _LAUNCHER},
        modules=("sources/python.py", "flow/", "replies/", "calls/", "rules/reward/", "rules/env/", "rules/verl/"),
    )  # fmt: skip


_LAUNCHER = b"""#!/bin/bash
python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func \\
    --custom-generate-function-path examples.demo.reward_demo.generate --reward-key score
"""
