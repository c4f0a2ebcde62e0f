"""A launcher that gets both modes, called in real bash before and after: each mode starts its own launch and no other,
and whatever else its arguments and its variables did, they do."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from relax_lint.fixing import fix
from relax_lint.migrate.in_place import finished
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tools.rule_examples import tree_of

RULES = {"RLX405": load_rules()["RLX405"]}
SCRIPT = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py"
SHARED = '--resource \'{"actor": [1, 8], "rollout": [1, 8]}\''
SYNC = f"{TRAIN} --colocate {SHARED}"
LR = f'{SYNC} --lr "${{LR:-1e-6}}"\n'
FOLDED = f'{TRAIN} --colocate \\\n    {SHARED} --lr "${{LR:-1e-6}}"'

ARGUMENTS = {
    "a loop of options": f'while [ $# -gt 0 ]; do case "$1" in --lr) LR=$2; shift 2 ;; *) shift ;; esac; done\n{LR}',
    "a loop over several lines": (
        f'while (($#)); do\n    case $1 in\n        -l | --lr)\n            LR="$2"\n            shift\n'
        f"            ;;\n    esac\n    shift\ndone\n{LR}"
    ),
    "a loop of tests": f"while [[ $# -gt 0 ]]; do\n    [[ $1 == --lr ]] && LR=$2\n    shift\ndone\n{LR}",
    "getopts": f'while getopts "l:" o; do case $o in l) LR=$OPTARG ;; esac; done\n{LR}',
    "a function": f'parse() {{ [ "${{1:-}}" = --lr ] && LR=$2; }}\nparse "$@"\n{LR}',
    "a loop over all": f"for each; do LR=$each; done\n{LR}",
    "help": f'if [ "${{1:-}}" = -h ] || [ "${{1:-}}" = --help ]; then echo usage; exit 0; fi\n{LR}',
    "help in a case": f'case "${{1:-}}" in\n    -h | --help) echo usage; exit 0 ;;\nesac\n{LR}',
    "options that are all known": (
        f'while [ $# -gt 0 ]; do case "$1" in --lr) LR=$2; shift 2 ;; *) echo "$1?" >&2; exit 3 ;; esac; done\n{LR}'
    ),
    "a model": f'MODEL=${{1:-m}}\n{SYNC} --wandb-group "$MODEL"\n',
    "a number": f"LR=${{1:-1e-6}}\n{LR}",
    "two numbers": f'LR=${{1:-1e-6}}\n{SYNC} --lr "$LR" --num-rollout "${{2:-10}}"\n',
    "all for Relax": f'{SYNC} "$@"\n',
    "all for Relax behind some": f'set -- --lr 3e-6 "$@"\n{SYNC} "$@"\n',
    "words of its own": f'case "${{1:-}}" in\n    smoke) LR=1 ;;\nesac\n{LR}',
    "options behind strict mode": f'set -euo pipefail\n[ "${{1:-}}" = --lr ] && LR=$2\n{LR}',
    "a mode of the environment": (
        f'MODE=${{MODE:-sync}}\nwhile [ $# -gt 0 ]; do case "$1" in --lr) LR=$2; shift 2 ;; *) shift ;; esac; done\n'
        f'if [ "$MODE" = async ]; then {TRAIN} --fully-async; else {LR.strip()}; fi\n'
    ),
    "flags behind the mode": f'MODE=${{1:-sync}}\nshift\n{SYNC} "$@"\n',
}
CALLS: tuple[tuple[str, ...], ...] = (
    (), ("--lr", "5e-7"), ("-l", "5e-7"), ("--help",), ("-h",), ("5e-7",), ("5e-7", "20"), ("smoke",),
    ("asnyc",), ("sync", "--lr", "7"),
)  # fmt: skip
OF_A_MODE_FIRST = {(), ("sync", "--lr", "7")}
TAKEN_FOR_A_MODE = {"all for Relax", "all for Relax behind some"}
"""What goes to Relax alone begins with a flag: any other word in front is a misspelt mode."""

LEFT = {
    "a condition over several lines": (f"if ! {FOLDED}; then\n    exit 1\nfi\n", "put it on lines of its own"),
    "a condition that holds": (f"if {FOLDED}; then\n    echo ok\nfi\n", "put it on lines of its own"),
    "a loop until it works": (f"until {FOLDED}; do\n    sleep 5\ndone\n", "put it on lines of its own"),
    "a loop while it fails": (f"while ! {FOLDED}; do\n    sleep 5\ndone\n", "put it on lines of its own"),
    "a kind of run": (
        f'MODE=${{MODE:-prod}}\ncase "$MODE" in\n    prod) LR=3e-6 ;;\n    debug) LR=1e-5 ;;\nesac\n{LR}',
        "MODE is prod here",
    ),
    "a kind of run in a test": (f'MODE=${{MODE:-debug}}\n[ "$MODE" = debug ] && LR=3e-6\n{LR}', "MODE is debug here"),
    "a value": (f"MODE=bridge\n{SYNC} --megatron-to-hf-mode $MODE\n", "MODE is bridge here"),
    "a quoted default": (f'export MODE="${{MODE:-"prod"}}"\n{SYNC} --lr "$MODE"\n', "MODE is prod here"),
    **{
        f"a loop of {start}": (f"{start} {FOLDED}; {end}\n", "put it on lines of its own")
        for start, end in (
            ("for i in 1 2; do", "done"),
            ("while true; do", "done"),
            ("{", "} 2>&1 | tee x.log"),
            ("(", ")"),
        )
    },
    **{
        f"the mode behind another argument, {number}": (
            f"LR=${{1:-1e-6}}\n{decides} {TRAIN} --hybrid {between} {LR.strip()} {end}\n",
            "its arguments are read for something else than the mode",
        )
        for number, (decides, between, end) in enumerate(
            (
                ('MODE=${2:-sync}\nif [ "$MODE" = async ]; then', "; else", "; fi"),
                ('MODE=${MODE:-${3:-sync}}\nif [ "$MODE" = async ]; then', "; else", "; fi"),
                ("RUN_MODE=$2\nif [[ $RUN_MODE == async ]]; then", "; else", "; fi"),
                ('shift\nMODE=${1:-sync}\nif [ "$MODE" = async ]; then', "; else", "; fi"),
                ('MODE=${@: -1}\nif [ "$MODE" = async ]; then', "; else", "; fi"),
                ('if [ "${2:-}" = async ]; then', "; else", "; fi"),
                ("if [[ ${2:-sync} == async ]]; then", "; else", "; fi"),
                ('case "${2:-sync}" in async)', ";; *)", ";; esac"),
            )
        )
    },
}


def made(text: str) -> tuple[str, tuple[str, ...]]:
    """What a launcher becomes by its safe fix, and what is said."""
    project = Project.from_files({SCRIPT: text})
    launcher = project.root / SCRIPT

    def edits(state: Project):  # type: ignore[no-untyped-def]
        return fix(state, RULES, targets=[launcher])

    done = finished(
        project, edits(project), edits, lambda path: path.name, lambda paths: None, unsafe=False, on_disk=True
    )
    data = done.fixed.project.read(launcher)
    assert data is not None
    return data.decode(), done.said


def started(text: str, call: Sequence[str], directory: Path, mode: str | None = None) -> tuple[int, list[str]]:
    """The status with which real bash ends, and what it starts."""
    script, stub, log = directory / "run.sh", directory / "python3", directory / "log"
    script.write_text(text)
    stub.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    stub.chmod(0o755)
    log.write_text("")
    environment = {name: value for name, value in os.environ.items() if name not in ("MODE", "LR")}
    environment["PATH"] = f"{directory}:{os.environ['PATH']}"
    if mode is not None:
        environment["MODE"] = mode
    ran = subprocess.run(["bash", script, *call], env=environment, capture_output=True, timeout=10, check=False)
    return ran.returncode, log.read_text().splitlines()


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_do_what_they_did(name: str, tmp_path: Path) -> None:
    before = ARGUMENTS[name]
    after, _ = made(before)
    assert after != before
    for call in CALLS:
        if name == "flags behind the mode" and call not in OF_A_MODE_FIRST:
            continue
        if call[:1] == ("sync",) and name != "flags behind the mode":
            continue
        if name in TAKEN_FOR_A_MODE and call and not call[0].startswith("-"):
            assert started(after, call, tmp_path) == (2, [])
            continue
        assert started(after, call, tmp_path) == started(before, call, tmp_path), call


@pytest.mark.parametrize("name", ARGUMENTS)
def test_each_mode_starts_its_own_launch_and_no_other(name: str, tmp_path: Path) -> None:
    after, _ = made(ARGUMENTS[name])
    behind = ("--lr", "7") if name in ("a loop of options", "options that are all known") else ()
    for call, mode, flag in (
        (behind, None, "--colocate"),
        (("sync", *behind), None, "--colocate"),
        (("sync", *behind), "async", "--colocate"),
        (behind, "sync", "--colocate"),
        (("async", *behind), None, "--fully-async"),
        (behind, "async", "--fully-async"),
    ):
        _, launches = started(after, call, tmp_path, mode)
        assert len(launches) == 1
        assert flag in launches[0]
        assert not behind or flag == "--colocate" or "--lr 7" in launches[0]


@pytest.mark.parametrize("name", LEFT)
def test_what_cannot_be_made_for_certain_is_left_and_the_reason_is_told(name: str) -> None:
    before, reason = LEFT[name]
    after, said = made(before)
    assert after == before
    assert len(said) == 1
    assert "not made dual-mode: " in said[0]
    assert reason in said[0]


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_is_not_promised(name: str) -> None:
    from relax_lint.engine import lint

    project = Project.from_files({SCRIPT: LEFT[name][0]})
    report = lint(project, RULES)
    report.keep_real_fixes()
    assert [(found.code, found.fix) for found in report.standing] == [("RLX405", None)]


def test_what_is_made_is_promised() -> None:
    from relax_lint.engine import lint

    for example in RULES["RLX405"].invalid:
        if example.fixed is not None:
            report = lint(Project.from_files(tree_of(RULES["RLX405"], example)), RULES)
            report.keep_real_fixes()
            assert all(found.fix is not None for found in report.standing), example


def test_a_launch_that_is_one_line_of_a_condition_gets_both(tmp_path: Path) -> None:
    after, _ = made(f"if ! {SYNC}; then\n    exit 1\nfi\n")
    assert started(after, ("async",), tmp_path)[1][0].endswith("--use-tis")
    assert len(started(after, ("async",), tmp_path)[1]) == len(started(after, (), tmp_path)[1]) == 1
