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


ANSWERS = [
    "grep -c nan a.log",
    "grep nan a.log | head -n 1",
    "pkill -9 sglang",
    "[ -f a.log ]",
    "[[ -f a.log ]]",
    "(( BAD > 0 ))",
    "true && grep -c nan a.log",
    "{ grep -c nan a.log; }",
    "( diff a.log b.log )",
    "if true; then grep -c nan a.log; fi",
    "for one in a b; do grep nan $one; done",
    "LAST=$(ls ckpt | tail -n 1)",
    "python3 score.py a.log",
    "count() { grep -c nan a.log; }\ncount",
]
SURE = [
    "echo done",
    "ray stop",
    "grep -c nan a.log || true",
    "grep -q nan a.log && echo nan",
    "! grep -q nan a.log",
    "if grep -q nan a.log; then echo nan; fi",
    "while grep -q wait a.log; do sleep 1; done",
    "[ -f a.log ] || exit 1",
    "NOW=$(date +%F)",
    "export N=1 M=$N",
    "say() { echo said; }\nsay",
    f"{TRAIN} --seed 2",
]
SECOND = f"{TRAIN} --seed 2 2>&1 | tee b.log"


def fixed(text: str, *, unsafe: bool = False) -> str:
    project = Project.from_files({"examples/demo/run_demo.sh": text})
    data = fix(project, {"RLX420": load_rules()["RLX420"]}, unsafe=unsafe).project.read(
        project.root / "examples/demo/run_demo.sh"
    )
    assert data is not None
    return data.decode()


@for_each("answer", ANSWERS)
def test_a_script_is_not_ended_over_what_may_fail_in_a_good_run(answer: str) -> None:
    for head, line in (("set -x", "set -eo pipefail"), ("set -o pipefail", "set -e")):
        for behind in (f"{answer}\n{SECOND}", answer):
            text = f"{head}\n{TRAIN} 2>&1 | tee a.log\n{behind}\n"
            assert fixed(text) == text
            assert fixed(text, unsafe=True) == text.replace(f"{head}\n", f"{head}\n{line}\n", 1)


@for_each("sure", SURE)
def test_what_fails_only_when_something_is_wrong_may_end_a_script(sure: str) -> None:
    text = f"set -x\n{TRAIN} 2>&1 | tee a.log\n{sure}\n{SECOND}\n"
    assert fixed(text) == text.replace("set -x\n", "set -x\nset -eo pipefail\n")


@pytest.mark.parametrize("around", ["{}", "for lr in 1 2; do\n    {}\ndone", "run() {{\n    {}\n}}\nrun"])
def test_what_stands_beside_a_launch_in_its_statement_counts(around: str) -> None:
    text = around.format(f"{TRAIN} | tee a.log\n    grep -c nan a.log") + "\n"
    assert fixed(text) == text


def test_pipes_that_fail_now_are_no_others_than_before_where_errexit_is_on() -> None:
    ends = f"set -e\n{TRAIN} | tee a.log\ngrep nan a.log | head -n 1\n"
    assert fixed(ends) == ends
    as_before = f"set -e\n{TRAIN} | tee a.log\ngrep nan a.log\necho a | tee b.log\n"
    assert "set -o pipefail\n" in fixed(as_before)


@pytest.mark.parametrize("unsafe", [False, True])
def test_options_are_set_once_for_launches_that_follow_each_other(unsafe: bool) -> None:
    text = f"set -x\n{TRAIN} | tee a.log\nif true; then\n    {SECOND}\nfi\n{TRAIN} | tee c.log\n"
    assert fixed(text, unsafe=unsafe).count("pipefail") == 1


def test_options_are_set_again_behind_what_takes_them_back() -> None:
    text = f"{TRAIN} | tee a.log\nset +e\nset +o pipefail\n{SECOND}\n"
    assert fixed(text).count("set -eo pipefail") == 2


def test_options_of_functions_are_set_in_each() -> None:
    text = (
        f"one() {{\n    {TRAIN} | tee a.log\n}}\ntwo() {{\n    {SECOND}\n}}\ncase $1 in\na) one ;;\n*) two ;;\nesac\n"
    )
    assert fixed(text).count("    set -eo pipefail\n") == 2


def test_what_may_fail_in_the_script_that_sources_the_launch_counts() -> None:
    tree = {
        "examples/demo/run_demo.sh": ". examples/demo/common.sh\ngrep -c nan a.log\n",
        "examples/demo/common.sh": f"{TRAIN} | tee a.log\n",
    }
    (found,) = lint(Project.from_files(tree), {"RLX420": load_rules()["RLX420"]}).diagnostics
    assert found.fix is not None
    assert not found.fix.safe
    assert "line 2 of run_demo.sh, grep -c nan a.log, may fail" in (found.fix.reason or "")
