"""Imports of files that lie beside the one that imports them, by their bare names."""

from __future__ import annotations

from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.cases import for_each

RUN = "examples/demo/run_demo.sh"
REWARD = "examples/demo/reward_demo.py"
TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
SCORE = "\n\nasync def reward_func(args, sample, **kwargs):\n    return helper.score(sample)\n"
HELPER = "def score(sample):\n    return 1.0\n"


def said(statement: str, more: dict[str, str] | None = None) -> list[str]:
    tree = {RUN: TRAIN, REWARD: f"{statement}{SCORE}", "examples/demo/helper.py": HELPER, **(more or {})}
    project = Project.from_files(tree)
    rules = {code: rule for code, rule in load_rules().items() if code == "RLX201"}
    targets = project.recipes[0].files
    return [one.message for one in lint(project, rules, project.settings, targets, targets).diagnostics]


ONLY = "is found only with its directory on the path: Relax imports from the repository's root, so write"


@for_each(
    ("statement", "message"),
    [
        ("import helper\n", f"helper {ONLY} examples.demo.helper"),
        ("import os, helper\n", f"helper {ONLY} examples.demo.helper"),
        ("from helper import score\n", f"helper {ONLY} examples.demo.helper"),
        ("from parts.inner import score\n", f"parts.inner {ONLY} examples.demo.parts.inner"),
    ],
)
def test_a_file_beside_is_not_on_the_path(statement: str, message: str) -> None:
    more = {"examples/demo/parts/__init__.py": "", "examples/demo/parts/inner.py": HELPER}
    assert said(statement, more) == [message]


@for_each(
    "statement",
    [
        "from examples.demo import helper\n",
        "from . import helper\n",
        "from helper import extract\n",  # the file has none: an installed package of this name is meant
        "import helper as tools\n",  # nothing is taken of it that the file has
        "import types\n",
        "try:\n    import helper\nexcept ImportError:\n    from . import helper\n",
        "from relax.utils import helper\n",
        "import elsewhere\n",
    ],
)
def test_what_may_be_another_module_is_left_alone(statement: str) -> None:
    assert said(statement, {"examples/demo/types.py": "def score(): ...\n"}) == []


@for_each(
    ("path", "text"),
    [
        (RUN, f'export PYTHONPATH="$(dirname "$0"):$PYTHONPATH"\n{TRAIN}'),
        (RUN, f"export PYTHONPATH=$HERE:$PYTHONPATH\n{TRAIN}"),
        (RUN, f"PYTHONPATH=examples/demo {TRAIN}"),
        (RUN, f'J=\'{{"env_vars": {{"PYTHONPATH": "/root/Megatron-LM/:${{SCRIPT_DIR}}"}}}}\'\n{TRAIN}'),
        (RUN, f'cd "$SCRIPT_DIR"\n{TRAIN}'),
        (RUN, f"source scripts/setup.sh\n{TRAIN}"),
        ("examples/demo/__init__.py", "import sys\n\nsys.path.insert(0, __path__[0])\n"),
        ("examples/demo/runtime.yaml", "env_vars:\n  PYTHONPATH: examples/demo\n"),
        ("examples/demo/pyproject.toml", ""),
        ("helper.py", HELPER),
        ("helper/__init__.py", HELPER),
    ],
)
def test_what_puts_it_on_the_path_is_known(path: str, text: str) -> None:
    assert said("import helper\n", {"scripts/setup.sh": "export PYTHONPATH=$WHERE\n", path: text}) == []


@for_each(
    "launcher",
    [
        f"export PYTHONPATH=/root/Megatron-LM:${{PYTHONPATH:-}}\n{TRAIN}",
        f'cd "$(dirname "$0")/../.."\n{TRAIN}',
        f"SCRIPT_DIR=$(cd $(dirname $0) && pwd)\nsource scripts/entrypoint/local.sh\n{TRAIN}",
    ],
)
def test_other_directories_on_the_path_change_nothing(launcher: str) -> None:
    local = {"scripts/entrypoint/local.sh": "export PYTHONPATH=${RELAX}:$MEGATRON:${PYTHONPATH:-}\n"}
    assert len(said("import helper\n", {RUN: launcher, **local})) == 1
