"""Launchers that know their modes by other names, called in real bash before and after they get the usual ones: each
name starts what it started, or is refused; none starts another mode without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.engine import lint
from relax_lint.project import Project
from tests.test_dual_mode_in_bash import RULES, SCRIPT, made, started

TRAIN = "python3 relax/entrypoints/train.py"
GUIDE = 'MODE=${1:-${MODE:-"sync"}}\n'
OTHER = ("fully_async", "fully-async", "asynchronous", "ASYNC_MODE", "synchronous", "colocate", "hybrid", "debug", "7")


def branches(asks: str, kind: str = GUIDE) -> str:
    return f"{kind}if {asks}; then\n    {TRAIN} --fully-async\nelse\n    {TRAIN} --colocate\nfi\n"


RENAMED = {
    "a test": branches('[ "${MODE}" = "fully_async" ]'),
    "another test": branches("test $MODE = 'fully_async'"),
    "a condition": branches("[[ $MODE == fully-async ]]"),
    "both names": (
        f'MODE=${{1:-sync}}\ncase "$MODE" in\n    sync | synchronous) {TRAIN} --colocate ;;\n'
        f'    async) {TRAIN} --fully-async ;;\n    *) echo "no such mode: $MODE" >&2; exit 3 ;;\nesac\n'
    ),
    "not": branches('! [ "$MODE" != fully_async ]'),
    "one of two": branches('[ "$MODE" = fully_async ] || [ "$MODE" = asynchronous ]'),
    "capitals": branches("[[ ${MODE} = ASYNC_MODE ]]"),
    "the argument itself": branches('[ "${1:-}" = fully_async ]', ""),
    "no variable of the environment": branches('[ "$MODE" = fully_async ]', "MODE=${1:-sync}\n"),
    "another variable": branches('[ "$RUN_MODE" = fully_async ]', "RUN_MODE=${1:-sync}\n"),
    "strict mode": branches('[ "$MODE" = fully_async ]', f"set -euo pipefail\n{GUIDE}"),
    "a case": (
        f'{GUIDE}case "$MODE" in\n    fully_async) {TRAIN} --fully-async ;;\n    *) {TRAIN} --colocate ;;\nesac\n'
    ),
    "a case that refuses": (
        f'{GUIDE}case "$MODE" in\n    sync) {TRAIN} --colocate ;;\n    fully_async) {TRAIN} --fully-async ;;\n'
        '    *) echo "no such mode: $MODE" >&2; exit 3 ;;\nesac\n'
    ),
    "a case of several": (
        f'{GUIDE}case "$MODE" in\n    fully_async | asynchronous) {TRAIN} --fully-async ;;\n'
        f"    *) {TRAIN} --colocate ;;\nesac\n"
    ),
    "nothing for any other": (
        f'{GUIDE}if [ "$MODE" = sync ]; then\n    {TRAIN} --colocate\nelif [ "$MODE" = fully_async ]; then\n'
        f"    {TRAIN} --fully-async\nfi\n"
    ),
    "a flag": f"{GUIDE}FLAG=--colocate\n[[ $MODE == fully_async ]] && FLAG=--fully-async\n{TRAIN} $FLAG\n",
    "a function": (
        f'start() {{\n    if [ "$1" = fully_async ]; then {TRAIN} --fully-async; else {TRAIN} --colocate; fi\n}}\n'
        f'{GUIDE}start "$MODE"\n'
    ),
    "a third mode": (
        f'MODE=${{1:-sync}}\nif [ "$MODE" = hybrid ]; then {TRAIN} --hybrid; elif [ "$MODE" = async ]; then '
        f"{TRAIN} --fully-async; else {TRAIN} --colocate; fi\n"
    ),
}
LEFT = {
    "nowhere to refuse": branches('[ "$MODE" = fully_async ]', f"if true; then {GUIDE.strip()}; fi\n"),
    "a mode beside it": (
        f'{GUIDE}if [ "$MODE" = debug ]; then echo nothing; elif [ "$MODE" = fully_async ]; then\n    '
        f"{TRAIN} --fully-async\nelse\n    {TRAIN} --colocate\nfi\n"
    ),
}


@pytest.mark.parametrize("name", RENAMED)
def test_a_name_starts_what_it_started_or_is_refused(name: str, tmp_path: Path) -> None:
    before = RENAMED[name]
    after, _ = made(before)
    assert after != before
    for word in OTHER:
        assert_kept(before, after, (word,), None, tmp_path)
        if started(before, (), tmp_path, word) != started(before, (), tmp_path):
            assert_kept(before, after, (), word, tmp_path)


def assert_kept(before: str, after: str, call: tuple[str, ...], mode: str | None, directory: Path) -> None:
    status, launches = started(after, call, directory, mode)
    was = started(before, call, directory, mode)
    assert (status, launches) == was or (status != 0 and not launches), (call, mode, was)


@pytest.mark.parametrize("name", RENAMED)
def test_the_usual_names_start_their_modes(name: str, tmp_path: Path) -> None:
    after, _ = made(RENAMED[name])
    for call, mode, flag in (
        ((), None, "--colocate"), (("sync",), None, "--colocate"), (("async",), None, "--fully-async"),
        ((), "sync", "--colocate"), ((), "async", "--fully-async"),
    ):  # fmt: skip
        status, launches = started(after, call, tmp_path, mode)
        assert status == 0
        assert [flag in launch for launch in launches] == [True]


@pytest.mark.parametrize("name", LEFT)
def test_a_launcher_that_would_take_a_name_for_another_mode_is_left(name: str) -> None:
    after, said = made(LEFT[name])
    assert after == LEFT[name]
    assert "asked for fully_async it would start something else, without a word" in said[0]
    report = lint(Project.from_files({SCRIPT: LEFT[name]}), RULES)
    report.keep_real_fixes()
    assert [(found.code, found.fix) for found in report.standing] == [("RLX405", None)]
