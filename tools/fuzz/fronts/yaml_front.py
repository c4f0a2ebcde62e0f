"""The YAML files of recipes: configs of evaluation, of environments, of tools, and what verl had."""

from __future__ import annotations

import re

import yaml

from tools.fuzz.languages import Language
from tools.fuzz.trees import TreeFront


def _reads(text: str) -> bool:
    try:
        for _ in yaml.parse(text, Loader=yaml.CSafeLoader):
            pass
    except (yaml.YAMLError, ValueError):
        return False
    return True


YAML = Language(
    "yaml",
    re.compile(r"\n[ ]*|[ \t]+|\w+|---|\.\.\.|<<|[^\w\s]|\s"),
    _reads,
)


def make() -> TreeFront:
    """The front end with its seeds."""
    return TreeFront(
        YAML, (".yaml", ".yml"), "examples/demo/demo.yaml",
        {"examples/demo/run_demo.sh": _LAUNCHER},
        modules=("sources/config_yaml.py", "rules/config/", "comments.py"),
    )  # fmt: skip


_LAUNCHER = b"""#!/bin/bash
python3 relax/entrypoints/train.py --eval-config examples/demo/demo.yaml --custom-config-path examples/demo/demo.yaml
"""
