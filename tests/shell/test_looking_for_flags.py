"""Scripts that go through the words of a command in search of a flag."""

from __future__ import annotations

import pytest

from tests.cases import for_each
from tests.shell.worlds import launches

LOOKS_FOR_A_FLAG = """
run() {{
    for arg in "$@"; do
        {test} && {{ python3 as-given "$@"; return; }}
    done
    python3 added "$@"
}}
run {words}
"""
WAYS_TO_LOOK = [
    '[ "$arg" = "--env-json" ]',
    '[ "$arg" = "--env-json" -o "$arg" = "--other" ]',
    '[[ "$arg" == --env-json || $arg == --env-json=* ]]',
    'case "$arg" in --env-json|--env-json=*) true ;; *) false ;; esac',
]


@for_each("test", WAYS_TO_LOOK)
@for_each(
    "words",
    [
        "--n ${N:-8}", '--n "${N:-8}"', 'x --name "${NAME:=a b}"', "--load $DIR/model", '--load "${DIR}/model"',
        "--name run-$DATE", "${WAIT:+--no-wait}", '--name "$(basename "${NAME:-x}").log"', "--both ${A:-1}${B:-2}",
    ],
)  # fmt: skip
def test_no_flag_is_looked_for_in_what_nobody_sets_to_one(test: str, words: str) -> None:
    found = launches(LOOKS_FOR_A_FLAG.format(test=test, words=words))
    assert [launch.argv[1].text for launch in found] == ["added"]


@for_each("test", WAYS_TO_LOOK)
@for_each(
    "words",
    [
        "$MORE",
        '"$MORE"',
        '"$@"',
        '"${1:-x}"',
        '"${MORE:---other}"',
        '"$(flags)"',
        '"${MY_FLAG:-none}"',
        "${MODE:=sync}",
    ],
)
def test_a_flag_is_looked_for_in_what_may_be_one(test: str, words: str) -> None:
    found = launches(LOOKS_FOR_A_FLAG.format(test=test, words=words))
    assert {launch.argv[1].text for launch in found} == {"as-given", "added"}


@pytest.mark.parametrize("test", WAYS_TO_LOOK)
def test_a_flag_that_is_there_is_found(test: str) -> None:
    found = launches(LOOKS_FOR_A_FLAG.format(test=test, words='--n "${N:-8}" --env-json "$X"'))
    assert [launch.argv[1].text for launch in found] == ["as-given"]
