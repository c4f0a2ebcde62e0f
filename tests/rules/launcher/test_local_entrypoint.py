"""The guard that lets a launcher be started by hand, in launchers of several files, and what its fix leaves alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.fixing import fix
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer

RUN = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py --lr 1e-6"
LOCAL = 'source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"'
SETTINGS = Settings(selection=(Layer(select=("RLX419",)),))


def judged(files: str | dict[str, str]) -> Report:
    tree = files if isinstance(files, dict) else {RUN: files}
    return lint(Project.from_files(tree, SETTINGS), load_rules(), SETTINGS)


@pytest.mark.parametrize(
    "text",
    [
        f'if ! [ "${{RELAX_ENTRYPOINT_MODE:-x}}" != x ]; then\n    {LOCAL}\nfi\n{TRAIN}\n',
        f'if [ "$1" = x ]; then\n    :\nelif [ -z "$RELAX_ENTRYPOINT_MODE" ]; then\n    {LOCAL}\nfi\n{TRAIN}\n',
        f"[[ -v RELAX_ENTRYPOINT_MODE ]] || {{ cd scripts/entrypoint && source local-klx.sh; cd -; }}\n{TRAIN}\n",
        f'test -n "${{RELAX_ENTRYPOINT_MODE-}}" || . ./scripts/entrypoint/local.sh\n{TRAIN}\n',
        f'until [ -n "$RELAX_ENTRYPOINT_MODE" ]; do\n    {LOCAL}\ndone\n{TRAIN}\n',
        f'case "$RELAX_ENTRYPOINT_MODE" in "") {LOCAL} ;; esac\n{TRAIN}\n',
        f"mode=$RELAX_ENTRYPOINT_MODE\n[[ $mode ]] || {LOCAL}\n{TRAIN}\n",
        f'if [ -z "$RELAX_ENTRYPOINT_MODE" ]; then source "${{E:-scripts/entrypoint/local.sh}}"; fi\n{TRAIN}\n',
        f'set_up() {{\n    if [ -z "$RELAX_ENTRYPOINT_MODE" ]; then {LOCAL}; fi\n}}\nset_up\n{TRAIN}\n',
    ],
)
def test_ways_to_write_the_guard(text: str) -> None:
    assert judged(text).diagnostics == []


@pytest.mark.parametrize(
    "text",
    [
        f"{TRAIN}\n",
        f": ${{RELAX_ENTRYPOINT_MODE:=local}}\n{TRAIN}\n",
        f'echo "by $RELAX_ENTRYPOINT_MODE"\n{TRAIN}\n',
        f"# [ -z $RELAX_ENTRYPOINT_MODE ] && {LOCAL}\n{TRAIN}\n",
        f"cat <<'E'\nif [ -z $RELAX_ENTRYPOINT_MODE ]; then\nE\n{TRAIN}\n",
        f"export MODEL_CONFIG_DIR=scripts/models\n{TRAIN}\n",
        f"bash scripts/entrypoint/local.sh && {TRAIN}\n",
    ],
)
def test_what_is_no_guard(text: str) -> None:
    [found] = judged(text).diagnostics
    assert found.message.startswith("no RELAX_ENTRYPOINT_MODE guard")


@pytest.mark.parametrize(
    "text",
    [
        f"[[ -n $RELAX_ENTRYPOINT_MODE ]] && {LOCAL}\n{TRAIN}\n",
        f'test -z "${{RELAX_ENTRYPOINT_MODE}}" || {LOCAL}\n{TRAIN}\n',
        f'! [ -n "${{RELAX_ENTRYPOINT_MODE:-}}" ] || {LOCAL}\n{TRAIN}\n',
        f'if [ ! -z "${{RELAX_ENTRYPOINT_MODE:+set}}" ]; then\n    {LOCAL}\nfi\n{TRAIN}\n',
        f'if ! [[ -z "${{RELAX_ENTRYPOINT_MODE-}}" ]]; then\n    echo once more\n    {LOCAL}\nfi\n{TRAIN}\n',
        (
            f'if [ -z "$RELAX_ENTRYPOINT_MODE" ]; then\n    :\nelif [ "$1" = x ]; then\n    {LOCAL}\n'
            f"else\n    {LOCAL}\nfi\n{TRAIN}\n"
        ),
    ],
)
def test_a_guard_the_wrong_way_round(text: str) -> None:
    [found] = judged(text).diagnostics
    assert found.message.startswith("sourced where RELAX_ENTRYPOINT_MODE is set")


@pytest.mark.parametrize(
    "text",
    [
        f'if [ -n "$RELAX_ENTRYPOINT_MODE" ]; then\n    {LOCAL}\nelse\n    {LOCAL}\nfi\n{TRAIN}\n',
        f'if [ -n "${{RELAX_ENTRYPOINT_MODE:-none}}" ]; then\n    {LOCAL}\nfi\n{TRAIN}\n',
        f'if [ -n "$RELAX_ENTRYPOINT_MODE" ] && [ "$1" ]; then\n    {LOCAL}\nfi\n{TRAIN}\n',
        f'[ -n "$RELAX_ENTRYPOINT_MODE" ] && echo external || {LOCAL}\n{TRAIN}\n',
        f'[ -n "$RELAX_ENTRYPOINT_MODE" ] || {{ [ -d scripts ] && {LOCAL}; }}\n{TRAIN}\n',
        f'if [ -n "$RELAX_ENTRYPOINT_MODE" ]; then\n    echo external\nelif [ "$1" ]; then\n    {LOCAL}\nfi\n{TRAIN}\n',
        f'if [ -z "$RELAX_ENTRYPOINT_MODE" ]; then\n    export MODEL_CONFIG_DIR=scripts/models\nfi\n{TRAIN}\n',
    ],
)
def test_guards_that_may_be_the_right_way_round(text: str) -> None:
    assert judged(text).diagnostics == []


def test_a_file_that_cannot_be_read_may_hold_it() -> None:
    report = judged(f'source "$HERE/env.sh"\n{TRAIN}\n')
    assert report.diagnostics == []
    assert [silence.because for silence in report.not_checked] == ['source "$HERE/env.sh"']


def test_a_launcher_that_bash_cannot_run_yet() -> None:
    report = judged(f"{TRAIN}\r\necho done\r\n")
    assert report.diagnostics == []
    assert [silence.because for silence in report.not_checked] == ["CRLF line ends"]


def test_an_entry_point_that_a_shared_file_sources() -> None:
    tree = {
        RUN: f"source scripts/common.sh\n{TRAIN}\n",
        "scripts/common.sh": "source scripts/entrypoint/local.sh\n",
        "scripts/entrypoint/local.sh": "export MODEL_CONFIG_DIR=scripts/models\n",
    }
    assert judged(tree).diagnostics == []


def test_a_launcher_that_another_sources_is_judged_there() -> None:
    report = judged({RUN: "source examples/demo/launch.sh\n", "examples/demo/launch.sh": f"{TRAIN}\n"})
    assert [found.path.name for found in report.diagnostics] == ["launch.sh"]


MENDED = [
    f"set -euo pipefail\n{TRAIN}\n",
    (
        '#!/bin/bash\nset -ex\nSCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"\n'
        f'source "${{MODEL_CONFIG_DIR:-/m}}/x.sh" 2>/dev/null || true\n{TRAIN}\n'
    ),
    f'cd "$(dirname "$0")/../.."\nfor size in 8; do\n    {TRAIN} --global-batch-size $size\ndone\n',
    f'run() {{\n    {TRAIN} "$@"\n}}\nrun --colocate\n',
    f"SCRIPT_DIR=$(pwd)/examples/demo\nsource scripts/entrypoint/local.sh\n{TRAIN}\n",
]


@pytest.mark.parametrize("text", MENDED)
@pytest.mark.parametrize("mode", ["", "ray-job"])
def test_a_mended_launcher_launches_the_same_in_bash(text: str, mode: str, tmp_path: Path) -> None:
    """Started by hand it sources the entry point first; under another one it does not."""
    project = Project.from_files({RUN: text}, SETTINGS)
    result = fix(project, load_rules(), SETTINGS)
    mended = (result.project.read(project.root / RUN) or b"").decode()
    assert mended != text
    assert result.report.diagnostics == []
    recipe, entry = tmp_path / "examples/demo", tmp_path / "scripts/entrypoint"
    programs = tmp_path / "bin"
    for directory in (recipe, entry, programs):
        directory.mkdir(parents=True)
    (entry / "local.sh").write_text("echo sourced local.sh\n")
    (programs / "python3").write_text('#!/bin/sh\necho "python3 $*"\n')
    (programs / "python3").chmod(0o755)
    (recipe / "run_demo.sh").write_text(mended)
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "RELAX_ENTRYPOINT_MODE": mode}
    done = subprocess.run(
        ["bash", "examples/demo/run_demo.sh"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    sourced, launched = done.stdout.count("sourced local.sh"), done.stdout.count("python3 relax/entrypoints/train.py")
    assert (sourced, launched) == (0 if mode else 1, 1)
