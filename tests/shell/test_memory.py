"""What sourcing a file does is worked out once for a project, and is what it would be each time."""

from __future__ import annotations

import pytest

from relax_lint.project import Project
from relax_lint.sources.launcher import LauncherSource

RUN = "examples/demo/run_demo.sh"
ENTRY = "scripts/entrypoint/local.sh"
TRAIN = 'python3 relax/entrypoints/train.py --mode "$MODE" "$@"\n'


def launcher(entry: str, run: str = f'source "$(dirname "$0")/../../{ENTRY}"\n{TRAIN}') -> LauncherSource:
    project = Project.from_files({RUN: run, ENTRY: entry})
    source = project.launcher(project.root / RUN)
    assert source is not None
    return source


def launched(source: LauncherSource, *args: str) -> list[str]:
    [launch] = source.evaluate_with(args, {}).launches
    return [word.text or "?" for word in launch.argv[2:]]


def test_an_entrypoint_that_asks_no_argument_leaves_them_as_they_are() -> None:
    source = launcher("MODE=plain\n")
    assert launched(source, "first") == ["--mode", "plain", "first"]
    assert launched(source, "second", "third") == ["--mode", "plain", "second", "third"]
    assert launched(source) == ["--mode", "plain"]


@pytest.mark.parametrize(
    "entry",
    [
        "MODE=$1\n",
        'for each; do MODE="$each"; done\n',
        'MODE=none; if [ "$#" -gt 0 ]; then MODE="$1"; fi\n',
        'which=1; MODE="${!which}"\n',
        'pick() { MODE="$1"; }\npick "$@"\n',
    ],
)
def test_an_entrypoint_that_asks_for_them_is_worked_out_for_each(entry: str) -> None:
    source = launcher(entry)
    assert launched(source, "first") == ["--mode", "first", "first"]
    assert launched(source, "second") == ["--mode", "second", "second"]


@pytest.mark.parametrize("entry", ["MODE=plain; shift\n", 'MODE=plain; set -- "${@:2}"\n'])
def test_an_entrypoint_that_drops_one_drops_it_each_time(entry: str) -> None:
    source = launcher(entry)
    assert launched(source, "first", "rest") == ["--mode", "plain", "rest"]
    assert launched(source, "second", "other") == ["--mode", "plain", "other"]
