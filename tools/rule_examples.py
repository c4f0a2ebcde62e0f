"""The examples of the rules as trees of files: what tests judge, and what the fuzzer begins from."""

from __future__ import annotations

from collections.abc import Mapping

from relax_lint.rules import Example, Rule

PYTHON_FILE = "examples/demo/reward_demo.py"
LAUNCHER_FILE = "examples/demo/run_demo.sh"
YAML_FILE = "examples/demo/demo.yaml"
REWARD_LAUNCHER = """\
#!/bin/bash
python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func
"""


def tree_of(rule: Rule, example: Example) -> dict[str, str]:
    """The files of an example. A lone Python text is a reward, with a launcher that names its ``reward_func``
    where the rule judges rewards; a lone shell text is a launcher, a lone YAML text a config."""
    if isinstance(example.files, Mapping):
        return dict(example.files)
    if main_file(rule, example) in (LAUNCHER_FILE, YAML_FILE):
        return {main_file(rule, example): example.files}
    tree = {PYTHON_FILE: example.files}
    if rule.on == "reward":
        tree[LAUNCHER_FILE] = REWARD_LAUNCHER
    return tree


def main_file(rule: Rule, example: Example) -> str:
    """The one file of an example that is a plain string."""
    assert isinstance(example.files, str)
    if rule.on == "yaml":
        return YAML_FILE
    in_bash = rule.on in ("launcher", "launch") or (rule.on == "engine" and example.files.startswith("#!"))
    return LAUNCHER_FILE if in_bash else PYTHON_FILE
