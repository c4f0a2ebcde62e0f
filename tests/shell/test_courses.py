"""A script called in several ways: the rest of a run that goes on as an earlier one did is not worked out again."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.shell.courses import Course
from relax_lint.shell.evaluate import Evaluation
from relax_lint.sources.launcher import LauncherSource
from tests.cases import for_each
from tests.faulty_launchers import FaultyLauncher

TRAIN = "python3 relax/entrypoints/train.py"
MODE = 'MODE=${1:-${MODE:-"sync"}}\n'
BRANCH = f'if [ "$MODE" = async ]; then\n    {TRAIN} --fully-async\nelse\n    {TRAIN} --colocate\nfi\n'
CALLS: list[tuple[tuple[str, ...], dict[str, str | None]]] = [
    ((), {"MODE": None}),
    (("sync",), {"MODE": None}),
    (("async",), {"MODE": None}),
    ((), {"MODE": "async"}),
]
COMMON = "echo common\n"
LATER_THE_SAME = {
    "the guide's": (MODE + BRANCH, [1, 3]),
    "something before": (f"set -ex\nDIR=$(dirname $0)\n{MODE}mkdir -p logs\n{BRANCH}", [1, 3]),
    "exported": (f"{MODE}export MODE\n{BRANCH}", [1, 3]),
    "arguments of a function": (f'say() {{ echo "$1"; }}\n{MODE}say "$MODE"\n{BRANCH}', [1, 3]),
    "a sourced file": (f". ./common.sh\n{MODE}. ./common.sh\n{BRANCH}", [1, 3]),
}
ASKED_TO_THE_END = {
    "passes its arguments on": f'{MODE}{BRANCH.replace("--colocate", """--colocate "$@" """)}',
    "counts them": f"{MODE}[ $# -gt 0 ] && {TRAIN} --colocate\n{BRANCH}",
    "loops over them": f"{MODE}for word; do {TRAIN} --fully-async --name $word; done\n",
    "takes one away": f"{MODE}shift\n{TRAIN} --name $1\n",
    "in a trap": f"trap '{TRAIN} --name $1' EXIT\n{MODE}{BRANCH}",
    "by another script": f"{MODE}bash other.sh\n",
    "by another script, which is told": f"{MODE}MODE=$MODE bash other.sh\nbash other.sh a\n",
    "by what is exported": f"{MODE}{TRAIN} --name ${{MODE@a}}\n",
    "exported on some ways": f'{MODE}[ "$X" = 1 ] && export MODE\nbash other.sh\n{BRANCH}',
    "all exported": f'{MODE}[ "$X" = 1 ] && set -a\nMODE=$MODE\nbash other.sh\n',
    "local": f"f() {{ local MODE; {TRAIN} --name ${{MODE@a}}; }}\n{MODE}f\n",
    "by printenv": f"{MODE}{TRAIN} --name $(printenv MODE)\n",
    "set anew": f'{MODE}set -- a b\n{TRAIN} --name "$@"\n',
    "set anew from what there was": f'{MODE}set -- "$@" b\n{TRAIN} --name "$@"\n',
    "an exit": f'{MODE}[ "$MODE" = sync ] || exit 3\n{TRAIN} --name $1\n',
    "options": f"{MODE}while getopts n: o; do {TRAIN} --name $o; done\n",
}


def launcher(text: str) -> LauncherSource:
    files = {"run.sh": text, "common.sh": COMMON, "other.sh": f'echo "$MODE"\n{TRAIN} --name "$MODE" "$@"\n'}
    found = Project.from_files(files).launcher(MEMORY_ROOT / "run.sh")
    assert found is not None
    return found


def told(found: Evaluation) -> list[Any]:
    """What an evaluation says."""
    launches = [
        (launch.kind, [word.text for word in launch.argv], launch.conditions, launch.options, launch.site.start)
        for launch in found.launches
    ]
    return [launches, found.exits, found.problems, found.unresolved_sources, found.too_complex]


def differing(text: str) -> list[int]:
    """The calls that are judged otherwise among others than alone."""
    together, alone = launcher(text).evaluate_each(CALLS), launcher(text)
    each = [alone.evaluate_with(*call) for call in CALLS]
    return [at for at in range(len(CALLS)) if _plain(together[at]) != _plain(each[at])]


def _plain(found: Evaluation) -> str:
    return repr(told(found)).replace(repr(Path(MEMORY_ROOT)), "")


@for_each("name", LATER_THE_SAME)
def test_a_run_is_over_where_it_goes_on_as_another(name: str) -> None:
    text, rejoined = LATER_THE_SAME[name]
    source, courses = launcher(text), list[Course]()
    for call in CALLS:
        courses.append(Course(copy.copy(courses)))
        source.evaluate_with(*call, course=courses[-1])
    assert [at for at, course in enumerate(courses) if course.outcome is None] == rejoined
    assert differing(text) == []


@for_each("name", ASKED_TO_THE_END)
def test_a_run_that_asks_how_it_was_called_is_judged_as_if_it_were_the_only_one(name: str) -> None:
    assert differing(ASKED_TO_THE_END[name]) == []


@for_each("seed", range(60))
def test_launchers_with_faults_are_judged_as_if_called_in_one_way_only(seed: int) -> None:
    assert differing(FaultyLauncher(seed).text) == []
