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


NOTED = {
    "an unknown program": "prepare-node\n",
    "what looks like a training": "python3 relax/entrypoint/train.py --mode x\n",
    "a training": TRAIN,
    "a training behind a pipe": f"set -o pipefail\n{TRAIN.rstrip()} | tee log\n",
    "nothing that can be read": "if true; then\n",
    "a file that is not there": "source missing.sh\n",
    "an end": '[ -n "$MODE" ] || exit 3\n',
    "a function": "prepare() { prepare-node; }\nprepare\n",
    "all of it": f'prepare-node\npython3 relax/entrypoint/train.py\nsource missing.sh\n[ -n "$A" ] || exit 3\n{TRAIN}',
}
SOURCING = {
    "at once": 'source "$D"\n',
    "twice": 'source "$D"\nsource "$D"\n',
    "beside the same": 'prepare-node\n[ -n "$A" ] || exit 3\nsource "$D"\n',
    "into a file": 'source "$D" > out.log\n',
    "behind a bound": '[ -n "$B" ] && B=1\nsource "$D"\n',
}


@pytest.mark.parametrize("noted", NOTED)
def test_what_is_noted_on_the_way_is_noted_each_time(noted: str) -> None:
    runs = {
        f"examples/{place.replace(' ', '_')}/run_it.sh": f'D="$(dirname "$0")/../../{ENTRY}"\n{how}exit 0\n'
        for place, how in SOURCING.items()
    }
    again = {path.replace("/run_it.sh", "_again/run_it.sh"): text for path, text in runs.items()}
    for order in ({**runs, **again}, dict(reversed([*again.items(), *runs.items()]))):
        together = Project.from_files({**order, ENTRY: NOTED[noted]})
        for path, text in order.items():
            alone = Project.from_files({path: text, ENTRY: NOTED[noted]})
            assert told(together, path) == told(alone, path), path


def told(project: Project, path: str) -> object:
    """All that one of its launchers comes to."""
    source = project.launcher(project.root / path)
    assert source is not None
    found = source.evaluation
    return (
        [
            ([word.text for word in one.argv], one.conditions, [word.text for word in one.redirected_to])
            for one in (*found.launches, *found.near_launches)
        ],
        [(place.source.path, place.start, message) for place, message in found.problems],
        [(place.source.path, place.start, status) for place, status in found.exits],
        [(place.source.path, place.start) for place in found.unresolved_sources],
        [script.path for script in found.sourced],
        [(node.start, node.end) for node in found.not_followed],
        found.too_complex,
    )
