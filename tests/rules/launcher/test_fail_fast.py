"""What makes the directory of a log, and what ends a script when a launch fails, in whatever words."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.fixing import fix
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

TRAIN = "python3 relax/entrypoints/train.py --lr 1e-6"


def findings(text: str, **files: str) -> list[str]:
    settings = Settings(selection=(Layer(select=("RLX420",)),))
    tree = {"examples/demo/run_demo.sh": text, **{f"examples/demo/{name}.sh": body for name, body in files.items()}}
    return [found.message for found in lint(Project.from_files(tree, settings), load_rules(), settings).diagnostics]


MAKING = [
    "python3 -c \"import os; os.makedirs('logs', exist_ok=True)\"",
    "python3 -c \"import pathlib; pathlib.Path('logs').mkdir(exist_ok=True)\"",
    "python3 - <<'E'\nimport os\nos.makedirs('./logs')\nE",
    "perl -e 'mkdir \"logs\"'",
    "install -d logs",
    "ln -sfn /data/logs logs",
    "cp -r template logs",
    "rsync -a template/ logs/",
    "test -d ./logs || exit 1",
    "mkdir -p logs/archive",
]


@for_each("making", MAKING)
def test_a_directory_that_another_command_makes(making: str) -> None:
    assert findings(f"set -eo pipefail\n{making}\n{TRAIN} | tee logs/run.log\n") == []


@pytest.mark.parametrize("spelled", ["$OUT/logs", "${OUT}/logs"])
def test_a_directory_in_a_variable_that_python_makes(spelled: str) -> None:
    making = f"OUT=out\npython3 -c \"import os; os.makedirs('{spelled}')\""
    assert findings(f"set -eo pipefail\n{making}\n{TRAIN} | tee $OUT/logs/a.log\n") == []


@pytest.mark.parametrize(
    "other",
    ["echo logs", "python3 -c \"print('logs')\"", "mkdir -p log my-logs x/logs ../logs", "mkdir logs.old logs-2"],
)
def test_a_directory_that_nothing_makes(other: str) -> None:
    (message,) = findings(f"set -eo pipefail\n{other}\n{TRAIN} | tee logs/run.log\n")
    assert "nothing makes the directory logs" in message


TRAPS = [
    "trap 'exit 1' ERR",
    "trap 'echo failed; exit $?' INT ERR",
    'trap "kill 0" ERR',
    "fail() { echo failed; exit 1; }\ntrap fail ERR",
    "function on_error { exit 1; }\ntrap -- 'on_error $LINENO' ERR",
]


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_that_exits_does_as_well_as_errexit(trap: str) -> None:
    assert findings(f"{trap}\nset -o pipefail\n{TRAIN} | tee run.log\n") == []
    assert findings(f". examples/demo/lib.sh\nset -o pipefail\n{TRAIN} | tee run.log\n", lib=f"{trap}\n") == []
    (message,) = findings(f"{trap}\n{TRAIN} | tee run.log\n")
    assert "without set -o pipefail:" in message


@pytest.mark.parametrize(
    "trap",
    [
        "trap 'exit 1' EXIT",
        "trap 'echo failed' ERR",
        "trap 'exit 1' ERR\ntrap - ERR",
        "trap ERR",
        "# trap 'exit 1' ERR",
    ],
)
def test_any_other_trap_does_not(trap: str) -> None:
    (message,) = findings(f"{trap}\nset -o pipefail\n{TRAIN} | tee run.log\n")
    assert "without set -e:" in message


def test_a_trap_set_after_the_launch_does_not() -> None:
    assert len(findings(f"set -o pipefail\n{TRAIN} | tee run.log\ntrap 'exit 1' ERR\n")) == 1


@pytest.mark.parametrize(
    "path",
    [
        '"runs/$MODE/$RANDOM/log"',
        "runs/${RANDOM}/log",
        "runs/$SECONDS/log",
        "runs/x$EPOCHSECONDS/log",
        "runs/$(date +%s)/log",
        "runs/`date +%s`/log",
        "runs/$MINE/log",
    ],
)
def test_no_directory_is_made_of_another_name_than_the_log_has(path: str) -> None:
    launcher = f"MODE=${{1:-sync}}\nset -eo pipefail\nif true; then\n    MINE=a$1\n    {TRAIN} | tee {path}\nfi\n"
    settings = Settings(selection=(Layer(select=("RLX420",)),))
    project = Project.from_files({"examples/demo/run_demo.sh": launcher}, settings)
    assert fix(project, load_rules(), settings, unsafe=True).changes == {}


@pytest.mark.parametrize("path", ["runs/$MODE/log", '"runs/${MODE}/log"', "logs/$STAMP/log", "logs/$1/log"])
def test_a_directory_whose_name_lasts_is_made(path: str) -> None:
    launcher = f"MODE=${{1:-sync}}\nSTAMP=$(date +%s)\nset -eo pipefail\n{TRAIN} | tee {path}\n"
    settings = Settings(selection=(Layer(select=("RLX420",)),))
    project = Project.from_files({"examples/demo/run_demo.sh": launcher}, settings)
    [text] = fix(project, load_rules(), settings).changes.values()
    assert b"mkdir -p" in text
