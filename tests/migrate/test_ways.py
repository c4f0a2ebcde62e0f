"""Which launches of a verl script belong together, and which are taken when nothing is set."""

from __future__ import annotations

from relax_lint.config import Settings
from relax_lint.migrate.ways import Way, ways
from relax_lint.project import Project
from tests.migrate.plans import VERL

TRAIN = "python3 -m verl.trainer.main_ppo"


def ways_of(script: str, **env: str) -> list[Way]:
    source = Project.from_files({"examples/math/train.sh": script}, Settings(env=env)).launcher(VERL)
    assert source is not None
    return ways(source)


def told(script: str, **env: str) -> list[tuple[str, list[str]]]:
    """The ways, each by its name and what its launches are given last."""
    return [(way.name, [launch.argv[-1].text for launch in way.launches]) for way in ways_of(script, **env)]


def test_one_launch_is_one_way() -> None:
    assert told(f"{TRAIN} a.b=1\n") == [("", ["a.b=1"])]
    assert told("echo nothing\n") == []


def test_loops_and_launches_one_after_another_are_one_way() -> None:
    script = f"for seed in 1 2; do\n    {TRAIN} data.seed=$seed\ndone\n{TRAIN} data.seed=3\n"
    assert told(script) == [("", ["data.seed=1", "data.seed=2", "data.seed=3"])]


def test_what_is_taken_when_nothing_is_set_comes_first() -> None:
    script = (
        f'DEVICE=${{DEVICE:-gpu}}\nif [ "$DEVICE" = npu ]; then\n    {TRAIN} trainer.device=npu\n'
        f"else\n    {TRAIN} trainer.device=cuda\nfi\n"
    )
    assert told(script) == [("", ["trainer.device=cuda"]), ("npu", ["trainer.device=npu"])]
    assert told(script, DEVICE="npu") == [("", ["trainer.device=npu"])]


def test_arguments_are_absent_when_nothing_is_set() -> None:
    script = f'case "${{1:-a}}" in\n    b) TP=4 ;;\n    *) TP=2 ;;\nesac\n{TRAIN} tp=$TP\n'
    assert told(script) == [("", ["tp=2"]), ("b", ["tp=4"])]


def test_where_a_plain_run_launches_nothing_the_way_that_asks_for_least_comes_first() -> None:
    script = (
        f'STEPS=${{STEPS:-}}\nif [ -n "$STEPS" ]; then MORE=steps=$STEPS; else MORE=all=1; fi\n'
        f'if [ "${{RUN:-0}}" = 1 ]; then {TRAIN} $MORE; fi\n'
    )
    assert [launches for _, launches in told(script)] == [["all=1"], ["steps=${STEPS}"]]


def test_a_way_without_a_name_gets_a_number() -> None:
    script = f'if [ -d "$MODEL" ]; then path=$MODEL; else path=Qwen/Q; fi\n{TRAIN} path=$path\n'
    (first, *_), (second, launches) = told(script)
    assert (first, second) == ("", "2")
    assert len(launches) == 1


def test_what_needs_a_file_or_a_machine_is_named_with_its_conditions() -> None:
    main, other = ways_of(f'if [ "$KIND" = big ]; then\n    {TRAIN} a=1\nfi\n{TRAIN} a=2\n')
    assert [launch.argv[-1].text for launch in main.launches] == ["a=2"]
    assert other.conditions == ('[ "$KIND" = big ]',)
    assert other.name == "big"


def test_what_a_sourced_file_asks_for_is_not_set_in_the_main_way() -> None:
    asks = (
        f'launch() {{\n    local words=(a=1)\n    [[ -v RATE ]] && words+=(rate=1)\n    {TRAIN} "${{words[@]}}"\n}}\n'
    )
    files = {"examples/math/train.sh": 'source "$(dirname "$0")/common.sh"\nlaunch\n', "examples/math/common.sh": asks}
    source = Project.from_files(files).launcher(VERL)
    assert source is not None
    main, other = ways(source)
    assert [launch.argv[-1].text for launch in main.launches] == ["a=1"]
    assert [launch.argv[-1].text for launch in other.launches] == ["rate=1"]
